"""The results of matches as tables, as JSON and as sentences."""

import itertools
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from rayzero.evaluation.elo import confidence, elo_difference
from rayzero.evaluation.ratings import Rating
from rayzero.evaluation.solver import SolverScore
from rayzero.records import MatchResult
from rayzero.storage import write_file

FORFEITS = 5  # shown of a match


def sentence(result: MatchResult) -> str:
    """What a result means."""
    elo = elo_difference(result.pairs)
    sure = confidence(result.pairs)
    how_sure = "more than 99.9 %" if sure > 0.999 else f"{100 * sure:.1f} %"
    if elo.low > 0:
        return f"{result.player} is stronger than {result.opponent} with {how_sure} confidence."
    if elo.high < 0:
        return f"{result.player} is weaker than {result.opponent} with {how_sure} confidence."
    return (
        f"{result.games} games do not tell whether {result.player} is stronger or weaker than {result.opponent}: "
        f"the difference is within {elo.low:+.0f} and {elo.high:+.0f} Elo."
    )


def show(console: Console, results: list[MatchResult], ratings: list[Rating], solved: dict[str, SolverScore]) -> None:
    """Print what there is."""
    for player, theirs in itertools.groupby(results, key=lambda result: result.player):
        console.print(_match_table(player, theirs))
    if ratings:
        console.print(_rating_table(ratings))
    if solved:
        console.print(_solver_table(solved))
    for one in results:
        for forfeit in one.forfeits[:FORFEITS]:
            console.print(f"Forfeited: {forfeit}.", highlight=False, markup=False, soft_wrap=True)
        if len(one.forfeits) > FORFEITS:
            console.print(f"... and {len(one.forfeits) - FORFEITS} more games of this match.")
        if one.duplicates:
            console.print(f"{one.duplicates} of the {one.games} games repeat another one move for move.")
        console.print(sentence(one), highlight=False, markup=False, soft_wrap=True)


def _match_table(player: str, results: Iterable[MatchResult]) -> Table:
    table = _table(f"{player} against", "W-D-L", "score", "Elo", "95 %", "1st", "2nd", "plies", "time")
    for one in results:
        elo = elo_difference(one.pairs)
        as_first = (one.wins_first + one.draws_first / 2) / max(one.games / 2, 1)
        table.add_row(
            one.opponent,
            f"{one.wins}-{one.draws}-{one.losses}",
            f"{100 * one.score:.1f} %",
            f"{elo.elo:+.0f}",
            f"{elo.low:+.0f} .. {elo.high:+.0f}",
            f"{100 * as_first:.0f} %",
            f"{100 * (2 * one.score - as_first):.0f} %",
            f"{one.plies:.0f}",
            f"{one.seconds:.0f} s",
        )
    return table


def _rating_table(ratings: list[Rating]) -> Table:
    table = _table("player", "Elo", "95 %", "games", "score")
    for one in ratings:
        span = f"{one.low:+.0f} .. {one.high:+.0f}"
        table.add_row(one.name, f"{one.elo:+.0f}", span, str(one.games), f"{100 * one.score:.1f} %")
    return table


def _solver_table(solved: dict[str, SolverScore]) -> Table:
    table = _table("solved positions", "phase", "optimal moves", "outcomes kept")
    for name, score in solved.items():
        for phase, (optimal, kept) in {"all": (score.optimal, score.kept), **score.by_phase}.items():
            table.add_row(name, phase, f"{100 * optimal:.1f} %", f"{100 * kept:.1f} %")
    return table


def _table(first: str, *columns: str) -> Table:
    """Names may be broken, numbers not."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(first, overflow="fold", min_width=12)
    for column in columns:
        table.add_column(column, no_wrap=True, justify="right")
    return table


def match_entry(result: MatchResult) -> dict[str, Any]:
    """A result as JSON has it."""
    elo = elo_difference(result.pairs)
    return {
        **asdict(result),
        "games": result.games,
        "score": result.score,
        "elo": elo.elo,
        "elo_low": elo.low,
        "elo_high": elo.high,
        "confidence": confidence(result.pairs),
        "meaning": sentence(result),
    }


def write_json(
    file: str,
    how: dict[str, Any],
    results: list[MatchResult],
    ratings: list[Rating],
    solved: dict[str, SolverScore],
) -> None:
    """Write all there is to a file, or to the output for `-`."""
    content = {
        **how,
        "matches": [match_entry(result) for result in results],
        "ratings": [asdict(rating) for rating in ratings],
        "solved": {name: asdict(score) for name, score in solved.items()},
    }
    text = json.dumps(content, indent=1)
    if file == "-":
        print(text)
    else:
        write_file(Path(file), text.encode() + b"\n")
