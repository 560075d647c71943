"""Arrays in safetensors files, read with distrust: a file is what was expected, or a sentence says what it is."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from rayzero.errors import ModelError

MAX_HEADER = 10_000_000


def write_tensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    """Write arrays in float32."""
    path.write_bytes(save({name: np.array(array, np.float32, order="C") for name, array in tensors.items()}))


def read_tensors(path: Path, shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Read exactly the float32 arrays that are expected; nothing is read before names, types and shapes fit."""
    _check_header(path)
    try:
        with safe_open(path, "numpy") as file:
            names = file.keys()
            _compare(path, {name: file.get_slice(name) for name in names}, shapes)
            return {name: file.get_tensor(name) for name in shapes}
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{path} is damaged: {error}.") from error


def _check_header(path: Path) -> None:
    """Refuse what is no safetensors file before anything parses it."""
    try:
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            start = file.read(9)
    except OSError as error:
        raise ModelError(f"{path} can't be read: {error.strerror}.") from error
    length = int.from_bytes(start[:8], "little")
    if len(start) < 9 or start[8:] != b"{" or length > MAX_HEADER:
        raise ModelError(f"{path} is no safetensors file (pickles and other formats are never loaded).")
    if 8 + length > size:
        raise ModelError(f"{path} is cut off: its header needs {8 + length} bytes, the file has {size}.")


def _compare(path: Path, found: dict[str, Any], shapes: dict[str, tuple[int, ...]]) -> None:
    missing, surplus = sorted(shapes.keys() - found.keys()), sorted(found.keys() - shapes.keys())
    if missing or surplus:
        parts = [f"lacks {missing[0]} and {len(missing) - 1} more"] if missing else []
        parts += [f"has {surplus[0]} and {len(surplus) - 1} more that do not belong to it"] if surplus else []
        raise ModelError(f"{path} holds another net: it {'; it '.join(parts)}.")
    for name, shape in shapes.items():
        actual = tuple(found[name].get_shape())
        if actual != shape or found[name].get_dtype() != "F32":
            raise ModelError(
                f"{path} holds another net: {name} is {found[name].get_dtype()} {list(actual)}, "
                f"and should be F32 {list(shape)}."
            )
