"""Sequential halving by published tables, and the improved policy on bandits with known answers."""

import math

import numpy as np
import pytest

from rayzero.games import make_game
from rayzero.search import Search, SearchSettings
from rayzero.search.gumbel import fill_schedule
from rayzero.search.settings import GUMBEL
from tests.search.reference import considered_visits
from tests.search.worlds import bandit

GOMOKU6 = make_game("gomoku", width=6, height=6, in_a_row=6)
ONE = np.array([0])
SETTINGS = SearchSettings(kind=GUMBEL, solver=False, lookahead=0, simulations=64)

# Visits that the considered actions have, simulation by simulation, written by hand: m actions, n simulations.
TABLES = {
    (1, 4): [0, 1, 2, 3],
    (2, 5): [0, 0, 1, 1, 2],
    (4, 8): [0, 0, 0, 0, 1, 1, 2, 2],
    (4, 16): [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5],
    (4, 3): [0, 0, 0],
    (3, 10): [0, 0, 0, 1, 1, 2, 2, 3, 3, 4],
    (16, 16): [0] * 16,
    (16, 32): [0] * 16 + [1] * 8 + [2] * 4 + [3] * 4,
    (8, 48): [0] * 8
    + [1] * 8
    + [2] * 4
    + [3] * 4
    + [4] * 4
    + [5] * 4
    + [6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13],
}


@pytest.mark.parametrize(("considered", "simulations"), TABLES)
def test_considered_visits_by_hand(considered: int, simulations: int) -> None:
    visits = np.full(simulations, -1, np.int64)
    fill_schedule(considered, simulations, visits)
    assert visits.tolist() == TABLES[considered, simulations]


def test_considered_visits_as_published_for_all_sizes() -> None:
    for considered in range(1, 40):
        for simulations in range(0, 130, 3):
            visits = np.full(simulations, -1, np.int64)
            fill_schedule(considered, simulations, visits)
            assert visits.tolist() == considered_visits(considered, simulations)


def searched(settings: SearchSettings, world, simulations: int, noise: bool = False, seed: int = 1) -> Search:
    search = Search(GOMOKU6, settings, seed=seed)
    search.begin(ONE, simulations, noise=noise)
    search.run(world)
    return search


def test_halving_gives_each_survivor_its_visits() -> None:
    """16 actions, 64 simulations: 16 x 1, 8 x 2, 4 x 4, 2 x 8 more."""
    rng = np.random.default_rng(0)
    world = bandit(36, {a: float(rng.uniform(-1, 1)) for a in range(36)}, rng.dirichlet(np.ones(36)))
    visits = searched(SETTINGS, world, 64, noise=True).result(ONE).visits[0]
    assert sorted(visits[visits > 0].tolist(), reverse=True) == [15, 15, 7, 7] + [3] * 4 + [1] * 8


def test_without_noise_the_likeliest_actions_are_considered() -> None:
    priors = np.arange(1, 37) / np.arange(1, 37).sum()
    visits = searched(SETTINGS._replace(gumbel_considered=4), bandit(36, {}, priors), 8).result(ONE).visits[0]
    assert set(np.flatnonzero(visits)) == {32, 33, 34, 35}


@pytest.mark.parametrize("best", [0, 17, 35])
def test_finds_the_best_arm_of_a_bandit(best: int) -> None:
    world = bandit(36, {best: 0.8})
    result = searched(SETTINGS._replace(gumbel_considered=36), world, 72, noise=True).result(ONE)
    assert result.best[0] == best
    assert result.policy[0].argmax() == best


def test_target_is_the_completed_policy_of_the_paper() -> None:
    rng = np.random.default_rng(3)
    priors = rng.dirichlet(np.ones(36)).astype(np.float32)
    values = {a: float(rng.uniform(-0.2, 0.2)) for a in range(36)}
    settings = SETTINGS._replace(gumbel_c_visit=10.0, gumbel_c_scale=0.5)
    result = searched(settings, bandit(36, values, priors), 24, noise=True).result(ONE)
    visits, q = result.visits[0], result.q[0]
    seen = visits > 0
    weighted = (priors[seen] * q[seen]).sum() / priors[seen].sum()
    mixed = (0.0 + visits.sum() * weighted) / (1 + visits.sum())
    completed = np.where(seen, q, mixed)
    logits = np.log(priors) + (10 + visits.max()) * 0.5 * (completed + 1) / 2
    expected = np.exp(logits - logits.max())
    assert result.policy[0] == pytest.approx(expected / expected.sum(), rel=1e-4)


def test_the_target_improves_on_the_priors() -> None:
    """The expected value of the target is at least that of the priors, whatever the noise: policy improvement."""
    rng = np.random.default_rng(4)
    for seed in range(20):
        priors = rng.dirichlet(np.full(36, 0.3)).astype(np.float32)
        values = {a: float(rng.uniform(-0.5, 0.5)) for a in range(36)}
        known = np.array([values[a] for a in range(36)])
        result = searched(SETTINGS, bandit(36, values, priors), 16, noise=True, seed=seed).result(ONE)
        assert result.policy[0] @ known >= priors @ known - 1e-6


def test_noise_samples_without_replacement_from_the_priors() -> None:
    """One simulation considers one action: by the Gumbel trick a sample of the priors."""
    priors = np.full(36, 0.4 / 34)
    priors[[5, 20]] = (0.4, 0.2)
    games = 4000
    search = Search(GOMOKU6, SETTINGS._replace(simulations=1), games=games, seed=9)
    search.begin(np.arange(games), 1, noise=True)
    search.run(bandit(36, {}, priors))
    shares = search.result(np.arange(games)).visits.mean(axis=0)
    assert shares[5] == pytest.approx(0.4, abs=0.03)
    assert shares[20] == pytest.approx(0.2, abs=0.03)


def test_interior_visits_follow_the_improved_policy() -> None:
    """With equal values the improved policy is the priors, and visits below the root follow them."""
    priors = np.full(36, 0.1 / 34)
    priors[[1, 2]] = (0.6, 0.3)
    settings = SETTINGS._replace(gumbel_considered=1, simulations=400)
    search = searched(settings, bandit(36, {}, priors), 400)
    search.play(ONE, search.result(ONE).best)
    visits = search.result(ONE).visits[0]
    legal = priors.copy()
    legal[1] = 0
    expected = legal / legal.sum() * visits.sum()
    assert visits[2] == pytest.approx(expected[2], abs=2)


def test_kept_visits_count_but_each_search_halves_anew() -> None:
    world = bandit(36, {a: a / 36 for a in range(36)})
    search = searched(SETTINGS, world, 64, noise=True)
    result = search.result(ONE)
    kept = int(result.visits[0, result.best[0]]) - 1
    search.play(ONE, result.best)
    before = search.counters.simulations
    search.begin(ONE, 64, noise=True)
    search.run(world)
    assert search.counters.simulations - before == 64 - kept
    assert search.result(ONE).visits.sum() == 64


def test_zero_priors_do_no_harm() -> None:
    result = searched(SETTINGS, bandit(36, {3: 0.5}, np.eye(36)[3]), 30, noise=True).result(ONE)
    assert math.isclose(result.policy.sum(), 1, rel_tol=1e-5)
    assert result.best[0] == 3
