"""Alpha-beta for k-in-a-row boards: the tactically sharp yardstick that pure MCTS is not on large boards.

Negamax with iterative deepening, principal variation windows and a transposition table over the pattern
scores of `rayzero.evaluation.patterns`. A move that completes a row is played at once; where the other side
threatens one, the block is the only move and costs no depth; where it threatens an open four, only cells of
its threes and own fours are tried. Other positions try the most promising cells. At the end of its
depth the player to move follows its own fours a little further.

The search keeps its own stack: numba can't find a recursive function in its cache again.
"""

from typing import Any

import numpy as np

from rayzero.chance import draw
from rayzero.errors import GameError
from rayzero.evaluation.patterns import make_board, make_tables, put, take
from rayzero.evaluation.tactics import (
    ALPHA,
    BEST,
    BETA,
    CHILD,
    CHILDREN,
    DEPTH,
    MOVE,
    PROVEN,
    SLOTS,
    WIDE,
    WON,
    candidates,
    completing,
    leaf,
    make_memory,
)
from rayzero.games.kinarow import KInARow
from rayzero.games.rules import HEADER, NO_ACTION, ONGOING, PLY, RESULT
from rayzero.jit import bare_kernel, kernel
from rayzero.search.threads import in_parts

EXACT, AT_LEAST, AT_MOST = 0, 1, 2


@bare_kernel
def _recall(memory, key, ply):
    """What the table knows of a node: (whether its value is final, the value, the move to try first)."""
    slot = key & (SLOTS - 1)
    if memory.keys[slot] != key or memory.depths[slot] < 0:
        return False, 0, NO_ACTION
    value = np.int64(memory.values[slot])
    if value > PROVEN:
        value -= ply
    elif value < -PROVEN:
        value += ply
    bound = memory.bounds[slot]
    final = (
        bound == EXACT
        or (bound == AT_LEAST and value >= memory.stack[ply, BETA])
        or (bound == AT_MOST and value <= memory.stack[ply, ALPHA])
    )
    return final and memory.depths[slot] >= memory.stack[ply, DEPTH], value, np.int64(memory.moves[slot])


@bare_kernel
def _remember(memory, key, ply):
    slot = key & (SLOTS - 1)
    value = memory.stack[ply, BEST]
    memory.keys[slot] = key
    memory.depths[slot] = memory.stack[ply, DEPTH]
    memory.moves[slot] = memory.stack[ply, MOVE]
    memory.values[slot] = value + ply if value > PROVEN else value - ply if value < -PROVEN else value
    if value <= memory.stack[ply, ALPHA]:
        memory.bounds[slot] = AT_MOST
    else:
        memory.bounds[slot] = AT_LEAST if value >= memory.stack[ply, BETA] else EXACT


@bare_kernel
def _enter(tables, board, memory, player, ply, left):
    """Begin a node whose DEPTH, ALPHA and BETA are on the stack: (whether its value is known, the value)."""
    if left == 0:
        return True, 0
    cell, n = completing(tables, board, player)
    if n:
        return True, WON - ply - 1
    node = memory.stack
    node[ply, BEST] = -WON
    node[ply, CHILD] = 0
    cell, n = completing(tables, board, 1 - player)
    if n == 2:
        return True, ply + 2 - WON
    if n == 1:
        node[ply, DEPTH] += 1  # The block is the only move and costs no depth.
        node[ply, CHILDREN] = 1
        memory.candidates[ply, 0] = cell
        return False, 0
    if node[ply, DEPTH] <= 0:
        return True, leaf(tables, board, memory, player, ply)
    final, value, first = _recall(memory, board.key[0], ply)
    if not final:
        node[ply, CHILDREN] = candidates(tables, board, memory, player, ply, first)
    return final, value


@bare_kernel
def _take_value(memory, ply, value):
    """The child that was searched last has this value, for the player to move at the node."""
    node = memory.stack
    if node[ply, WIDE] == 0 and max(node[ply, ALPHA], node[ply, BEST]) < value < node[ply, BETA]:
        node[ply, WIDE] = 1  # Better than expected: once more, to know by how much.
        return
    if value > node[ply, BEST]:
        node[ply, BEST] = value
        node[ply, MOVE] = memory.candidates[ply, node[ply, CHILD]]
    node[ply, CHILD] += 1
    node[ply, WIDE] = 0


