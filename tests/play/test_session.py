import numpy as np
import pytest

from rayzero.errors import GameError
from rayzero.play.catalogue import offer, offer_for, offered
from rayzero.play.formats import read_game
from rayzero.play.session import Outcome, Session


def test_a_game_and_its_winning_line() -> None:
    session = read_game(offer("gomoku15"), "h8a1i8a2j8a3k8a4l8")
    cells = [7 * 15 + column for column in range(7, 12)]
    assert session.outcome == Outcome(0, "played", tuple(cells))
    assert session.legal == []
    with pytest.raises(GameError, match="Move 10 can't be"):
        session.play(0)


def test_second_player_wins_connect4_upwards() -> None:
    session = read_game(offer("connect4"), "12121732")
    assert session.outcome is None
    session = read_game(offer("connect4"), "17172737")
    assert session.outcome == Outcome(1, "played", (20, 27, 34, 41))


def test_draw_is_an_outcome_without_winner() -> None:
    assert read_game(offer("tictactoe"), "a1b2c3b1b3a3c1c2a2").outcome == Outcome(None, "played")


def test_undo_resign_and_playing_at_an_earlier_ply() -> None:
    session = read_game(offer("tictactoe"), "a1b2c3")
    session.resign(1)
    assert session.outcome == Outcome(0, "resigned")
    with pytest.raises(GameError, match="resigned"):
        session.play(1)
    session.undo()
    assert session.outcome is None and session.plies == 3
    session.undo(2)
    assert session.text() == "A1"
    session.play(4)
    session.play(0, ply=1)
    assert session.text() == "A1A3"
    for wrong in (lambda: session.undo(3), lambda: session.play(0), lambda: session.play(1, ply=9)):
        before = list(session.moves)
        with pytest.raises(GameError):
            wrong()
        assert session.moves == before


@pytest.mark.parametrize("name", offered())
def test_changes_rebuild_every_board(name: str) -> None:
    random = np.random.default_rng(1)
    session = Session(offer(name))
    while session.legal and session.plies < 70:
        session.play(int(random.choice(session.legal)))
    board = np.full(session.offer.game.height * session.offer.game.width, -1)
    for cell, player in session.start():
        board[cell] = player
    for ply in range(session.plies):
        for cell, player in session.changes(ply):
            board[cell] = player
        assert (board == session.boards[ply + 1]).all()
    listed = session.legal_lists()
    for ply, legal in enumerate(listed):
        assert legal is None or session.moves[ply] in legal


def test_a_models_own_board_joins_the_offer() -> None:
    assert offer_for("gomoku", {"width": 15, "height": 15}).name == "gomoku15"
    found = offer_for("gomoku", {"width": 9, "height": 9})
    assert found.name == "gomoku-9x9" and found.name in offered()
    assert offer_for("gomoku", {"width": 9, "height": 9}) is found
    exact = offer_for("gomoku", {"width": 9, "height": 9, "exact": True})
    assert exact.name != found.name
