"""Rotations and reflections of a board as permutations of its cells."""

import numpy as np


def board_symmetries(height: int, width: int, mirror_only: bool = False) -> np.ndarray:
    """Every symmetry of a board, the identity first, as int16 [S, height*width].

    Eight for a square board, four for another rectangle, two where only left and right may be swapped.
    """
    cells = np.arange(height * width, dtype=np.int16).reshape(height, width)
    turns = 1 if mirror_only else 4 if height == width else 2
    step = 4 // turns
    turned = [np.rot90(cells, turn * step) for turn in range(turns)]
    return np.stack([image.ravel() for cells in turned for image in (cells, cells[:, ::-1])])