@bare_kernel
def _value(tables, board, memory, root_player, depth, left):
    """Search to a depth: the value for the player to move, whose MOVE is at the bottom of the stack."""
    node = memory.stack
    node[0, DEPTH], node[0, ALPHA], node[0, BETA] = depth, -WON, WON
    ply = 0
    entering = True
    while True:
        player = root_player ^ (ply & 1)
        known, value = False, 0
        if entering:
            known, value = _enter(tables, board, memory, player, ply, left - ply)
            node[ply, WIDE] = 1  # The first child.
        if not known and (node[ply, CHILD] == node[ply, CHILDREN] or node[ply, BEST] >= node[ply, BETA]):
            _remember(memory, board.key[0], ply)
            known, value = True, np.int64(node[ply, BEST])
        if known:
            ply -= 1
            if ply < 0:
                return value
            take(tables, board, np.int64(memory.candidates[ply, node[ply, CHILD]]), 1 - player)
            _take_value(memory, ply, -value)
            entering = False
        else:
            put(tables, board, np.int64(memory.candidates[ply, node[ply, CHILD]]), player)
            low = max(node[ply, ALPHA], node[ply, BEST])
            node[ply + 1, DEPTH] = node[ply, DEPTH] - 1
            node[ply + 1, ALPHA] = -node[ply, BETA] if node[ply, WIDE] else -low - 1
            node[ply + 1, BETA] = -low
            ply += 1
            entering = True


@bare_kernel
def _best_cell(tables, board, memory, player, depth, left):
    """The cell to play in an unfinished position, and the value of the position."""
    cell, n = completing(tables, board, player)
    if n:
        return cell, WON - 1
    value = 0
    for deeper in range(1, depth + 1):
        value = _value(tables, board, memory, player, deeper, left)
        if abs(value) > PROVEN:
            break
    cell, n = completing(tables, board, 1 - player)
    return (cell if n else np.int64(memory.stack[0, MOVE])), value


@kernel
def _choose(game, tables, states, depth, seed, actions, values):
    """Fill actions int16 [n] and values int32 [n]; a finished game gets NO_ACTION."""
    cells = game.height * game.width
    memory = make_memory(cells)
    random = np.empty(1, np.uint64)
    for i in range(len(states)):
        state = states[i]
        if state[RESULT] != ONGOING:
            actions[i] = NO_ACTION
            continue
        board = make_board(tables)
        for cell in range(cells):
            word = state[HEADER + cell // game.width]
            for player in range(2):
                if word >> (cell % game.width + 32 * player) & 1:
                    put(tables, board, cell, player)
        random[0] = np.uint64((board.key[0] ^ seed) | 1)
        for cell in range(cells):
            memory.noise[cell] = draw(random, 4)
        memory.depths[:] = -1
        cell, values[i] = _best_cell(tables, board, memory, state[PLY] & 1, depth, game.max_plies - state[PLY])
        actions[i] = cell % game.width if game.gravity else cell


class AlphaBeta:
    """Plays `depth` plies deep; a move depends on position, depth and seed alone."""

    def __init__(self, game: Any, depth: int, seed: int = 1, threads: int = 1) -> None:
        if not isinstance(game, KInARow) or game.in_a_row < 3:
            raise GameError("Alpha-beta plays boards where three or more in a row win, and no other game.")
        if depth < 1:
            raise GameError(f"Alpha-beta can't look {depth} plies deep: 1 is the least.")
        self.game = game
        self.depth = depth
        self.threads = threads
        self._seed = int(np.random.default_rng(seed).integers(1 << 62))
        self._tables = make_tables(game)

    def evaluate(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Actions int16 [n] and values int32 [n] (for the player to move) of states int64 [n, S]."""
        states = np.ascontiguousarray(states, np.int64)
        actions = np.empty(len(states), np.int16)
        values = np.zeros(len(states), np.int32)

        def run(part: slice) -> None:
            _choose(self.game, self._tables, states[part], self.depth, self._seed, actions[part], values[part])

        in_parts(run, len(states), self.threads)
        return actions, values

    def best(self, states: np.ndarray) -> np.ndarray:
        """The action int16 [n] to play at each position, NO_ACTION where the game is over."""
        return self.evaluate(states)[0]
