"""Exact truth for Connect4: how often a player finds the best move, and how often it keeps the outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rayzero.errors import GameError
from rayzero.evaluation.openings import positions
from rayzero.evaluator import Evaluator
from rayzero.games.kinarow import KInARow
from rayzero.games.rules import FORCED, HEADER, ONGOING, RESULT, WON, init, legal, lookahead, planes, play

ILLEGAL = -100
PHASES = {"opening": range(14), "middle": range(14, 26), "end": range(26, 40)}  # plies played so far


class Connect4Solver:
    """Scores of all moves of a position, from the solver `bitbully` and its opening book."""

    def __init__(self, game: Any) -> None:
        if not isinstance(game, KInARow) or (game.width, game.height, game.in_a_row, game.gravity) != (7, 6, 4, True):
            raise GameError("The solver knows Connect4 on 7x6 only; this game is another one.")
        try:
            import bitbully
        except ImportError:
            raise GameError("The Connect4 solver is not installed: pip install 'rayzero[solver]'.") from None
        self._board = bitbully.Board
        self._solver = bitbully.BitBully()

    def scores(self, history: Sequence[int]) -> np.ndarray:
        """For each column: positive wins (more: sooner), 0 draws, negative loses (less: sooner), ILLEGAL is full."""
        scores = np.full(7, ILLEGAL, np.int16)
        for column, score in self._solver.score_all_moves(self._board([int(move) for move in history])).items():
            scores[column] = score
        return scores


@dataclass(frozen=True)
class SolvedPositions:
    """Positions in which some move throws the outcome away and another keeps it."""

    histories: list[tuple[int, ...]]
    states: np.ndarray  # int64 [n, S]
    scores: np.ndarray  # int16 [n, 7]
    phases: np.ndarray  # str [n]


@dataclass(frozen=True)
class SolverScore:
    """Shares of the positions, in all and by phase."""

    optimal: float  # a best move was played: the fastest win, the latest loss
    kept: float  # the outcome (win, draw) was kept
    by_phase: dict[str, tuple[float, float]]  # the same two, per phase


def solved_positions(game: Any, count: int, seed: int = 1) -> SolvedPositions:
    """A set of distinct positions, as many of each phase, from random games that see threats of one move."""
    solver = Connect4Solver(game)
    random = np.random.default_rng(seed)
    found: dict[bytes, tuple[str, tuple[int, ...], np.ndarray]] = {}
    for number, (phase, plies) in enumerate(PHASES.items()):
        wanted = count * (number + 1) // len(PHASES)
        while len(found) < wanted:
            history = _careful_game(game, int(random.choice(plies)), random)
            if history is None:
                continue
            scores = solver.scores(history)
            possible = np.sign(scores[scores != ILLEGAL])
            if possible.max() > possible.min():
                found.setdefault(positions(game, [history])[0, HEADER:].tobytes(), (phase, history, scores))
    histories = [history for _, history, _ in found.values()]
    return SolvedPositions(
        histories,
        positions(game, histories),
        np.array([scores for _, _, scores in found.values()], np.int16).reshape(-1, 7),
        np.array([phase for phase, _, _ in found.values()]),
    )


def _careful_game(game: Any, plies: int, random: np.random.Generator) -> tuple[int, ...] | None:
    """Random moves that block, up to a position that no single move wins; None where the game went another way."""
    state = np.empty(game.state_size, np.int64)
    actions = np.empty(game.actions, np.int16)
    init(game, state)
    history: list[int] = []
    while state[RESULT] == ONGOING:
        kind, n, _ = lookahead(game, state, 1, actions)
        if kind == WON:
            return None
        if len(history) == plies:
            return tuple(history)
        n = n if kind == FORCED and n else legal(game, state, actions)
        history.append(int(random.choice(actions[:n])))
        play(game, state, history[-1])
    return None


def solver_score(solved: SolvedPositions, actions: np.ndarray) -> SolverScore:
    """Judge one move for each position."""
    played = solved.scores[np.arange(len(actions)), actions]
    best = solved.scores.max(axis=1)
    optimal, kept = played == best, np.sign(played) == np.sign(best)
    by_phase = {
        phase: (float(optimal[here].mean()), float(kept[here].mean()))
        for phase in PHASES
        if (here := solved.phases == phase).any()
    }
    return SolverScore(float(optimal.mean()), float(kept.mean()), by_phase)


def policy_moves(game: Any, evaluator: Evaluator, states: np.ndarray) -> np.ndarray:
    """The legal move of the highest prior, without any search."""
    inputs = np.empty((len(states), game.plane_count, game.height, game.width), np.uint8)
    allowed = np.zeros((len(states), game.actions), bool)
    found = np.empty(game.actions, np.int16)
    for row, state in enumerate(states):
        planes(game, state, inputs[row])
        allowed[row, found[: legal(game, state, found)]] = True
    return np.where(allowed, evaluator.evaluate(inputs).priors, -1).argmax(axis=1)
