"""The search alone, with an evaluator that costs nothing: simulations a second on one core, and memory."""

import argparse
import resource
import sys
import time
from typing import Any

import numpy as np

from rayzero.bench.report import Row
from rayzero.config import load_config
from rayzero.evaluator import UniformEvaluator
from rayzero.games import make_game
from rayzero.records import Evaluation
from rayzero.search import Search, SearchSettings
from rayzero.search.settings import FPU_FIXED

GAMES = 128
SIMULATIONS = 64
MOVES = 6
PLAIN = SearchSettings(fpu=FPU_FIXED, fpu_value=0.0, solver=False, lookahead=0)
CONFIGS = ("gomoku15", "gomoku8", "connect4")


class ConstantEvaluator(UniformEvaluator):
    """Gives the same answer always, made once: what is measured is the search."""

    def __init__(self, actions: int, most: int) -> None:
        super().__init__(actions)
        self._answer = super().evaluate(np.empty(most))

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        """The first rows of the answer."""
        n = len(planes)
        answer = self._answer
        return Evaluation(answer.priors[:n], answer.value[:n], answer.wdl[:n], answer.moves_left[:n])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=7, help="measurements of each; the fastest counts")


def run(args: argparse.Namespace) -> list[Row]:
    """Memory first: the peak of a process never falls."""
    rows = [_memory()]
    for name in CONFIGS:
        config = load_config(name)
        game = make_game(config.game.name, **config.game.options)
        plain = _speed(game, PLAIN, args.rounds, noise=False)
        full = _speed(game, SearchSettings.from_config(config.search), args.rounds, noise=True)
        note = f"{GAMES} games, {SIMULATIONS} simulations a move, CPU time of one thread"
        rows.append(Row(f"{name}/plain", plain, "simulations/s", f"plain PUCT, {note}"))
        rows.append(Row(f"{name}/full", full, "simulations/s", f"all that conf/{name}.yaml turns on, and root noise"))
        rows.append(Row(f"{name}/share", full / plain, "of plain"))
    return rows


def _speed(game: Any, settings: SearchSettings, rounds: int, noise: bool) -> float:
    """Simulations a second over the first moves of games, everything about a move included."""
    search = Search(game, settings._replace(simulations=SIMULATIONS), games=GAMES)
    evaluator = ConstantEvaluator(game.actions, GAMES * settings.leaves)
    slots = np.arange(GAMES)
    best = 0.0
    for _ in range(rounds + 1):  # The first one compiles.
        search.reset(slots)
        before = search.counters.simulations
        start = time.thread_time()
        for _ in range(MOVES):
            search.begin(slots, SIMULATIONS, noise=noise)
            search.run(evaluator)
            search.play(slots, search.result(slots).best)
        best = max(best, (search.counters.simulations - before) / (time.thread_time() - start))
    return best


def _memory() -> Row:
    """What 256 games of 15x15 with 400 simulations take."""
    games, simulations = 256, 400
    game = make_game("gomoku")
    evaluator = ConstantEvaluator(game.actions, games)
    for size in (1, games):  # The first one compiles, which takes memory of its own.
        before = _peak()
        search = Search(game, SearchSettings(simulations=simulations), games=size)
        slots = np.arange(size)
        for _ in range(2):
            search.begin(slots, simulations)
            search.run(evaluator)
            search.play(slots, search.result(slots).best)
    note = f"{games} games of 15x15, {simulations} simulations a move, two moves"
    return Row("gomoku15/memory", (_peak() - before) / 1e6, "MB", note)


def _peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
