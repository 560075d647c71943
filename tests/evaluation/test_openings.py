"""Openings: all different, unfinished, balanced, and the same again for the same seed."""

import numpy as np
import pytest

from rayzero.evaluation.openings import Openings, positions
from rayzero.games.registry import make_game
from rayzero.games.rules import ONGOING, PLY, RESULT
from rayzero.search.rollouts import RolloutSearch

GOMOKU = make_game("gomoku", width=8, height=8)
CONNECT4 = make_game("connect4")
TICTACTOE = make_game("tictactoe")


def images(game, opening):
    """All symmetric images of an opening as sets of stones."""
    inverse = np.argsort(game.action_symmetries, axis=1)
    return {tuple(frozenset(int(image[move]) for move in opening[side::2]) for side in (0, 1)) for image in inverse}


@pytest.mark.parametrize("plies", [1, 2, 3, 4])
def test_distinct_under_symmetry_and_unfinished(plies):
    openings = Openings(GOMOKU, plies, seed=5).take(8)
    assert len(openings) == 8
    for i, opening in enumerate(openings):
        assert len(opening) == plies
        for other in openings[:i]:
            assert not images(GOMOKU, opening) & images(GOMOKU, other)
    states = positions(GOMOKU, openings)
    assert (states[:, RESULT] == ONGOING).all()
    assert (states[:, PLY] == plies).all()


def test_same_seed_same_openings_other_seed_others():
    assert Openings(GOMOKU, 2, 1).take(10) == Openings(GOMOKU, 2, 1).take(10)
    assert Openings(GOMOKU, 2, 1).take(10) != Openings(GOMOKU, 2, 2).take(10)


def test_later_openings_do_not_repeat_earlier_ones():
    source = Openings(CONNECT4, 2, 3)
    taken = source.take(6) + source.take(6) + source.take(6)
    assert len({min(tuple(opening), tuple(6 - move for move in opening)) for opening in taken}) == 18


def test_more_plies_where_a_few_do_not_give_enough():
    openings = Openings(TICTACTOE, 1, 1).take(10)
    assert len(set(openings)) == 10
    assert {len(opening) for opening in openings} > {1}


def test_small_game_repeats_openings_when_there_are_no_more():
    openings = Openings(make_game("tictactoe", width=2, height=2, in_a_row=2), 1, 1).take(12)
    assert len(openings) == 12


def test_no_plies_is_the_initial_position():
    assert Openings(GOMOKU, 0, 1).take(3) == [(), (), ()]


def test_more_balanced_than_chance():
    judge = RolloutSearch(CONNECT4, seed=99)
    chosen = judge.values(positions(CONNECT4, Openings(CONNECT4, 3, 1).take(20)), 2000)
    random = np.random.default_rng(1)
    drawn = judge.values(positions(CONNECT4, [tuple(random.integers(0, 7, 3)) for _ in range(40)]), 2000)
    assert np.abs(chosen).mean() < 0.6 * np.abs(drawn).mean()
    assert np.abs(chosen).max() < 0.25
