"""Alpha-beta: sharp where a person would be, right where everything can be tried."""

from functools import cache

import numpy as np
import pytest

from rayzero.errors import GameError
from rayzero.evaluation.alphabeta import PROVEN, WON, AlphaBeta
from rayzero.games import make_game
from rayzero.games.rules import NO_ACTION, ONGOING, PLY, RESULT, init, legal, play

GOMOKU = make_game("gomoku")
STANDARD = make_game("gomoku", exact=True)
CONNECT4 = make_game("connect4")
TICTACTOE = make_game("tictactoe")


def position(game, moves=()):
    state = np.zeros(game.state_size, np.int64)
    init(game, state)
    for move in moves:
        play(game, state, move)
    return state


def drawn(diagram, top, left, second, symmetry=0, game=GOMOKU):
    """A position of X to move and the cells marked *, on one of the symmetric boards.

    Stones that are missing to make the numbers even stand on far rows, no two in reach of each other;
    `second` makes X the second player.
    """
    cells = {"X": [], "O": [], "*": [], ".": []}
    for row, line in enumerate(diagram):
        for column, mark in enumerate(line):
            cells[mark].append((top + row) * 15 + left + column)
    rows = (14, 12) if top < 8 else (0, 2)
    far = [15 * row + column + i for i, row in enumerate(rows) for column in (0, 5, 10)]
    own, others = cells["X"], cells["O"]
    while len(others) < len(own) + second:
        others.append(far.pop(0))
    while len(own) < len(others) - second:
        own.append(far.pop(0))
    image = np.empty(225, int)
    image[game.action_symmetries[symmetry]] = np.arange(225)
    first, last = (others, own) if second else (own, others)
    moves = [cell for pair in zip(first, [*last, None], strict=False) for cell in pair if cell is not None]
    state = position(game, image[moves])
    assert state[RESULT] == ONGOING
    assert state[PLY] % 2 == second
    return state, set(image[cells["*"]].tolist())


# name: (diagram, (top, left), plies within which X must see a win, or 0 where X has to defend)
TACTICS = {
    "five at the edge": (["XXXX*"], (0, 0), 1),
    "five in a gap": (["OXX*XXO"], (7, 4), 1),
    "five on a diagonal": (["*....", ".X...", "..X..", "...X.", "....X"], (10, 10), 1),
    "five before stopping a four": (["OOOO.", "XXXX*"], (0, 0), 1),
    "stop a four at the edge": (["OOOO*"], (0, 0), 0),
    "stop a four in a gap": (["XOO*OOX"], (14, 0), 0),
    "stop a four on a diagonal": (["....*", "...O.", "..O..", ".O...", "O...."], (10, 0), 0),
    "open four": ([".*XXX*."], (7, 4), 3),
    "open four in a gap": ([".XX*X."], (7, 4), 3),
    "open four along the edge": ([".*XXX*."], (0, 4), 3),
    "open four before stopping a three": ([".*XXX*.", ".......", "..OOO.."], (7, 4), 3),
    "stop an open three": ([".*OOO*."], (7, 4), 0),
    "stop a three beside the edge": (["*OOO**"], (0, 0), 0),
    "stop a broken three": (["*OO*O*"], (7, 4), 0),
    "two fours at once": (["OXXX*..", "....X..", "....X..", "....X..", "....O.."], (5, 5), 3),
    "four and three": (["OXXX*..", ".......", "....X..", "....X..", "......."], (5, 5), 5),
    "two threes at once": ([".......", "..XX*..", "...X...", "..X....", "......."], (5, 5), 9),
}


@pytest.mark.parametrize("name", TACTICS)
@pytest.mark.parametrize("second", [0, 1])
def test_tactics(name, second):
    diagram, (top, left), plies = TACTICS[name]
    positions = [drawn(diagram, top, left, second, symmetry) for symmetry in range(8)]
    states = np.array([state for state, _ in positions])
    for depth in (4, 5):
        moves, values = AlphaBeta(GOMOKU, depth, seed=depth).evaluate(states)
        for (_, answers), move, value in zip(positions, moves.tolist(), values.tolist(), strict=True):
            assert move in answers
            assert value >= WON - plies if plies else value < PROVEN


def test_a_lost_position_is_defended_as_long_as_possible():
    state, _ = drawn([".OOOO."], 7, 4, 0)
    move, value = AlphaBeta(GOMOKU, 4).evaluate(state[None])
    assert move[0] in (7 * 15 + 4, 7 * 15 + 9)
    assert value[0] == 2 - WON


def test_exactly_five_where_the_rules_say_so():
    """Six in a row win in freestyle only: the gap makes six, the end five."""
    state, _ = drawn(["*XXX.XX"], 7, 4, 0, game=STANDARD)
    assert AlphaBeta(GOMOKU, 2).evaluate(state[None])[1][0] == WON - 1
    move, value = AlphaBeta(STANDARD, 2).evaluate(state[None])
    assert value[0] != WON - 1
    state, answers = drawn(["*XXXX.X"], 7, 4, 0, game=STANDARD)
    assert AlphaBeta(STANDARD, 2).best(state[None])[0] in answers


