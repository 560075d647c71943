"""Who may run: the balance of self-play and training as an object."""

from dataclasses import dataclass
from typing import Any


@dataclass
class SampleBudget:
    """New positions earn optimizer steps; training never spends more, and self-play waits for it to spend.

    Everything counts in steps. A learner that lost steps has them to spend again.
    """

    samples_per_position: float
    batch: int
    min_positions: int  # nothing is trained on fewer
    max_lead: int  # earned steps not yet spent, beyond which self-play waits
    earned: float = 0.0
    positions: int = 0  # that earned them

    def count(self, positions: int) -> None:
        """Take note of how many positions there are in all."""
        self.earned += (positions - self.positions) * self.samples_per_position / self.batch
        self.positions = positions

    def steps_left(self, steps: int) -> int:
        """How many more may be taken after so many."""
        if self.positions < self.min_positions:
            return 0
        return max(0, int(self.earned) - steps)

    def may_play(self, steps: int) -> bool:
        """Whether self-play is needed: training has not fallen too far behind."""
        return self.steps_left(steps) <= self.max_lead

    def state(self) -> dict[str, Any]:
        """What has to be kept: settings may change when a run goes on, what was earned stays."""
        return {"earned": self.earned, "positions": self.positions}
