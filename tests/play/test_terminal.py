import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from rayzero.play.catalogue import offer
from rayzero.play.formats import read_game
from rayzero.play.models import ModelBook
from rayzero.play.terminal import Quit, Terminal, choose_entry


@pytest.fixture
def terminal(book: ModelBook) -> Terminal:
    console = Console(file=StringIO(), width=100, color_system=None)
    return Terminal(book, choose_entry(book, "tictactoe"), offer("tictactoe"), 8, 0, console)


def type_in(terminal: Terminal, *words: str) -> str:
    """Run on these lines as if they were typed; returns what was printed."""
    lines = iter(words)

    def read(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    terminal.console.input = read  # type: ignore[assignment,method-assign]
    with pytest.raises((Quit, EOFError)):
        terminal.run()
    assert isinstance(terminal.console.file, StringIO)
    return terminal.console.file.getvalue()


def test_a_game_with_all_its_words(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    printed = type_in(terminal, "help", "b2", "hint", "tree", "undo", "b2", f"save {file}", "what", "b2", "level 99",
                      "level 2", "swap", "resign", "undo", "new", f"open {file}", "open nowhere", "quit")  # fmt: skip
    assert "would play" in printed and "expected:" in printed and "simulations" in printed
    assert "(X)" in printed or "X" in printed
    assert "is no move on this board" in printed and "Move 3 can't be B2" in printed and "Levels go from 1" in printed
    assert "can't be read" in printed
    assert read_game(offer("tictactoe"), file.read_text()).moves[0] == 4


def test_it_never_loses_at_tictactoe(terminal: Terminal) -> None:
    printed = type_in(terminal, "a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3", "quit")
    assert "plays" in printed and "You win" not in printed


def test_as_a_command_without_colours(tictactoe: str) -> None:
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb"}
    command = [sys.executable, "-m", "rayzero.play", tictactoe, "--terminal", "--second"]
    done = subprocess.run(command, input="quit\n", capture_output=True, text=True, env=environment, timeout=240)
    assert done.returncode == 0 and "\x1b[" not in done.stdout
    assert "plays" in done.stdout and "Circle (O)>" in done.stdout, done.stderr


def test_a_wrong_model_is_a_sentence() -> None:
    command = [sys.executable, "-m", "rayzero.play", "no-such-model", "--terminal"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 2 and "There is no model no-such-model" in done.stderr
    assert "Traceback" not in done.stderr
