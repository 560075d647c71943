"""What happened in one interval, as numbers by tag. What is not known is not there."""

from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from rayzero.reports import InferenceStats, Progress, ReplayStatus, TrainingReport
from rayzero.selfplay import SelfPlayStats

_STEP_TAGS = {
    "loss/total": "loss",
    "loss/policy": "policy_loss",
    "loss/value": "value_loss",
    "loss/moves_left": "moves_left_loss",
    "loss/reply": "reply_loss",
    "loss/value_error": "value_error",
    "loss/outcome_variance": "outcome_variance",
    "learner/entropy": "entropy",
    "learner/target_entropy": "target_entropy",
    "learner/kl": "kl",
    "learner/learning_rate": "learning_rate",
    "learner/multiplier": "multiplier",
    "learner/gradient_norm": "grad_norm",
    "replay/age": "age",
}


@dataclass
class Interval:
    """Sums since it began."""

    workers: int
    selfplay: SelfPlayStats = field(default_factory=SelfPlayStats)
    inference: InferenceStats = field(default_factory=InferenceStats)
    steps: list[dict[str, float]] = field(default_factory=list)  # of TrainingReports
    training_seconds: float = 0.0
    status: ReplayStatus | None = None

    def trained(self, report: TrainingReport) -> None:
        """Take in some steps."""
        self.steps += report.steps
        self.training_seconds += report.seconds

    def numbers(self, seconds: float, progress: Progress, batch: int, version: int) -> dict[str, float]:
        """Everything that is known about these seconds."""
        return (
            self._learning(seconds)
            | self._playing(seconds)
            | self._serving(seconds)
            | self._replaying(progress, batch)
            | {"selfplay/version_lag": float(max(0, progress.steps - version))}
        )

    def _learning(self, seconds: float) -> dict[str, float]:
        found = {"learner/steps_per_second": len(self.steps) / seconds, "learner/busy": self.training_seconds / seconds}
        for tag, name in _STEP_TAGS.items():
            values = [value for step in self.steps if isfinite(value := step[name])]
            if values:
                found[tag] = float(np.mean(values))
        return found

    def _playing(self, seconds: float) -> dict[str, float]:
        stats = self.selfplay
        found = {
            "selfplay/games_per_second": stats.games / seconds,
            "selfplay/positions_per_second": stats.targets / seconds,
            "selfplay/simulations_per_second": stats.simulations / seconds,
            "selfplay/evaluations_per_second": stats.evaluations / seconds,
            "selfplay/busy": stats.seconds / seconds / max(self.workers, 1),
        }
        if stats.games:
            found["selfplay/game_length"] = stats.plies / stats.games
            found["selfplay/first_player_score"] = stats.first_player_points / stats.games
            found["selfplay/draws"] = stats.draws / stats.games
        if stats.simulations:
            found["selfplay/cache_hits"] = stats.cache_hits / stats.simulations
            found["selfplay/saved"] = stats.saved / stats.simulations
        return found

    def _serving(self, seconds: float) -> dict[str, float]:
        stats = self.inference
        if not stats.batches:
            return {}
        return {
            "inference/batch": stats.positions / stats.batches,
            "inference/batch_fill": stats.positions / stats.capacity,
            "inference/queue_ms": 1000 * stats.queued / stats.requests,
            "inference/compute_ms": 1000 * stats.computed / stats.batches,
            "inference/busy": stats.computed / seconds,
        }

    def _replaying(self, progress: Progress, batch: int) -> dict[str, float]:
        if self.status is None:
            return {}
        return {
            "replay/games": float(self.status.games),
            "replay/positions": float(self.status.positions),
            "replay/window": float(self.status.window),
            "replay/repeated": self.status.repeated,
            "replay/samples_per_position": progress.steps * batch / max(self.status.positions, 1),
        }
