"""Self-play through the whole pipeline against its limit: the same evaluator alone on all cores.

Training is paused. The evaluator alone, the pipeline with the net in the workers, and the pipeline with a server take
turns in one run, so that ratios hold on a noisy machine. With --null the server costs nothing: what is left
is search and Ray, as with a very fast GPU.
"""

import argparse
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rayzero.bench.report import Row
from rayzero.cluster.driver import Driver
from rayzero.cluster.machine import Plan, available_cpus, start_ray, stop_ray, with_threads
from rayzero.cluster.run import RunDirectory
from rayzero.config import Config, load_config
from rayzero.evaluator import Evaluator, UniformEvaluator
from rayzero.games import make_game
from rayzero.monitor import Monitor
from rayzero.net import Blueprint, make_evaluator
from rayzero.records import Weights
from rayzero.reports import InferenceStats
from rayzero.selfplay import SelfPlayStats


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What can be chosen."""
    parser.add_argument("settings", nargs="*", metavar="key=value", help="settings of the run, such as net.blocks=4")
    parser.add_argument("--config", default="gomoku15")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--null", action="store_true", help="a server that costs nothing, one worker")
    parser.add_argument("--eager", action="store_true", help="also plain torch on all cores, batch 64")


class Meter(Monitor):
    """Counts from the first finished stretches on, and stops the driver after so many seconds."""

    def __init__(self, config: Config, path: Path, seconds: float) -> None:
        super().__init__(config, path, quiet=True)
        self.stats = SelfPlayStats()
        self.inference = InferenceStats()
        self.driver: Driver | None = None
        self.elapsed = 0.0
        self._seconds = seconds
        self._begin = 0.0
        self._stretches = 0

    def played(self, stats: SelfPlayStats) -> None:
        """A stretch of self-play; the first two of each worker fill the trees."""
        self._stretches += 1
        if self._stretches <= 2 * self._workers:
            self._begin = time.perf_counter()
            return
        self.stats += stats
        self.elapsed = time.perf_counter() - self._begin
        if self.elapsed > self._seconds and self.driver:
            self.driver.stopping = True

    def served(self, stats: InferenceStats) -> None:
        """Forward passes."""
        if self._stretches > 2 * self._workers:
            self.inference += stats


def run(args: argparse.Namespace) -> list[Row]:
    """Take turns, and compare medians."""
    paused = ["learner.min_positions=1000000", "evaluation.enabled=false", "monitor.images=false"]
    config = load_config(args.config, [*paused, *args.settings])
    start_ray(config)
    try:
        return _null(config, args) if args.null else _compare(config, args)
    finally:
        stop_ray()


def _compare(config: Config, args: argparse.Namespace) -> list[Row]:
    cores = available_cpus()
    light = replace(
        config, selfplay=replace(config.selfplay, games_per_worker=config.selfplay.games_per_worker * cores)
    )
    measured: dict[str, Callable[[], tuple[float, float]]] = {
        "evaluator alone": lambda: (alone(config, cores, args.seconds), 0.0),
        "net in workers": lambda: rates(pipeline(config, Plan(cores, 0, 0, cores, False), args.seconds)),
        "server": lambda: rates(pipeline(light, Plan(1, 1, 0, cores, False), args.seconds)),
    }
    if args.eager:
        measured["torch eager"] = lambda: (eager(config, cores, args.seconds), 0.0)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in measured}
    for _ in range(args.rounds):
        for name, measure in measured.items():
            found[name].append(measure())
    evaluations = {name: statistics.median(one for one, _ in pairs) for name, pairs in found.items()}
    simulations = {name: statistics.median(two for _, two in pairs) for name, pairs in found.items()}
    limit = evaluations["evaluator alone"]
    rows = [Row("alone", limit, "positions/s", f"{cores} processes, one thread each")]
    for name, key in (("net in workers", "workers"), ("server", "server")):
        rows += [
            Row(f"{key}/evaluations", evaluations[name], "evaluations/s"),
            Row(f"{key}/simulations", simulations[name], "simulations/s"),
            Row(f"{key}/efficiency", evaluations[name] / limit, "of alone", "evaluations; 0.90 is asked for"),
        ]
    if args.eager:
        rows.append(Row("eager", evaluations["torch eager"], "positions/s", "torch, batch 64, all cores"))
        rows.append(Row("workers/eager", simulations["net in workers"] / evaluations["torch eager"], "x eager"))
    return rows


def _null(config: Config, args: argparse.Namespace) -> list[Row]:
    game = make_game(config.game.name, **config.game.options)
    null = UniformEvaluator(game.actions)
    rows = []
    found = [pipeline(config, Plan(1, 1, 0, 2, False), args.seconds, null) for _ in range(args.rounds)]
    best = sorted(found, key=lambda meter: rates(meter)[0])[len(found) // 2]
    stats, inference = best.stats, best.inference
    rows.append(Row("null/evaluations", rates(best)[0], "evaluations/s", "per worker; 60,000 are asked for"))
    rows.append(Row("null/simulations", rates(best)[1], "simulations/s"))
    rows.append(Row("null/waited", stats.waited / stats.seconds, "of the time", "the worker had nothing to search"))
    if inference.batches:
        rows.append(Row("null/batch", inference.positions / inference.batches, "positions"))
        rows.append(Row("null/queue", 1e3 * inference.queued / inference.requests, "ms", "mean wait of a request"))
        rows.append(Row("null/compute", 1e3 * inference.computed / inference.batches, "ms", "of a null forward pass"))
        overhead = stats.seconds / max(inference.requests, 1) * 1e6
        rows.append(Row("null/request", overhead, "us", "of the worker's time a request, search included"))
    return rows


def rates(meter: Meter) -> tuple[float, float]:
    """Evaluations and simulations a second."""
    return meter.stats.evaluations / meter.elapsed, meter.stats.simulations / meter.elapsed


def pipeline(config: Config, plan: Plan, seconds: float, evaluator: Evaluator | None = None) -> Meter:
    """The real driver with paused training, in a directory that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        config = with_threads(replace(config, run=replace(config.run, dir=folder, name="bench", minutes=None)), plan)
        run = RunDirectory(config)
        with Meter(config, run.path, seconds) as meter:
            meter.driver = Driver(config, run, plan, meter, evaluator)
            meter.driver.train()
            meter.driver.crew.stop()
        run.close()
        return meter


