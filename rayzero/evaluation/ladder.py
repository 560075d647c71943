"""The ladder of ever stronger pure MCTS that nets of a run climb."""

from dataclasses import dataclass
from typing import Any, NamedTuple


class Verdict(NamedTuple):
    """What a match on a rung leads to."""

    promoted: bool  # a new best score on this rung
    climbed: bool  # a full score: the next rung from now on


@dataclass
class Ladder:
    """Rung (playouts of the opponent) and best score on it; everything else is a setting."""

    start: int = 1000
    kind: str = "double"  # double | add
    step: int = 1000  # for "add"
    max: int | None = None  # the highest rung there is
    rung: int = 0  # 0: the start
    best_score: float = 0.0

    def __post_init__(self) -> None:
        self.rung = self.rung or self.start

    def next_rung(self) -> int:
        """The rung above; the same one at the top."""
        higher = self.rung * 2 if self.kind == "double" else self.rung + self.step
        return higher if self.max is None or higher <= self.max else self.rung

    def record(self, score: float) -> Verdict:
        """Take in the score of a match on the current rung: only a higher one than ever there promotes."""
        promoted = score > self.best_score
        self.best_score = max(score, self.best_score)
        higher = self.next_rung()
        climbed = score == 1.0 and higher != self.rung
        if climbed:
            self.rung, self.best_score = higher, 0.0
        return Verdict(promoted, climbed)

    def state(self) -> dict[str, Any]:
        """What has to be kept, as plain values."""
        return {"rung": self.rung, "best_score": self.best_score}
