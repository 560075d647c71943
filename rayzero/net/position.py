"""What a net says of one position, for people and notebooks."""

from typing import Any, NamedTuple

import numpy as np

from rayzero.errors import GameError
from rayzero.evaluator import Evaluator
from rayzero.games.rules import ONGOING, RESULT, legal, planes


class Opinion(NamedTuple):
    """Of one position, for the player to move."""

    actions: np.ndarray  # int16 [n]: the legal ones
    probabilities: np.ndarray  # float32 [n]: they sum to 1
    value: float
    wdl: np.ndarray  # float32 [3]: win, draw, loss
    moves_left: float  # plies


def evaluate_position(evaluator: Evaluator, game: Any, state: np.ndarray) -> Opinion:
    """Evaluate one unfinished position: legal actions with renormalised probabilities, uniform where all are 0."""
    if state[RESULT] != ONGOING:
        raise GameError("The game is over: there is nothing to evaluate.")
    actions = np.empty(game.actions, np.int16)
    actions = actions[: legal(game, state, actions)]
    image = np.empty((1, game.plane_count, game.height, game.width), np.uint8)
    planes(game, state, image[0])
    found = evaluator.evaluate(image)
    probabilities = found.priors[0, actions]
    total = probabilities.sum()
    probabilities = probabilities / total if total > 0 else np.full(len(actions), 1 / len(actions), np.float32)
    return Opinion(actions, probabilities, float(found.value[0]), found.wdl[0], float(found.moves_left[0]))
