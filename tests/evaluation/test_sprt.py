"""The sequential test: a published case, its error rates, and the order that decides."""

import numpy as np
import pytest
from scipy.optimize import brentq

from rayzero.evaluation.sprt import Sprt, normalised_elo

FASTCHESS = (379, 10170, 21828, 10640, 343)


def test_reference_case_of_fastchess():
    elo, half = normalised_elo(FASTCHESS)
    assert elo == pytest.approx(3.05, abs=0.005)
    assert half == pytest.approx(2.31, abs=0.005)
    assert Sprt(0, 2).ratio(FASTCHESS) == pytest.approx(2.946, abs=0.001)


def test_bounds():
    assert Sprt(error=0.05).bound == pytest.approx(2.944, abs=1e-3)


def test_ratio_of_mirrored_hypotheses():
    assert Sprt(-10, 10).ratio((3, 5, 9, 5, 3)) == pytest.approx(0, abs=1e-6)
    up, down = Sprt(-10, 10).ratio((1, 2, 9, 7, 3)), Sprt(-10, 10).ratio((3, 7, 9, 2, 1))
    assert up == pytest.approx(-down, abs=1e-6)
    assert up > 0


def test_one_sided_results_are_decided_soon():
    better, used = Sprt(0, 20).decide([2.0] * 100)
    assert better
    assert used <= 40
    worse, used = Sprt(0, 20).decide([0.0] * 100)
    assert worse is False
    assert used <= 40


def test_pairs_after_the_decision_do_not_count():
    points = [2.0] * 50 + [0.0] * 500
    better, used = Sprt(0, 40).decide(points)
    assert better
    assert used < 50


def test_undecided_after_too_few_pairs():
    assert Sprt(0, 10).decide([1.0, 2.0, 0.0, 1.0]) == (None, 4)


def chances_at(elo, draw=0.1):
    """Chances of 0, 1/2, ..., 2 points in a pair of independent games at a normalised Elo."""

    def chances(shift):
        game = np.array([(1 - draw) / 2 - shift, draw, (1 - draw) / 2 + shift])
        return np.convolve(game, game)

    return chances(brentq(lambda shift: normalised_elo(chances(shift))[0] - elo, -0.4, 0.4))


@pytest.mark.parametrize(("elo", "right"), [(0, False), (100, True)])
def test_error_rates(elo, right):
    test = Sprt(0, 100, error=0.05)
    random = np.random.default_rng(5)
    chances = chances_at(elo)
    wrong = 0
    for _ in range(300):
        better, _ = test.decide(random.choice(5, size=2000, p=chances) / 2)
        assert better is not None
        wrong += better != right
    assert wrong / 300 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)
