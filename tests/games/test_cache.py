"""Compiled code on disk: used again by the next process, and never stale."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rayzero import jit

# Whoever plays the winning action wins; after four plies without one it is a draw.
GAME = """
from typing import Any, NamedTuple

import numpy as np

from helper import is_winner
from rayzero.games.rules import DRAW, HEADER, LAST, LOSS, NO_ACTION, ONGOING, PLY, RESULT, register

SHIFT = 0


class Pick(NamedTuple):
    height: int
    width: int
    plane_count: int
    actions: int
    state_size: int
    max_plies: int
    cell_symmetries: Any
    action_symmetries: Any

    @classmethod
    def create(cls):
        one = np.arange(3, dtype=np.int16)[None]
        return cls(1, 3, 2, 3, HEADER, 4, one, one)


def init(game, state):
    state[PLY] = 0
    state[LAST] = NO_ACTION
    state[RESULT] = ONGOING


def legal(game, state, actions):
    for action in range(3):
        actions[action] = action
    return 3 if state[RESULT] == ONGOING else 0


def play(game, state, action):
    state[PLY] += 1
    state[LAST] = action
    if is_winner(action + SHIFT):
        state[RESULT] = LOSS
    elif state[PLY] == 4:
        state[RESULT] = DRAW


def planes(game, state, out):
    out[:] = 0


register(Pick, init=init, legal=legal, play=play, planes=planes)
"""
HELPER = """
from rayzero.jit import kernel


@kernel
def is_winner(action):
    return action == 2
"""
SEARCH = """
import numpy as np
from rayzero.games import make_game
from rayzero.games.rules import init
from rayzero.search.rollouts import RolloutSearch

game = make_game("pick:Pick")
states = np.zeros((1, game.state_size), np.int64)
init(game, states[0])
print(RolloutSearch(game).best(states, 200)[0])
"""


def write(path: Path, text: str) -> None:
    """Write a file as if seconds had passed: Python looks at whole seconds when it keeps bytecode."""
    path.write_text(text)
    write.clock += 10
    os.utime(path, (write.clock, write.clock))


write.clock = 1_700_000_000


@pytest.mark.slow
def test_an_edited_rule_changes_the_next_search(tmp_path, root):
    cache = tmp_path / "cache"
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{root}", "NUMBA_CACHE_DIR": str(cache)}

    def best() -> int:
        command = [sys.executable, "-c", SEARCH]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    def compiled() -> set[Path]:
        return set(cache.rglob("*.nbc"))

    write(tmp_path / "helper.py", HELPER)
    write(tmp_path / "pick.py", GAME)
    assert best() == 2
    first = compiled()
    assert first
    assert best() == 2
    assert compiled() == first  # Nothing was compiled again.
    write(tmp_path / "pick.py", GAME.replace("SHIFT = 0", "SHIFT = 1"))
    assert best() == 1
    write(tmp_path / "helper.py", HELPER.replace("action == 2", "action == 1"))
    assert best() == 0


def test_sources_follow_imports(tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "game.py").write_text("import os\nfrom . import near\nfrom pack.far import thing\n")
    (tmp_path / "pack" / "near.py").write_text("from rayzero.games.rules import PLY\n")
    (tmp_path / "pack" / "far.py").write_text("import pack.farther\n")
    (tmp_path / "pack" / "farther.py").write_text("")
    (tmp_path / "pack" / "unused.py").write_text("")
    found = jit._sources_of(tmp_path / "pack" / "game.py")
    assert {path.name for path in found if tmp_path in path.parents} == {
        "__init__.py",
        "game.py",
        "near.py",
        "far.py",
        "farther.py",
    }
    assert jit.PACKAGE / "games" / "rules.py" in found
    assert jit.PACKAGE / "chance.py" in found


def test_all_built_in_games_count():
    names = {path.name for path in jit._built_in_games()}
    assert names >= {"kinarow.py", "threats.py", "sequences.py", "lines.py", "othello.py", "rules.py", "chance.py"}
    assert "notation.py" not in names


def test_old_folders_are_forgotten(tmp_path):
    for name, age in (("old", jit.KEEP_SECONDS + 100), ("new", 100)):
        (tmp_path / name).mkdir()
        then = (tmp_path / name).stat().st_mtime - age
        os.utime(tmp_path / name, (then, then))
    jit._forget_unused(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_game_at_a_prompt_leaves_nothing_behind(tmp_path):
    """Compiled code on disk that refers to a class of a prompt would stop every other process."""
    (tmp_path / "helper.py").write_text(HELPER)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    code = GAME + "from rayzero.games.conformance import random_moves\nfrom rayzero.chance import random_states\n"
    code += "print(random_moves(Pick.create(), random_states(1)[0], np.zeros(4, np.int16)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert 1 <= int(done.stdout) <= 4, done.stderr
    assert not [path for path in tmp_path.rglob("*.nbi") if "random_moves" in path.name]


def test_kernels_without_a_file():
    code = "from rayzero.jit import kernel\n@kernel\ndef f(x):\n    return x + 1\nprint(f(1))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "2\n", done.stderr


def test_without_a_place_to_write(tmp_path):
    """Everything still works where nothing can be kept."""
    (tmp_path / "file").write_text("")
    code = "from rayzero.chance import draw, random_states; print(draw(random_states(1)[0], 1))"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "file")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == "0\n", done.stderr
