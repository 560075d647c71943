"""Elo by hand, and intervals that hold what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rayzero.evaluation.elo import (
    LIMIT,
    confidence,
    elo_difference,
    elo_of,
    mean_and_variance,
    score_interval,
    score_of,
)

PAIRS = st.lists(st.integers(0, 50), min_size=5, max_size=5).filter(sum)


@pytest.mark.parametrize(
    ("score", "elo"),
    [
        (0.5, 0.0),
        (0.75, 190.8485),
        (0.9, 381.6970),
        (10 / 11, 400.0),
        (1 / 11, -400.0),
        (0.64, 99.9509),
        (0.01, -798.2542),
    ],
)
def test_elo_of_a_score(score, elo):
    assert elo_of(score) == pytest.approx(elo, abs=1e-3)
    assert score_of(elo) == pytest.approx(score, abs=1e-6)


def test_mean_and_variance_by_hand():
    # Two pairs with 0 points, one with 1, one with 2: scores 0, 0, 1/2, 1 with mean 3/8.
    mean, variance = mean_and_variance((2, 0, 1, 0, 1))
    assert mean == 0.375
    assert variance == pytest.approx((2 * 0.375**2 + 0.125**2 + 0.625**2) / 4)


def test_large_match_has_the_textbook_interval():
    # 400 pairs of independent games without draws, score 1/2: standard error of the mean is 1 / sqrt(4 * 800).
    elo = elo_difference((100, 0, 200, 0, 100))
    assert elo.elo == 0
    assert elo.high == pytest.approx(elo_of(0.5 + 1.96 / np.sqrt(3200)), rel=0.02)
    assert elo.low == pytest.approx(-elo.high)


def test_pairs_that_split_are_surer_than_games_that_do_not_know_of_each_other():
    split = elo_difference((0, 0, 100, 0, 0))
    loose = elo_difference((25, 0, 50, 0, 25))
    assert split.high < loose.high / 3


def test_full_and_empty_scores_are_finite_and_mirror_each_other():
    full, empty = elo_difference((0, 0, 0, 0, 20)), elo_difference((20, 0, 0, 0, 0))
    assert full.elo == pytest.approx(elo_of(39.5 / 40))
    assert 200 < full.low < full.elo < full.high == LIMIT
    assert (empty.elo, empty.low, empty.high) == pytest.approx((-full.elo, -full.high, -full.low))
    assert elo_difference((0, 0, 0, 0, 100)).low > full.low


def test_no_game_says_nothing():
    assert elo_difference((0, 0, 0, 0, 0)) == (0, -LIMIT, LIMIT)
    assert confidence((0, 0, 0, 0, 0)) == 0.5


@given(PAIRS)
def test_interval_surrounds_the_score_and_mirrors(pairs):
    low, high = score_interval(pairs)
    mean, _ = mean_and_variance(pairs)
    assert 0 <= low <= mean + 1e-12
    assert mean <= high + 1e-12 <= 1 + 2e-12
    other_low, other_high = score_interval(pairs[::-1])
    assert (1 - other_high, 1 - other_low) == pytest.approx((low, high))
    assert 0.5 <= confidence(pairs) <= 1


def test_interval_beyond_even_goes_with_confidence():
    assert confidence((2, 3, 10, 8, 7)) == pytest.approx(0.95, abs=0.05)
    assert elo_difference((0, 1, 10, 8, 11)).low > 0
    assert confidence((0, 1, 10, 8, 11)) > 0.99


def pair_chances(win, draw, swing=0.0):
    """Chances of 0, 1/2, ..., 2 points in a pair whose games have another chance to win by the colour."""
    chances = np.zeros(5)
    for i, p in enumerate((1 - win - draw + swing, draw, win - swing)):
        for j, q in enumerate((1 - win - draw - swing, draw, win + swing)):
            chances[i + j] += p * q
    return chances


@pytest.mark.parametrize("pairs", [20, 100])
@pytest.mark.parametrize(("win", "draw", "swing"), [(0.5, 0.0, 0.0), (0.4, 0.2, 0.3), (0.7, 0.1, 0.1), (0.8, 0.1, 0.0)])
def test_coverage_of_the_interval(pairs, win, draw, swing):
    matches = np.random.default_rng(7).multinomial(pairs, pair_chances(win, draw, swing), size=1000)
    truth = elo_of(win + draw / 2)
    held = [low <= truth <= high for _, low, high in map(elo_difference, matches.tolist())]
    assert 0.93 <= np.mean(held) <= 0.97
