"""Batches for tests of the learner."""

from functools import cache

import numpy as np
import pytest

from rayzero.games.registry import make_game
from rayzero.games.rules import RESULT, init, legal, planes, play
from rayzero.records import Batch

ONGOING = 2


def random_batch(game, n, seed=0):
    """Noise of the right shapes."""
    rng = np.random.default_rng(seed)
    policies = rng.dirichlet(np.full(game.actions, 0.3), n).astype(np.float32)
    return Batch(
        planes=rng.integers(0, 2, (n, game.plane_count, game.height, game.width), np.uint8),
        policies=policies,
        outcomes=rng.integers(-1, 2, n).astype(np.int8),
        search_values=rng.uniform(-1, 1, n).astype(np.float32),
        moves_left=rng.integers(0, game.max_plies + 1, n).astype(np.int16),
        replies=policies[::-1].copy(),
        legal=np.ones((n, game.actions), bool),
        age=3.0,
    )


def take(batch, rows):
    """Some rows of a batch."""
    parts = {key: array[rows] for key, array in vars(batch).items() if key != "age"}
    return Batch(**parts, age=batch.age)


def solved_tictactoe():
    """Every unfinished position of tic-tac-toe with its exact value, best moves and plies left in perfect play.

    Perfect play wins as soon as it can and loses as late as it can; the best moves are all that keep the value.
    """
    game = make_game("tictactoe")
    actions = np.empty(9, np.int16)
    start = np.empty(game.state_size, np.int64)
    init(game, start)
    states = {}

    @cache
    def solve(key):
        state = np.frombuffer(key, np.int64)
        if state[RESULT] != ONGOING:
            return int(state[RESULT]), 0, ()
        found = []
        for action in actions[: legal(game, state, actions)].tolist():
            after = state.copy()
            play(game, after, action)
            value, plies, _ = solve(after.tobytes())
            found.append((-value, plies + 1, action))
        value = max(v for v, _, _ in found)
        kept = [(plies, action) for v, plies, action in found if v == value]
        left = min(kept)[0] if value > 0 else max(kept)[0]
        states[key] = state
        return value, left, tuple(action for _, action in kept)

    solve(start.tobytes())
    images, policies, values, lefts, allowed = [], [], [], [], []
    for key, state in states.items():
        value, left, best = solve(key)
        image = np.empty((4, 3, 3), np.uint8)
        planes(game, state, image)
        images.append(image)
        policies.append(np.isin(np.arange(9), best) / len(best))
        values.append(value)
        lefts.append(left)
        allowed.append(np.isin(np.arange(9), actions[: legal(game, state, actions)]))
    return game, Batch(
        planes=np.stack(images),
        policies=np.array(policies, np.float32),
        outcomes=np.array(values, np.int8),
        search_values=np.array(values, np.float32),
        moves_left=np.array(lefts, np.int16),
        replies=np.zeros((len(values), 9), np.float32),
        legal=np.stack(allowed),
        age=0.0,
    )


@pytest.fixture(scope="session")
def noise():
    return random_batch


@pytest.fixture(scope="session")
def rows_of():
    return take


@pytest.fixture(scope="session")
def tictactoe_truth():
    return solved_tictactoe()
