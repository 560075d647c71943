"""Positions for tests of the search."""

import numpy as np

from rayzero.games import rules
from rayzero.games.rules import ONGOING, RESULT


def initial(game) -> np.ndarray:
    state = np.empty(game.state_size, np.int64)
    rules.init(game, state)
    return state


def legal_actions(game, state: np.ndarray) -> list[int]:
    actions = np.empty(game.actions, np.int16)
    return [int(a) for a in actions[: rules.legal(game, state, actions)]]


def after(game, moves) -> np.ndarray:
    state = initial(game)
    for move in moves:
        assert move in legal_actions(game, state), (moves, move)
        rules.play(game, state, move)
    return state


def random_position(game, plies: int, rng: np.random.Generator) -> np.ndarray:
    """An unfinished position after up to so many random moves."""
    state = initial(game)
    for _ in range(plies):
        trial = state.copy()
        rules.play(game, trial, int(rng.choice(legal_actions(game, state))))
        if trial[RESULT] != ONGOING:
            break
        state = trial
    return state
