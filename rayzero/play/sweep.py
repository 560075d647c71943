"""The whole game at a glance: the value of every position, and the moves that gave the most away."""

from dataclasses import dataclass

from rayzero.games.rules import DRAW, LOSS, ONGOING, RESULT
from rayzero.play.report import Report
from rayzero.play.session import Session

MISTAKE, BLUNDER = 0.08, 0.25  # share of the expected points that a move gave away
NAMED = 3


@dataclass(frozen=True)
class Mistake:
    """A move that was clearly worse than the best one."""

    ply: int
    loss: float  # share of the expected points, 0 to 1
    best: int
    value: float  # of the position before it, for the player who made it
    severe: bool


def first_player_value(session: Session, ply: int, report: Report | None) -> float | None:
    """The value of the position after `ply` plies for the first player; None while it is not known."""
    sign = 1 if ply % 2 == 0 else -1
    if report is not None:
        return sign * report.value
    if ply < session.plies or session.state[RESULT] == ONGOING:
        return None
    return float(sign * {LOSS: -1, DRAW: 0}.get(int(session.state[RESULT]), 1))


def find_mistakes(session: Session, reports: dict[int, Report]) -> list[Mistake]:
    """The biggest mistakes, the worst first; only where both positions have been looked at."""
    values = [first_player_value(session, ply, reports.get(ply)) for ply in range(session.plies + 1)]
    found = []
    for ply, move in enumerate(session.moves):
        before, after, report = values[ply], values[ply + 1], reports.get(ply)
        if before is None or after is None or report is None or report.best == move:
            continue
        sign = 1 if ply % 2 == 0 else -1
        loss = sign * (before - after) / 2
        if loss >= MISTAKE:
            found.append(Mistake(ply, loss, report.best, sign * before, loss >= BLUNDER))
    return sorted(found, key=lambda mistake: -mistake.loss)[:NAMED]
