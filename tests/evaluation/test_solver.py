"""Exact truth: known scores, and players judged against it."""

import numpy as np
import pytest

from rayzero.evaluation.solver import ILLEGAL, PHASES, Connect4Solver, policy_moves, solved_positions, solver_score
from rayzero.evaluator import UniformEvaluator
from rayzero.games.registry import make_game
from rayzero.games.rules import ONGOING, RESULT, legal
from rayzero.records import Evaluation

pytest.importorskip("bitbully")
GAME = make_game("connect4")


@pytest.fixture(scope="module")
def solved():
    return solved_positions(GAME, 12, seed=2)


def test_known_scores():
    solver = Connect4Solver(GAME)
    assert solver.scores(()).tolist() == [-2, -1, 0, 1, 0, -1, -2]
    full = solver.scores((3, 3, 3, 3, 3, 3))
    assert full[3] == ILLEGAL
    winning = solver.scores((3, 0, 3, 0, 3, 0))
    assert winning.argmax() == 3
    assert winning[3] > 0


def test_positions_allow_a_mistake(solved):
    assert len({*solved.histories}) == 12
    assert (solved.states[:, RESULT] == ONGOING).all()
    for history, scores, phase in zip(solved.histories, solved.scores, solved.phases, strict=True):
        possible = np.sign(scores[scores != ILLEGAL])
        assert possible.max() > possible.min()
        assert len(history) in PHASES[phase]
    assert all((solved.phases == phase).sum() == 4 for phase in PHASES)


def test_perfect_and_hopeless_players(solved):
    perfect = solver_score(solved, solved.scores.argmax(axis=1))
    assert (perfect.optimal, perfect.kept) == (1, 1)
    assert perfect.by_phase == dict.fromkeys(PHASES, (1, 1))
    worst = solver_score(solved, np.where(solved.scores == ILLEGAL, 1000, solved.scores).argmin(axis=1))
    assert (worst.optimal, worst.kept) == (0, 0)


def test_slower_win_keeps_the_outcome_but_is_not_optimal(solved):
    row = next(i for i, scores in enumerate(solved.scores) if len({*scores[scores > 0].tolist()}) > 1)
    actions = solved.scores.argmax(axis=1)
    actions[row] = np.where(solved.scores[row] > 0, solved.scores[row], 1000).argmin()
    score = solver_score(solved, actions)
    assert score.kept == 1
    assert score.optimal == pytest.approx(11 / 12)


def test_win_that_becomes_a_draw_is_not_kept(solved):
    rows = [i for i, scores in enumerate(solved.scores) if scores.max() > 0 and 0 in scores]
    assert rows
    actions = solved.scores.argmax(axis=1)
    actions[rows[0]] = solved.scores[rows[0]].tolist().index(0)
    assert solver_score(solved, actions).kept == pytest.approx(11 / 12)


def test_policy_moves_are_legal_and_the_likeliest(solved):
    class Fixed(UniformEvaluator):
        def evaluate(self, planes):
            whole = super().evaluate(planes)
            priors = np.tile(np.arange(7, dtype=np.float32), (len(planes), 1))
            return Evaluation(priors, whole.value, whole.wdl, whole.moves_left)

    found = np.empty(7, np.int16)
    for state, action in zip(solved.states, policy_moves(GAME, Fixed(7), solved.states), strict=True):
        n = legal(GAME, state, found)
        assert action == found[:n].max()
