"""The balance of self-play and training."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rayzero.cluster.budget import SampleBudget


def make(**changes):
    return SampleBudget(**{"samples_per_position": 4.0, "batch": 256, "min_positions": 1000, "max_lead": 20} | changes)


def test_nothing_is_trained_on_too_few_positions():
    budget = make()
    budget.count(999)
    assert budget.steps_left(0) == 0 and budget.may_play(0)
    budget.count(1000)
    assert budget.steps_left(0) == 15  # 1000 * 4 / 256


def test_selfplay_waits_when_training_is_far_behind():
    budget = make()
    budget.count(64 * 21)
    assert not budget.may_play(0)
    assert budget.may_play(1)


@given(st.lists(st.integers(0, 500), min_size=1, max_size=50), st.integers(0, 2**32 - 1))
def test_samples_never_exceed_what_positions_earned(additions, seed):
    """Whatever the order of events: never more samples than paid for, never more than a step unspent when idle."""
    random = np.random.default_rng(seed)
    budget, positions, steps = make(min_positions=0), 0, 0
    for addition in additions:
        positions += addition
        budget.count(positions)
        steps += int(random.integers(0, budget.steps_left(steps) + 1))
        assert steps * 256 <= positions * 4
    steps += budget.steps_left(steps)
    assert positions * 4 - steps * 256 < 256 + 1e-6


def test_what_was_earned_stays_when_settings_change():
    before = make()
    before.count(6400)
    after = make(samples_per_position=8.0, **before.state())
    after.count(6400 + 640)
    assert after.steps_left(100) == 20


def test_lost_steps_may_be_taken_again():
    budget = make()
    budget.count(6400)
    assert budget.steps_left(100) == 0
    assert budget.steps_left(60) == 40 and not budget.may_play(60)
