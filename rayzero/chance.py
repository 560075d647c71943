"""Random numbers for compiled code: cheap, and with a state that the caller owns.

A state is a uint64 array [1] that every draw advances: xorshift, which needs no multiplication and so
never overflows, compiled or not. A state must not be 0.
"""

import numpy as np

from rayzero.jit import kernel


def random_states(seed: int, count: int = 1) -> np.ndarray:
    """Independent states as uint64 [count, 1]; one row is what kernels take as `random`."""
    return np.random.default_rng(seed).integers(1, 1 << 64, size=(count, 1), dtype=np.uint64)


@kernel
def draw(random, n):
    """A random integer from 0 to n - 1, as int64; n is less than 2**31."""
    x = random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    random[0] = x
    return np.int64(x >> np.uint64(32)) * np.int64(n) >> 32
