"""Steps, averages, control and checkpoints of the learner."""

import dataclasses
from math import isnan

import numpy as np
import pytest
import torch

from rayzero.config.schema import Learner as LearnerConfig
from rayzero.config.schema import Net as NetConfig
from rayzero.errors import ModelError
from rayzero.games.registry import make_game
from rayzero.learner import Learner
from rayzero.net import flatten

NET = NetConfig(channels=16, blocks=1)


def make_learner(game=None, net=NET, seed=1, **changes):
    settings = {"precision": "float32", "threads": 1, "warmup_steps": 0} | changes
    return Learner(game or make_game("tictactoe"), net, LearnerConfig(**settings), seed)


def test_it_learns_64_positions_by_heart(noise):
    """Noise as targets: only remembering helps; policies are certain, so that the loss can reach 0."""
    game = make_game("connect4")
    batch = noise(game, 64)
    certain = np.eye(game.actions, dtype=np.float32)[batch.policies.argmax(1)]
    batch = dataclasses.replace(
        batch, policies=certain, replies=certain, search_values=batch.outcomes.astype(np.float32)
    )
    learner = make_learner(game, NetConfig(channels=32, blocks=2), learning_rate=5e-3, clip=0.0)
    losses = [learner.step(batch).loss for _ in range(150)]
    assert losses[0] > 2.5
    assert losses[-1] < 0.02


@pytest.mark.parametrize("optimizer", ["adamw", "adam", "sgd"])
@pytest.mark.parametrize("architecture", ["plain", "resnet", "nested"])
def test_a_step_lowers_the_loss_and_reports(optimizer, architecture, noise):
    batch = noise(make_game("tictactoe"), 32)
    learner = make_learner(net=NetConfig(architecture=architecture, channels=8, blocks=1), optimizer=optimizer)
    reports = [learner.step(batch) for _ in range(20)]
    assert reports[-1].loss < reports[0].loss
    first = reports[0]
    assert [report.step for report in reports] == list(range(1, 21))
    total = first.policy_loss + first.value_loss + 0.1 * first.moves_left_loss + 0.15 * first.reply_loss
    assert first.loss == pytest.approx(total, rel=1e-5)
    assert first.grad_norm > 0 and first.passes == 1 and first.age == 3.0 and first.seconds > 0
    assert 0 < first.entropy <= np.log(9) + 1e-4 and first.policy_loss >= first.target_entropy
    assert isnan(first.kl)


def test_the_same_seed_gives_the_same_weights(noise):
    game = make_game("connect4")
    learners = [make_learner(game, seed=seed) for seed in (3, 3, 4)]
    for step in range(4):
        for learner in learners:
            learner.step(noise(game, 32, seed=step))
    first, same, other = (learner.weights().flat for learner in learners)
    assert np.array_equal(first, same) and not np.array_equal(first, other)


@pytest.mark.parametrize("optimizer", ["adamw", "adam", "sgd"])
@pytest.mark.parametrize("ema", [0.0, 0.9])
def test_a_checkpoint_continues_exactly(optimizer, ema, noise, tmp_path):
    game = make_game("connect4")
    learner = make_learner(game, optimizer=optimizer, ema=ema, schedule="kl", passes=2)
    for step in range(3):
        learner.step(noise(game, 32, seed=step))
    learner.save(tmp_path / "checkpoint")
    resumed = make_learner(game, optimizer=optimizer, ema=ema, schedule="kl", passes=2, seed=99)
    resumed.restore(tmp_path / "checkpoint")
    assert resumed.weights().version == 3
    for step in range(3, 6):
        wanted, found = (one.step(noise(game, 32, seed=step)) for one in (learner, resumed))
        assert dataclasses.replace(wanted, seconds=0) == dataclasses.replace(found, seconds=0)
    assert np.array_equal(learner.weights().flat, resumed.weights().flat)
    assert np.array_equal(flatten(learner.net, 0).flat, flatten(resumed.net, 0).flat)


def test_a_checkpoint_before_the_first_step(noise, tmp_path):
    learner = make_learner()
    learner.save(tmp_path / "start")
    resumed = make_learner(seed=5)
    resumed.restore(tmp_path / "start")
    batch = noise(make_game("tictactoe"), 16)
    assert learner.step(batch).loss == resumed.step(batch).loss
    assert np.array_equal(learner.weights().flat, resumed.weights().flat)


def test_a_checkpoint_that_does_not_fit_is_told(tmp_path):
    make_learner().save(tmp_path / "good")
    for other in (make_learner(net=NetConfig(channels=8, blocks=1)), make_learner(optimizer="sgd")):
        with pytest.raises(ModelError, match="holds another net"):
            other.restore(tmp_path / "good")
    with pytest.raises(ModelError, match="no checkpoint of a learner"):
        make_learner().restore(tmp_path)
    (tmp_path / "good" / "learner.json").write_text('{"step": "many"}')
    with pytest.raises(ModelError, match="no checkpoint of a learner"):
        make_learner().restore(tmp_path / "good")


