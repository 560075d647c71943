"""The benchmark of the rules, as a command and as a promise."""

import json
import subprocess
import sys

import pytest

from rayzero.bench.games import measure
from rayzero.bench.report import Row, table


def bench(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "rayzero.bench", *arguments], capture_output=True, text=True)


def test_command(tmp_path):
    path = tmp_path / "figures.json"
    done = bench("games", "--games", "tictactoe", "--seconds", "0.05", "--json", str(path))
    assert done.returncode == 0, done.stderr
    figures = json.loads(path.read_text())
    assert set(figures) == {
        f"tictactoe/{rule}"
        for rule in ("random_games", "legal", "copy_and_play", "planes", "lookahead", "lookahead_deep")
    }
    assert all(value > 0 for value in figures.values())
    assert all(name in done.stdout for name in figures)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gmaes"], "invalid choice: 'gmaes'"),
        ([], "the following arguments are required: NAME"),
        (["games", "--games", "chess"], "There is no game 'chess'"),
    ],
)
def test_mistakes(arguments, said):
    done = bench(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_table():
    rows = [Row("a/b", 1234567.8, "games/s", "one core"), Row("a/longer", 0.12345, "ns")]
    assert table(rows).splitlines() == ["a/b       1,234,568 games/s  one core", "a/longer     0.1235 ns"]


@pytest.mark.long
def test_random_gomoku_games_a_second():
    figures = {row.name: row.value for row in measure("gomoku15", 1.0)}
    assert figures["gomoku15/random_games"] > 400_000
    assert figures["gomoku15/lookahead"] < 1000
