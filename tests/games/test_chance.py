"""Random numbers of compiled code."""

import numpy as np
import pytest

from rayzero.chance import draw, random_states
from rayzero.jit import kernel

pytestmark = pytest.mark.kernels


@kernel
def draws(random, n, out):
    for i in range(len(out)):
        out[i] = draw(random, n)


@pytest.mark.parametrize("n", [1, 2, 7, 225])
def test_all_values_are_equally_likely(n):
    out = np.zeros(20_000, np.int64)
    draws(random_states(1)[0], n, out)
    counts = np.bincount(out, minlength=n)
    assert len(counts) == n
    expected = len(out) / n
    chi_squared = ((counts - expected) ** 2 / expected).sum()
    assert chi_squared < n - 1 + 5 * np.sqrt(2 * n)


def test_a_seed_repeats_and_streams_differ():
    out = np.zeros((3, 100), np.int64)
    states = random_states(5, 2)
    for row, state in zip(out, (states[0], states[1], random_states(5, 1)[0]), strict=True):
        draws(state, 1000, row)
    assert (out[0] == out[2]).all()
    assert (out[0] != out[1]).mean() > 0.9
