"""Pure MCTS: playouts a second on one core, and how many times open_spiel's C++ (with --peers)."""

import argparse
import os
import time
from typing import Any, NamedTuple

import numpy as np

from rayzero.bench.peers import Peer, running_peer
from rayzero.bench.report import Row
from rayzero.games import make_game
from rayzero.games.rules import init
from rayzero.search.rollouts import RolloutSearch

PLAYOUTS = 10_000
C_PUCT = 5.0
UNIT = "playouts/s"


class Task(NamedTuple):
    """A board, as we and as open_spiel call it."""

    game: str
    options: dict[str, Any]
    peer: str
    parameters: dict[str, Any]


TASKS = {
    "gomoku15": Task("gomoku", {}, "gomoku", {"size": 15, "connect": 5}),
    "gomoku8": Task("gomoku", {"width": 8, "height": 8}, "gomoku", {"size": 8, "connect": 5}),
    "gomoku6": Task("gomoku", {"width": 6, "height": 6, "in_a_row": 4}, "gomoku", {"size": 6, "connect": 4}),
    "connect4": Task("connect4", {}, "connect_four", {}),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--peers", action="store_true", help="measure open_spiel too, installed for this run only")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each; the fastest counts")


def run(args: argparse.Namespace) -> list[Row]:
    """Measure every task in turns, in processor time: other work on the machine matters less then."""
    if not args.peers:
        return [row for name in TASKS for row in _task(name, None, args.rounds)] + _move(args.rounds)
    with running_peer("open_spiel_mcts", "open_spiel") as peer:
        return [row for name in TASKS for row in _task(name, peer, args.rounds)] + _move(args.rounds)


def _task(name: str, peer: Peer | None, rounds: int) -> list[Row]:
    task = TASKS[name]
    game = make_game(task.game, **task.options)
    empty = initial(game)
    search = RolloutSearch(game, c_puct=C_PUCT)
    search.search(empty, 10)
    ours, theirs = 0.0, 0.0
    for seed in range(rounds):
        start = time.process_time()
        search.search(empty, PLAYOUTS)
        ours = max(ours, PLAYOUTS / (time.process_time() - start))
        if peer:
            answer = peer.ask(
                game=task.peer, parameters=task.parameters, moves=[], playouts=PLAYOUTS, c=C_PUCT, seed=seed
            )
            theirs = max(theirs, PLAYOUTS / answer["seconds"])
    note = f"empty board, {PLAYOUTS:,} a move, one core"
    rows = [Row(f"{name}/mcts", ours, UNIT, note)]
    if peer:
        rows.append(Row(f"{name}/open_spiel", theirs, UNIT, "the same rule in C++"))
        rows.append(Row(f"{name}/ratio", ours / theirs, "times", "ours to open_spiel's"))
    return rows


def _move(rounds: int) -> list[Row]:
    """How long one person waits for a move on the large board."""
    game = make_game("gomoku")
    cores = os.cpu_count() or 1
    search = RolloutSearch(game, c_puct=C_PUCT, threads=cores, trees=cores)
    best = np.inf
    for _ in range(rounds):
        start = time.perf_counter()
        search.best(initial(game), PLAYOUTS)
        best = min(best, time.perf_counter() - start)
    return [Row("gomoku15/move", 1000 * best, "ms", f"{PLAYOUTS:,} playouts for one position on {cores} cores")]


def initial(game: Any) -> np.ndarray:
    """The initial position as int64 [1, S]."""
    states = np.zeros((1, game.state_size), np.int64)
    init(game, states[0])
    return states
