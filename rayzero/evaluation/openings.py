"""Openings of a match: random, balanced, and all different, so that no two games repeat."""

from typing import Any

import numpy as np

from rayzero.games.rules import LAST, NO_ACTION, ONGOING, RESULT, init, legal, planes, play
from rayzero.jit import kernel
from rayzero.search.rollouts import RolloutSearch

CANDIDATES = 4  # drawn for each opening wanted; the most balanced are taken
PLAYOUTS = 400  # of the search that judges the balance


@kernel
def _play_moves(game: Any, moves: np.ndarray, lengths: np.ndarray, states: np.ndarray) -> None:
    """Write into states [n, S] the positions after moves int16 [n, L], of which the first lengths [n] count."""
    for i in range(len(moves)):
        init(game, states[i])
        for j in range(lengths[i]):
            play(game, states[i], moves[i, j])


def positions(game: Any, histories: list[tuple[int, ...]]) -> np.ndarray:
    """The states int64 [n, S] after the given moves."""
    lengths = np.array([len(history) for history in histories], np.int64)
    moves = np.zeros((len(histories), max(1, lengths.max(initial=0))), np.int16)
    for row, history in enumerate(histories):
        moves[row, : len(history)] = history
    states = np.empty((len(histories), game.state_size), np.int64)
    _play_moves(game, moves, lengths, states)
    return states


class Openings:
    """A source of openings: unfinished, no two alike under symmetry, as balanced as chance offers.

    Where there are not enough openings of so many plies, longer ones follow; the same seed and the same
    calls give the same openings. Without plies, and in a game too small for more, openings repeat.
    """

    def __init__(self, game: Any, plies: int, seed: int) -> None:
        self._game = game
        self._plies = plies
        self._random = np.random.default_rng(seed)
        self._search = RolloutSearch(game, seed=seed)
        self._seen: set[bytes] = set()
        self._given: list[tuple[int, ...]] = []

    def take(self, count: int) -> list[tuple[int, ...]]:
        """The moves of the next openings."""
        taken: list[tuple[int, ...]] = []
        while len(taken) < count and 0 < self._plies < self._game.max_plies:
            drawn = self._draw(CANDIDATES * (count - len(taken)))
            taken += self._most_balanced(drawn, count - len(taken))
            if len(taken) < count:
                self._plies += 1
        self._given += taken
        pool = self._given or [()]
        return taken + [pool[i % len(pool)] for i in range(count - len(taken))]

    def _draw(self, wanted: int) -> dict[bytes, tuple[int, ...]]:
        found: dict[bytes, tuple[int, ...]] = {}
        actions = np.empty(self._game.actions, np.int16)
        state = np.empty(self._game.state_size, np.int64)
        for _ in range(5 * wanted + 50):
            init(self._game, state)
            moves: list[int] = []
            while len(moves) < self._plies and state[RESULT] == ONGOING:
                moves.append(int(self._random.choice(actions[: legal(self._game, state, actions)])))
                play(self._game, state, moves[-1])
            if state[RESULT] == ONGOING and (key := _canonical(self._game, state)) not in self._seen:
                found.setdefault(key, tuple(moves))
            if len(found) == wanted:
                break
        return found

    def _most_balanced(self, drawn: dict[bytes, tuple[int, ...]], count: int) -> list[tuple[int, ...]]:
        if not drawn:
            return []
        values = self._search.values(positions(self._game, list(drawn.values())), PLAYOUTS)
        keys = list(drawn)
        chosen = [keys[i] for i in sorted(np.argsort(np.abs(values), kind="stable")[:count])]
        self._seen.update(chosen)
        return [drawn[key] for key in chosen]


def _canonical(game: Any, state: np.ndarray) -> bytes:
    """The same for all positions that are symmetric to each other, whatever move came last."""
    state = state.copy()
    state[LAST] = NO_ACTION
    board = np.zeros((game.plane_count, game.height, game.width), np.uint8)
    planes(game, state, board)
    flat = board.reshape(game.plane_count, -1)
    return min(bytes(flat[:, symmetry].tobytes()) for symmetry in game.cell_symmetries)
