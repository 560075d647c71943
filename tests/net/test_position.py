"""One position at a time."""

import numpy as np
import pytest

from rayzero.errors import GameError
from rayzero.evaluator import UniformEvaluator
from rayzero.games.registry import make_game
from rayzero.games.rules import init, play
from rayzero.net import evaluate_position
from rayzero.records import Evaluation


class Fixed(UniformEvaluator):
    """The same priors whatever it is shown."""

    def __init__(self, priors):
        super().__init__(len(priors))
        self.priors = np.array([priors], np.float32)

    def evaluate(self, planes):
        assert planes.shape == (1, 4, 3, 3) and planes.dtype == np.uint8
        return Evaluation(self.priors, np.float32([0.25]), np.float32([[0.5, 0.25, 0.25]]), np.float32([4.5]))


def after(*actions):
    game = make_game("tictactoe")
    state = np.empty(game.state_size, np.int64)
    init(game, state)
    for action in actions:
        play(game, state, action)
    return game, state


def test_legal_moves_share_all_of_the_probability():
    game, state = after(4, 0)
    opinion = evaluate_position(Fixed([0.3, 0.1, 0, 0, 0.2, 0.1, 0.1, 0.1, 0.1]), game, state)
    assert opinion.actions.tolist() == [1, 2, 3, 5, 6, 7, 8]
    assert np.allclose(opinion.probabilities, [0.2, 0, 0, 0.2, 0.2, 0.2, 0.2])
    assert (opinion.value, opinion.moves_left) == (0.25, 4.5) and opinion.wdl.tolist() == [0.5, 0.25, 0.25]


def test_without_any_probability_all_moves_are_equal():
    game, state = after(4, 0)
    opinion = evaluate_position(Fixed([0.5, 0, 0, 0, 0.5, 0, 0, 0, 0]), game, state)
    assert np.allclose(opinion.probabilities, 1 / 7)


def test_a_finished_game_is_told():
    game, state = after(0, 3, 1, 4, 2)
    with pytest.raises(GameError, match="over"):
        evaluate_position(UniformEvaluator(9), game, state)
