"""Patterns kept up to date move by move are those counted anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rayzero.evaluation.patterns import EMPTY, FOUR, THREE, make_board, make_tables, put, take
from rayzero.games import make_game
from rayzero.games.kinarow import completes
from rayzero.games.rules import ONGOING, RESULT, init, play

BOARDS = {
    "gomoku": make_game("gomoku", width=9, height=8),
    "exact": make_game("gomoku", width=8, height=9, exact=True),
    "connect4": make_game("connect4"),
    "tictactoe": make_game("tictactoe"),
}


def counted(game, tables, stones):
    """Scores, fours, threes and gains by looking at every window."""
    scores, fours, threes = [0, 0], [0, 0], [0, 0]
    gains = np.zeros((2, len(stones)), int)
    k = game.in_a_row
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row in range(game.height):
            for column in range(game.width):
                line = [(row + i * down, column + i * right) for i in range(-1, k + 1)]
                inside = [0 <= y < game.height and 0 <= x < game.width for y, x in line]
                if not all(inside[1:-1]):
                    continue
                cells = [y * game.width + x for y, x in line]
                ends = [stones[cells[i]] for i in (0, -1) if inside[i]]
                within = [stones[cell] for cell in cells[1:-1]]
                for player in range(2):
                    if 1 - player in within or (game.exact and player in ends):
                        continue
                    count = within.count(player)
                    scores[player] += tables.weights[count]
                    fours[player] += count == k - 1
                    threes[player] += count == k - 2
                    gains[player, cells[1:-1]] += tables.gains[count]
    return scores, fours, threes, gains


@pytest.mark.kernels
@pytest.mark.parametrize("name", BOARDS)
@settings(max_examples=15)
@given(order=st.randoms(use_true_random=False), taken=st.integers(0, 9))
def test_kept_is_counted(name, order, taken):
    game = BOARDS[name]
    tables = make_tables(game)
    board = make_board(tables)
    cells = list(range(game.height * game.width))
    order.shuffle(cells)
    cells = cells[: order.randrange(len(cells))]
    for i, cell in enumerate(cells):
        put(tables, board, cell, i % 2)
    for i in range(len(cells) - 1, max(len(cells) - 1 - taken, -1), -1):
        take(tables, board, cells[i], i % 2)
    stones = board.stones.tolist()
    scores, fours, threes, gains = counted(game, tables, stones)
    assert (board.scores.tolist(), board.fours.tolist(), board.threes.tolist()) == (scores, fours, threes)
    assert (board.gains == gains).all()
    key = 0
    for cell, player in enumerate(stones):
        if player != EMPTY:
            key ^= int(tables.keys[player, cell])
    assert board.key[0] == key


@pytest.mark.parametrize("name", ["gomoku", "exact"])
def test_a_gain_of_a_four_is_a_win_by_the_rules(name):
    """Whether a cell completes a row is what the game itself says, longer rows included."""
    game = BOARDS[name]
    tables = make_tables(game)
    generator = np.random.default_rng(2)
    wins = 0
    for _ in range(300):
        state = np.zeros(game.state_size, np.int64)
        init(game, state)
        board = make_board(tables)
        cells = generator.permutation(game.actions)
        for i, cell in enumerate(cells):
            for player in range(2):
                expected = bool(completes(game, state, cell, 32 * player))
                assert (board.gains[player, cell] >= FOUR) == expected
                wins += expected
            play(game, state, cell)
            if state[RESULT] != ONGOING:
                break
            put(tables, board, cell, i % 2)
    assert wins > 50


@pytest.mark.parametrize("name", BOARDS)
def test_smaller_gains_never_add_up_to_a_larger_kind(name):
    game = BOARDS[name]
    tables = make_tables(game)
    through = 4 * game.in_a_row
    small = max((int(gain) for gain in tables.gains if gain < THREE), default=0)
    assert small * through < THREE
    assert through * THREE < FOUR
    assert 3 * through * FOUR < 2**31
