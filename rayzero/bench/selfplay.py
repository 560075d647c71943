"""Self-play through the whole pipeline against its limit: the same evaluator alone on all cores.

Training is paused. The evaluator alone, the pipeline with the net in the workers, and the pipeline with a server take
turns in one run, and rates are given by the clock and per second of processor time: the latter hold on a machine
that is busy with other things too. With --null the server costs nothing: what is left is search and Ray, as
with a very fast GPU.
"""

import argparse
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil

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


class Rate(NamedTuple):
    """Work done in some time."""

    evaluations: float
    simulations: float
    seconds: float  # by the clock
    cpu: float  # seconds of processor time, over all processes that search or evaluate

    @property
    def by_clock(self) -> float:
        """Evaluations a second."""
        return self.evaluations / self.seconds

    @property
    def by_cpu(self) -> float:
        """Evaluations per second of processor time."""
        return self.evaluations / self.cpu


class Meter(Monitor):
    """Counts from the first finished stretches on, and stops the driver after so many seconds."""

    def __init__(self, config: Config, path: Path, seconds: float) -> None:
        super().__init__(config, path, quiet=True)
        self.stats = SelfPlayStats()
        self.inference = InferenceStats()
        self.driver: Driver | None = None
        self.elapsed = self.cpu = self.server_cpu = 0.0
        self._seconds = seconds
        self._begin = 0.0
        self._cpu_begin = (0.0, 0.0)
        self._stretches = 0
        self.rate = Rate(0, 0, 1, 1)

    def played(self, stats: SelfPlayStats) -> None:
        """A stretch of self-play; the first two of each worker fill the trees."""
        self._stretches += 1
        if self._stretches <= 2 * self.workers:
            self._begin = time.perf_counter()
            self._cpu_begin = cpu_seconds("SelfPlayWorker"), cpu_seconds("InferenceServer")
            return
        self.stats += stats
        self.elapsed = time.perf_counter() - self._begin
        if self.elapsed > self._seconds and self.driver and not self.driver.stopping:
            self.cpu = cpu_seconds("SelfPlayWorker") - self._cpu_begin[0]
            self.server_cpu = cpu_seconds("InferenceServer") - self._cpu_begin[1]
            self.rate = Rate(self.stats.evaluations, self.stats.simulations, self.elapsed, self.cpu + self.server_cpu)
            self.driver.stopping = True

    def served(self, stats: InferenceStats) -> None:
        """Forward passes."""
        if self._stretches > 2 * self.workers:
            self.inference += stats


def cpu_seconds(kind: str) -> float:
    """Processor time that all actors of a kind below this process have used."""
    used = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            if " ".join(process.cmdline()).startswith(f"ray::{kind}"):
                times = process.cpu_times()
                used += times.user + times.system
        except psutil.Error:
            continue
    return used


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
    games = config.selfplay.games_per_worker
    light = replace(config, selfplay=replace(config.selfplay, games_per_worker=games * cores))
    measured: dict[str, Callable[[], Rate]] = {
        "alone": lambda: alone(config, cores, args.seconds),
        "workers": lambda: pipeline(config, Plan(cores, 0, 0, cores, False), args.seconds).rate,
        "server": lambda: pipeline(light, Plan(1, 1, 0, cores, False), args.seconds).rate,
    }
    if args.eager:
        measured["eager"] = lambda: eager(config, cores, args.seconds)
    rounds: dict[str, list[Rate]] = {name: [] for name in measured}
    for _ in range(args.rounds):
        for name, measure in measured.items():
            rounds[name].append(measure())
    rows = []
    for name, rates in rounds.items():
        rows.append(Row(f"{name}/evaluations", _median(rate.by_clock for rate in rates), "/s", "by the clock"))
        rows.append(Row(f"{name}/evaluations_cpu", _median(rate.by_cpu for rate in rates), "/s", "of one core's time"))
    for name in ("workers", "server"):
        simulations = _median(rate.simulations / rate.seconds for rate in rounds[name])
        rows.append(Row(f"{name}/simulations", simulations, "/s", "by the clock"))
        pairs = list(zip(rounds[name], rounds["alone"], strict=True))
        rows.append(
            Row(f"{name}/efficiency", _median(a.by_clock / b.by_clock for a, b in pairs), "of alone", "0.9 asked")
        )
        rows.append(
            Row(f"{name}/efficiency_cpu", _median(a.by_cpu / b.by_cpu for a, b in pairs), "of alone", "0.9 asked")
        )
        if args.eager:
            pairs = list(zip(rounds[name], rounds["eager"], strict=True))
            clock = _median(a.simulations / a.seconds / b.by_clock for a, b in pairs)
            cpu = _median(a.simulations / a.cpu / b.by_cpu for a, b in pairs)
            rows.append(Row(f"{name}/eager", clock, "simulations per eager position", "2.2 asked"))
            rows.append(Row(f"{name}/eager_cpu", cpu, "simulations per eager position", "2.2 asked"))
    return rows


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)


