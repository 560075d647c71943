"""What a benchmark found: rows on the screen, flat figures in a file."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One measured figure."""

    name: str  # unique in its benchmark, such as "gomoku15/random_games"
    value: float
    unit: str  # such as "games/s"
    note: str = ""  # what it was measured with, or what it should be compared to


def table(rows: Iterable[Row]) -> str:
    """The rows in aligned columns."""
    cells = [(row.name, _number(row.value), row.unit, row.note) for row in rows]
    name, value, unit = (max((len(cell[i]) for cell in cells), default=0) for i in range(3))
    return "\n".join(f"{a:<{name}}  {b:>{value}} {c:<{unit}}  {d}".rstrip() for a, b, c, d in cells)


def save(path: Path, rows: Iterable[Row]) -> None:
    """Write {name: value}; the unit belongs to the name's documentation."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({row.name: row.value for row in rows}, indent=2) + "\n")


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
