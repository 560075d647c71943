"""Who can play a match: nets with search, pure MCTS, alpha-beta, random moves, the exact Connect4 solver."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from rayzero.errors import GameError
from rayzero.evaluator import Evaluator
from rayzero.games.kinarow import KInARow
from rayzero.games.rules import NO_ACTION, PLY, legal
from rayzero.search import Search, SearchSettings
from rayzero.search.rollouts import RolloutSearch

History = Sequence[int]  # the moves of a game so far, its opening included


class Player(ABC):
    """Plays many games at once.

    A game keeps its slot, a small number, from its first move to its last, so that a player can keep what
    it knows of it between moves. A slot that shows a game that is no continuation of the last one in it
    holds a new game.
    """

    name: str

    @abstractmethod
    def best(self, slots: np.ndarray, states: np.ndarray, histories: Sequence[History]) -> np.ndarray:
        """Actions int16 [n] for the unfinished states int64 [n, S]; NO_ACTION gives a game up."""

    def excuse(self, slot: int) -> str:
        """Why the game in this slot was given up, in a few words."""
        return "gave the game up"

    def close(self) -> None:  # noqa: B027
        """Let go of processes; the player plays no more."""


class NetPlayer(Player):
    """A net with search, without noise; keeps its trees from move to move."""

    def __init__(
        self,
        name: str,
        game: Any,
        evaluator: Evaluator,
        settings: SearchSettings,
        simulations: int,
        seed: int = 1,
        temperature_plies: int = 0,
    ) -> None:
        self.name = name
        self.simulations = simulations
        self._game = game
        self.evaluator = evaluator
        self._settings = settings
        self._seed = seed
        self._random = np.random.default_rng(seed)
        self._temperature_plies = temperature_plies  # plies from the start in which moves are drawn by their visits
        self._search: Search | None = None
        self._known: list[tuple[int, ...] | None] = []  # per slot: the moves that led to the root of its tree

    def best(self, slots: np.ndarray, states: np.ndarray, histories: Sequence[History]) -> np.ndarray:
        """The moves that play for strength, or drawn by visits in the first plies where that was asked for."""
        search = self._follow(slots, states, histories)
        search.begin(slots, self.simulations)
        search.run(self.evaluator)
        result = search.result(slots)
        actions = np.array(result.best, np.int16)
        for row in np.flatnonzero(states[:, PLY] < self._temperature_plies):
            policy = result.visits[row] / result.visits[row].sum()
            actions[row] = self._random.choice(len(policy), p=policy)
        return actions

    def _follow(self, slots: np.ndarray, states: np.ndarray, histories: Sequence[History]) -> Search:
        """Bring the trees to the given positions, along the moves where they follow from what is known."""
        if self._search is None or slots.max() >= len(self._known):
            self._known = [None] * (int(slots.max()) + 1)
            self._search = Search(self._game, self._settings, games=len(self._known), seed=self._seed)
        fresh = []
        pending: list[tuple[int, list[int]]] = []
        for row, (slot, history) in enumerate(zip(slots, histories, strict=True)):
            moves = tuple(int(move) for move in history)
            known = self._known[slot]
            if known is None or moves[: len(known)] != known:
                fresh.append(row)
            elif len(moves) > len(known):
                pending.append((slot, list(moves[len(known) :])))
            self._known[slot] = moves
        if fresh:
            self._search.reset(slots[fresh], states[fresh])
        while pending:
            self._search.play(
                np.array([slot for slot, _ in pending]), np.array([moves[0] for _, moves in pending], np.int16)
            )
            pending = [(slot, moves[1:]) for slot, moves in pending if len(moves) > 1]
        return self._search


class MctsPlayer(Player):
    """Pure MCTS: random playouts, no net, a fresh tree for each move."""

    def __init__(self, game: Any, playouts: int, seed: int = 1, threads: int = 1) -> None:
        self.name = f"mcts:{playouts}"
        self.playouts = playouts
        self._search = RolloutSearch(game, seed=seed, threads=threads)

    def best(self, slots: np.ndarray, states: np.ndarray, histories: Sequence[History]) -> np.ndarray:
        """The most visited moves."""
        return self._search.best(states, self.playouts)


class RandomPlayer(Player):
    """Any legal move."""

    def __init__(self, game: Any, seed: int = 1) -> None:
        self.name = "random"
        self._game = game
        self._random = np.random.default_rng(seed)

    def best(self, slots: np.ndarray, states: np.ndarray, histories: Sequence[History]) -> np.ndarray:
        """Drawn at random."""
        found = np.empty(self._game.actions, np.int16)
        return np.array([self._random.choice(found[: legal(self._game, state, found)]) for state in states], np.int16)


class AlphaBetaPlayer(Player):
    """Alpha-beta with a plain pattern evaluation: sharp where pure MCTS is blind."""

    def __init__(self, game: Any, depth: int, seed: int = 1, threads: int = 1) -> None:
        if not isinstance(game, KInARow):
            raise GameError("alphabeta plays k-in-a-row boards only.")
        from rayzero.evaluation.alphabeta import AlphaBeta

        self.name = f"alphabeta:{depth}"
        self._search = AlphaBeta(game, depth, seed, threads)

    def best(self, slots: np.ndarray, states: np.ndarray, histories: Sequence[History]) -> np.ndarray:
        """The moves of the highest value at the given depth."""
        return np.asarray(self._search.best(states), np.int16)


class SolverPlayer(Player):
    """Perfect Connect4: wins as fast and loses as late as possible, equal moves drawn at random."""

    def __init__(self, game: Any, seed: int = 1) -> None:
        from rayzero.evaluation.solver import Connect4Solver

        self.name = "solver"
        self._solver = Connect4Solver(game)
        self._random = np.random.default_rng(seed)

    def best(self, slots: np.ndarray, states: np.ndarray, histories: Sequence[History]) -> np.ndarray:
        """Any of the moves of the highest score."""
        actions = np.full(len(states), NO_ACTION, np.int16)
        for row, history in enumerate(histories):
            scores = self._solver.scores(history)
            actions[row] = self._random.choice(np.flatnonzero(scores == scores.max()))
        return actions
