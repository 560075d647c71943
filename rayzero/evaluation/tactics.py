"""What alpha-beta tries and what it sees at once: completed rows, fours, the most promising cells."""

from typing import Any, NamedTuple

import numpy as np

from rayzero.evaluation.patterns import EMPTY, FOUR, THREE, put, take
from rayzero.games.rules import NO_ACTION
from rayzero.jit import bare_kernel, inline_kernel, kernel

WON = 1_000_000  # less the plies to get there
PROVEN = WON - 2000  # Larger values are wins for certain, and no pattern is worth as much.
BREADTH = 16  # cells tried at most
FOURS = 4  # own fours in a row followed at the end of the depth
TRIES = 24  # fours tried there at most
SLOTS = 1 << 16
FIRST = 1 << 30  # the order of the move that the table remembers


class Memory(NamedTuple):
    """Transposition table, and a stack of the nodes from the root to the one being searched."""

    keys: Any  # int64 [SLOTS]
    values: Any  # int32 [SLOTS]
    depths: Any  # int8 [SLOTS]: -1 where nothing is known
    bounds: Any  # int8 [SLOTS]
    moves: Any  # int16 [SLOTS]
    stack: Any  # int32 [plies, 8]: the fields below
    candidates: Any  # int16 [plies, C]: best first
    orders: Any  # int32 [C]: scratch
    noise: Any  # int32 [C]: breaks ties between cells
    fours: Any  # int16 [FOURS, 2]: cells of fours on trial and of their replies


# The fields of a node on the stack; `WIDE` says whether its child is searched with the full window.
DEPTH, ALPHA, BETA, BEST, MOVE, CHILD, CHILDREN, WIDE = range(8)


@kernel
def make_memory(cells):
    """Nothing known yet."""
    return Memory(
        np.zeros(SLOTS, np.int64),
        np.zeros(SLOTS, np.int32),
        np.full(SLOTS, -1, np.int8),
        np.zeros(SLOTS, np.int8),
        np.zeros(SLOTS, np.int16),
        np.zeros((cells + 2, 8), np.int32),
        np.zeros((cells + 2, cells), np.int16),
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.zeros((FOURS, 2), np.int16),
    )


@inline_kernel
def playable(tables, board, cell):
    """Whether a stone can be placed on a cell."""
    if board.stones[cell] != EMPTY:
        return False
    below = cell + tables.width
    return not tables.gravity or below >= len(board.stones) or board.stones[below] != EMPTY


@bare_kernel
def completing(tables, board, player):
    """The first cell that completes a row of a player, and how many there are (two stand for more)."""
    n = 0
    found = NO_ACTION
    if board.fours[player]:
        for cell in range(len(board.stones)):
            if board.gains[player, cell] >= FOUR and playable(tables, board, cell):
                if n:
                    return found, 2
                found = cell
                n = 1
    return found, n


@bare_kernel
def candidates(tables, board, memory, player, ply, first):
    """Write the cells worth trying into memory.candidates[ply], the most promising first; returns their number."""
    gains = board.gains
    other = 1 - player
    forced = not tables.gravity and open_four(board, other)
    moves = memory.candidates
    orders = memory.orders
    n = 0
    for cell in range(len(board.stones)):
        gain = gains[player, cell] + gains[other, cell]
        if (gain == 0 and not tables.gravity) or (forced and gain < THREE) or not playable(tables, board, cell):
            continue
        order = ((gains[player, cell] + gain) << 2) + memory.noise[cell]
        if cell == first:
            order = FIRST
        if n == BREADTH:
            if order <= orders[n - 1]:
                continue
            n -= 1
        i = n
        while i > 0 and orders[i - 1] < order:
            orders[i] = orders[i - 1]
            moves[ply, i] = moves[ply, i - 1]
            i -= 1
        orders[i] = order
        moves[ply, i] = cell
        n += 1
    if n == 0:
        moves[ply, 0] = central(tables, board, memory)
        n = 1
    return n


@bare_kernel
def open_four(board, player):
    """Whether a player has a cell that makes two fours at once."""
    if board.threes[player] >= 2:
        for cell in range(len(board.stones)):
            if board.gains[player, cell] >= 2 * THREE and board.stones[cell] == EMPTY:
                return True
    return False


@bare_kernel
def central(tables, board, memory):
    """The most central of the free cells: no row can grow from any stone."""
    best = NO_ACTION
    highest = -1
    for cell in range(len(board.stones)):
        order = (tables.centre[cell] << 2) + memory.noise[cell]
        if order > highest and playable(tables, board, cell):
            highest = order
            best = cell
    return best


@bare_kernel
def fours_win(tables, board, memory, player):
    """Plies to a win of the player to move by fours alone, or 0; nobody has a four on the board."""
    other = 1 - player
    tries = TRIES
    level = 0
    cell = 0
    while True:
        while cell < len(board.stones) and (board.gains[player, cell] < THREE or board.stones[cell] != EMPTY):
            cell += 1
        if cell == len(board.stones) or tries == 0:
            if level == 0:
                return 0
            level -= 1
            take(tables, board, np.int64(memory.fours[level, 1]), other)
            cell = np.int64(memory.fours[level, 0])
        else:
            tries -= 1
            put(tables, board, cell, player)
            reply, n = completing(tables, board, player)
            if n == 2:
                take(tables, board, cell, player)
                for i in range(level - 1, -1, -1):
                    take(tables, board, np.int64(memory.fours[i, 1]), other)
                    take(tables, board, np.int64(memory.fours[i, 0]), player)
                return 3 + 2 * level
            if level + 1 < FOURS and board.threes[player]:
                put(tables, board, reply, other)
                if board.fours[other] == 0:
                    memory.fours[level, 0] = cell
                    memory.fours[level, 1] = reply
                    level += 1
                    cell = 0
                    continue
                take(tables, board, reply, other)
        take(tables, board, cell, player)
        cell += 1


@bare_kernel
def leaf(tables, board, memory, player, ply):
    """The value of a position without a four for the player to move, `ply` plies from the root."""
    if board.threes[player] and not tables.gravity:
        plies = fours_win(tables, board, memory, player)
        if plies:
            return WON - ply - plies
    own = np.int64(board.scores[player])
    value = own + (own >> 2) - board.scores[1 - player]  # To move is worth a quarter more.
    return min(max(value, -PROVEN), PROVEN)
