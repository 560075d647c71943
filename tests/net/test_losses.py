"""Losses against a slow reference, and the rules for the learning rate."""

from math import isclose, nan

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rayzero.config.schema import Learner as LearnerConfig
from rayzero.net.losses import Targets, divergence, losses
from rayzero.net.ops import Heads
from rayzero.net.rates import LearningRate
from rayzero.records import Batch


def make_batch(rng, n, actions=9, plies=9):
    policies = rng.dirichlet(np.ones(actions), n).astype(np.float32)
    policies[0] = np.eye(actions)[3]  # Zero probabilities must not give nan.
    replies = rng.dirichlet(np.ones(actions), n).astype(np.float32)
    replies[1] = 0
    return Batch(
        planes=rng.integers(0, 2, (n, 4, 3, 3), np.uint8),
        policies=policies,
        outcomes=rng.integers(-1, 2, n).astype(np.int8),
        search_values=rng.uniform(-1, 1, n).astype(np.float32),
        moves_left=rng.integers(0, plies + 1, n).astype(np.int16),
        replies=replies,
        legal=np.ones((n, actions), bool),
        age=0.0,
    )


def log_softmax(x):
    return x - np.log(np.exp(x).sum(1, keepdims=True))


@pytest.mark.parametrize("wdl", [True, False])
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0, 1))
def test_losses_are_what_their_names_say(wdl, seed, share):
    rng = np.random.default_rng(seed)
    batch = make_batch(rng, 6)
    logits = [rng.normal(0, 2, (6, size)) for size in (9, 3 if wdl else 1, 10, 9)]
    heads = Heads(*(torch.tensor(array, dtype=torch.float32) for array in logits))
    found = losses(heads, Targets.of(batch, torch.device("cpu")), share)
    policy, value, plies, reply = logits
    assert isclose(found.policy, -(batch.policies * log_softmax(policy)).sum(1).mean(), rel_tol=1e-4)
    if wdl:
        chances = np.exp(log_softmax(value))
        expectation = chances[:, 0] - chances[:, 2]
        cross = -np.mean([log_softmax(value)[i, {1: 0, 0: 1, -1: 2}[batch.outcomes[i]]] for i in range(6)])
        wanted = (1 - share) * cross + share * np.mean((expectation - batch.search_values) ** 2)
    else:
        expectation = np.tanh(value[:, 0])
        wanted = np.mean((expectation - (1 - share) * batch.outcomes - share * batch.search_values) ** 2)
    assert isclose(found.value, wanted, rel_tol=1e-4, abs_tol=1e-6)
    assert isclose(found.value_error, np.mean((expectation - batch.outcomes) ** 2), rel_tol=1e-4, abs_tol=1e-6)
    assert isclose(found.outcome_variance, np.var(batch.outcomes.astype(float)), rel_tol=1e-4, abs_tol=1e-6)
    wanted = -np.mean([log_softmax(plies)[i, batch.moves_left[i]] for i in range(6)])
    assert isclose(found.moves_left, wanted, rel_tol=1e-4)
    known = [i for i in range(6) if i != 1]
    wanted = -np.mean([(batch.replies[i] * log_softmax(reply)[i]).sum() for i in known])
    assert isclose(found.reply, wanted, rel_tol=1e-4)
    chances = np.exp(log_softmax(policy))
    assert isclose(found.entropy, -(chances * np.log(chances)).sum(1).mean(), rel_tol=1e-4)
    config = LearnerConfig(policy_weight=1, value_weight=2, moves_left_weight=3, reply_weight=4)
    total = found.policy + 2 * found.value + 3 * found.moves_left + 4 * found.reply
    assert isclose(found.total(config), total, rel_tol=1e-5)


def test_a_batch_without_replies_has_no_reply_loss():
    batch = make_batch(np.random.default_rng(1), 4)
    batch.replies[:] = 0
    heads = Heads(torch.zeros(4, 9), torch.zeros(4, 3), None, torch.zeros(4, 9))
    found = losses(heads, Targets.of(batch, torch.device("cpu")), 0.0)
    assert found.reply == 0 and found.moves_left == 0


def test_divergence_of_policies():
    old, new = torch.tensor([[0.0, 0.0]]), torch.tensor([[0.0, float(np.log(3))]])
    assert isclose(divergence(old, new), 0.5 * np.log(0.5 / 0.25) + 0.5 * np.log(0.5 / 0.75), rel_tol=1e-5)
    assert divergence(new, new) == 0


def rate(schedule, **changes):
    changes = {"learning_rate": 1.0, "warmup_steps": 0, "schedule_steps": 100} | changes
    return LearningRate(LearnerConfig(schedule=schedule, **changes))


def test_fixed_schedules():
    assert [rate("constant").at(step) for step in (0, 1000)] == [1, 1]
    assert [round(rate("cosine").at(step), 6) for step in (0, 50, 100, 200)] == [1, 0.5, 0, 0]
    assert [rate("steps").at(step) for step in (0, 49, 50, 74, 75, 1000)] == [1, 1, 0.1, 0.1, 0.01, 0.01]
    assert [rate("constant", warmup_steps=4).at(step) for step in range(6)] == [0.25, 0.5, 0.75, 1, 1, 1]


def test_the_rate_follows_the_divergence():
    """/ 1.5 above twice the target, * 1.5 below half of it, otherwise unchanged; within 0.1 to 10."""
    control = rate("kl", kl_target=0.02)

    def observe(kl):
        control.observe(kl, policy_loss=1.0, entropy=1.0, target_entropy=1.0)
        return control.multiplier

    assert observe(0.05) == 1 / 1.5
    assert observe(0.03) == observe(0.011) == 1 / 1.5
    assert isclose(observe(0.009), 1)
    assert isclose(observe(0.009), 1.5)
    assert control.at(0) == control.multiplier
    for _ in range(20):
        observe(0.001)
    assert control.multiplier == 10
    for _ in range(40):
        observe(1.0)
    assert control.multiplier == 0.1
    observe(nan)
    assert control.multiplier == 0.1


def test_a_collapsed_net_does_not_raise_the_rate():
    """It gives one answer whatever it is shown: no divergence, no entropy, a large loss."""
    control = rate("kl")
    for _ in range(100):
        control.observe(0.001, policy_loss=2.0, entropy=1.5, target_entropy=1.5)
    assert control.multiplier == 10
    for _ in range(20):
        control.observe(0.0, policy_loss=2.0, entropy=0.01, target_entropy=1.5)
    assert control.multiplier == 1
    for _ in range(20):
        control.observe(0.0, policy_loss=9.0, entropy=1.5, target_entropy=1.5)
    assert control.multiplier == 1


def test_a_fixed_schedule_ignores_the_divergence():
    control = rate("constant")
    control.observe(0.0, policy_loss=1.0, entropy=1.0, target_entropy=1.0)
    assert control.multiplier == 1
