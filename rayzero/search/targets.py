"""From visit counts to moves: temperature, noise on move probabilities, sampling."""

import numpy as np


def temperature_at(plies: np.ndarray, start: float, until: int, end: float) -> np.ndarray:
    """The temperature at each ply, float64 [n]: `start` before ply `until`, `end` from there on."""
    return np.where(np.asarray(plies) < until, start, end).astype(np.float64)


def move_probabilities(counts: np.ndarray, temperature: float | np.ndarray) -> np.ndarray:
    """Normalised counts ** (1/T), float64 [n, A]; at T = 0 all is on the largest count, the first of equals.

    This is softmax(log(counts) / T); counts are divided by the largest first, so that no T overflows. A row
    without counts stays 0. T is one number or one for each row.
    """
    counts = np.asarray(counts, np.float64)
    temperature = np.broadcast_to(np.asarray(temperature, np.float64), len(counts))
    top = counts.max(axis=1, initial=0.0)
    greedy = temperature == 0
    with np.errstate(under="ignore"):
        power = 1 / np.where(greedy, 1.0, temperature)[:, None]
        weights = (counts / np.where(top > 0, top, 1.0)[:, None]) ** power
    rows = np.flatnonzero(greedy & (top > 0))
    weights[rows] = 0
    weights[rows, counts[rows].argmax(axis=1)] = 1
    total = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, total, out=weights, where=total > 0)


def with_noise(
    probabilities: np.ndarray, legal: np.ndarray, epsilon: float, alpha: float, rng: np.random.Generator
) -> np.ndarray:
    """(1 - epsilon) * p + epsilon * Dirichlet(alpha) over the legal moves (bool [n, A]) of each row.

    Noise on the choice of a move, where the tree has none on its priors.
    """
    sample = rng.standard_gamma(alpha, probabilities.shape) * legal
    total = sample.sum(axis=1, keepdims=True)
    sample = np.divide(sample, total, out=probabilities.astype(np.float64), where=total > 0)
    return (1 - epsilon) * probabilities + epsilon * sample


def sample(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One action for each row of non-negative weights, int16 [n]; every row needs a weight above 0."""
    ends = np.cumsum(probabilities, axis=1, dtype=np.float64)
    draws = rng.random(len(ends)) * ends[:, -1]
    return np.asarray((ends > draws[:, None]).argmax(axis=1), np.int16)


def sample_actions(counts: np.ndarray, temperature: float | np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw one action for each row in proportion to counts ** (1/T), int16 [n]."""
    return sample(move_probabilities(counts, temperature), rng)
