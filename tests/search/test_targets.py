"""Temperature, noise on moves, sampling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rayzero.search.targets import move_probabilities, sample, sample_actions, temperature_at, with_noise

counts_strategy = st.lists(st.integers(0, 10_000), min_size=2, max_size=12).filter(any)


@given(counts_strategy, st.floats(0.05, 5))
def test_power_of_counts_is_softmax_of_their_logarithm(counts: list[int], temperature: float) -> None:
    found = move_probabilities(np.array([counts]), temperature)[0]
    with np.errstate(divide="ignore"):
        logits = np.log(counts) / temperature
    softmax = np.exp(logits - logits.max())
    assert found == pytest.approx(softmax / softmax.sum(), abs=1e-12)


def test_temperature_one_is_proportional_and_zero_is_the_largest() -> None:
    counts = np.array([[1, 3, 0, 4], [5, 5, 0, 0]])
    assert move_probabilities(counts, 1.0).tolist() == [[0.125, 0.375, 0, 0.5], [0.5, 0.5, 0, 0]]
    assert move_probabilities(counts, 0.0).tolist() == [[0, 0, 0, 1], [1, 0, 0, 0]]
    assert move_probabilities(counts, np.array([0.0, 1.0])).tolist() == [[0, 0, 0, 1], [0.5, 0.5, 0, 0]]


def test_tiny_temperature_does_not_overflow() -> None:
    assert move_probabilities(np.array([[9999, 10000, 1]]), 0.001)[0] == pytest.approx([0, 1, 0], abs=0.5)
    assert np.isfinite(move_probabilities(np.array([[9999, 10000, 1]]), 1e-3)).all()


def test_schedule_by_ply() -> None:
    assert temperature_at(np.array([0, 29, 30, 31]), 1.0, 30, 0.0).tolist() == [1, 1, 0, 0]


def test_samples_have_their_probabilities() -> None:
    rng = np.random.default_rng(1)
    counts = np.tile([1, 0, 3, 4], (40_000, 1))
    shares = np.bincount(sample_actions(counts, 1.0, rng), minlength=4) / 40_000
    assert shares == pytest.approx([0.125, 0, 0.375, 0.5], abs=0.01)
    assert shares[1] == 0
    assert (sample_actions(counts[:10], 0.0, rng) == 3).all()
    assert sample(np.array([[0.0, 0.0, 1e-9]]), rng)[0] == 2


def test_noise_on_moves_is_a_mixture_over_legal_moves() -> None:
    rng = np.random.default_rng(3)
    probabilities = np.tile([0.7, 0.3, 0.0, 0.0], (20_000, 1))
    legal = np.tile([True, True, True, False], (20_000, 1))
    mixed = with_noise(probabilities, legal, 0.25, 0.3, rng)
    assert mixed.sum(axis=1) == pytest.approx(np.ones(20_000))
    assert (mixed[:, 3] == 0).all()
    assert (mixed[:, 0] >= 0.75 * 0.7 - 1e-12).all()
    assert mixed.mean(axis=0) == pytest.approx([0.525 + 1 / 12, 0.225 + 1 / 12, 1 / 12, 0], abs=0.01)
    dirichlet = (mixed - 0.75 * probabilities)[:, 2] / 0.25
    assert dirichlet.var() == pytest.approx((1 / 3) * (2 / 3) / (3 * 0.3 + 1), rel=0.05)
