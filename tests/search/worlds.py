"""Evaluators with known answers."""

from collections.abc import Callable

import numpy as np

from rayzero.records import Evaluation


class FunctionEvaluator:
    """Answers with a function of one position's planes: (priors, value, moves left)."""

    def __init__(self, answer: Callable[[np.ndarray], tuple[np.ndarray, float, float]]) -> None:
        self.answer = answer
        self.version = 0
        self.asked = 0

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        self.asked += len(planes)
        rows = [self.answer(position) for position in planes]
        priors, value, moves_left = (np.array(column, np.float32) for column in zip(*rows, strict=True))
        return Evaluation(priors, value, np.zeros((len(rows), 3), np.float32), moves_left)


def bandit(actions: int, values: dict[int, float], priors: np.ndarray | None = None, moves: dict | None = None):
    """A position whose moves have known values for the player who makes them, whatever follows.

    The root is the empty board; its first stone tells the move. Everything below repeats the value of that move.
    """
    known = moves or {}

    def answer(planes: np.ndarray):
        first_player_moves = planes[3].any()
        stones = planes[0 if first_player_moves else 1].ravel()
        given = priors if priors is not None else np.full(actions, 1 / actions)
        if not stones.any():
            return given, 0.0, 0.0
        first = [a for a in values if stones[a]] or [int(np.flatnonzero(stones)[0])]
        ply = int(planes[:2].sum())
        value = values.get(first[0], 0.0)
        return given, value if first_player_moves else -value, max(known.get(first[0], 0) - ply, 0)

    return FunctionEvaluator(answer)
