"""A config's net: positions/s of every evaluator, time to swap weights, training samples/s; ratios to plain torch."""

import argparse
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch

from rayzero.bench.report import Row
from rayzero.config import load_config
from rayzero.config.schema import Config, Inference
from rayzero.errors import ConfigError
from rayzero.evaluator import Evaluator
from rayzero.games.registry import make_game
from rayzero.learner import Learner
from rayzero.net import Blueprint, flatten, make_evaluator
from rayzero.net.losses import Targets, losses
from rayzero.net.module import Net
from rayzero.records import Batch, Weights

ENGINES = [
    ("torch", "float32"),
    ("torch", "bfloat16"),
    ("openvino", "float32"),
    ("openvino", "bfloat16"),
    ("openvino", "int8"),
]
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.process_time}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A config as in training, and what to vary."""
    parser.add_argument("config", nargs="?", default="gomoku15", help="a config file or the name of a shipped one")
    parser.add_argument("settings", nargs="*", metavar="key=value", help="settings, such as net.channels=64")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 64, 256], help="positions of one evaluation")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=0.5, help="of measuring each figure")
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default="wall",
        help="cpu: CPU seconds, whose ratios hold on a busy machine (1 thread)",
    )
    parser.add_argument("--only", choices=("inference", "training"), help="measure one of the two")


def run(args: argparse.Namespace) -> list[Row]:
    """Measure everything in turns, so that whatever else runs here slows all of it alike."""
    config = load_config(args.config, args.settings)
    game = make_game(config.game.name, **config.game.options)
    blueprint = Blueprint.create(game, config.net)
    rows = [
        Row("parameters", blueprint.size, "numbers", f"{config.net.architecture}, {len(blueprint.layers)} layers"),
        Row("multiplications", blueprint.multiplications / 1e6, "million", "of one evaluation"),
    ]
    if args.only != "training":
        for threads in args.threads:
            rows += _inference(game, config, args, threads)
    if args.only != "inference":
        for threads in args.threads:
            rows += _training(game, config, args, threads)
    return rows


class EagerEvaluator:
    """Plain torch, as a tutorial would have it: the module itself in evaluation mode."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.net = Net(blueprint).eval()

    def evaluate(self, planes: np.ndarray) -> list[np.ndarray]:
        """Numpy in, numpy out."""
        with torch.no_grad():
            numbers = torch.from_numpy(planes).float()
            return [answer.numpy() for answer in self.net.blueprint.answer(self.net, numbers)]


def _inference(game: Any, config: Config, args: argparse.Namespace, threads: int) -> Iterable[Row]:
    torch.set_num_threads(threads)
    eager = EagerEvaluator(Blueprint.create(game, config.net))
    weights = flatten(eager.net, 1)
    planes = np.random.default_rng(1).integers(0, 2, _shape(game, max([*args.batches, 256])), np.uint8)
    engines: dict[str, Any] = {"eager/float32": eager}
    rows = []
    for engine, precision in ENGINES:
        evaluator = _evaluator(game, config, engine, precision, threads)
        if evaluator is None:
            continue
        engines[f"{engine}/{precision}"] = evaluator
        swap = _swap_seconds(evaluator, weights, planes, CLOCKS[args.clock])
        rows.append(
            Row(f"swap/{engine}/{precision}/threads{threads}", 1000 * swap, "ms", "new weights until they answer")
        )
    for batch in args.batches:
        tasks = {name: _evaluation(engine, planes[:batch]) for name, engine in engines.items()}
        seconds = _in_turns(tasks, args.seconds, CLOCKS[args.clock])
        for name, each in seconds.items():
            note = f"{seconds['eager/float32'] / each:.2f} x eager"
            rows.append(Row(f"{name}/batch{batch}/threads{threads}", batch / each, "positions/s", note))
    return rows


def _evaluator(game: Any, config: Config, engine: Any, precision: Any, threads: int) -> Evaluator | None:
    try:
        return make_evaluator(
            game, config.net, Inference(engine=engine, precision=precision, device="cpu", threads=threads)
        )
    except ConfigError:  # Not installed.
        return None


def _evaluation(engine: Any, planes: np.ndarray) -> Callable[[], object]:
    return lambda: engine.evaluate(planes)


def _swap_seconds(evaluator: Evaluator, weights: Weights, planes: np.ndarray, clock: Callable[[], float]) -> float:
    """Of new weights until the first answer for one position; int8 also finds its levels."""
    evaluator.load(weights)
    evaluator.evaluate(planes)
    found = []
    for version in range(2, 7):
        start = clock()
        evaluator.load(Weights(version, weights.flat))
        evaluator.evaluate(planes[:1])
        found.append(clock() - start)
        evaluator.evaluate(planes)
    return min(found)


def _training(game: Any, config: Config, args: argparse.Namespace, threads: int) -> Iterable[Row]:
    config.learner.threads = threads
    batch = _batch(game, config.learner.batch)
    tasks: dict[str, Callable[[], object]] = {}
    for precision in ("float32", "bfloat16"):
        config.learner.precision = precision
        learner = Learner(game, config.net, config.learner, seed=1)
        tasks[f"learner/{precision}"] = _step(learner, batch)
    tasks["eager/float32"] = _eager_step(game, config, batch)
    seconds = _in_turns(tasks, 2 * args.seconds, CLOCKS[args.clock])
    for name, each in seconds.items():
        note = f"{1000 * each:.1f} ms a step, {seconds['eager/float32'] / each:.2f} x eager"
        yield Row(f"training/{name}/threads{threads}", config.learner.batch / each, "samples/s", note)


def _step(learner: Learner, batch: Batch) -> Callable[[], object]:
    return lambda: learner.step(batch)


def _eager_step(game: Any, config: Config, batch: Batch) -> Callable[[], object]:
    """Plain torch: float32, Adam as it comes."""
    net = Net(Blueprint.create(game, config.net)).train()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

    def step() -> None:
        targets = Targets.of(batch, torch.device("cpu"))
        heads = net.blueprint.run(net, targets.planes.float(), reply=True)
        total = losses(heads, targets, config.learner.search_value_share).total(config.learner)
        optimizer.zero_grad()
        total.backward()
        optimizer.step()

    return step


def _batch(game: Any, n: int) -> Batch:
    rng = np.random.default_rng(1)
    policies = rng.dirichlet(np.full(game.actions, 0.1), n).astype(np.float32)
    return Batch(
        planes=rng.integers(0, 2, _shape(game, n), np.uint8),
        policies=policies,
        outcomes=rng.integers(-1, 2, n).astype(np.int8),
        search_values=rng.uniform(-1, 1, n).astype(np.float32),
        moves_left=rng.integers(0, game.max_plies, n).astype(np.int16),
        replies=policies[::-1].copy(),
        legal=np.ones((n, game.actions), bool),
        age=0.0,
    )


def _shape(game: Any, n: int) -> tuple[int, int, int, int]:
    return n, game.plane_count, game.height, game.width


def _in_turns(tasks: dict[str, Callable[[], object]], seconds: float, clock: Callable[[], float]) -> dict[str, float]:
    """Seconds of one call of each task: the median over rounds in which every task has its turn."""
    for task in tasks.values():
        task()
    rounds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(5):
        for name, task in tasks.items():
            start, calls = clock(), 0
            while calls == 0 or clock() < start + seconds / 5:
                task()
                calls += 1
            rounds[name].append((clock() - start) / calls)
    return {name: float(np.median(found)) for name, found in rounds.items()}
