"""What the parts of a run tell about their work."""

from dataclasses import dataclass, field, fields
from typing import Any

from rayzero.records import GameRecord


@dataclass
class Progress:
    """How far a run is; saved in every checkpoint."""

    seconds: float = 0.0
    steps: int = 0
    games: int = 0
    plies: int = 0
    positions: int = 0
    simulations: int = 0
    evaluations: int = 0
    budget: dict[str, Any] = field(default_factory=dict)
    matched: dict[str, float] = field(default_factory=dict)  # seconds, games and version of the last match


@dataclass
class InferenceStats:
    """Counts of an evaluator's work; those of several add up."""

    requests: int = 0
    batches: int = 0
    positions: int = 0
    capacity: int = 0  # positions that the batches could have held
    queued: float = 0.0  # seconds that requests waited, summed
    computed: float = 0.0  # seconds of forward passes

    def __iadd__(self, other: "InferenceStats") -> "InferenceStats":
        for entry in fields(self):
            setattr(self, entry.name, getattr(self, entry.name) + getattr(other, entry.name))
        return self


@dataclass(frozen=True)
class ReplayStatus:
    """What replay holds, after games were added."""

    new: list[str] = field(default_factory=list)  # ids that count from now on
    games: int = 0
    plies: int = 0
    positions: int = 0
    window: int = 0
    repeated: float = 0.0  # share of the last games that repeat another one move for move
    sample: GameRecord | None = None  # one of the new games


@dataclass(frozen=True)
class TrainingReport:
    """What a few steps brought."""

    step: int
    steps: list[dict[str, float]]  # a learner's StepReport each, as numbers: the driver need not import torch
    seconds: float
