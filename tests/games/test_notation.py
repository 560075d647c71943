"""Moves and boards as people write them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rayzero.errors import GameError
from rayzero.games import make_game, notation
from rayzero.games.position import Position

GAMES = {
    "gomoku": make_game("gomoku"),
    "big": make_game("gomoku", width=31, height=31, in_a_row=6),
    "connect4": make_game("connect4"),
    "wide connect4": make_game("connect4", width=12),
    "othello": make_game("othello"),
    "tictactoe": make_game("tictactoe"),
}


@pytest.mark.parametrize(
    ("name", "text", "action"),
    [
        ("gomoku", "H8", 112),
        ("gomoku", "a15", 0),
        ("gomoku", "O1", 224),
        ("gomoku", " a1 ", 210),
        ("big", "AE31", 30),
        ("connect4", "1", 0),
        ("connect4", "7", 6),
        ("wide connect4", "12", 11),
        ("othello", "d3", 19),
        ("othello", "A1", 0),
        ("othello", "h8", 63),
        ("othello", "Pass", 64),
        ("tictactoe", "b2", 4),
    ],
)
def test_known_names(name, text, action):
    assert notation.parse_action(GAMES[name], text) == action


@given(st.sampled_from(sorted(GAMES)), st.data())
def test_every_move_reads_back(name, data):
    game = GAMES[name]
    moves = data.draw(st.lists(st.integers(0, game.actions - 1), max_size=20))
    texts = [notation.action_text(game, move) for move in moves]
    assert notation.parse_actions(game, ", ".join(texts)) == moves
    if name != "wide connect4":  # 1 and 2 in one word are 12 there.
        assert notation.parse_actions(game, "".join(texts).lower()) == moves


@given(st.sampled_from(sorted(GAMES)), st.text(max_size=12))
def test_any_text_is_read_or_explained(name, text):
    try:
        action = notation.parse_action(GAMES[name], text)
    except GameError as error:
        assert "moves are written like" in str(error)
    else:
        assert 0 <= action < GAMES[name].actions


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("gomoku", "P1", "'p1' is no move on this board"),
        ("gomoku", "H88", "'h88' is no move on this board"),
        ("gomoku", "H16", "'h16' is no move on this board"),
        ("connect4", "8", "moves are written like 1, 4 or 7"),
        ("gomoku", "pass", "'pass' is no move"),
        ("gomoku", "", "is not one move"),
        ("gomoku", "h8 h9", "is not one move"),
    ],
)
def test_mistakes(name, text, said):
    with pytest.raises(GameError, match=said):
        notation.parse_action(GAMES[name], text)


def test_boards_as_text():
    gomoku = Position.from_moves(make_game("gomoku", width=5, height=4, in_a_row=4), "a1 b2 e4")
    assert gomoku.text().splitlines() == [
        "4  .  .  .  . (X)",
        "3  .  .  .  .  .",
        "2  .  O  .  .  .",
        "1  X  .  .  .  .",
        "   A  B  C  D  E",
    ]
    connect4 = Position.from_moves(make_game("connect4", width=4, height=4), "1 1 4")
    assert connect4.text().splitlines() == [
        "  .  .  .  .",
        "  .  .  .  .",
        "  O  .  .  .",
        "  X  .  . (X)",
        "  1  2  3  4",
    ]
    othello = Position.from_moves(make_game("othello", size=4), "b1")
    assert othello.text().splitlines() == [
        "1  . (X) .  .",
        "2  .  X  X  .",
        "3  .  X  O  .",
        "4  .  .  .  .",
        "   A  B  C  D",
    ]


class TestPosition:
    def test_a_won_game(self):
        position = Position.from_moves(GAMES["connect4"], "1 2 1 2 1 2")
        assert (position.to_move, position.outcome, position.finished) == (0, None, False)
        position.play("1")
        assert (position.outcome, position.finished, position.legal) == (1, True, [])
        assert position.last_cell == 14
        assert position.winning_line == (14, 21, 28, 35)
        assert position.moves_text() == "1 2 1 2 1 2 1"
        assert "7 plies, the first player has won" in repr(position)

    def test_a_drawn_game(self):
        position = Position.from_moves(GAMES["tictactoe"], [0, 1, 2, 4, 3, 5, 7, 6, 8])
        assert position.outcome == 0
        assert position.winning_line == ()
        assert "drawn" in repr(position)

    def test_the_second_player_wins(self):
        position = Position.from_moves(GAMES["tictactoe"], [0, 2, 1, 4, 8, 6])
        assert position.outcome == -1
        assert position.winning_line == (2, 4, 6)

    def test_othello_pass_and_end(self):
        """On 4x4, the second player wins 11 to 3 when both play perfectly; here just any game with a pass."""
        rng = np.random.default_rng(3)
        passed = False
        while not passed:
            position = Position(make_game("othello", size=4))
            while not position.finished:
                position.play(int(rng.choice(position.legal)))
                if position.moves[-1] == 16:
                    passed = True
                    assert position.last_cell is None
        board = position.board
        lead = int((board == 0).sum() - (board == 1).sum())
        assert position.outcome == np.sign(lead)

    def test_copies_are_apart(self):
        position = Position(GAMES["gomoku"]).play("H8")
        other = position.copy().play("H9")
        assert len(position.moves) == 1 and len(other.moves) == 2
        assert (position.state != other.state).any()

    @pytest.mark.parametrize(
        ("moves", "said"),
        [
            ([0, 0], r"Move 2 can't be A3: that is not legal here"),
            ([9], r"Move 1 can't be action 9: that is not legal here"),
            ([0, 1, 3, 4, 6, 7], r"Move 6 can't be B1: the game is over"),
        ],
    )
    def test_illegal_moves(self, moves, said):
        with pytest.raises(GameError, match=said):
            Position.from_moves(GAMES["tictactoe"], moves)


def solve(position: Position, low: int = -16, high: int = 16) -> int:
    """The best lead in discs for the player to move, by alpha-beta."""
    if position.finished:
        board = position.board
        return int((board == position.to_move).sum() - (board == 1 - position.to_move).sum())
    for action in position.legal:
        low = max(low, -solve(position.copy().play(action), -high, -low))
        if low >= high:
            break
    return low


def test_othello_on_4x4_is_lost_by_8():
    """Known: the second player wins 11 to 3, with the two cells left empty."""
    assert solve(Position(make_game("othello", size=4))) == -8
