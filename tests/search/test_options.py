"""Each option by its definition."""

import math

import numpy as np
import pytest

from rayzero.config.schema import Search as SearchConfig
from rayzero.errors import ConfigError, GameError
from rayzero.evaluator import UniformEvaluator
from rayzero.games import make_game
from rayzero.games.rules import DRAW, LOSS, PLY, WIN
from rayzero.search import Search, SearchSettings, read_tree
from rayzero.search.selection import exploration, first_play_value
from rayzero.search.settings import FPU_FIXED, FPU_PARENT, FPU_REDUCTION
from rayzero.search.tree import NODE
from tests.search.positions import after, legal_actions
from tests.search.reference import TableEvaluator
from tests.search.worlds import FunctionEvaluator, bandit

TICTACTOE = make_game("tictactoe")
GOMOKU6 = make_game("gomoku", width=6, height=6, in_a_row=6)
CONNECT4 = make_game("connect4")
PLAIN = SearchSettings(fpu=FPU_FIXED, fpu_value=0.0, solver=False, lookahead=0)
ONE = np.array([0])


def searched(game, settings, evaluator, simulations, state=None, noise=False, **options) -> Search:
    search = Search(game, settings, seed=options.pop("seed", 1))
    if state is not None:
        search.reset(ONE, state[None])
    search.begin(ONE, simulations, noise=noise, **options)
    search.run(evaluator)
    return search


def test_settings_come_from_a_config_and_mistakes_are_told() -> None:
    settings = SearchSettings.from_config(SearchConfig(kind="gumbel", fpu="parent"))
    assert settings == SearchSettings(kind=1, fpu=FPU_PARENT)
    assert SearchSettings.from_config(SearchConfig()) == SearchSettings()
    with pytest.raises(ConfigError, match=r"search\.kind is 'uct'; it can be puct, gumbel"):
        SearchSettings.from_config(SearchConfig(kind="uct"))
    with pytest.raises(ConfigError, match=r"search\.discount is 1\.5"):
        SearchSettings.from_config(SearchConfig(discount=1.5))


def test_exploration_is_constant_or_grows_with_the_logarithm() -> None:
    constant = SearchSettings(c_puct=1.5).numbers()[0]
    growing = SearchSettings(c_puct=1.25, c_base=100.0).numbers()[0]
    assert exploration(10_000, constant) == 1.5
    assert exploration(899, growing) == pytest.approx(1.25 + math.log(10))


@pytest.mark.parametrize(
    ("fpu", "value", "mass", "expected"),
    [
        (FPU_FIXED, 0.3, 0.5, 0.3),
        (FPU_PARENT, 0.3, 0.5, -0.5),
        (FPU_REDUCTION, 0.2, 0.25, -0.6),
        (FPU_REDUCTION, 0.2, 0.0, -0.5),
        (FPU_REDUCTION, 0.9, 1.0, -1.0),  # never below a lost game
    ],
)
def test_first_play_value(fpu: int, value: float, mass: float, expected: float) -> None:
    node = np.zeros(1, NODE)[0]
    node.value = -0.5
    settings = SearchSettings(fpu=fpu, fpu_value=value).numbers()[0]
    assert first_play_value(node, mass, settings) == pytest.approx(expected)


def test_first_play_urgency_decides_how_wide_the_search_is() -> None:
    tried = []
    for fpu, value in ((FPU_FIXED, 1.0), (FPU_FIXED, -1.0)):
        settings = PLAIN._replace(fpu=fpu, fpu_value=value, c_puct=0.1)
        search = searched(GOMOKU6, settings, TableEvaluator(36), 30)
        tried.append(np.count_nonzero(search.result(ONE).visits))
    assert tried[0] == 30
    assert tried[1] < 15


def test_priors_are_masked_and_renormalised_or_uniform() -> None:
    state = after(TICTACTOE, [4, 0])
    priors = np.array([0.5, 0.1, 0.0, 0.2, 0.1, 0.0, 0.0, 0.1, 0.0])
    search = searched(TICTACTOE, PLAIN, FunctionEvaluator(lambda planes: (priors, 0.0, 0.0)), 0, state)
    legal = [1, 2, 3, 5, 6, 7, 8]
    found = search.result(ONE).priors[0]
    assert found[legal] == pytest.approx(priors[legal] / 0.4)
    assert found[[0, 4]].sum() == 0
    on_illegal_only = np.eye(9)[4]
    search = searched(TICTACTOE, PLAIN, FunctionEvaluator(lambda planes: (on_illegal_only, 0.0, 0.0)), 0, state)
    assert search.result(ONE).priors[0][legal] == pytest.approx(np.full(7, 1 / 7))


