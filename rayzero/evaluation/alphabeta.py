"""Alpha-beta for k-in-a-row boards: the tactically sharp yardstick that pure MCTS is not on large boards.

Negamax with iterative deepening, principal variation windows and a transposition table over the pattern
scores of `rayzero.evaluation.patterns`. A move that completes a row is played at once; where the other side
threatens one, the block is the only move and costs no depth; where it threatens an open four, only cells of
its threes and own fours are tried. Other positions try the `BREADTH` most promising cells. At the end of its
depth the player to move follows its own fours a little further.
"""

from typing import Any, NamedTuple

import numpy as np

from rayzero.chance import draw
from rayzero.errors import GameError
from rayzero.evaluation.patterns import EMPTY, FOUR, THREE, make_board, make_tables, put, take
from rayzero.games.kinarow import KInARow
from rayzero.games.rules import HEADER, NO_ACTION, ONGOING, PLY, RESULT
from rayzero.jit import bare_kernel, kernel
from rayzero.search.threads import in_parts

WON = 1_000_000  # less the plies to get there
PROVEN = WON - 2000
BREADTH = 16
FOURS = 4  # own fours in a row followed at the end of the depth
TRIES = 24  # fours tried there at most
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
SLOTS = 1 << 16
FIRST = 1 << 30  # the order of the move that the table remembers


class Memory(NamedTuple):
    """Transposition table and scratch space of one search."""

    keys: Any  # int64 [SLOTS]
    values: Any  # int32 [SLOTS]
    depths: Any  # int8 [SLOTS]
    bounds: Any  # int8 [SLOTS]
    best: Any  # int16 [SLOTS]
    moves: Any  # int16 [plies, C]: candidates, best first
    orders: Any  # int32 [C]: scratch
    noise: Any  # int32 [C]: breaks ties between cells
    tries: Any  # int32 [1]: left at the current leaf


@kernel
def _make_memory(cells):
    return Memory(
        np.zeros(SLOTS, np.int64),
        np.zeros(SLOTS, np.int32),
        np.full(SLOTS, -1, np.int8),
        np.zeros(SLOTS, np.int8),
        np.zeros(SLOTS, np.int16),
        np.zeros((cells + 2, cells), np.int16),
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.zeros(1, np.int32),
    )


@bare_kernel
def _playable(tables, board, cell):
    if board.stones[cell] != EMPTY:
        return False
    below = cell + tables.width
    return not tables.gravity or below >= len(board.stones) or board.stones[below] != EMPTY


@bare_kernel
def _completing(tables, board, player):
    """The first cell that completes a row of a player, and how many there are (two stand for more)."""
    n = 0
    found = NO_ACTION
    if board.fours[player]:
        for cell in range(len(board.stones)):
            if board.gains[player, cell] >= FOUR and _playable(tables, board, cell):
                if n:
                    return found, 2
                found = cell
                n = 1
    return found, n


@bare_kernel
def _candidates(tables, board, memory, player, ply, first):
    """Write the cells worth trying into memory.moves[ply], the most promising first; returns their number."""
    gains = board.gains
    other = 1 - player
    forced = not tables.gravity and _open_four(board, other)
    moves = memory.moves
    orders = memory.orders
    n = 0
    for cell in range(len(board.stones)):
        gain = gains[player, cell] + gains[other, cell]
        if (gain == 0 and not tables.gravity) or (forced and gain < THREE) or not _playable(tables, board, cell):
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
        moves[ply, 0] = _central(tables, board, memory)
        n = 1
    return n


@bare_kernel
def _open_four(board, player):
    """Whether a player has a cell that makes two fours at once."""
    if board.threes[player] >= 2:
        for cell in range(len(board.stones)):
            if board.gains[player, cell] >= 2 * THREE and board.stones[cell] == EMPTY:
                return True
    return False


@bare_kernel
def _central(tables, board, memory):
    """The most central of the free cells: no row can grow from any stone."""
    best = NO_ACTION
    highest = -1
    for cell in range(len(board.stones)):
        order = (tables.centre[cell] << 2) + memory.noise[cell]
        if order > highest and _playable(tables, board, cell):
            highest = order
            best = cell
    return best