def test_claimed_wins_are_won():
    """Against the best defence the game ends no later than the value said."""
    generator = np.random.default_rng(8)
    attacker, defender = AlphaBeta(GOMOKU, 4), AlphaBeta(GOMOKU, 5, seed=2)
    claims = 0
    for _ in range(30):
        state = position(GOMOKU)
        for cell in generator.permutation([r * 15 + c for r in range(4, 11) for c in range(4, 11)])[:10]:
            play(GOMOKU, state, cell)
        if state[RESULT] != ONGOING:
            continue
        left = WON - int(attacker.evaluate(state[None])[1][0])
        if left > 225:
            continue
        claims += 1
        winner = state[PLY] % 2
        for ply in range(left):
            assert state[RESULT] == ONGOING
            play(GOMOKU, state, (defender if ply % 2 else attacker).best(state[None])[0])
            if state[RESULT] != ONGOING:
                break
        assert state[RESULT] == -1
        assert state[PLY] % 2 != winner
    assert claims >= 5


def legal_actions(game, state):
    actions = np.empty(game.actions, np.int16)
    return actions[: legal(game, state, actions)].tolist()


def after(game, key, move):
    state = np.frombuffer(key, np.int64).copy()
    play(game, state, move)
    state[1] = NO_ACTION  # Says nothing about the position.
    return state.tobytes()


@cache
def exact_value(gravity, key):
    """1, 0 or -1 for the player to move, by trying everything."""
    game = CONNECT4 if gravity else TICTACTOE
    state = np.frombuffer(key, np.int64)
    if state[RESULT] != ONGOING:
        return int(state[RESULT])
    return max(-exact_value(gravity, after(game, key, move)) for move in legal_actions(game, state))


def assert_perfect(game, states, depth):
    moves, values = AlphaBeta(game, depth).evaluate(states)
    for state, move, value in zip(states, moves, values, strict=True):
        exact = exact_value(game.gravity, state.tobytes())
        assert -exact_value(game.gravity, after(game, state.tobytes(), move)) == exact
        assert (int(value) > PROVEN) - (int(value) < -PROVEN) == exact


def test_connect4_endgames_are_played_perfectly():
    generator = np.random.default_rng(4)
    states = []
    while len(states) < 60:
        state = position(CONNECT4)
        while state[RESULT] == ONGOING and state[PLY] < 32 + len(states) % 8:
            play(CONNECT4, state, generator.choice(legal_actions(CONNECT4, state)))
        if state[RESULT] == ONGOING:
            state[1] = NO_ACTION
            states.append(state)
    assert_perfect(CONNECT4, np.array(states), 12)


@pytest.mark.kernels
def test_tictactoe_is_played_perfectly():
    found, waiting = set(), [position(TICTACTOE).tobytes()]
    while waiting:
        key = waiting.pop()
        new = {after(TICTACTOE, key, move) for move in legal_actions(TICTACTOE, np.frombuffer(key, np.int64))} - found
        found |= new
        waiting += new
    states = np.array([np.frombuffer(key, np.int64) for key in sorted(found)])
    states = states[states[:, RESULT] == ONGOING]
    assert_perfect(TICTACTOE, states[::25], 9)


def test_a_move_depends_on_position_depth_and_seed_alone():
    generator = np.random.default_rng(1)
    states = []
    for _ in range(12):
        state = position(GOMOKU)
        for cell in generator.permutation(225)[:8]:
            play(GOMOKU, state, cell)
        states.append(state)
    states = np.array(states)
    moves = AlphaBeta(GOMOKU, 3, seed=5).best(states)
    assert (AlphaBeta(GOMOKU, 3, seed=5, threads=2).best(states[::-1])[::-1] == moves).all()
    assert [AlphaBeta(GOMOKU, 3, seed=5).best(state[None])[0] for state in states] == moves.tolist()
    assert (AlphaBeta(GOMOKU, 3, seed=6).best(states) != moves).any()
    assert moves.dtype == np.int16


def test_first_moves_and_finished_games():
    over = position(TICTACTOE, [0, 3, 1, 4, 2])
    assert AlphaBeta(TICTACTOE, 2).best(over[None])[0] == NO_ACTION
    assert AlphaBeta(GOMOKU, 2).best(position(GOMOKU)[None])[0] == 112
    assert AlphaBeta(CONNECT4, 6).best(position(CONNECT4)[None])[0] == 3
    assert AlphaBeta(GOMOKU, 2).best(np.empty((0, GOMOKU.state_size), np.int64)).shape == (0,)


@pytest.mark.parametrize(
    "options",
    [
        {"width": 20, "height": 20},
        {"width": 6, "height": 6, "in_a_row": 4},
        {"width": 31, "height": 31, "in_a_row": 9},
        {"width": 5, "height": 4, "in_a_row": 3, "exact": True},
        {"width": 24, "height": 3, "in_a_row": 4, "gravity": True},
        {"width": 7, "height": 1, "in_a_row": 7},
    ],
)
def test_any_board_is_played_to_its_end(options):
    game = make_game("gomoku", **options)
    player = AlphaBeta(game, 2)
    state = position(game)
    while state[RESULT] == ONGOING and state[PLY] < 120:
        move, value = player.evaluate(state[None])
        assert move[0] in legal_actions(game, state)
        assert abs(value[0]) < WON
        play(game, state, move[0])
    assert state[PLY] > 4


def test_what_it_can_not_play_is_said():
    with pytest.raises(GameError, match="three or more in a row"):
        AlphaBeta(make_game("othello"), 2)
    with pytest.raises(GameError, match="0 plies deep"):
        AlphaBeta(GOMOKU, 0)