def _null(config: Config, args: argparse.Namespace) -> list[Row]:
    game = make_game(config.game.name, **config.game.options)
    null = UniformEvaluator(game.actions)
    found = [pipeline(config, Plan(1, 1, 0, 2, False), args.seconds, null) for _ in range(args.rounds)]
    one = sorted(found, key=lambda meter: meter.stats.evaluations / meter.cpu)[len(found) // 2]
    stats, served = one.stats, one.inference
    requests = stats.evaluations / (served.positions / served.requests)
    return [
        Row("null/evaluations", stats.evaluations / one.elapsed, "/s", "by the clock, one worker"),
        Row("null/evaluations_cpu", stats.evaluations / one.cpu, "/s", "of the worker's core; 60,000 asked"),
        Row("null/simulations_cpu", stats.simulations / one.cpu, "/s", "of the worker's core"),
        Row("null/server_cpu", one.server_cpu / one.cpu, "cores", "of the server for each core of workers"),
        Row("null/waited", stats.waited / stats.seconds, "of the time", "the worker waited for answers"),
        Row("null/batch", served.positions / served.batches, "positions"),
        Row("null/fill", served.positions / served.capacity, "of max_batch"),
        Row("null/queue", 1e3 * served.queued / served.requests, "ms", "mean wait of a request"),
        Row("null/compute", 1e3 * served.computed / served.batches, "ms", "of a forward pass that does nothing"),
        Row("null/request_cpu", 1e6 * one.cpu / requests, "us", "of the worker's time for a request, search included"),
    ]


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


def alone(config: Config, processes: int, seconds: float) -> Rate:
    """The evaluator in tight loops, one process per core, with self-play's batches."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes)
    with context.Pool(processes, _hold, (barrier,)) as pool:
        rates = pool.starmap(_spin, [(config, seconds)] * processes, chunksize=1)
    return Rate(sum(rate.evaluations for rate in rates), 0, seconds, sum(rate.cpu for rate in rates))


_barrier: Any = None


def _hold(barrier: Any) -> None:
    global _barrier
    _barrier = barrier


def _spin(config: Config, seconds: float) -> Rate:
    game = make_game(config.game.name, **config.game.options)
    evaluator = make_evaluator(game, config.net, replace(config.inference, threads=1))
    evaluator.load(random_weights(game, config))
    return _loop(evaluator, some_planes(game, config.selfplay.games_per_worker // 2), seconds, _barrier)


def eager(config: Config, threads: int, seconds: float) -> Rate:
    """Plain torch in float32, as most projects run their nets."""
    import torch

    from rayzero.bench.net import EagerEvaluator

    torch.set_num_threads(threads)
    game = make_game(config.game.name, **config.game.options)
    evaluator = EagerEvaluator(Blueprint.create(game, config.net))
    return _loop(evaluator, some_planes(game, 64), seconds, None)


def _loop(evaluator: Any, planes: np.ndarray, seconds: float, barrier: Any) -> Rate:
    for _ in range(5):
        evaluator.evaluate(planes)
    if barrier:
        barrier.wait()
    start, cpu, count = time.perf_counter(), time.process_time(), 0
    while (elapsed := time.perf_counter() - start) < seconds:
        evaluator.evaluate(planes)
        count += len(planes)
    return Rate(count, 0, elapsed, time.process_time() - cpu)


def random_weights(game: Any, config: Config) -> Weights:
    """Small random numbers in the place of every weight."""
    size = Blueprint.create(game, config.net).size
    return Weights(1, np.abs(np.random.default_rng(1).normal(0.02, 0.02, size)).astype(np.float32))


def some_planes(game: Any, n: int) -> np.ndarray:
    """Random bits in the shape of positions."""
    return np.random.default_rng(1).integers(0, 2, (n, game.plane_count, game.height, game.width)).astype(np.uint8)
