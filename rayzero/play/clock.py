"""Playing on time: how long a move may take, and a search that stops when it is over."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rayzero.errors import GameError
from rayzero.evaluator import Evaluator
from rayzero.games.rules import NO_ACTION, ONGOING, RESULT, legal
from rayzero.search import Search, SearchSettings

UNLIMITED = 2_147_483_647
MOVES_TO_GO = 14  # a share of the remaining time of the game that is still there when it gets long
# Simulations between two looks at the clock: those that the rules decide need no evaluation, and one step of the
# search goes through as many of them as it may.
PORTION = 64
NODE_BYTES = 64
EDGE_BYTES = 10


@dataclass
class Clock:
    """What a manager says about time, in milliseconds, and about memory, in bytes."""

    timeout_turn: int = 5000
    timeout_match: int = 0
    time_left: int = UNLIMITED
    max_memory: int = 0

    def seconds(self) -> float:
        """For the next move; 0 means: as fast as possible."""
        limit = max(self.timeout_turn, 0) / 1000
        left = self.time_left if self.time_left != UNLIMITED else self.timeout_match or UNLIMITED
        if left == UNLIMITED:
            return limit
        share = max(left, 0) / 1000 / MOVES_TO_GO
        return min(limit, share) if limit else share

    def reserve(self) -> float:
        """Kept back from those seconds for the way of the answer."""
        return min(0.05, max(0.006, 0.12 * self.seconds()))

    def simulations(self, actions: int) -> int:
        """As many as fit into the memory that is allowed, half of which is the program itself."""
        room = self.max_memory // 2 if self.max_memory > 0 else 600_000_000
        return max(200, min(200_000, room // (NODE_BYTES + EDGE_BYTES * actions)))


class TimedPlayer:
    """One game; thinks for as long as it is allowed to and keeps its tree from move to move."""

    def __init__(self, game: Any, evaluator: Evaluator, settings: SearchSettings) -> None:
        self.game = game
        self.moves: list[int] = []
        self._evaluator = evaluator
        self._search = Search(game, settings)
        self._slot = np.array([0])
        self._slowest = 0.002  # seconds of one step of the search, the slow ones remembered

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._search.states[0, RESULT] != ONGOING)

    def restart(self, moves: list[int]) -> None:
        """Set up a position; what was there stays if a move is not legal."""
        before = self.moves
        try:
            self._set_up(moves)
        except GameError:
            self._set_up(before)
            raise

    def _set_up(self, moves: list[int]) -> None:
        self._search.reset(self._slot)
        self.moves = []
        for move in moves:
            self.play(move)

    def play(self, action: int) -> None:
        """Make a move of either side."""
        if self.over:
            raise GameError("The game is over.")
        self._search.play(self._slot, np.array([action], np.int16))
        self.moves.append(action)

    def think(self, begun: float, clock: Clock, stop: Callable[[], bool] = lambda: False) -> int:
        """The best move found in time; `begun` is when the time started to run."""
        if self.over:
            raise GameError("The game is over.")
        deadline = begun + clock.seconds() - clock.reserve()
        limit = clock.simulations(self.game.actions)
        self._search.begin(self._slot, limit)  # Makes room for all of them once.
        self._search.begin(self._slot, min(limit, self._visits() + PORTION))
        first = True
        while first or (time.perf_counter() + self._slowest < deadline and not stop()):
            at = time.perf_counter()
            leaves = self._search.select()
            if len(leaves):
                self._search.update(self._evaluator.evaluate(leaves))
            elif not self._go_on(limit):
                break
            # One hiccup of the machine is not held against every step that follows.
            self._slowest = max(time.perf_counter() - at, 0.98 * self._slowest)
            first = False
        best = int(self._search.result(self._slot).best[0])
        return best if best != NO_ACTION else self._any_move()

    def _visits(self) -> int:
        return int(self._search.result(self._slot).visits.sum())

    def _go_on(self, limit: int) -> bool:
        """Begin the next portion; False where there is nothing left to find out."""
        result = self._search.result(self._slot)
        visits = int(result.visits.sum())
        if result.proven[0] != ONGOING or visits + 1 >= limit:
            return False
        self._search.begin(self._slot, min(limit, visits + PORTION))
        return True

    def _any_move(self) -> int:
        found = np.empty(self.game.actions, np.int16)
        return int(found[legal(self.game, self._search.states[0], found) // 2])

    def warm_up(self) -> None:
        """Compile and load what the first move needs, before any clock runs."""
        self.think(time.perf_counter(), Clock(timeout_turn=50))
        self.play(self._any_move())
        self.think(time.perf_counter(), Clock(timeout_turn=50))
        self._slowest = 0.002
        self.restart([])