def test_values_turn_their_sign_every_ply_and_are_discounted() -> None:
    search = searched(GOMOKU6, PLAIN._replace(discount=0.9), bandit(36, {7: 0.5}, np.eye(36)[7]), 1)
    result = search.result(ONE)
    assert result.visits[0, 7] == 1
    assert result.q[0, 7] == pytest.approx(0.9 * 0.5)
    assert result.value[0] == pytest.approx(0.9 * 0.5 / 2)  # with its own evaluation, which was 0


def test_terminal_leaves_cost_no_evaluation_and_a_draw_is_a_finished_game() -> None:
    # One empty cell, and nobody wins.  X O X / X O O / O X .
    state = after(TICTACTOE, [0, 1, 2, 4, 3, 5, 7, 6])
    evaluator = FunctionEvaluator(lambda planes: (np.full(9, 1 / 9), -0.7, 0.0))
    search = searched(TICTACTOE, PLAIN, evaluator, 20, state)
    assert evaluator.asked == 1  # the root
    result = search.result(ONE)
    assert result.visits[0, 8] == 20
    assert result.q[0, 8] == 0
    solved = searched(TICTACTOE, SearchSettings(lookahead=0), evaluator, 20, state).result(ONE)
    assert (solved.proven[0], solved.proven_plies[0], solved.visits[0, 8]) == (DRAW, 1, 1)


def test_budgets_are_kept_exactly_and_may_differ_from_game_to_game() -> None:
    search = Search(CONNECT4, PLAIN, games=4)
    slots = np.array([0, 1, 3])
    search.begin(slots, np.array([10, 25, 0]))
    assert search.finished.tolist() == [False, False, True, False]
    search.run(TableEvaluator(7))
    assert search.finished.all()
    assert search.result(slots).visits.sum(axis=1).tolist() == [10, 25, 0]
    assert search.counters.simulations == 35
    assert search.counters.evaluations == 38  # and the three roots


def test_reused_visits_count_and_a_fresh_tree_has_none() -> None:
    for reuse in (True, False):
        search = searched(CONNECT4, PLAIN._replace(reuse_tree=reuse), TableEvaluator(7), 60)
        result = search.result(ONE)
        kept = int(result.visits[0, result.best[0]]) - 1 if reuse else 0
        search.play(ONE, result.best)
        assert search.result(ONE).visits.sum() == kept
        before = search.counters.simulations
        search.begin(ONE, 60)
        search.run(TableEvaluator(7))
        assert search.counters.simulations - before == 60 - kept
        assert search.result(ONE).visits.sum() == 60


def test_dirichlet_noise_is_on_the_roots_priors_once_and_nowhere_else() -> None:
    evaluator = UniformEvaluator(36)
    search = searched(GOMOKU6, PLAIN, evaluator, 36 * 3, noise=True, epsilon=0.25, alpha=0.3)
    first = {branch.action: branch.prior for branch in read_tree(search).children}
    search.begin(ONE, 36 * 3 + 1, noise=True, epsilon=0.25, alpha=0.3)
    search.run(evaluator)
    priors = search._forest.prior[0, : search._forest.nodes[0, 0].edges]
    assert priors.sum() == pytest.approx(1)
    assert priors.min() >= 0.75 / 36 - 1e-6  # noise on noise would fall below
    assert {branch.action: branch.prior for branch in read_tree(search).children} != first
    assert search.result(ONE).priors[0] == pytest.approx(np.full(36, 1 / 36))
    inner = [grandchild.prior for child in read_tree(search).children for grandchild in child.children]
    assert inner and inner == pytest.approx([1 / 35] * len(inner))


@pytest.mark.parametrize(("alpha", "expected"), [(0.3, 0.3), (None, 10 / 7)])
def test_dirichlet_noise_has_its_mean_and_variance(alpha: float | None, expected: float) -> None:
    games = 4000
    search = Search(CONNECT4, PLAIN, games=games, seed=5)
    slots = np.arange(games)
    search.begin(slots, 0, noise=True, epsilon=1.0, alpha=alpha)
    search.run(UniformEvaluator(7))
    order = search._forest.action[:, :7].argsort(axis=1)  # The best edge was put first.
    samples = np.take_along_axis(search._forest.prior[:, :7], order, axis=1)
    variance = (1 / 7) * (6 / 7) / (7 * expected + 1)
    assert samples.mean(axis=0) == pytest.approx(np.full(7, 1 / 7), abs=0.02)
    assert samples.var() == pytest.approx(variance, rel=0.05)


