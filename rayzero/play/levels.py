"""Levels of strength: a checkpoint and a number of simulations, with the rating it has earned.

A level plays its best move every time; weaker ones look less far or use an older net. `levels.json` beside
a model holds what was measured; `python -m rayzero.play.levels MODEL` measures it.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from rayzero.errors import ModelError

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
    try:
        levels = tuple(Level(**level) for level in json.loads(file.read_text(encoding="utf-8"))["levels"])
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{file} does not hold levels ({error}); measure them anew.") from error
    return levels, ""


if __name__ == "__main__":
    import sys

    from rayzero.cli import run
    from rayzero.play.measure import main

    sys.exit(run(main))
