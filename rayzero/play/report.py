"""What the engine thinks of a position, in numbers that people can be shown."""

from dataclasses import dataclass

import numpy as np

from rayzero.games.rules import DRAW, ONGOING, WIN
from rayzero.search import Search
from rayzero.search.inspect import principal_variation

LINE_PLIES = 12


@dataclass(frozen=True)
class MoveReport:
    """One move of a position; values are those of the player who would make it."""

    action: int
    visits: int
    share: float  # of all visits
    q: float | None  # None: not visited, or not known
    prior: float


@dataclass(frozen=True)
class Proof:
    """A result that follows from the rules, for the player to move."""

    result: str  # win | draw | loss
    plies: int  # the game lasts at most so many more


@dataclass(frozen=True)
class Report:
    """A position as the search sees it, for the player to move."""

    simulations: int
    value: float
    wdl: tuple[float, float, float]
    moves_left: float
    best: int
    moves: tuple[MoveReport, ...]  # the most visited first
    line: tuple[int, ...]  # the expected continuation
    proven: Proof | None = None


def make_report(search: Search, slot: int, draws: float) -> Report:
    """Read one tree; `draws` is the net's share of draws, the search itself only has the mean value."""
    result = search.result(np.array([slot]))
    proven = int(result.proven[0])
    value = float(np.clip(result.value[0], -1, 1)) if proven == ONGOING else float(proven)
    proof = None
    if proven != ONGOING:
        proof = Proof("win" if proven == WIN else "draw" if proven == DRAW else "loss", int(result.proven_plies[0]))
        draws = float(proven == DRAW)
    visits = result.visits[0]
    q = [None if np.isnan(one) else float(one) for one in result.q[0]]
    moves = rank_moves(visits, q, result.priors[0], int(result.best[0]))
    line = principal_variation(search, slot)[:LINE_PLIES]
    if line[:1] != [int(result.best[0])]:
        line = [int(result.best[0])]
    return Report(
        simulations=int(visits.sum()),
        value=value,
        wdl=split(value, draws),
        moves_left=float(result.moves_left[0]),
        best=int(result.best[0]),
        moves=moves,
        line=tuple(int(action) for action in line),
        proven=proof,
    )


def rank_moves(visits: np.ndarray, q: list[float | None], priors: np.ndarray, best: int) -> tuple[MoveReport, ...]:
    """The moves that were looked at, the best first and then by visits."""
    total = max(int(visits.sum()), 1)
    order = sorted(range(len(visits)), key=lambda a: (a != best, -int(visits[a]), -float(priors[a])))
    return tuple(
        MoveReport(action, int(visits[action]), int(visits[action]) / total, q[action], float(priors[action]))
        for action in order
        if visits[action] or action == best
    )


def split(value: float, draws: float) -> tuple[float, float, float]:
    """Win, draw and loss with the given mean, with as many of the draws as it leaves room for."""
    draws = min(draws, 1 - abs(value))
    return (1 + value - draws) / 2, draws, (1 - value - draws) / 2
