"""Truth beside opinion: exact scores where a perfect solver is installed."""

import importlib.util
import threading
from functools import cache
from typing import Any

from rayzero.evaluation.solver import ILLEGAL, Connect4Solver
from rayzero.play.catalogue import offer, same_game

_lock = threading.Lock()


def has_truth(game: Any) -> bool:
    """Whether exact scores can be had for a game: standard Connect4 with the solver extra installed."""
    return same_game(game, offer("connect4").game) and importlib.util.find_spec("bitbully") is not None


def exact_scores(moves: list[int]) -> list[int | None]:
    """The score of every column after these moves of Connect4, None where it is full."""
    with _lock:  # The solver keeps a table of positions that has no lock of its own.
        scores = _solver().scores(moves)
    return [None if score == ILLEGAL else int(score) for score in scores]


@cache
def _solver() -> Connect4Solver:
    return Connect4Solver(offer("connect4").game)
