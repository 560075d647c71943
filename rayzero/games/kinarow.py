"""k-in-a-row boards: tic-tac-toe, Connect4 and Gomoku of any size."""

from typing import Any, NamedTuple

import numpy as np

from rayzero.chance import draw
from rayzero.errors import GameError
from rayzero.games.lines import completes, empty_cells, flip_stone, landing_cell, line_tables, open_columns
from rayzero.games.rules import DRAW, HEADER, LAST, LOSS, NO_ACTION, ONGOING, PLY, RESULT, WIN, register
from rayzero.games.symmetry import board_symmetries
from rayzero.games.threats import lookahead
from rayzero.jit import bare_kernel


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
    starts: Any  # int64 [lines]: the bits at which k cells of the line begin, in both halves

    @classmethod
    def create(
        cls, width: int = 15, height: int = 15, in_a_row: int = 5, gravity: bool = False, exact: bool = False
    ) -> "KInARow":
        """Build the tables for a board."""
        if not (1 <= width <= 31 and 1 <= height <= 31):
            raise GameError(f"A board of {width}x{height} can't be made: 1 to 31 columns and rows are possible.")
        if not 1 <= in_a_row <= max(width, height):
            raise GameError(f"{in_a_row} in a row does not fit on a board of {width}x{height}.")
        words, bits, cells, starts = line_tables(width, height, in_a_row)
        cell_symmetries = board_symmetries(height, width, mirror_only=gravity)
        columns = cell_symmetries[:, :width] % width
        return cls(
            height=height,
            width=width,
            plane_count=4,
            actions=width if gravity else width * height,
            state_size=HEADER + len(starts),
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
            starts=starts,
        )


def init(game, state):
    """An empty board."""
    for word in range(game.state_size):
        state[word] = 0
    state[LAST] = NO_ACTION
    state[RESULT] = ONGOING


def legal(game, state, actions):
    """Empty cells, or columns with room."""
    if state[RESULT] != ONGOING:
        return 0
    if game.gravity:
        return open_columns(game, state, actions)
    return empty_cells(game, state, actions)


def play(game, state, action):
    """Put a stone on a cell, or let it fall into a column."""
    cell = np.int64(action)
    if game.gravity:
        cell = landing_cell(game, state, cell)
    side = (state[PLY] & 1) * 32
    won = completes(game, state, cell, side)
    flip_stone(game, state, cell, side)
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
        side = (ply & 1) * 32
        won = completes(game, state, cell, side)
        flip_stone(game, state, cell, side)
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


register(
    KInARow,
    init=init,
    legal=legal,
    play=play,
    planes=planes,
    lookahead=lookahead,
    rollout=rollout,
    bare=("init", "legal", "play", "planes", "lookahead", "rollout"),
)
