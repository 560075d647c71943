"""Whatever an engine does, it can lose its games and nothing more."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from rayzero.errors import EngineError
from rayzero.evaluation import engine as engine_module
from rayzero.evaluation.engine import EnginePlayer, Limits
from rayzero.evaluation.matches import play_match
from rayzero.evaluation.players import RandomPlayer
from rayzero.games.registry import make_game

GAME = make_game("gomoku", width=9, height=9)
QUICK = Limits(seconds=0.3, grace=0.2)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(engine_module, "START_SECONDS", 1.5)


def command(way):
    return f"{sys.executable} {Path(__file__).parent / 'hostile_engine.py'} {way}"


def match(way, games=4):
    player = EnginePlayer(GAME, command(way), QUICK)
    try:
        return play_match(GAME, RandomPlayer(GAME, 1), player, games, seed=3)
    finally:
        player.close()


@pytest.mark.parametrize("way", ["plain", "norestart"])
def test_engine_that_behaves_finishes_its_games(way):
    result = match(way, games=2 if way == "norestart" else 4)
    assert result.forfeits == ()
    assert result.plies > 9


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("garbage", "instead of a move"),
        ("hang", "did not answer within 0.5 s"),
        ("exit", "exited"),
        ("occupied", "which is not free"),
        ("outside", "off the board"),
        ("error", "instead of a move"),
        ("flood", "did not answer within"),
    ],
)
def test_engine_that_misbehaves_forfeits_every_game_by_name(way, reason):
    result = match(way)
    assert (result.wins, result.losses) == (4, 0)
    assert len(result.forfeits) == 4
    assert all(reason in forfeit and way in forfeit for forfeit in result.forfeits)


@pytest.mark.parametrize("way", ["mute", "blast"])
def test_engine_that_never_starts_properly_does_not_hold_up_the_match(way):
    start = time.monotonic()
    result = match(way, games=20)
    assert result.wins == 20
    assert "does not start (it " in result.forfeits[-1]
    assert time.monotonic() - start < 15


def test_engine_that_refuses_the_board_is_reported_before_the_match():
    with pytest.raises(EngineError, match=r"can't play this game: it answered 'ERROR too large'"):
        EnginePlayer(GAME, command("refuse"), QUICK)


def test_command_that_does_not_exist_is_reported_before_the_match():
    with pytest.raises(EngineError, match="can't be started"):
        EnginePlayer(GAME, "/no/such/engine --fast")


def test_games_that_engines_do_not_play_are_refused():
    with pytest.raises(EngineError, match="five in a row"):
        EnginePlayer(make_game("connect4"), command("plain"))


def test_no_process_is_left_behind():
    for way in ("hang", "flood"):
        match(way, games=2)
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert command("hang") not in listed
    assert command("flood") not in listed
