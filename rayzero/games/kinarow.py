"""k-in-a-row boards: tic-tac-toe, Connect4 and Gomoku of any size, with lines of stones as bit masks.

A state holds one word per row, column, diagonal and anti-diagonal: the first player's stones in its low
32 bits, the second player's in its high 32. A move sets one bit in four words, and a win is a few
shifts of one word.
"""

from typing import Any, NamedTuple

import numpy as np

from rayzero.errors import GameError
from rayzero.games.rules import DRAW, HEADER, LAST, LOSS, NO_ACTION, ONGOING, PLY, RESULT, register
from rayzero.games.symmetry import board_symmetries
from rayzero.jit import kernel

MASK = 0xFFFFFFFF


class KInARow(NamedTuple):
    """Rules and tables of one board; make it with `KInARow.create`."""

    height: int
    width: int
    plane_count: int
    actions: int
    state_size: int
    max_plies: int
    cell_symmetries: Any  # int16 [S, height*width]
    action_symmetries: Any  # int16 [S, actions]
    in_a_row: int
    gravity: bool
    exact: bool  # exactly k stones win, longer rows do not
    words: Any  # int16 [height*width, 4]: the state words of the lines through a cell
    bits: Any  # int8 [height*width, 4]: the cell's bit in each of them
    cells: Any  # int16 [lines, 32]: the cell of a bit of a line, or -1
    masks: Any  # int64 [lines]: the bits of a line that are on the board

    @classmethod
    def create(
        cls, width: int = 15, height: int = 15, in_a_row: int = 5, gravity: bool = False, exact: bool = False
    ) -> "KInARow":
        """Build the tables for a board."""
        if not (1 <= width <= 32 and 1 <= height <= 32):
            raise GameError(f"A board of {width}x{height} can't be made: 1 to 32 columns and rows are possible.")
        if not 1 <= in_a_row <= max(width, height):
            raise GameError(f"{in_a_row} in a row does not fit on a board of {width}x{height}.")
        words, bits, cells, masks = _lines(width, height)
        cell_symmetries = board_symmetries(height, width, mirror_only=gravity)
        columns = cell_symmetries[:, :width] % width
        return cls(
            height=height,
            width=width,
            plane_count=4,
            actions=width if gravity else width * height,
            state_size=HEADER + len(masks),
            max_plies=width * height,
            cell_symmetries=cell_symmetries,
            action_symmetries=columns if gravity else cell_symmetries,
            in_a_row=in_a_row,
            gravity=gravity,
            exact=exact,
            words=words,
            bits=bits,
            cells=cells,
            masks=masks,
        )


def _lines(width: int, height: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    diagonals = width + height - 1
    count = height + width + 2 * diagonals
    words = np.empty((height * width, 4), np.int16)
    bits = np.empty((height * width, 4), np.int8)
    cells = np.full((count, 32), -1, np.int16)
    masks = np.zeros(count, np.int64)
    for cell in range(height * width):
        row, column = divmod(cell, width)
        lines = (
            row,
            height + column,
            height + width + row - column + width - 1,
            height + width + diagonals + row + column,
        )
        for direction, (line, bit) in enumerate(zip(lines, (column, row, column, column), strict=True)):
            words[cell, direction] = HEADER + line
            bits[cell, direction] = bit
            cells[line, bit] = cell
            masks[line] |= 1 << bit
    return words, bits, cells, masks


@kernel
def has_row(stones, k, exact):
    """Whether a line of stones has k in a row (exactly k where `exact`)."""
    runs = stones
    for _ in range(k - 1):
        runs &= runs >> 1
    if exact:  # A start of a run of k or more, with no stone before and none after the k.
        return runs & ~(stones << 1) & ~(stones >> k) != 0
    return runs != 0


def init(game, state):
    state[:] = 0
    state[LAST] = NO_ACTION
    state[RESULT] = ONGOING


def legal(game, state, actions):
    if state[RESULT] != ONGOING:
        return 0
    n = 0
    if game.gravity:
        for column in range(game.width):
            word = state[HEADER + game.height + column]
            if (word | word >> 32) & 1 == 0:
                actions[n] = column
                n += 1
        return n
    for row in range(game.height):
        word = state[HEADER + row]
        free = game.masks[row] & ~(word | word >> 32)
        for column in range(game.width):
            if free >> column & 1:
                actions[n] = row * game.width + column
                n += 1
    return n


@kernel
def landing_row(game, state, column):
    """The lowest free row of a column of a board with gravity."""
    word = state[HEADER + game.height + column]
    filled = (word | word >> 32) & MASK
    row = game.height - 1
    while filled >> row & 1:
        row -= 1
    return row


def play(game, state, action):
    cell = np.int64(action)
    if game.gravity:
        cell += landing_row(game, state, cell) * game.width
    side = (state[PLY] & 1) * 32
    won = False
    for direction in range(4):
        word = game.words[cell, direction]
        state[word] |= np.int64(1) << (game.bits[cell, direction] + side)
        won |= has_row(state[word] >> side & MASK, game.in_a_row, game.exact)
    state[PLY] += 1
    state[LAST] = action
    if won:
        state[RESULT] = LOSS
    elif state[PLY] == game.max_plies:
        state[RESULT] = DRAW


def planes(game, state, out):
    """Own stones, the other's, the last move, and ones where the player to move played first."""
    own = (state[PLY] & 1) * 32
    for row in range(game.height):
        word = state[HEADER + row]
        for column in range(game.width):
            out[0, row, column] = word >> (column + own) & 1
            out[1, row, column] = word >> (column + 32 - own) & 1
    out[2] = 0
    out[3] = 1 - (state[PLY] & 1)
    if state[LAST] != NO_ACTION:
        cell = state[LAST]
        if game.gravity:
            cell += (landing_row(game, state, cell) + 1) * game.width
        out[2, cell // game.width, cell % game.width] = 1


register(KInARow, init=init, legal=legal, play=play, planes=planes)
