"""A sequential test of one player against another: as many games as needed, with stated error rates.

Pairs of games are the unit (pentanomial), and strength is measured in normalised Elo: the mean of a game's
score above 1/2 in units of its standard deviation, which is what decides how many games a test needs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from rayzero.evaluation.elo import Z95, mean_and_variance

PER_DEVIATION = 800 / math.log(10)  # normalised Elo of one standard deviation of a game's score
POINTS = np.arange(5) / 4  # the score of a pair with 0, 1/2, 1, 3/2, 2 points
UNSEEN = 1e-3  # pairs counted for a result that has not come up yet


@dataclass(frozen=True)
class Sprt:
    """Tests `elo1` (H1) against `elo0` (H0), both in normalised Elo."""

    elo0: float = 0.0
    elo1: float = 20.0
    error: float = 0.05  # the chance to accept H1 where H0 holds, and to accept H0 where H1 holds

    @property
    def bound(self) -> float:
        """The log-likelihood ratio that decides, with either sign."""
        return math.log((1 - self.error) / self.error)

    def ratio(self, pairs: Sequence[float]) -> float:
        """The generalised log-likelihood ratio of H1 to H0 after pairs with 0, 1/2, 1, 3/2, 2 points."""
        counts = np.maximum(np.asarray(pairs, float), UNSEEN)
        shares = counts / counts.sum()
        one, zero = (_nearest(shares, elo / PER_DEVIATION * math.sqrt(2)) for elo in (self.elo1, self.elo0))
        return float(counts.sum() * (shares * np.log(one / zero)).sum())

    def decide(self, points: Iterable[float]) -> tuple[bool | None, int]:
        """Go through the points of pairs *in the order in which they were started*.

        Gives whether H1 was accepted (None: undecided) and after how many pairs; later ones do not count.
        """
        pairs = [0] * 5
        used = 0
        for value in points:
            used += 1
            pairs[round(2 * value)] += 1
            ratio = self.ratio(pairs)
            if abs(ratio) >= self.bound:
                return ratio > 0, used
        return None, used


def normalised_elo(pairs: Sequence[float]) -> tuple[float, float]:
    """Normalised Elo and half its 95 % interval."""
    mean, variance = mean_and_variance(pairs)
    per_game = math.sqrt(2)  # a pair's score has half the variance of one game's
    elo = (mean - 0.5) / math.sqrt(variance) / per_game * PER_DEVIATION
    return elo, Z95 / math.sqrt(sum(pairs)) / per_game * PER_DEVIATION


def _nearest(shares: np.ndarray, t: float) -> np.ndarray:
    """The distribution of greatest likelihood for these shares whose (mean - 1/2) / deviation is t.

    With the constraint's slope g at the answer itself, the answer is shares / (1 + c * g): iterate.
    """
    answer = np.full(5, 0.2)
    for _ in range(20):
        mean = float(answer @ POINTS)
        deviation = math.sqrt(float(answer @ (POINTS - mean) ** 2))
        slope = POINTS - 0.5 - t * deviation * (1 + ((POINTS - mean) / deviation) ** 2) / 2
        before = answer
        answer = _with_zero_mean(shares, slope)
        if np.abs(answer - before).max() < 1e-7:
            break
    return answer


def _with_zero_mean(shares: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The distribution of greatest likelihood for these shares that gives the values a mean of 0."""
    low, high = -1 / values.max(), -1 / values.min()
    edge = 1e-9 * (high - low)
    terms = list(zip(shares.tolist(), values.tolist(), strict=True))  # plain numbers: five are too few for arrays
    c = brentq(lambda c: sum(share * value / (1 + c * value) for share, value in terms), low + edge, high - edge)
    return shares / (1 + c * values)
