"""Scores as Elo differences, with intervals that know that the two games of a pair go together."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from scipy.special import stdtrit

LIMIT = 2000.0  # Elo beyond which a score says nothing: keeps full and empty scores finite
Z95 = 1.959964
# One pseudo-pair, split over the five results of a pair of balanced games: without it a full score would have
# no variance at all and an interval of no width.
PRIOR = (1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16)


class Elo(NamedTuple):
    """An Elo difference with its 95 % interval."""

    elo: float
    low: float
    high: float


def elo_of(score: float) -> float:
    """The Elo difference at which this share of the points is expected, within +-LIMIT."""
    if score <= 0 or score >= 1:
        return math.copysign(LIMIT, score - 0.5)
    return max(-LIMIT, min(LIMIT, 400 * math.log10(score / (1 - score))))


def score_of(elo: float) -> float:
    """The share of the points expected at an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def mean_and_variance(pairs: Sequence[float]) -> tuple[float, float]:
    """Mean score and variance of the score of a pair, from counts of pairs with 0, 1/2, 1, 3/2, 2 points."""
    n = sum(pairs)
    mean = sum(count * i / 4 for i, count in enumerate(pairs)) / n
    return mean, sum(count * (i / 4 - mean) ** 2 for i, count in enumerate(pairs)) / n


def score_interval(pairs: Sequence[int]) -> tuple[float, float]:
    """The 95 % interval of the expected score.

    Wilson's, with pairs in the place of coin tosses: a pair's variance is taken as a constant times
    m * (1 - m) for whatever mean m is tried. The constant comes from the pairs seen, hence Student's quantile.
    """
    n = sum(pairs)
    if n == 0:
        return 0.0, 1.0
    mean, _ = mean_and_variance(pairs)
    wide_mean, wide_variance = mean_and_variance([count + prior for count, prior in zip(pairs, PRIOR, strict=True)])
    tosses = n * wide_mean * (1 - wide_mean) / wide_variance  # independent games worth as much as these pairs
    spread = float(stdtrit(n, 0.975)) ** 2 / tosses
    middle = (mean + spread / 2) / (1 + spread)
    half = math.sqrt(spread * mean * (1 - mean) + spread * spread / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def elo_difference(pairs: Sequence[int]) -> Elo:
    """The Elo difference that counts of pairs with 0, 1/2, 1, 3/2, 2 points speak for.

    A full score counts as half a point less, an empty one as half a point more.
    """
    n = sum(pairs)
    if n == 0:
        return Elo(0.0, -LIMIT, LIMIT)
    mean, _ = mean_and_variance(pairs)
    edge = 1 / (4 * n)
    low, high = score_interval(pairs)
    return Elo(elo_of(max(edge, min(1 - edge, mean))), elo_of(low), elo_of(high))


def confidence(pairs: Sequence[int]) -> float:
    """How sure it is that the player with the higher score is the stronger one: 0.5 to 1."""
    n = sum(pairs)
    if n == 0:
        return 0.5
    mean, variance = mean_and_variance([count + prior for count, prior in zip(pairs, PRIOR, strict=True)])
    return 0.5 * (1 + math.erf(abs(mean - 0.5) / math.sqrt(2 * variance / (n + 1))))
