"""The driver: owns the loop, passes references, keeps the balance, saves."""

import os
import signal
import time
from collections import deque
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import ray

from rayzero.cluster.banners import end_banner, start_banner
from rayzero.cluster.budget import SampleBudget
from rayzero.cluster.crew import Crew
from rayzero.cluster.gauges import Gauges
from rayzero.cluster.machine import Plan, make_plan, ray_errors_to, start_ray, watched_ray, with_threads
from rayzero.cluster.run import RunDirectory
from rayzero.cluster.supervision import Calls, Member
from rayzero.config import Config, Options
from rayzero.evaluator import Evaluator
from rayzero.monitor import Monitor
from rayzero.reports import InferenceStats, Progress, ReplayStatus, TrainingReport
from rayzero.selfplay import SelfPlayStats

if TYPE_CHECKING:
    from rayzero.evaluation.judge import EvaluationReport

STRETCH = 1.0  # seconds of a call to a worker or the learner: what stopping takes and a death can cost
WEIGHTS_EVERY = 5.0  # seconds: new weights cost a worker some 60 ms and its cache
LEAVE_WITHIN = 8.0  # seconds for the last games and the last checkpoint
MOST_STEPS = 64  # in one call to the learner


def train(config: Config, options: Options, monitor_class: type[Monitor] = Monitor) -> int:
    """Train until a limit is reached or a signal comes; goes on where an earlier run of this name stopped."""
    run = RunDirectory(config, options.new)
    try:
        with ray_errors_to(run.path / "ray.log"):
            plan = make_plan(config, start_ray(config))
            config = with_threads(config, plan)
            farewell = f"The Ray cluster is gone. Games and checkpoints are in {run.path}: run the same command again."
            with watched_ray(farewell), monitor_class(config, run.path, quiet=options.quiet) as monitor:
                driver = Driver(config, run, plan, monitor)
                driver.train()
                return 130 if driver.stopping else 0
    finally:
        ray.shutdown()
        run.close()


