"""Levels of strength: a checkpoint and a number of simulations, with the rating it has earned.

A level plays its best move every time; weaker ones look less far or use an older net. `levels.json` beside
a model holds what was measured; `python -m rayzero.play.levels MODEL` measures it.
"""

import json
from dataclasses import dataclass
from pathlib import Path

LEVELS_FILE = "levels.json"
_UNMEASURED = (1, 4, 16, 50, 100, 200, 400, 800)


@dataclass(frozen=True)
class Level:
    """One step of the slider."""

    simulations: int
    elo: float | None = None  # pure MCTS with 1000 playouts is 0
    margin: float | None = None  # half of the 95 % interval
    checkpoint: str | None = None  # a directory inside that of the model; None: the model itself


def read_levels(model: Path) -> tuple[tuple[Level, ...], str]:
    """The levels of a model, weakest first, and a note where they were not measured."""
    file = model / LEVELS_FILE
    if not file.is_file():
        return tuple(Level(simulations) for simulations in _UNMEASURED), "These levels have not been measured."
    levels = json.loads(file.read_text(encoding="utf-8"))["levels"]
    return tuple(Level(**level) for level in levels), ""
