"""Every game keeps to the contract, and a game that does not is told why."""

import json
import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from rayzero.games import make_game
from rayzero.games.conformance import checks, make_trace
from rayzero.games.position import Position

BOAST = """
def boast(game, state, depth, found):
    found[0] = legal(game, state, found) * 0 + found[0]
    return 2, 1, 1


register(Hex"""
LAZY = """
def lazy(game, state, actions, random):
    play(game, state, actions[legal(game, state, actions) - 1])
    return 0


register(Hex"""

BUILT_IN = {
    "tictactoe": ("tictactoe", {}),
    "connect4": ("connect4", {}),
    "gomoku15": ("gomoku", {}),
    "gomoku exact": ("gomoku", dict(width=9, height=8, in_a_row=4, exact=True)),
    "largest": ("gomoku", dict(width=31, height=20, in_a_row=6)),
    "falling exact": ("connect4", dict(width=9, height=5, in_a_row=3, exact=True)),
    "othello": ("othello", {}),
    "othello4": ("othello", dict(size=4)),
}


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **environment}
    )


@pytest.mark.kernels
@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_games(name):
    rules, options = BUILT_IN[name]
    if numba.config.DISABLE_JIT and name in ("gomoku15", "largest", "othello"):
        pytest.skip("takes minutes in plain Python")
    games = 3 if options.get("width", 15) > 15 else 8
    assert len(list(checks(make_game(rules, **options), games=games))) == 6


@pytest.mark.kernels
def test_example_of_the_docs(hex_file):
    assert len(list(checks(make_game(f"{hex_file}:Hex"), games=5))) == 6


def test_hex_has_a_winner(hex_file):
    """Known of Hex: a full board always has exactly one winner."""
    game = make_game(f"{hex_file}:Hex", size=5)
    rng = np.random.default_rng(1)
    for _ in range(100):
        position = Position(game)
        while not position.finished:
            position.play(int(rng.choice(position.legal)))
        assert position.outcome in (1, -1)


def test_batch_equals_singles():
    """States that are rows of one array are played on as if each were alone."""
    game = make_game("connect4")
    rng = np.random.default_rng(1)
    for _ in range(20):
        moves = []
        position = Position(game)
        while not position.finished:
            moves.append(int(rng.choice(position.legal)))
            position.play(moves[-1])
        trace = make_trace(game, np.array(moves, np.int16))
        for ply in range(len(moves) + 1):
            alone = Position.from_moves(game, moves[:ply])
            assert (alone.state == trace.states[ply]).all()
            assert (alone.planes == trace.planes[ply]).all()
            assert alone.legal == trace.actions[ply, : trace.counts[ply]].tolist()


# What is changed in the game of the docs, and what the kit must say about it.
ENDS = "HEADER + size * size, size * size"
BROKEN = [
    ({ENDS: "HEADER + size * size, 3"}, "A game was not over after max_plies = 3 plies."),
    ({ENDS: "HEADER + size * size + 1, size * size", "state[:] =": "state[:-1] ="}, "init leaves words of the state"),
    ({"    state[:] = EMPTY\n": ""}, "No action is legal after the moves [], but the game goes on."),
    ({"    state[PLY] += 1\n": "    state[PLY] += 2\n"}, "state[PLY] is 2 after the moves"),
    ({"    state[LAST] = action\n": ""}, "state[LAST] is -1 after the moves"),
    ({"state[RESULT] = LOSS  #": "state[RESULT] = 7  #"}, "state[RESULT] is 7"),
    ({"if state[RESULT] == ONGOING:": "if True:"}, "The game is over after the moves"),
    ({"range(game.actions):\n            if": "range(game.actions - 1, -1, -1):\n            if"}, "do not increase"),
    ({"out[2, row, column] = own == FIRST": "pass"}, "planes does not write every cell"),
    ({"stone == FIRST + SECOND - own": "stone != EMPTY"}, "the pieces of the two players, overlap"),
    ({"    own = FIRST if": "    state[HEADER] |= 4\n    own = FIRST if"}, "legal or planes changes the state at ply"),
    ({"(-1, 0), (-1, 1)": "(-1, 0), (-1, -1)"}, "No action is legal after the moves"),
    ({"cells[::-1]": "cells.reshape(size, size)[:, ::-1].ravel()"}, "Symmetry 1 changes"),
    ({"stone == own\n": "stone == own and row < 2\n"}, "Symmetry 1 changes planes otherwise than by moving cells"),
    ({"np.stack([cells, cells[::-1]])": "np.stack([cells[::-1], cells])"}, "is not the identity"),
    ({"dtype=np.int16": "dtype=np.int32"}, "cell_symmetries is not an array of int16"),
    ({"symmetries, symmetries)": "symmetries, symmetries[:1])"}, "2 symmetries of cells, but 1 of actions"),
    ({"def legal(game, state, actions)": "def legal(game, state, moves)"}, "with the parameters named so"),
    ({"class Hex(NamedTuple)": "class Hexagon(NamedTuple)"}, "can't be loaded: NameError"),
    ({"def create": "def make"}, "has no game called Hex"),
    ({"register(Hex, init=init, legal=legal, play=play, planes=planes)": ""}, "Hex has no rules yet"),
    ({"planes=planes)": "planes=planes, lookahead=boast)", "register(Hex": BOAST}, "does not"),
    ({"planes=planes)": "planes=planes, rollout=lazy)", "register(Hex": LAZY}, "The mean length of rollout"),
]

JUDGE = """
import json, sys
from rayzero.errors import GameError
from rayzero.games import make_game
from rayzero.games.conformance import checks
for path in sys.argv[1:]:
    try:
        print(json.dumps(f"keeps to the contract: {len(list(checks(make_game(path + ':Hex', size=4), games=5)))}"))
    except GameError as error:
        print(json.dumps(str(error)))
"""


@pytest.fixture(scope="module")
def verdicts(hex_file, tmp_path_factory):
    """What the kit says of every broken game; in plain Python, where nothing has to be compiled."""
    folder = tmp_path_factory.mktemp("broken")
    paths = []
    for i, (changes, _) in enumerate(BROKEN):
        text = hex_file.read_text()
        for right, wrong in changes.items():
            assert right in text
            text = text.replace(right, wrong)
        paths.append(folder / f"broken{i}.py")
        paths[-1].write_text(text)
    done = run("-c", JUDGE, *map(str, paths), NUMBA_DISABLE_JIT="1")
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("i", range(len(BROKEN)))
def test_broken_games(verdicts, i):
    assert BROKEN[i][1] in verdicts[i]


def test_what_can_not_be_compiled(hex_file, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(hex_file.read_text().replace("    n = 0\n    if state", "    n = {}[state]\n    if state"))
    done = run("-m", "rayzero.games.check", f"{path}:Hex")
    assert done.returncode == 2
    assert "Hex can't be compiled" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{}:Hex", "size"], "'size' is not an option"),
        (["{}:Hex", "siez=4"], "Did you mean size?"),
        (["{}:Hex", "size=four"], "size can't be 'four'"),
        (["{}"], "There is no game"),
        (["no/such/file.py:Hex"], "There is no file"),
        (["no_such_module:Hex"], "There is no module 'no_such_module'"),
        (["gomoku15"], "Did you mean gomoku?"),
    ],
)
def test_mistakes_in_the_command(hex_file, arguments, said):
    done = run("-m", "rayzero.games.check", *(text.format(hex_file) for text in arguments))
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_command(hex_file):
    done = run("-m", "rayzero.games.check", f"{hex_file}:Hex", "size=3", "--games=3", NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("ok  ") == 6
    assert "keeps to the contract" in done.stdout
