"""Work on many positions, spread over threads; kernels run without the GIL."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def in_parts(run: Callable[[slice], None], count: int, threads: int) -> None:
    """Call `run` with slices that cover 0..count-1, in `threads` threads."""
    size = max(1, count // (4 * threads)) if threads > 1 else max(1, count)
    parts = [slice(start, min(start + size, count)) for start in range(0, count, size)]
    if len(parts) <= 1:
        for part in parts:
            run(part)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(run, parts):
            pass
