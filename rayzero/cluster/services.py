"""Replay, learner and evaluator as actors: plain classes with what the driver needs added."""

import os
import tempfile
import time
from collections import deque
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rayzero.config import Config
from rayzero.games import make_game
from rayzero.records import Batch, GameRecord, Weights
from rayzero.replay import Replay
from rayzero.reports import ReplayStatus, TrainingReport
from rayzero.storage import read_directory

if TYPE_CHECKING:
    from rayzero.evaluation.judge import EvaluationReport

_RECENT = 1000  # games among which repetitions are counted


class ReplayService:
    """Games in, batches out. Of two values returned, the first travels by reference and the last is for the driver."""

    def __init__(self, config: Config, path: str) -> None:
        game = make_game(config.game.name, **config.game.options)
        self._replay = Replay(game, config.replay, Path(path), config.run.seed, config.learner.symmetries)
        self._batch = config.learner.batch
        self._recent: deque[bytes] = deque(maxlen=_RECENT)

    def status(self) -> ReplayStatus:
        """Totals and window."""
        return self._status([], None)

    def add(self, records: list[GameRecord]) -> ReplayStatus:
        """The games are durable and counted when this returns; one that is known already does no harm."""
        new = self._replay.add(records)
        known = set(new)
        self._recent.extend(record.moves.tobytes() for record in records if record.id in known)
        return self._status(new, records[-1] if records else None)

    def batches(self, step: int, count: int) -> tuple[list[Batch], int]:
        """The batches of so many steps, and the first of these steps."""
        return [self._replay.sample(step + i, self._batch) for i in range(count)], step

    def _status(self, new: list[str], sample: GameRecord | None) -> ReplayStatus:
        replay = self._replay
        repeated = 1 - len(set(self._recent)) / len(self._recent) if self._recent else 0.0
        return ReplayStatus(new, replay.games, replay.plies, replay.positions, replay.window, repeated, sample)


class LearnerService:
    """Optimizer steps in finite calls; its state travels as files, so that only the driver writes checkpoints."""

    def __init__(self, config: Config, files: dict[str, bytes] | None) -> None:
        from rayzero.learner import Learner  # Imports torch, which no other actor's process should.

        self._config = config
        game = make_game(config.game.name, **config.game.options)
        net = replace(config.net, init_from=None) if files else config.net  # A checkpoint replaces any other start.
        self._learner = Learner(game, net, config.learner, config.run.seed)
        if files:
            with tempfile.TemporaryDirectory() as folder:
                for name, content in files.items():
                    (Path(folder) / name).write_bytes(content)
                self._learner.restore(Path(folder))

    def train(self, batches: list[Batch]) -> TrainingReport:
        """One step on each batch."""
        start = time.perf_counter()
        reports = [asdict(self._learner.step(batch)) for batch in batches]
        return TrainingReport(self._learner.step_count, reports, time.perf_counter() - start)

    def weights(self) -> tuple[Weights, int]:
        """What self-play and matches use, and its version."""
        return self._learner.weights(), self._learner.step_count

    def save(self) -> tuple[dict[str, bytes], int]:
        """All that the learner needs to go on and a model to play with, as files by name; and the steps so far."""
        from rayzero.net import Card, save_model

        with tempfile.TemporaryDirectory() as folder:
            self._learner.save(Path(folder))
            save_model(Path(folder), self._learner.weights(), Card(self._config.game, self._config.net))
            return read_directory(Path(folder)), self._learner.step_count


class EvaluatorService:
    """Judges the newest net beside everything else."""

    def __init__(self, config: Config, run: str) -> None:
        from rayzero.evaluation.judge import Judge

        os.nice(5)  # A match may take longer; self-play and training should not.
        self._judge = Judge(config, Path(run))

    def judge(self, weights: Weights, games: int) -> "EvaluationReport":
        """A match on the ladder and what follows from it, after so many games of self-play."""
        return self._judge.evaluate(weights, games)
