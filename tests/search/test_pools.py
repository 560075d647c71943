"""Bounded memory: pools that fill up, grow on request, and are compacted as the game goes on."""

import numpy as np
import pytest

from rayzero.games import make_game
from rayzero.games.rules import ONGOING, RESULT
from rayzero.search import Search, SearchSettings, read_tree, tree
from tests.search.reference import TableEvaluator

GOMOKU6 = make_game("gomoku", width=6, height=6, in_a_row=4)
CONNECT4 = make_game("connect4")
ONE = np.array([0])


def check_tree(search: Search, slot: int) -> None:
    """Counts add up, every child knows its parent, and no edge is used twice."""
    forest = search._forest
    used = forest.slots[slot].nodes
    edges = np.zeros(forest.slots[slot].edges, int)
    for i in range(used):
        node = forest.nodes[slot, i]
        edges[node.first : node.first + node.edges] += 1
        actions = forest.action[slot, node.first : node.first + node.edges]
        assert len(set(actions.tolist())) == node.edges
        if node.edges:
            assert forest.prior[slot, node.first : node.first + node.edges].sum() == pytest.approx(1, abs=1e-5)
        children = forest.child[slot, node.first : node.first + node.visited]
        assert (forest.nodes[slot, children]["parent"] == i).all()
        assert (children > i).all()
        if node.result == ONGOING and node.edges:
            assert forest.nodes[slot, children]["visits"].sum() <= node.visits
    assert (edges == 1).all()


@pytest.mark.parametrize("settings", [SearchSettings(), SearchSettings(kind=1), SearchSettings(leaves=5, cache=512)])
def test_compaction_keeps_exactly_the_subtree(settings: SearchSettings) -> None:
    search = Search(GOMOKU6, settings._replace(simulations=80), games=3)
    slots = np.arange(3)
    rng = np.random.default_rng(0)
    evaluator = TableEvaluator(36)
    while len(slots):
        search.begin(slots, 80, noise=True)
        search.run(evaluator)
        for slot in slots:
            check_tree(search, slot)
        result = search.result(slots)
        actions = np.array([rng.choice(np.flatnonzero(policy)) for policy in result.policy])
        expected = {slot: subtree(search, slot, action) for slot, action in zip(slots, actions, strict=True)}
        search.play(slots, actions)
        for slot in slots:
            check_tree(search, slot)
            if expected[slot] is not None:
                assert read_tree(search, slot).children == expected[slot]
        slots = slots[search.states[slots, RESULT] == ONGOING]


def subtree(search: Search, slot: int, action: int):
    return next((b.children for b in read_tree(search, slot).children if b.action == action), None)


def test_more_simulations_than_planned_make_room() -> None:
    evaluator = TableEvaluator(7)
    small = Search(CONNECT4, SearchSettings(simulations=10))
    large = Search(CONNECT4, SearchSettings(simulations=3000))
    for search in (small, large):
        search.begin(ONE, 10)
        search.run(evaluator)
        search.begin(ONE, 3000)
        search.run(evaluator)
    assert (small.result(ONE).visits == large.result(ONE).visits).all()
    assert small.result(ONE).visits.sum() == 3000


@pytest.mark.parametrize("leaves", [1, 6])
def test_a_full_pool_of_edges_degrades_and_recovers(monkeypatch: pytest.MonkeyPatch, leaves: int) -> None:
    monkeypatch.setattr(tree, "EDGE_LIMIT", 10 * 36)
    search = Search(GOMOKU6, SearchSettings(simulations=500, lookahead=0, leaves=leaves))
    evaluator = TableEvaluator(36)
    for _ in range(4):
        search.begin(ONE, 500)
        search.run(evaluator)
        result = search.result(ONE)
        check_tree(search, 0)
        assert search._forest.slots[0].edges <= 10 * 36
        assert result.visits.sum() == 500 or result.proven[0] != ONGOING
        search.play(ONE, result.best)
    assert search.counters.evaluations < 2000


def test_a_full_pool_of_nodes_degrades(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Search, "_pool", lambda self, simulations: 35)
    search = Search(GOMOKU6, SearchSettings(kind=1, simulations=30, gumbel_considered=2, lookahead=0))
    used = []
    for _ in range(6):
        search.begin(ONE, 30, noise=True)
        search.run(TableEvaluator(36))
        check_tree(search, 0)
        used.append(int(search._forest.slots[0].nodes))
        search.play(ONE, search.result(ONE).best)
    assert max(used) <= 35


def test_a_full_pool_of_nodes_ends_a_plain_search_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Search, "_pool", lambda self, simulations: 35)
    search = Search(GOMOKU6, SearchSettings(lookahead=0))
    search.begin(ONE, 200)
    search.run(TableEvaluator(36))
    check_tree(search, 0)
    assert search._forest.slots[0].nodes == 35
    assert search._forest.nodes[0, 0].visits == 201
    assert search.result(ONE).best[0] >= 0


def test_memory_of_256_games_of_15x15_is_bounded() -> None:
    game = make_game("gomoku")
    search = Search(game, SearchSettings(simulations=400), games=256)
    total = sum(array.nbytes for array in search._forest) + sum(array.nbytes for array in search._scratch)
    assert total < 400e6