def test_root_temperature_flattens_the_priors_of_noisy_searches() -> None:
    priors = np.array([0.7, 0.2, 0.05, 0.03, 0.01, 0.005, 0.005])
    evaluator = FunctionEvaluator(lambda planes: (priors, 0.0, 0.0))
    settings = PLAIN._replace(root_temperature=2.0)
    heated = searched(CONNECT4, settings, evaluator, 200, noise=True, epsilon=0.0)
    expected = np.sqrt(priors) / np.sqrt(priors).sum()
    found = {branch.action: branch.prior for branch in read_tree(heated).children}
    assert [found[a] for a in range(7)] == pytest.approx(expected, rel=1e-5)
    plain = searched(CONNECT4, settings, evaluator, 1)
    assert read_tree(plain).children[0].prior == pytest.approx(0.7)


def test_forced_playouts_and_their_pruning() -> None:
    priors = np.full(36, 0.2 / 35)
    priors[[3, 9]] = (0.5, 0.3)
    priors /= priors.sum()
    world = bandit(36, {3: 0.9, 9: -0.9}, priors)
    k, simulations = 2.0, 300
    every = PLAIN._replace(fpu_value=1.0)  # Every move is tried once.
    forced = searched(GOMOKU6, every._replace(forced_playouts=k), world, simulations, noise=True, epsilon=0.0)
    result = forced.result(ONE)
    for action in np.flatnonzero(result.visits[0]):
        assert result.visits[0, action] >= math.floor(math.sqrt(k * priors[action] * (simulations - 1)))
    free = searched(GOMOKU6, every, world, simulations, noise=True, epsilon=0.0).result(ONE)
    assert free.visits[0, 9] < result.visits[0, 9]
    assert free.policy[0] == pytest.approx(free.visits[0] / simulations)
    check_pruned(result, priors, k, simulations)


def check_pruned(result, priors: np.ndarray, k: float, simulations: int) -> None:
    """The target by its definition: the largest reduction that keeps every move below the best one's score."""
    visits, q = result.visits[0], result.q[0]
    best = int(visits.argmax())
    scale = PLAIN.c_puct * math.sqrt(simulations + 1)
    threshold = q[best] + scale * priors[best] / (1 + visits[best])
    expected = np.zeros(36)
    for action in np.flatnonzero(visits):
        left = int(visits[action])
        most = math.floor(math.sqrt(k * priors[action] * simulations))
        allowed = [
            n for n in range(max(left - most, 0), left) if q[action] + scale * priors[action] / (1 + n) < threshold
        ]
        left = min(allowed, default=left) if action != best else left
        expected[action] = left if left > 1 else 0
    assert result.policy[0] == pytest.approx(expected / expected.sum(), abs=1e-6)
    assert result.policy[0, 9] < visits[9] / simulations
    assert np.count_nonzero(visits) == 36
    assert np.count_nonzero(result.policy[0]) < 36


def test_solver_takes_the_shortest_win_and_the_longest_defence() -> None:
    # X has two in a row and moves: 2 wins at once.
    result = searched(TICTACTOE, SearchSettings(lookahead=0), UniformEvaluator(9), 500, after(TICTACTOE, [0, 3, 1, 4]))
    result = result.result(ONE)
    assert (result.proven[0], result.proven_plies[0], result.best[0]) == (WIN, 1, 2)
    assert result.policy[0, 2] == 1
    # O faces two threats of X (5 and 6) and can stop only one: lost in two plies.
    lost = after(TICTACTOE, [0, 1, 4, 8, 3])
    result = searched(TICTACTOE, SearchSettings(lookahead=0), UniformEvaluator(9), 2000, lost).result(ONE)
    assert (result.proven[0], result.proven_plies[0]) == (LOSS, 2)
    assert result.value[0] == -1


def test_proven_lost_moves_are_not_visited_again() -> None:
    # O must block at 2; the net likes 3, which loses at once.
    priors = np.full(9, 0.02)
    priors[3] = 0.84
    evaluator = FunctionEvaluator(lambda planes: (priors, 0.0, 0.0))
    search = searched(TICTACTOE, SearchSettings(lookahead=0, c_puct=5.0), evaluator, 150, after(TICTACTOE, [0, 4, 1]))
    lost = {branch.action: branch.visits for branch in read_tree(search).children if branch.proven == LOSS}
    assert 3 in lost
    search.begin(ONE, 400)
    search.run(evaluator)
    result = search.result(ONE)
    assert result.best[0] == 2
    for action, visits in lost.items():
        assert result.visits[0, action] == visits
        assert result.policy[0, action] == 0


def test_look_ahead_proves_a_won_root_without_any_evaluation() -> None:
    state = after(CONNECT4, [3, 0, 3, 0, 3, 0])
    evaluator = UniformEvaluator(7)
    search = searched(CONNECT4, SearchSettings(), evaluator, 50, state)
    result = search.result(ONE)
    assert (result.proven[0], result.proven_plies[0], result.best[0]) == (WIN, 1, 3)
    assert result.policy[0].tolist() == np.eye(7)[3].tolist()
    assert search.counters.evaluations == 0
    assert search.counters.saved == 1