def alone(config: Config, processes: int, seconds: float) -> float:
    """Positions a second of the evaluator in tight loops, one process per core, with self-play's batches."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes)
    with context.Pool(processes, _hold, (barrier,)) as pool:
        return sum(pool.starmap(_spin, [(config, seconds)] * processes, chunksize=1))


_barrier: Any = None


def _hold(barrier: Any) -> None:
    global _barrier
    _barrier = barrier


def _spin(config: Config, seconds: float) -> float:
    game = make_game(config.game.name, **config.game.options)
    evaluator = make_evaluator(game, config.net, replace(config.inference, threads=1))
    evaluator.load(random_weights(game, config))
    return _positions_per_second(evaluator, some_planes(game, config.selfplay.games_per_worker // 2), seconds, _barrier)


def eager(config: Config, threads: int, seconds: float) -> float:
    """Positions a second of plain torch in float32, as most projects run their nets."""
    import torch

    from rayzero.bench.net import EagerEvaluator

    torch.set_num_threads(threads)
    game = make_game(config.game.name, **config.game.options)
    evaluator = EagerEvaluator(Blueprint.create(game, config.net))
    return _positions_per_second(evaluator, some_planes(game, 64), seconds, None)


def _positions_per_second(evaluator: Any, planes: np.ndarray, seconds: float, barrier: Any) -> float:
    for _ in range(5):
        evaluator.evaluate(planes)
    if barrier:
        barrier.wait()
    start = time.perf_counter()
    count = 0
    while time.perf_counter() - start < seconds:
        evaluator.evaluate(planes)
        count += len(planes)
    return count / (time.perf_counter() - start)


def random_weights(game: Any, config: Config) -> Weights:
    """Small random numbers in the place of every weight."""
    size = Blueprint.create(game, config.net).size
    return Weights(1, np.abs(np.random.default_rng(1).normal(0.02, 0.02, size)).astype(np.float32))


def some_planes(game: Any, n: int) -> np.ndarray:
    """Random bits in the shape of positions."""
    return np.random.default_rng(1).integers(0, 2, (n, game.plane_count, game.height, game.width)).astype(np.uint8)