def test_weights_that_play_are_the_average(noise):
    """The average over the last steps, statistics of batch norm included; a slow reference keeps it alongside."""
    batch = noise(make_game("tictactoe"), 32)
    learner = make_learner(ema=0.95)
    wanted = flatten(learner.net, 0).flat.astype(np.float64)
    for step in range(1, 31):
        learner.step(batch)
        keep = min(0.95, step / (step + 9))
        wanted = keep * wanted + (1 - keep) * flatten(learner.net, 0).flat
    found = learner.weights()
    assert np.allclose(found.flat, wanted, atol=1e-5) and found.version == 30
    assert not np.allclose(found.flat, flatten(learner.net, 0).flat, atol=1e-4)
    plain = make_learner(ema=0.0)
    plain.step(batch)
    assert np.array_equal(plain.weights().flat, flatten(plain.net, 0).flat)


def test_weights_handed_out_do_not_change(noise):
    learner = make_learner(ema=0.0)
    before = learner.weights()
    kept = before.flat.copy()
    learner.step(noise(make_game("tictactoe"), 16))
    assert np.array_equal(before.flat, kept)


def test_weight_decay_spares_biases_and_batch_norm(noise):
    """With no gradient to follow, only the weights of layers shrink."""
    learner = make_learner(
        weight_decay=0.5, policy_weight=0.0, value_weight=0.0, moves_left_weight=0.0, reply_weight=0.0, ema=0.0
    )
    with torch.no_grad():
        for parameter in learner.net.parameters():
            parameter.fill_(1.0)
    learner.step(noise(make_game("tictactoe"), 16))
    for name, parameter in learner.net.named_parameters():
        assert (parameter < 1).all() if parameter.dim() > 1 else (parameter == 1).all(), name


def test_a_gradient_that_is_not_finite_is_left_out(noise):
    batch = noise(make_game("tictactoe"), 16)
    learner = make_learner(ema=0.0)
    learner.step(batch)
    before = [parameter.clone() for parameter in learner.net.parameters()]
    report = learner.step(dataclasses.replace(batch, search_values=np.full(16, np.inf, np.float32)))
    assert report.passes == 0 and report.step == 2
    assert all(torch.equal(a, b) for a, b in zip(before, learner.net.parameters(), strict=True))
    assert np.isfinite(learner.step(batch).loss)


def test_gradients_are_clipped(noise):
    """SGD at rate 1 moves the weights by the clipped gradient: its norm is at most the limit."""
    learner = make_learner(optimizer="sgd", learning_rate=1.0, weight_decay=0.0, clip=0.01, ema=0.0)
    before = torch.cat([parameter.detach().flatten().clone() for parameter in learner.net.parameters()])
    report = learner.step(noise(make_game("tictactoe"), 16))
    after = torch.cat([parameter.detach().flatten() for parameter in learner.net.parameters()])
    assert report.grad_norm > 0.01
    assert (after - before).norm() == pytest.approx(0.019, rel=0.01)  # Nesterov: 1 + 0.9 times the gradient.


def test_passes_stop_when_the_policy_has_moved_far(noise):
    """At most 5 passes over a batch; none after the divergence has passed 4 times the target."""
    batch = noise(make_game("tictactoe"), 64)
    gentle = make_learner(schedule="kl", passes=5, kl_target=10.0).step(batch)
    assert gentle.passes == 5 and 0 < gentle.kl < 40
    strict = make_learner(schedule="kl", passes=5, kl_target=1e-6, learning_rate=0.05)
    report = strict.step(batch)
    assert report.passes == 1 and report.kl > 4e-6
    assert report.multiplier == pytest.approx(1 / 1.5)
    assert strict.step(batch).learning_rate == pytest.approx(0.05 / 1.5)


def test_measuring_the_divergence_changes_nothing(noise, monkeypatch):
    """Every step measured or none: the same weights, statistics of batch norm included."""
    batch = noise(make_game("tictactoe"), 32)
    learners = [make_learner(), make_learner()]
    monkeypatch.setattr("rayzero.learner.MEASURE_EVERY", 1)
    measured = [learners[0].step(batch) for _ in range(5)]
    monkeypatch.setattr("rayzero.learner.MEASURE_EVERY", 1000)
    unmeasured = [learners[1].step(batch) for _ in range(5)]
    assert all(report.kl > 0 for report in measured) and all(isnan(report.kl) for report in unmeasured)
    assert np.array_equal(learners[0].weights().flat, learners[1].weights().flat)


def test_batches_may_be_read_only(noise):
    batch = noise(make_game("tictactoe"), 16)
    for array in vars(batch).values():
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    make_learner().step(batch)


def test_bfloat16_trains_like_float32(noise):
    batch = noise(make_game("connect4"), 64)
    learners = [make_learner(make_game("connect4"), precision=precision) for precision in ("float32", "bfloat16")]
    exact, rough = ([learner.step(batch).loss for _ in range(15)][-1] for learner in learners)
    assert rough == pytest.approx(exact, rel=0.05)


def test_auto_picks_a_precision_and_says_so(caplog):
    with caplog.at_level("INFO", logger="rayzero.learner"):
        learner = make_learner(precision="auto")
    assert learner.precision in ("float32", "bfloat16") and learner.precision in caplog.text


def test_picking_a_precision_does_not_change_the_net():
    weights = [make_learner(precision=precision).weights().flat for precision in ("auto", "float32")]
    assert np.array_equal(*weights)


def test_the_rate_warms_up(noise):
    learner = make_learner(warmup_steps=4, learning_rate=1.0)
    batch = noise(make_game("tictactoe"), 16)
    assert [learner.step(batch).learning_rate for _ in range(5)] == [0.25, 0.5, 0.75, 1.0, 1.0]
