"""Look-ahead through the rules against a plain search over all moves and all answers."""

import random

import numpy as np
import pytest

from rayzero.games import make_game
from rayzero.games.position import Position
from rayzero.games.rules import FORCED, FREE, WON, init, lookahead, play
from rayzero.jit import kernel
from tests.games.reference import PlainBoard

pytestmark = pytest.mark.kernels

BOARDS = {
    "gomoku": dict(width=7, height=6, in_a_row=4),
    "exact": dict(width=6, height=6, in_a_row=4, exact=True),
    "three": dict(width=4, height=5, in_a_row=3),
    "five": dict(width=8, height=8, in_a_row=5),
    "connect4": dict(width=6, height=5, in_a_row=4, gravity=True),
    "connect-exact": dict(width=6, height=5, in_a_row=3, gravity=True, exact=True),
    "wide": dict(width=20, height=3, in_a_row=4),
}


@kernel
def look(game, state, depth, found):
    return lookahead(game, state, depth, found)


def random_board(rng: random.Random, options: dict, plies: int) -> PlainBoard | None:
    """A position after random moves, with some taste for the middle so that threats come about."""
    board = PlainBoard(**options)
    for _ in range(plies):
        legal = board.legal()
        if not legal:
            return None
        row, column = board.height / 2, board.width / 2
        picks = rng.sample(legal, min(3, len(legal)))
        board.play(min(picks, key=lambda a: abs(a // board.width - row) + abs(a % board.width - column)))
    return board if board.result is None else None


def compiled(options: dict, moves: list[int]) -> tuple:
    game = make_game("gomoku", **options)
    state = np.zeros(game.state_size, np.int64)
    init(game, state)
    for move in moves:
        play(game, state, move)
    return game, state


def answer(board: PlainBoard, options: dict, depth: int) -> tuple[int, list[int], int]:
    game, state = compiled(options, board.moves)
    before = state.copy()
    found = np.full(game.actions, -1, np.int16)
    kind, n, plies = look(game, state, depth, found)
    assert (state == before).all()
    return kind, sorted(found[:n].tolist()), plies


@pytest.mark.parametrize("name", BOARDS)
def test_one_move_ahead(name):
    rng = random.Random(name)
    kinds = set()
    for _ in range(250):
        board = random_board(rng, BOARDS[name], rng.randrange(BOARDS[name]["width"] * BOARDS[name]["height"]))
        if board is None:
            continue
        kind, found, plies = answer(board, BOARDS[name], 1)
        kinds.add((kind, min(len(found), 1)))
        safe = [action for action in board.legal() if not board.after(action).wins()]
        if board.wins():
            assert (kind, found, plies) == (WON, board.wins(), 1)
        elif safe == board.legal():
            assert (kind, found) == (FREE, [])
        else:
            assert (kind, found) == (FORCED, safe)
            assert found or plies == 2
    assert kinds >= {(WON, 1), (FREE, 0), (FORCED, 1)}


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("name", BOARDS)
def test_forced_wins(name, depth):
    rng = random.Random(f"{name} {depth}")
    options = BOARDS[name]
    won, tried = 0, 0
    while won < 3 or tried < 30:
        board = random_board(rng, options, rng.randrange(2, options["width"] * options["height"] // 2))
        if board is None or board.wins():
            continue
        tried += 1
        kind, found, plies = answer(board, options, depth)
        assert (kind == WON) == board.wins_by_threats(depth)
        if kind == WON:
            won += 1
            assert board.threat_wins(found[0], (plies + 1) // 2)
            assert 3 <= plies <= 2 * depth - 1


LONG = "E6 G4 F13 L10 H3 J4 J12 L3 L8 L5 C10 J8 D8 K3 F6 K4 F10 D12 I6 I11 M4 G5 D4 J5 M12 G10 C11 I13"


def test_a_long_sequence_of_fours():
    """A win in 15 plies, played out: every answer is the only one that does not lose at once."""
    game = make_game("gomoku")
    position = Position.from_moves(game, LONG)
    board = PlainBoard(15, 15, 5)
    for move in position.moves:
        board.play(move)
    found = np.zeros(game.actions, np.int16)
    for left in range(8, 0, -1):
        kind, _, plies = look(game, position.state, left, found)
        assert (kind, plies) == (WON, 2 * left - 1)
        position.play(int(found[0]))
        board.play(int(found[0]))
        if left > 1:
            safe = [action for action in board.legal() if not board.after(action).wins()]
            assert len(safe) == (left > 2)
            position.play((safe or board.legal())[0])
            board.play(position.moves[-1])
    assert board.result == -1


def test_too_short_a_look():
    game = make_game("gomoku")
    found = np.zeros(game.actions, np.int16)
    assert look(game, Position.from_moves(game, LONG).state, 7, found)[0] != WON
