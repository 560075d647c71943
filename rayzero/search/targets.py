"""From visit counts to moves: temperature and sampling."""

import numpy as np


def move_probabilities(counts: np.ndarray, temperature: np.ndarray) -> np.ndarray:
    """counts ** (1/T), normalised by row; all on the first largest count where T is 0.

    The same as softmax(log(counts) / T), computed that way so that small temperatures do not overflow.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(counts.astype(np.float64))
    logs -= logs.max(axis=1, keepdims=True)
    greedy = np.arange(counts.shape[1]) == counts.argmax(axis=1)[:, None]
    cold = (temperature <= 0)[:, None]
    weights = np.where(cold, greedy, np.exp(logs / np.where(cold, 1.0, temperature[:, None])))
    probabilities: np.ndarray = weights / weights.sum(axis=1, keepdims=True)
    return probabilities


def sample_actions(counts: np.ndarray, temperature: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """One action int16 per row of counts [n, A], by its probability at the row's temperature [n]."""
    sums = move_probabilities(counts, temperature).cumsum(axis=1)
    draws = random.random((len(counts), 1)) * sums[:, -1:]
    actions: np.ndarray = (sums > draws).argmax(axis=1).astype(np.int16)
    return actions
