"""Random games with random targets: what replay and storage are tested with."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rayzero.games import rules
from rayzero.records import GameRecord


def random_record(game: Any, seed: int, version: int = 0) -> GameRecord:
    """A random game in which about half of the plies are targets."""
    random = np.random.default_rng(seed)
    state = np.zeros(game.state_size, np.int64)
    found = np.zeros(game.actions, np.int16)
    rules.init(game, state)
    moves, plies, ends, actions, probabilities = [], [], [], [], []
    while state[rules.RESULT] == rules.ONGOING:
        legal = found[: rules.legal(game, state, found)].copy()
        if random.random() < 0.5:
            policy = random.dirichlet(np.ones(len(legal))).astype(np.float16)
            kept = policy > 0
            plies.append(len(moves))
            actions.append(legal[kept])
            probabilities.append(policy[kept])
            ends.append(sum(len(part) for part in actions))
        moves.append(random.choice(legal))
        rules.play(game, state, moves[-1])
    outcome = int(state[rules.RESULT]) * (1 if len(moves) % 2 == 0 else -1)
    return GameRecord(
        id=f"game-{seed}",
        versions=(version, version),
        moves=np.array(moves, np.int16),
        outcome=outcome,
        target_plies=np.array(plies, np.int16),
        policy_ends=np.array(ends, np.int32),
        policy_actions=np.concatenate([*actions, np.zeros(0, np.int16)]).astype(np.int16),
        policy_probabilities=np.concatenate([*probabilities, np.zeros(0, np.float16)]).astype(np.float16),
        search_values=random.uniform(-1, 1, len(plies)).astype(np.float16),
    )


@pytest.fixture(scope="session")
def make_record() -> Callable[..., GameRecord]:
    return random_record
