"""Compiled rules against the plain ones: 10,000 random positions of every game, and chosen ones."""

import random

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rayzero.games import make_game
from rayzero.games.conformance import make_trace
from rayzero.games.rules import ONGOING, RESULT
from tests.games.reference import PlainBoard, PlainOthello

pytestmark = pytest.mark.kernels

POSITIONS = 200 if numba.config.DISABLE_JIT else 10_000

BOARDS = {
    "tictactoe": dict(width=3, height=3, in_a_row=3),
    "connect4": dict(width=7, height=6, in_a_row=4, gravity=True),
    "gomoku6": dict(width=6, height=6, in_a_row=4),
    "gomoku15": dict(width=15, height=15, in_a_row=5),
    "exact15": dict(width=15, height=15, in_a_row=5, exact=True),
    "oblong": dict(width=20, height=16, in_a_row=5),
    "largest": dict(width=31, height=31, in_a_row=6),
}


def compare(game, plain, moves: list[int]) -> None:
    """Play moves on both boards; every state must tell the same."""
    trace = make_trace(game, np.array(moves, np.int16))
    for ply in range(len(moves) + 1):
        result = trace.states[ply, RESULT]
        assert (None if result == ONGOING else result) == plain.result
        assert trace.actions[ply, : trace.counts[ply]].tolist() == plain.legal()
        own, other = trace.planes[ply, :2].reshape(2, -1)
        stones = getattr(plain, "stones", None) or getattr(plain, "discs", {})
        cells = {(int(cell) // game.width, int(cell) % game.width): ply % 2 for cell in np.flatnonzero(own)}
        cells |= {(int(cell) // game.width, int(cell) % game.width): 1 - ply % 2 for cell in np.flatnonzero(other)}
        assert cells == stones
        if ply < len(moves):
            plain.play(moves[ply])


def random_game(plain, rng: random.Random) -> list[int]:
    while plain.result is None:
        plain.play(rng.choice(plain.legal()))
    return plain.moves


@pytest.mark.parametrize("name", BOARDS)
def test_rows_of_stones(name):
    game = make_game("gomoku", **BOARDS[name])
    rng = random.Random(name)
    positions = 0
    while positions < POSITIONS:
        moves = random_game(PlainBoard(**BOARDS[name]), rng)
        compare(game, PlainBoard(**BOARDS[name]), moves)
        positions += len(moves) + 1


def test_othello():
    game = make_game("othello")
    rng = random.Random(1)
    positions, passes = 0, 0
    while positions < POSITIONS:
        moves = random_game(PlainOthello(), rng)
        compare(game, PlainOthello(), moves)
        positions += len(moves) + 1
        passes += moves.count(64)
    assert passes > POSITIONS // 1000


@given(st.data(), st.integers(1, 7), st.integers(1, 7), st.booleans(), st.booleans())
def test_any_board(data, width, height, gravity, exact):
    in_a_row = data.draw(st.integers(1, max(width, height)))
    options = dict(width=width, height=height, in_a_row=in_a_row, gravity=gravity, exact=exact)
    rng = random.Random(data.draw(st.integers(0, 10**6)))
    moves = random_game(PlainBoard(**options), rng)
    compare(make_game("gomoku", **options), PlainBoard(**options), moves)


def place(own: list[str], width: int = 15, exact: bool = False) -> int:
    """The result after the first player has all these points, in this order, and the second far away ones."""
    game = make_game("gomoku", width=width, height=width, exact=exact)
    points = [(width - int(point[1:])) * width + ord(point[0]) - ord("A") for point in own]
    spare = [cell for cell in range(0, width * width, 2) if cell not in points and cell // width % 2 == 0]
    moves = [move for pair in zip(points, spare, strict=False) for move in pair][:-1]
    return make_trace(game, np.array(moves, np.int16)).states[-1, RESULT]


WIN_FOR_FIRST, NOTHING = -1, ONGOING


@pytest.mark.parametrize(
    ("own", "free", "exact"),
    [
        ("A1 B1 C1 D1 E1", WIN_FOR_FIRST, WIN_FOR_FIRST),  # along an edge, from a corner
        ("K15 L15 M15 N15 O15", WIN_FOR_FIRST, WIN_FOR_FIRST),
        ("O1 O2 O3 O4 O5", WIN_FOR_FIRST, WIN_FOR_FIRST),
        ("A11 B12 C13 D14 E15", WIN_FOR_FIRST, WIN_FOR_FIRST),  # shortest diagonal that holds five
        ("K1 L2 M3 N4 O5", WIN_FOR_FIRST, WIN_FOR_FIRST),
        ("A5 B4 C3 D2 E1", WIN_FOR_FIRST, WIN_FOR_FIRST),
        ("M8 N8 O8 A7 B7", NOTHING, NOTHING),  # goes on in the next row only as numbers
        ("N9 O8 A8 B7 C6", NOTHING, NOTHING),
        ("H15 H14 H13 I1 I2", NOTHING, NOTHING),
        ("A1 B1 C1 D1 F1", NOTHING, NOTHING),  # a gap
        ("A1 B1 C1 E1 F1 D1", WIN_FOR_FIRST, NOTHING),  # six: an overline
        ("A1 B1 C1 D1 F1 G1 H1 I1 E1", WIN_FOR_FIRST, NOTHING),  # nine
        ("A1 B1 C1 E1 F1 D2 D3 D4 D5 D1", WIN_FOR_FIRST, WIN_FOR_FIRST),  # six across, but five upwards
    ],
)
def test_edges_and_overlines(own, free, exact):
    assert place(own.split()) == free
    assert place(own.split(), exact=True) == exact


def test_full_board_is_a_draw():
    board = PlainBoard(width=3, height=3, in_a_row=3)
    compare(make_game("tictactoe"), board, [0, 1, 2, 4, 3, 5, 7, 6, 8])
    assert board.result == 0


def test_last_cell_may_win():
    board = PlainBoard(width=3, height=3, in_a_row=3)
    compare(make_game("tictactoe"), board, [0, 1, 2, 3, 5, 4, 7, 6, 8])
    assert board.result == -1