def test_look_ahead_expands_only_moves_that_stop_a_threat() -> None:
    state = after(CONNECT4, [3, 0, 3, 0, 3])
    search = searched(CONNECT4, SearchSettings(), TableEvaluator(7), 30, state)
    result = search.result(ONE)
    assert result.visits[0].tolist() == [0, 0, 0, 30, 0, 0, 0]
    assert result.policy[0, 3] == 1
    assert result.priors[0, 3] == 1


def test_a_lost_root_blocks_what_it_can() -> None:
    # An open three of X on the bottom row, X threatens both ends: O loses but still stops one of them.
    state = after(CONNECT4, [2, 2, 3, 3, 4])
    search = searched(CONNECT4, SearchSettings(), UniformEvaluator(7), 30, state)
    result = search.result(ONE)
    assert result.proven[0] == LOSS
    assert result.best[0] in (1, 5)
    assert set(np.flatnonzero(result.policy[0])) == {1, 5}


def test_look_ahead_saves_evaluations() -> None:
    counts = {}
    for depth in (0, 1):
        search = searched(
            CONNECT4, SearchSettings(lookahead=depth), UniformEvaluator(7), 400, after(CONNECT4, [3, 3, 2])
        )
        counts[depth] = search.counters
    assert counts[0].saved == 0
    assert counts[1].saved > 0
    assert counts[1].evaluations < counts[0].evaluations


def test_several_leaves_wait_at_once_and_are_distinct() -> None:
    search = Search(GOMOKU6, PLAIN._replace(leaves=8))
    search.begin(ONE, 100)
    evaluator = TableEvaluator(36)
    sizes = []
    while len(planes := search.select()):
        assert len({position.tobytes() for position in planes}) == len(planes)
        sizes.append(len(planes))
        search.update(evaluator.evaluate(planes))
    assert max(sizes) == 8
    assert search.result(ONE).visits.sum() == 100
    assert (search._forest.nodes[0, : search._forest.slots[0].nodes]["waiting"] == 0).all()


def test_waiting_leaves_of_a_forgotten_tree_are_dropped() -> None:
    search = Search(CONNECT4, PLAIN._replace(leaves=3), games=2)
    evaluator = TableEvaluator(7)
    search.begin(np.array([0, 1]), 40)
    for _ in range(5):
        search.update(evaluator.evaluate(search.select()))
    planes = search.select()
    search.reset(np.array([0]))
    search.begin(np.array([0]), 40)
    search.update(evaluator.evaluate(planes))
    search.run(evaluator)
    fresh = Search(CONNECT4, PLAIN._replace(leaves=3))
    fresh.begin(ONE, 40)
    fresh.run(evaluator)
    assert (search.result(np.array([0, 1])).visits == fresh.result(ONE).visits).all()


def test_misuse_is_told() -> None:
    search = Search(CONNECT4, PLAIN)
    search.begin(ONE, 5)
    search.select()
    with pytest.raises(RuntimeError, match="before update"):
        search.select()
    with pytest.raises(GameError, match="Action 9 is not legal"):
        search.play(ONE, np.array([9]))


def test_a_finished_game_needs_no_search() -> None:
    state = after(TICTACTOE, [0, 3, 1, 4, 2])
    search = searched(TICTACTOE, SearchSettings(), UniformEvaluator(9), 30, state)
    result = search.result(ONE)
    assert result.best[0] == -1
    assert result.policy.sum() == 0
    assert result.proven[0] == LOSS
    assert search.counters.evaluations == 0


def test_same_seed_same_search_other_seed_other_noise() -> None:
    visits = [
        searched(CONNECT4, SearchSettings(), TableEvaluator(7), 60, noise=True, seed=seed).result(ONE).visits.tolist()
        for seed in (1, 1, 2)
    ]
    assert visits[0] == visits[1] != visits[2]


def test_games_do_not_touch_each_other() -> None:
    evaluator = TableEvaluator(7)
    states = [after(CONNECT4, moves) for moves in ([], [3], [3, 3, 4], [0, 6, 0, 6])]
    together = Search(CONNECT4, SearchSettings(), games=4)
    together.reset(np.arange(4), np.stack(states))
    together.begin(np.arange(4), np.array([50, 20, 70, 35]))
    together.run(evaluator)
    for slot, (state, simulations) in enumerate(zip(states, (50, 20, 70, 35), strict=True)):
        alone = searched(CONNECT4, SearchSettings(), evaluator, simulations, state)
        assert (together.result(np.array([slot])).visits == alone.result(ONE).visits).all()
        assert together.states[slot, PLY] == state[PLY]
        assert legal_actions(CONNECT4, state)
