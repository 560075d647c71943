"""Patterns on a k-in-a-row board, kept up to date move by move.

Every stretch of k cells on a line is a window. It is alive for a player who may still fill it: the other
has no stone in it and, where exactly k in a row are asked for, the player has none at its ends. A
window alive with c stones is worth `WEIGHT`-ed points to its owner, and to each of its cells a gain for whoever
thinks of playing there. All of open and half-open twos, threes and fours follows from sums over windows:
an open three lies in more living windows than a half-open one.

With gravity a window counts the same, whether its empty cells can be played yet or not.
"""

from typing import Any, NamedTuple

import numpy as np

from rayzero.games.kinarow import KInARow
from rayzero.jit import inline_kernel, kernel

FOUR = 1 << 22  # gain of a cell that completes a row
THREE = 1 << 13  # gain of a cell that leaves one cell to complete a row; all smaller gains add up to less


class Tables(NamedTuple):
    """What depends on the board alone; C cells, W windows."""

    in_a_row: int
    gravity: bool
    width: int
    cells: Any  # int16 [W, k]: of a window
    windows: Any  # int16 [C, 4k]: through a cell, -1 after the last
    ends: Any  # int16 [C, 8]: windows that end next to a cell; empty unless rows must be exact
    keys: Any  # int64 [2, C]: random numbers, to be xored
    weights: Any  # int32 [k+1]: worth of a living window with so many stones
    gains: Any  # int32 [k+1]: what it gives to each of its cells
    centre: Any  # int32 [C]: larger nearer to the middle


class Board(NamedTuple):
    """A position; player 0 moves first."""

    stones: Any  # int8 [C]: 0, 1, or EMPTY
    counts: Any  # int8 [2, W]: stones of a player in a window
    ended: Any  # int8 [2, W]: stones of a player at its ends
    gains: Any  # int32 [2, C]: what a player would get from a cell (meaningless where there is a stone)
    scores: Any  # int32 [2]: worth of all living windows
    fours: Any  # int32 [2]: living windows that lack one stone
    threes: Any  # int32 [2]: living windows that lack two
    key: Any  # int64 [1]


EMPTY = -1


def make_tables(game: KInARow) -> Tables:
    """The tables of a game."""
    k = game.in_a_row
    height, width = game.height, game.width
    cells: list[list[int]] = []
    ends: list[list[int]] = [[] for _ in range(height * width)]
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row in range(height):
            for column in range(width):
                steps = [(row + i * down, column + i * right) for i in range(-1, k + 1)]
                inside = [0 <= y < height and 0 <= x < width for y, x in steps]
                if all(inside[1:-1]):
                    for end in (0, -1):
                        if inside[end] and game.exact:
                            ends[steps[end][0] * width + steps[end][1]].append(len(cells))
                    cells.append([y * width + x for y, x in steps[1:-1]])
    through: list[list[int]] = [[] for _ in range(height * width)]
    for window, members in enumerate(cells):
        for cell in members:
            through[cell].append(window)
    weights = [0] + [min(4**i, 1 << 14) for i in range(k)]
    gains = [0] + [min(4**i, 63) for i in range(k - 3)] + [THREE, FOUR, FOUR]
    random = np.random.default_rng(15)
    return Tables(
        in_a_row=k,
        gravity=game.gravity,
        width=width,
        cells=np.array(cells, np.int16).reshape(-1, k),
        windows=_padded(through, 4 * k),
        ends=_padded(ends, 8 if game.exact else 1),
        keys=random.integers(-(1 << 63), 1 << 63, size=(2, height * width), dtype=np.int64),
        weights=np.array(weights, np.int32),
        gains=np.array(gains, np.int32),
        centre=_centrality(height, width),
    )


def _centrality(height: int, width: int) -> np.ndarray:
    rows = (2 * np.arange(height) - height + 1) ** 2
    columns = (2 * np.arange(width) - width + 1) ** 2
    return (height**2 + width**2 - rows[:, None] - columns[None, :]).astype(np.int32).ravel()


def _padded(lists: list[list[int]], size: int) -> np.ndarray:
    table = np.full((len(lists), size), -1, np.int16)
    for i, entries in enumerate(lists):
        table[i, : len(entries)] = entries
    return table


@kernel
def make_board(tables):
    """The empty board."""
    cells = len(tables.centre)
    windows = len(tables.cells)
    return Board(
        np.full(cells, EMPTY, np.int8),
        np.zeros((2, windows), np.int8),
        np.zeros((2, windows), np.int8),
        np.zeros((2, cells), np.int32),
        np.zeros(2, np.int32),
        np.zeros(2, np.int32),
        np.zeros(2, np.int32),
        np.zeros(1, np.int64),
    )


@inline_kernel
def _alive(board, window, player):
    """Stones of a player in a window, 0 where it is dead."""
    if board.counts[1 - player, window] or board.ended[player, window]:
        return 0
    return board.counts[player, window]


@inline_kernel
def _change(tables, board, window, player, before, after):
    """A window goes from so many living stones to so many others."""
    gain = tables.gains[after] - tables.gains[before]
    for i in range(tables.in_a_row):
        board.gains[player, tables.cells[window, i]] += gain
    board.scores[player] += tables.weights[after] - tables.weights[before]
    four = tables.in_a_row - 1
    board.fours[player] += int(after == four) - int(before == four)
    board.threes[player] += int(after == four - 1) - int(before == four - 1)


@inline_kernel
def _step(tables, board, cell, player, step):
    board.key[0] ^= tables.keys[player, cell]
    other = 1 - player
    for i in range(tables.windows.shape[1]):
        window = tables.windows[cell, i]
        if window < 0:
            break
        own_before = _alive(board, window, player)
        other_before = _alive(board, window, other)
        board.counts[player, window] += step
        own_after = _alive(board, window, player)
        other_after = _alive(board, window, other)
        if own_before != own_after:
            _change(tables, board, window, player, own_before, own_after)
        if other_before != other_after:
            _change(tables, board, window, other, other_before, other_after)
    for i in range(tables.ends.shape[1]):
        window = tables.ends[cell, i]
        if window < 0:
            break
        before = _alive(board, window, player)
        board.ended[player, window] += step
        after = _alive(board, window, player)
        if before != after:
            _change(tables, board, window, player, before, after)


@inline_kernel
def put(tables, board, cell, player):
    """Place a stone."""
    board.stones[cell] = player
    _step(tables, board, cell, player, 1)


@inline_kernel
def take(tables, board, cell, player):
    """Take the stone back that was placed last."""
    board.stones[cell] = EMPTY
    _step(tables, board, cell, player, -1)
