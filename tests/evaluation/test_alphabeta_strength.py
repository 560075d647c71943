"""Deeper alpha-beta is stronger, and on a large board even a shallow one beats pure MCTS."""

import pytest

from rayzero.evaluation.matches import play_match
from rayzero.evaluation.players import AlphaBetaPlayer, MctsPlayer
from rayzero.games import make_game

GOMOKU = make_game("gomoku")


def test_beats_pure_mcts_on_the_large_board():
    result = play_match(GOMOKU, AlphaBetaPlayer(GOMOKU, 4), MctsPlayer(GOMOKU, 1000), games=20)
    assert result.score >= 0.95


@pytest.mark.slow
def test_more_depth_is_stronger():
    shallow = AlphaBetaPlayer(GOMOKU, 2, seed=2)
    result = play_match(GOMOKU, AlphaBetaPlayer(GOMOKU, 6), shallow, games=40, opening_plies=3)
    assert result.score >= 0.65
    assert result.duplicates == 0


def test_is_no_fool_at_connect4():
    game = make_game("connect4")
    result = play_match(game, AlphaBetaPlayer(game, 8), MctsPlayer(game, 1000), games=40)
    assert result.score >= 0.6