class Driver:
    """One run, from the newest checkpoint to a limit."""

    def __init__(
        self, config: Config, run: RunDirectory, plan: Plan, monitor: Monitor, evaluator: Evaluator | None = None
    ) -> None:
        checkpoint = run.newest()
        self.config = config
        self.run = run
        self.monitor = monitor
        self.gauges = Gauges(run.path.name)
        self.stopping = False  # a signal came
        self.progress = checkpoint.progress if checkpoint else Progress()
        self.calls = Calls()
        self.crew = Crew(config, plan, run, checkpoint.files if checkpoint else None, evaluator)
        self.budget = SampleBudget(
            config.replay.samples_per_position,
            config.learner.batch,
            config.learner.min_positions,
            config.replay.max_lead,
            **self.progress.budget,
        )
        self._saved_steps = self._next_step = self.progress.steps
        self._batches: deque[tuple[int, Any]] = deque()  # how many, and their reference
        self._follows = plan.joined and config.cluster.follow_autoscaler and config.selfplay.workers is None
        self._sampling = self._judging = False
        self._steps_per_call = 4
        self._clock = time.monotonic() - self.progress.seconds
        self._due = {"tick": 0.0, "save": 0.0, "weights": 0.0}
        self._postpone("save", config.run.checkpoint_minutes * 60)

    def train(self) -> None:
        """The loop."""
        before = [(kind, signal.signal(kind, self._on_signal)) for kind in (signal.SIGINT, signal.SIGTERM)]
        plan = self.crew.plan
        banner = start_banner(self.config, plan, self.run.path, self.progress, self.run.existed)
        self.monitor.start(banner, self.progress, plan.workers)
        self.calls.issue(self.crew.replay, "status", done=self._counted)
        self._ask_weights()
        while not self.stopping and not self.limit_reached():
            self._issue()
            self.calls.wait(0.5)
            self._tick()
        self._leave()
        for kind, handler in before:
            signal.signal(kind, handler)

    def limit_reached(self) -> bool:
        """Whether the run is over."""
        limits, progress = self.config.run, self.progress
        return (
            (limits.minutes is not None and progress.seconds >= limits.minutes * 60)
            or (limits.games is not None and progress.games >= limits.games)
            or (limits.steps is not None and progress.steps >= limits.steps)
        )

    def _issue(self) -> None:
        """Give work to everyone who is idle and may run."""
        crew, calls = self.crew, self.calls
        if self.budget.may_play(self.progress.steps):
            for worker in crew.workers:
                if not calls.to(worker):
                    self._advance(worker)
        if not self._sampling:
            self._prefetch()
        if self._batches and not calls.to(crew.learner):
            self._train_on(*self._batches.popleft())
        if self._match_is_due():
            self._judge()

    def _advance(self, worker: Member) -> None:
        def played(reports: tuple[SelfPlayStats, InferenceStats]) -> None:
            stats, inference = reports
            self.monitor.played(stats)
            self.monitor.served(inference)
            self.progress.simulations += stats.simulations
            self.progress.evaluations += stats.evaluations
            if stats.games:
                self._add(records)

        news = self.crew.news_for(worker)
        records, _ = self.calls.issue(worker, "advance", STRETCH, news, done=played, returns=2)

    def _add(self, records: Any) -> None:
        """Hand games on by reference, again and again until replay has said that they are on disk.

        Games in the memory of a node that died are gone: they were never acknowledged.
        """

        def again() -> None:
            self._add(records)

        self.calls.issue(self.crew.replay, "add", records, done=self._counted, lost=again, gone=lambda: None)

    def _counted(self, status: ReplayStatus) -> None:
        self.progress.games, self.progress.plies = status.games, status.plies
        self.progress.positions = status.positions
        self.budget.count(status.positions)
        self.monitor.added(status)

    def _prefetch(self) -> None:
        asked = self._next_step + sum(count for count, _ in self._batches)
        count = min(self.budget.steps_left(asked), self._steps_per_call, self._steps_to_limit(asked))
        if count <= 0 or len(self._batches) > 1:
            return

        def sampled(first: int) -> None:
            self._sampling = False
            if first == self._next_step + sum(count for count, _ in self._batches):
                self._batches.append((count, batches))

        def lost() -> None:
            self._sampling = False

        self._sampling = True
        batches, _ = self.calls.issue(self.crew.replay, "batches", asked, count, done=sampled, lost=lost, returns=2)

    def _steps_to_limit(self, steps: int) -> int:
        limit = self.config.run.steps
        return MOST_STEPS if limit is None else limit - steps

    def _train_on(self, count: int, batches: Any) -> None:
        self._next_step += count
        self.calls.issue(self.crew.learner, "train", batches, done=self._trained, lost=self._learner_lost)

    def _trained(self, report: TrainingReport) -> None:
        self.progress.steps = report.step
        rate = len(report.steps) / max(report.seconds, 1e-3)
        self._steps_per_call = max(1, min(MOST_STEPS, int(rate * STRETCH)))
        self.monitor.trained(report)

    def _learner_lost(self) -> None:
        """A new one starts from the last save; the steps since then are to be made again."""
        self.progress.steps = self._next_step = self._saved_steps
        self._batches.clear()

    def _ask_weights(self) -> None:
        def got(version: int) -> None:
            if self.crew.weights is None:
                self.crew.complete(weights, version)
            else:
                self.crew.weights, self.crew.version = weights, version
            for server in self.crew.servers:
                self.calls.issue(server, "load", self.crew.news_for(server))

        lost = self._ask_weights if self.crew.weights is None else self._learner_lost
        weights, _ = self.calls.issue(self.crew.learner, "weights", done=got, lost=lost, returns=2)
        self._postpone("weights", WEIGHTS_EVERY)

    def _match_is_due(self) -> bool:
        settings, progress, last = self.config.evaluation, self.progress, self.progress.matched
        if self._judging or not settings.enabled or self.crew.version <= self._judged_version():
            return False
        if settings.every_games is not None:
            return progress.games - last.get("games", 0) >= settings.every_games
        return progress.seconds - last.get("seconds", 0.0) >= settings.every_minutes * 60

    def _judge(self) -> None:
        asked = {"seconds": self.progress.seconds, "games": self.progress.games, "version": self.crew.version}

        def judged(report: "EvaluationReport") -> None:
            self._judging = False
            self.progress.matched = asked
            self.monitor.judged(report, self.progress)

        def lost() -> None:
            self._judging = False

        self._judging = True
        arguments = (self.crew.weights, self.progress.games)
        self.calls.issue(self.crew.evaluator, "judge", *arguments, done=judged, lost=lost)

    def _tick(self) -> None:
        """What happens by the clock."""
        self.progress.seconds = time.monotonic() - self._clock
        learner_idle = not self.calls.to(self.crew.learner)
        if self._is_due("save") and learner_idle:
            self._save()
        elif self._is_due("weights") and learner_idle and self.progress.steps > self.crew.version:
            self._ask_weights()
        if self._is_due("tick"):
            self._postpone("tick", self.config.monitor.interval_seconds)
            for server in self.crew.servers:
                self.calls.issue(server, "stats", done=self.monitor.served)
            if self._follows and self.crew.weights is not None:
                self.crew.follow_cluster()
                self.monitor.workers = len(self.crew.workers)
            unspent = self.budget.steps_left(self.progress.steps)
            restarts = sum(member.incarnation for member in self.crew.members)
            self.gauges.set(self.monitor.tick(self.progress, self.crew.version, unspent, restarts))

    def _save(self) -> None:
        def saved(step: int) -> None:
            self.progress.budget = self.budget.state()
            self.run.save(ray.get(files), replace(self.progress, steps=step))
            self.crew.files, self._saved_steps = files, step

        files, _ = self.calls.issue(self.crew.learner, "save", done=saved, lost=self._learner_lost, returns=2)
        self._postpone("save", self.config.run.checkpoint_minutes * 60)

    def _leave(self) -> None:
        """Take in the last games, save, and go; with a last match where nobody is in a hurry."""
        crew = self.crew
        end = time.monotonic() + LEAVE_WITHIN
        self._wait_for(crew.replay, crew.learner, *crew.workers, until=end - LEAVE_WITHIN / 2)
        if crew.weights is not None:
            self._save()
        self._wait_for(crew.replay, crew.learner, until=end)
        if crew.weights is not None and not self.stopping and self.config.evaluation.enabled:
            self._last_match()
        best = self.monitor.best_line() if (self.run.path / "best").exists() else None
        self.monitor.end(end_banner(self.run.path, self.progress, self.stopping, best), self.progress)

    def _last_match(self) -> None:
        if self.progress.steps <= self._judged_version():
            return
        self.monitor.console.say("A last match shows what was reached (Ctrl-C skips it).")
        while self._judging and not self.stopping:
            self.calls.wait(0.2)
        self._ask_weights()
        self._wait_for(self.crew.learner, until=time.monotonic() + LEAVE_WITHIN)
        self._judge()
        while self._judging and not self.stopping:
            self.calls.wait(0.2)
        self._save()
        self._wait_for(self.crew.learner, until=time.monotonic() + LEAVE_WITHIN)

    def _judged_version(self) -> float:
        return self.progress.matched.get("version", 0)

    def _wait_for(self, *members: Member, until: float) -> None:
        while any(self.calls.to(member) for member in members) and time.monotonic() < until:
            self.calls.wait(0.1)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.stopping:
            os._exit(128 + number)
        self.stopping = True

    def _is_due(self, what: str) -> bool:
        return time.monotonic() >= self._due[what]

    def _postpone(self, what: str, seconds: float) -> None:
        self._due[what] = time.monotonic() + seconds
