"""Collects what happens in a run and shows it once in an interval: console, TensorBoard, JSON lines."""

import dataclasses
import json
import logging
import math
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import psutil

from rayzero.config import Config, dump
from rayzero.games import make_game
from rayzero.monitor.console import Console, Line
from rayzero.monitor.events import EventWriter
from rayzero.monitor.health import Health
from rayzero.monitor.interval import Interval
from rayzero.monitor.pictures import game_strip, policy_strip
from rayzero.reports import InferenceStats, Progress, ReplayStatus, TrainingReport
from rayzero.selfplay import SelfPlayStats

if TYPE_CHECKING:
    from rayzero.evaluation.judge import EvaluationReport

T = TypeVar("T", bound="Monitor")
PICTURES_EVERY = 60.0  # seconds


class Monitor:
    """Told everything by the driver; `tick` shows it."""

    def __init__(self, config: Config, path: Path, quiet: bool = False) -> None:
        self.path = path
        self.console = Console(path.name, quiet)
        self._config = config
        self._game = make_game(config.game.name, **config.game.options)
        self._events = EventWriter(path / "tensorboard")
        self._log = path / "log.jsonl"
        self._health = Health(self._game)
        self.workers = 1
        self._interval = Interval(self.workers)
        self._since = self._game_at = time.monotonic()
        self._pictures_at = -math.inf
        self._games = self._restarts = 0
        self._best: str | None = None
        self._last: dict[str, float] = {}  # newest number of every tag
        self._logging = _Warnings(self.console)
        logging.getLogger("rayzero").addHandler(self._logging)

    def __enter__(self: T) -> T:
        return self

    def __exit__(self, *error: object) -> None:
        self.console.close()
        self._events.close()
        logging.getLogger("rayzero").removeHandler(self._logging)

    def start(self, banner: Sequence[str], progress: Progress, workers: int) -> None:
        """The run begins or goes on."""
        for line in banner:
            self.console.say(line)
        self.workers = workers
        self._interval = Interval(workers)
        self._since = self._game_at = time.monotonic()
        self._events.text(progress.steps, "run/config", f"```yaml\n{dump(self._config)}\n```")
        self._write("start", progress=dataclasses.asdict(progress), workers=workers)

    def played(self, stats: SelfPlayStats) -> None:
        """A stretch of self-play."""
        self._interval.selfplay += stats
        if stats.games:
            self._game_at = time.monotonic()

    def served(self, stats: InferenceStats) -> None:
        """Forward passes."""
        self._interval.inference += stats

    def added(self, status: ReplayStatus) -> None:
        """Games are on disk."""
        self._interval.status = status
        if status.sample and self._config.monitor.images and time.monotonic() - self._pictures_at > PICTURES_EVERY:
            self._pictures_at = time.monotonic()
            step = int(self._last.get("learner/step", 0))
            for tag, picture in (
                ("selfplay/game", game_strip(self._game, status.sample)),
                ("selfplay/policy", policy_strip(self._game, status.sample)),
            ):
                if picture:
                    self._events.image(step, tag, *picture)

    def trained(self, report: TrainingReport) -> None:
        """Some optimizer steps."""
        self._interval.trained(report)

    def judged(self, report: "EvaluationReport", progress: Progress) -> None:
        """A match, and what followed from it."""
        result, rating = report.result, report.rating
        first = result.wins_first + result.draws_first + result.losses_first
        numbers = {
            "evaluation/score": result.score,
            "evaluation/score_first": (result.wins_first + result.draws_first / 2) / max(first, 1),
            "evaluation/rung": float(report.rung),
            "evaluation/game_length": result.plies,
            "evaluation/minutes": progress.seconds / 60,
        }
        if rating:
            numbers |= {
                "evaluation/rating": rating.elo,
                "evaluation/rating_low": rating.low,
                "evaluation/rating_high": rating.high,
            }
        for name, score in report.solver.items():
            numbers |= {f"evaluation/{name}_optimal": score.optimal, f"evaluation/{name}_kept": score.kept}
            numbers |= {f"evaluation/{name}_kept_{phase}": kept for phase, (_, kept) in score.by_phase.items()}
        self._last |= numbers
        self._events.scalars(report.version, numbers)
        if rating:  # The same curve over what it took: runs of other machines and settings are compared by these.
            self._events.scalars(progress.games, {"evaluation/rating_by_games": rating.elo})
            self._events.scalars(round(progress.seconds / 60), {"evaluation/rating_by_minutes": rating.elo})
        self._write("match", version=report.version, promoted=report.promoted, climbed=report.climbed, **numbers)
        elo = f", Elo {rating.elo:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})" if rating else ""
        what = " New best." if report.promoted else ""
        what += " Next rung." if report.climbed else ""
        self.console.say(
            f"Step {report.version} against {result.opponent}: {result.wins} won, {result.draws} drawn, "
            f"{result.losses} lost{elo}.{what}"
        )
        card = self.path / "best" / "card.json"
        if report.promoted and card.exists():
            points = f"{result.score:.0%} of {result.games} games against {result.opponent}"
            self._best = f"Best: step {report.version}, {points}{elo}."
            self._events.text(report.version, "run/model_card", f"```json\n{card.read_text()}\n```")

    def tick(self, progress: Progress, version: int, unspent: int, restarts: int) -> dict[str, float]:
        """Show the interval that ends now; returns its numbers by tag."""
        now = time.monotonic()
        interval, self._interval = self._interval, Interval(self.workers)
        numbers = interval.numbers(max(now - self._since, 1e-3), progress, self._config.learner.batch, version)
        numbers |= {
            "health/restarts": float(restarts),
            "health/unspent_steps": float(unspent),
            "health/memory_mb": memory_mb(),
            "health/disk_free_gb": shutil.disk_usage(self.path).free / 1e9,
        }
        extra = {
            "learner/step": float(progress.steps),
            "selfplay/games": float(interval.selfplay.games),
            "health/seconds_without_games": now - self._game_at,
            "health/restarts_now": float(restarts - self._restarts),
        }
        self._since, self._restarts = now, restarts
        held, news = self._health.check(self._last | numbers | extra)
        numbers["health/warnings"] = float(len(held))
        self._last |= numbers | extra
        for sentence in news:
            self.console.warn(sentence)
            self._write("health", sentence=sentence)
        self._events.scalars(progress.steps, numbers)
        self._write("interval", step=progress.steps, seconds=round(progress.seconds, 1), **numbers)
        self.console.show(self._line(progress))
        return numbers

    def end(self, banner: Sequence[str], progress: Progress) -> None:
        """The run is over, for now."""
        self.console.close()
        for line in banner:
            self.console.say(line)
        self._write("end", progress=dataclasses.asdict(progress))

    def best_line(self) -> str | None:
        """How strong the best model was measured to be."""
        return self._best

    def _line(self, progress: Progress) -> Line:
        last = self._last
        numbers = [
            ("", clock(progress.seconds)),
            ("games", f"{progress.games:,}"),
            ("sims/s", f"{last['selfplay/simulations_per_second']:,.0f}"),
            ("evals/s", f"{last['selfplay/evaluations_per_second']:,.0f}"),
            ("steps", f"{progress.steps:,}"),
        ]
        if "loss/total" in last:
            numbers.append(("loss", f"{last['loss/total']:.3f}"))
        if "evaluation/score" in last:
            elo = f" ({last['evaluation/rating']:+.0f} Elo)" if "evaluation/rating" in last else ""
            numbers.append((f"mcts:{last['evaluation/rung']:.0f}", f"{last['evaluation/score']:.0%}{elo}"))
        share = limit_share(self._config, progress)
        if share:
            numbers.append(("left", clock(progress.seconds * (1 - share) / share)))
        return Line(numbers, share)

    def _write(self, event: str, **content: Any) -> None:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"time": round(time.time(), 3), "event": event, **content}) + "\n")


class _Warnings(logging.Handler):
    """Warnings of any part of rayzero, on the console."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.warn(record.getMessage())


def limit_share(config: Config, progress: Progress) -> float | None:
    """How much of the nearest limit is used up; None without limits."""
    limits = config.run
    shares = [
        done / limit
        for done, limit in (
            (progress.seconds / 60, limits.minutes),
            (progress.games, limits.games),
            (progress.steps, limits.steps),
        )
        if limit
    ]
    return min(1.0, max(shares)) if shares else None


def clock(seconds: float) -> str:
    """As h:mm:ss."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def memory_mb() -> float:
    """Resident memory of this process and all below it, shared pages of each left out."""
    total = 0
    here = psutil.Process()
    for process in [here, *here.children(recursive=True)]:
        try:
            memory = process.memory_info()
        except psutil.Error:
            continue
        total += memory.rss - getattr(memory, "shared", 0)
    return total / 1e6
