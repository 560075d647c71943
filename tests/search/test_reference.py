"""Tree for tree the same as the plain Python reference, with any combination of options."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from rayzero.evaluator import UniformEvaluator
from rayzero.games import make_game
from rayzero.games.rules import NO_ACTION, ONGOING, RESULT
from rayzero.search import Search, SearchSettings, read_tree
from rayzero.search.inspect import Branch
from tests.search.positions import random_position
from tests.search.reference import Reference, TableEvaluator

GAMES = {
    "tictactoe": make_game("tictactoe"),
    "gomoku4": make_game("gomoku", width=4, height=4, in_a_row=3),
    "gomoku6": make_game("gomoku", width=6, height=6, in_a_row=4),
    "connect4": make_game("connect4"),
    "connect3": make_game("connect4", width=5, height=4, in_a_row=3),
}
PLAIN = SearchSettings(fpu=2, fpu_value=0.0, solver=False, lookahead=0)
CASES = 30 if numba.config.DISABLE_JIT else 400


def random_settings(rng: np.random.Generator) -> SearchSettings:
    def pick(*values):
        return values[rng.integers(len(values))]

    return SearchSettings(
        kind=pick(0, 0, 1),
        simulations=64,
        c_puct=pick(1.5, 5.0),
        c_base=pick(0.0, 0.0, 30.0),
        fpu=pick(0, 1, 2),
        fpu_value=pick(0.0, 0.2, 0.7),
        discount=pick(1.0, 1.0, 0.97),
        moves_left_slope=pick(0.0, 0.03, 0.2),
        moves_left_cap=pick(0.15, 0.5),
        solver=pick(True, True, False),
        lookahead=pick(0, 1, 3),
        reuse_tree=pick(True, True, False),
        leaves=pick(1, 1, 3, 8),
        virtual_loss=pick(1.0, 0.5),
        root_temperature=pick(1.0, 1.3),
        forced_playouts=pick(0.0, 2.0),
        gumbel_considered=pick(2, 5, 16),
        gumbel_c_visit=pick(50.0, 5.0),
        gumbel_c_scale=pick(1.0, 0.1),
    )


def flatten(branch: Branch, path: tuple[int, ...] = ()) -> dict:
    found = {path: (branch.visits, branch.proven)}
    for child in branch.children:
        found |= flatten(child, (*path, child.action))
    return found


def expected_tree(reference: Reference) -> dict:
    """Results of moves are those of the player who makes them."""
    return {
        path: (node.visits, -node.result if path and node.result != ONGOING else node.result)
        for path, node in reference.root.walk()
    }


def compare(game, settings: SearchSettings, state: np.ndarray, seed: int, noise: bool, evaluator=None) -> None:
    """Two searches in a row, with a move in between."""
    search = Search(game, settings, games=3, seed=seed)
    reference = Reference(game, settings, state, seed=seed)
    slot = np.array([1])
    search.reset(slot, state[None])
    evaluator = evaluator or TableEvaluator(game.actions)
    for budget in (40, 55):
        search.begin(slot, budget, noise=noise)
        reference.begin(budget, noise=noise)
        search.run(evaluator)
        reference.run(evaluator)
        assert flatten(read_tree(search, 1)) == expected_tree(reference)
        assert (search.states[1] == reference.state).all()
        result = search.result(slot)
        root = reference.root
        for action, child in root.children.items():
            assert result.visits[0, action] == child.visits
        if root.result == ONGOING:
            assert result.value[0] == pytest.approx(root.value, abs=1e-6)
            assert result.moves_left[0] == pytest.approx(root.moves_left, rel=1e-6)
        if result.best[0] == NO_ACTION:
            break
        search.play(slot, result.best)
        reference.play(int(result.best[0]))
        if search.states[1, RESULT] != ONGOING:
            break
    assert search.counters.evaluations == reference.evaluations


@pytest.mark.kernels
@pytest.mark.parametrize("part", range(10))
def test_same_trees_with_random_options(part: int) -> None:
    for case in range(part, CASES, 10):
        rng = np.random.default_rng(case)
        game = list(GAMES.values())[case % len(GAMES)]
        settings = random_settings(rng)
        state = random_position(game, int(rng.integers(game.max_plies)), rng)
        compare(game, settings, state, seed=case, noise=bool(rng.integers(2)))


@pytest.mark.kernels
@pytest.mark.parametrize("name", GAMES)
def test_same_trees_with_the_plain_rule(name: str) -> None:
    game = GAMES[name]
    for case in range(2 if numba.config.DISABLE_JIT else 10):
        rng = np.random.default_rng(1000 + case)
        compare(game, PLAIN, random_position(game, case % game.max_plies, rng), seed=case, noise=False)


@pytest.mark.kernels
@pytest.mark.parametrize("name", GAMES)
def test_same_trees_where_all_is_equal(name: str) -> None:
    """Ties: the child visited first, then the lowest action."""
    game = GAMES[name]
    for case in range(2 if numba.config.DISABLE_JIT else 10):
        rng = np.random.default_rng(2000 + case)
        state = random_position(game, case % game.max_plies, rng)
        compare(game, PLAIN, state, case, noise=False, evaluator=UniformEvaluator(game.actions))
        compare(game, SearchSettings(), state, case, noise=False, evaluator=UniformEvaluator(game.actions))


def test_slope_zero_is_the_same_as_no_moves_left_at_all() -> None:
    game = GAMES["connect4"]

    class Blind(TableEvaluator):
        def evaluate(self, planes):
            evaluation = super().evaluate(planes)
            evaluation.moves_left[:] = 0
            return evaluation

    trees = []
    for evaluator in (TableEvaluator(game.actions), Blind(game.actions)):
        search = Search(game, SearchSettings(moves_left_slope=0.0))
        search.begin(np.array([0]), 200)
        search.run(evaluator)
        trees.append((search.result(np.array([0])).q.tobytes(), flatten(read_tree(search))))
    assert trees[0] == trees[1]


@pytest.mark.slow
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="this is the run without compilation")
def test_same_trees_without_compilation() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "kernels", "-p", "no:cacheprovider", __file__]
    root = Path(__file__).parents[2]
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]
