"""Rules alone, on one core: random full games a second, and nanoseconds of each rule."""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rayzero.bench.report import Row
from rayzero.chance import draw, random_states
from rayzero.games import make_game, rules
from rayzero.games.rules import ONGOING, PLY, RESULT
from rayzero.jit import kernel

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "tictactoe": ("tictactoe", {}),
    "connect4": ("connect4", {}),
    "gomoku8": ("gomoku", {"width": 8, "height": 8}),
    "gomoku15": ("gomoku", {}),
    "gomoku20": ("gomoku", {"width": 20, "height": 20}),
    "othello": ("othello", {}),
}
POSITIONS = 1000
DEPTH = 8  # of the deep look-ahead


@kernel
def random_games(game, count, random):
    """Play from the start to the end; returns the number of plies."""
    start = np.empty(game.state_size, np.int64)
    state = np.empty(game.state_size, np.int64)
    actions = np.empty(game.actions, np.int16)
    rules.init(game, start)
    plies = 0
    for _ in range(count):
        state[:] = start
        rules.rollout(game, state, actions, random)
        plies += state[PLY]
    return plies


@kernel
def middle_positions(game, count, random):
    """Unfinished positions, each a third into a random game."""
    states = np.empty((count, game.state_size), np.int64)
    actions = np.empty(game.actions, np.int16)
    made = 0
    while made < count:
        state = states[made]
        rules.init(game, state)
        for _ in range(game.max_plies // 5):
            if state[RESULT] == ONGOING:
                rules.play(game, state, actions[draw(random, rules.legal(game, state, actions))])
        made += state[RESULT] == ONGOING
    return states


@kernel
def all_legal(game, states, actions):
    """Ask for the legal actions of every position."""
    n = 0
    for i in range(len(states)):
        n += rules.legal(game, states[i], actions)
    return n


@kernel
def all_plays(game, states, actions, spare):
    """Play one action at a copy of every position."""
    for i in range(len(states)):
        spare[:] = states[i]
        rules.play(game, spare, actions[i])
    return spare[PLY]


@kernel
def all_planes(game, states, out):
    """Draw the planes of every position."""
    for i in range(len(states)):
        rules.planes(game, states[i], out)
    return out[0, 0, 0]


@kernel
def all_lookaheads(game, states, depth, found):
    """Look ahead at every position; returns how many are decided or forced."""
    decided = 0
    for i in range(len(states)):
        kind, _, _ = rules.lookahead(game, states[i], depth, found)
        decided += kind != rules.FREE
    return decided


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which games, and for how long."""
    known = f"{', '.join(GAMES)}, or your own as path/to/file.py:Class"
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME", help=known)
    parser.add_argument("--seconds", type=float, default=1.0, help="of measuring each figure (default: %(default)s)")


def run(args: argparse.Namespace) -> list[Row]:
    """Measure every game that was asked for."""
    return [row for name in args.games for row in measure(name, args.seconds)]


def measure(name: str, seconds: float) -> list[Row]:
    """The figures of one game."""
    rules_name, options = GAMES.get(name, (name, {}))
    game = make_game(rules_name, **options)
    random = random_states(1)[0]
    plies = random_games(game, 2000, random) / 2000
    per_game = clock(lambda: random_games(game, 2000, random), 2000, seconds)
    rows = [Row(f"{name}/random_games", 1e9 / per_game, "games/s", f"{plies:.1f} plies each, one core")]
    states = middle_positions(game, POSITIONS, random)
    actions, found = np.empty(game.actions, np.int16), np.empty(game.actions, np.int16)
    firsts = np.empty(POSITIONS, np.int16)
    for i in range(POSITIONS):
        all_legal(game, states[i : i + 1], actions)
        firsts[i] = actions[0]
    picture = np.empty((game.plane_count, game.height, game.width), np.uint8)
    calls: dict[str, Callable[[], Any]] = {
        "legal": lambda: all_legal(game, states, actions),
        "copy_and_play": lambda: all_plays(game, states, firsts, np.empty(game.state_size, np.int64)),
        "planes": lambda: all_planes(game, states, picture),
        "lookahead": lambda: all_lookaheads(game, states, 1, found),
        "lookahead_deep": lambda: all_lookaheads(game, states, DEPTH, found),
    }
    notes = {
        depth: f"depth {depth}; decides {all_lookaheads(game, states, depth, found) / POSITIONS:.0%} of positions"
        for depth in (1, DEPTH)
    }
    for rule, call in calls.items():
        note = notes.get({"lookahead": 1, "lookahead_deep": DEPTH}.get(rule, 0), "")
        rows.append(Row(f"{name}/{rule}", clock(call, POSITIONS, seconds), "ns", note))
    return rows


def clock(call: Callable[[], Any], units: int, seconds: float) -> float:
    """Nanoseconds of one unit of a call's work: the best of the repetitions, so that other processes count little."""
    call()
    best = float("inf")
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best / units * 1e9