@bare_kernel
def _fours_win(tables, board, memory, player, depth):
    """Plies to a win of the player to move by fours alone, or 0; nobody has a four on the board."""
    if depth == 0 or board.threes[player] == 0:
        return 0
    other = 1 - player
    for cell in range(len(board.stones)):
        if board.gains[player, cell] < THREE or board.stones[cell] != EMPTY:
            continue
        if memory.tries[0] == 0:
            return 0
        memory.tries[0] -= 1
        put(tables, board, cell, player)
        reply, n = _completing(tables, board, player)
        plies = 0
        if n == 2:
            plies = 3
        elif n == 1:
            put(tables, board, reply, other)
            if board.fours[other] == 0:
                plies = _fours_win(tables, board, memory, player, depth - 1)
                if plies:
                    plies += 2
            take(tables, board, reply, other)
        take(tables, board, cell, player)
        if plies:
            return plies
    return 0


@bare_kernel
def _leaf(tables, board, memory, player, ply):
    """The value of a position without a four for the player to move."""
    if not tables.gravity:
        memory.tries[0] = TRIES
        plies = _fours_win(tables, board, memory, player, FOURS)
        if plies:
            return WON - ply - plies
    own = board.scores[player]
    return own + (own >> 2) - board.scores[1 - player]


@bare_kernel
def _recall(memory, key, depth, alpha, beta, ply):
    """What the table knows: (whether the value settles the node, the value, the move to try first)."""
    slot = key & (SLOTS - 1)
    if memory.keys[slot] != key or memory.depths[slot] < 0:
        return False, 0, NO_ACTION
    value = memory.values[slot]
    if value > PROVEN:
        value -= ply
    elif value < -PROVEN:
        value += ply
    bound = memory.bounds[slot]
    settled = bound == EXACT or (bound == AT_LEAST and value >= beta) or (bound == AT_MOST and value <= alpha)
    return settled and memory.depths[slot] >= depth, value, memory.best[slot]


@bare_kernel
def _remember(memory, key, depth, alpha, beta, ply, value, move):
    slot = key & (SLOTS - 1)
    memory.keys[slot] = key
    memory.depths[slot] = depth
    memory.best[slot] = move
    memory.values[slot] = value + ply if value > PROVEN else value - ply if value < -PROVEN else value
    memory.bounds[slot] = AT_MOST if value <= alpha else AT_LEAST if value >= beta else EXACT


@bare_kernel
def _value(tables, board, memory, player, depth, alpha, beta, ply, left):
    """The value for the player to move, `ply` plies below the root with `left` empty cells."""
    if left == 0:
        return 0
    other = 1 - player
    cell, n = _completing(tables, board, player)
    if n:
        return WON - ply - 1
    cell, n = _completing(tables, board, other)
    if n == 2:
        return ply + 2 - WON
    if n == 1:
        put(tables, board, cell, player)
        value = -_value(tables, board, memory, other, depth, -beta, -alpha, ply + 1, left - 1)
        take(tables, board, cell, player)
        return value
    if depth <= 0:
        return _leaf(tables, board, memory, player, ply)
    settled, value, first = _recall(memory, board.key[0], depth, alpha, beta, ply)
    if settled:
        return value
    best = -WON
    move = NO_ACTION
    for i in range(_candidates(tables, board, memory, player, ply, first)):
        cell = memory.moves[ply, i]
        put(tables, board, cell, player)
        low = max(alpha, best)
        high = beta if i == 0 else low + 1
        value = -_value(tables, board, memory, other, depth - 1, -high, -low, ply + 1, left - 1)
        if high <= value < beta:
            value = -_value(tables, board, memory, other, depth - 1, -beta, -low, ply + 1, left - 1)
        take(tables, board, cell, player)
        if value > best:
            best = value
            move = cell
            if best >= beta:
                break
    _remember(memory, board.key[0], depth, alpha, beta, ply, best, move)
    return best


@bare_kernel
def _best_cell(tables, board, memory, player, depth, left):
    """The cell to play in an unfinished position, and its value."""
    cell, n = _completing(tables, board, player)
    if n:
        return cell, WON - 1
    cell, n = _completing(tables, board, 1 - player)
    if n:
        return cell, 0
    value = 0
    for deeper in range(1, depth + 1):
        value = _value(tables, board, memory, player, deeper, -WON, WON, 0, left)
        if abs(value) > PROVEN:
            break
    return memory.best[board.key[0] & (SLOTS - 1)], value


@kernel
def _choose(game, tables, states, depth, seed, actions, values):
    """Fill actions int16 [n] and values int32 [n]; a finished game gets NO_ACTION."""
    cells = game.height * game.width
    memory = _make_memory(cells)
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
