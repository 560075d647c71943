"""k-in-a-row boards: tic-tac-toe, Connect4 and Gomoku of any size, with lines of stones as bit masks.

A state holds one word per row, column, diagonal and anti-diagonal: the first player's stones in its low
32 bits, the second player's in its high 32. A move sets one bit in four words, and a win is a few
shifts of one word.
"""

from typing import Any, NamedTuple

import numpy as np

from rayzero.chance import draw
from rayzero.errors import GameError
from rayzero.games.rules import DRAW, HEADER, LAST, LOSS, NO_ACTION, ONGOING, PLY, RESULT, WIN, register
from rayzero.games.symmetry import board_symmetries
from rayzero.jit import bare_kernel

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
    small: bool  # every line has at most 15 cells
    words: Any  # uint16 [height*width, 4]: the state words of the lines through a cell
    bits: Any  # uint8 [height*width, 4]: the cell's bit in each of them
    cells: Any  # int16 [lines, 32]: the cell of a bit of a line, or -1
    masks: Any  # int64 [lines]: the bits of a line that are on the board

    @classmethod
    def create(
        cls, width: int = 15, height: int = 15, in_a_row: int = 5, gravity: bool = False, exact: bool = False
    ) -> "KInARow":
        """Build the tables for a board."""
        if not (1 <= width <= 31 and 1 <= height <= 31):
            raise GameError(f"A board of {width}x{height} can't be made: 1 to 31 columns and rows are possible.")
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
            small=max(width, height) <= 15,
            words=words,
            bits=bits,
            cells=cells,
            masks=masks,
        )


def _lines(width: int, height: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    diagonals = width + height - 1
    count = height + width + 2 * diagonals
    words = np.empty((height * width, 4), np.uint16)
    bits = np.empty((height * width, 4), np.uint8)
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


@bare_kernel
def has_row(stones, k, exact):
    """Whether a word of stones has k in a row (exactly k where `exact`); lines in it have a zero between them."""
    runs = stones
    length = 1
    while 2 * length <= k:
        runs &= runs >> length
        length *= 2
    if length < k:
        runs &= runs >> (k - length)
    if exact:  # A start of a run of k or more, with no stone before and none after the k.
        runs &= ~(stones << 1) & ~(stones >> k)
    return runs != 0


@bare_kernel
def put_stone(game, state, cell, side):
    """Add a stone to the four lines of a cell; returns whether it makes a row. `side` is 0 or 32."""
    one = np.int64(1) << side
    words, bits = game.words, game.bits
    a = state[words[cell, 0]] | one << np.int64(bits[cell, 0])
    b = state[words[cell, 1]] | one << np.int64(bits[cell, 1])
    c = state[words[cell, 2]] | one << np.int64(bits[cell, 2])
    d = state[words[cell, 3]] | one << np.int64(bits[cell, 3])
    state[words[cell, 0]] = a
    state[words[cell, 1]] = b
    state[words[cell, 2]] = c
    state[words[cell, 3]] = d
    if game.small:  # All four lines fit into one word, each with a zero above it.
        lines = a >> side & 0xFFFF | (b >> side & 0xFFFF) << 16 | (c >> side & 0xFFFF) << 32 | (d >> side & 0xFFFF) << 48
        return has_row(lines, game.in_a_row, game.exact)
    lines = a >> side & MASK | (b >> side & MASK) << 32
    others = c >> side & MASK | (d >> side & MASK) << 32
    return has_row(lines, game.in_a_row, game.exact) or has_row(others, game.in_a_row, game.exact)


@bare_kernel
def landing_cell(game, state, column):
    """The lowest free cell of a column of a board with gravity, which must not be full."""
    word = state[HEADER + game.height + column]
    filled = word | word >> 32
    row = game.height - 1
    while filled >> row & 1:
        row -= 1
    return row * game.width + column


@bare_kernel
def empty_cells(game, state, cells):
    """Write the empty cells in increasing order; returns their number."""
    n = 0
    for row in range(game.height):
        word = state[HEADER + row]
        free = game.masks[row] & ~(word | word >> 32)
        cell = row * game.width
        while free:
            cells[n] = cell
            n += free & 1
            free >>= 1
            cell += 1
    return n


@bare_kernel
def open_columns(game, state, columns):
    """Write the columns with room in increasing order; returns their number."""
    n = 0
    free = ~(state[HEADER] | state[HEADER] >> 32)
    for column in range(game.width):
        if free >> column & 1:
            columns[n] = column
            n += 1
    return n


def init(game, state):
    for word in range(game.state_size):
        state[word] = 0
    state[LAST] = NO_ACTION
    state[RESULT] = ONGOING


def legal(game, state, actions):
    if state[RESULT] != ONGOING:
        return 0
    if game.gravity:
        return open_columns(game, state, actions)
    return empty_cells(game, state, actions)


def play(game, state, action):
    cell = np.int64(action)
    if game.gravity:
        cell = landing_cell(game, state, cell)
    won = put_stone(game, state, cell, (state[PLY] & 1) * 32)
    state[PLY] += 1
    state[LAST] = action
    if won:
        state[RESULT] = LOSS
    elif state[PLY] == game.max_plies:
        state[RESULT] = DRAW


def rollout(game, state, actions, random):
    """Draw from the cells that can be played, kept from ply to ply."""
    if game.gravity:
        n = open_columns(game, state, actions)
        for i in range(n):
            actions[i] = landing_cell(game, state, np.int64(actions[i]))
    else:
        n = empty_cells(game, state, actions)
    start = state[PLY]
    ply = start
    won = False
    while n > 0 and not won:
        drawn = draw(random, n)
        cell = np.int64(actions[drawn])
        if game.gravity and cell >= game.width:
            actions[drawn] = cell - game.width
        else:
            n -= 1
            actions[drawn] = actions[n]
        won = put_stone(game, state, cell, (ply & 1) * 32)
        ply += 1
    state[PLY] = ply
    state[RESULT] = LOSS if won else DRAW
    if not won:
        return DRAW
    return WIN if (ply - start) & 1 else LOSS


def planes(game, state, out):
    """Own stones, the other's, the last move, and ones where the player to move played first."""
    own = (state[PLY] & 1) * 32
    for row in range(game.height):
        mine = state[HEADER + row] >> own
        theirs = state[HEADER + row] >> (32 - own)
        for column in range(game.width):
            out[0, row, column] = mine >> column & 1
            out[1, row, column] = theirs >> column & 1
            out[2, row, column] = 0
            out[3, row, column] = 1 - (state[PLY] & 1)
    if state[LAST] != NO_ACTION:
        row, column = last_cell(game, state)
        out[2, row, column] = 1


@bare_kernel
def last_cell(game, state):
    """Row and column of the last stone."""
    if not game.gravity:
        return state[LAST] // game.width, state[LAST] % game.width
    word = state[HEADER + game.height + state[LAST]]
    filled = word | word >> 32
    row = 0
    while filled >> row & 1 == 0:
        row += 1
    return row, state[LAST]


register(KInARow, init=init, legal=legal, play=play, planes=planes, rollout=rollout, bare=("init", "legal", "play", "planes", "rollout"))
