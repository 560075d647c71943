"""Remembered evaluations change nothing but the number of evaluations."""

import numpy as np
import pytest

from rayzero.evaluator import UniformEvaluator
from rayzero.games import make_game
from rayzero.games.rules import ONGOING, RESULT
from rayzero.search import Search, SearchSettings
from rayzero.search.cache import canonical_key, find, make_cache, recall, store
from tests.search.positions import random_position
from tests.search.reference import TableEvaluator, planes_of

CONNECT4 = make_game("connect4")
GOMOKU6 = make_game("gomoku", width=6, height=6, in_a_row=4)


def play_games(settings: SearchSettings, evaluator, moves: int = 6) -> tuple[list, Search]:
    search = Search(CONNECT4, settings, games=8)
    slots = np.arange(8)
    seen = []
    for _ in range(moves):
        search.begin(slots, 40)
        search.run(evaluator)
        result = search.result(slots)
        seen.append(result.visits.tolist())
        search.play(slots, result.best)
        assert (search.states[:, RESULT] == ONGOING).all()
    return seen, search


def test_same_searches_with_fewer_evaluations() -> None:
    settings = SearchSettings(reuse_tree=False)
    without, plain = play_games(settings, TableEvaluator(7))
    cached, search = play_games(settings._replace(cache=1 << 14), TableEvaluator(7))
    assert cached == without
    counters = search.counters
    assert counters.cache_hits > 0
    assert counters.evaluations + counters.cache_hits == plain.counters.evaluations
    assert plain.counters.cache_hits == 0


def test_a_full_cache_forgets_but_never_lies() -> None:
    without, _ = play_games(SearchSettings(reuse_tree=False), TableEvaluator(7))
    cached, search = play_games(SearchSettings(reuse_tree=False, cache=16), TableEvaluator(7))
    assert cached == without
    assert len(search._cache.entries) == 16


def test_new_weights_need_a_clear_cache() -> None:
    class Negated(TableEvaluator):
        def evaluate(self, planes):
            evaluation = super().evaluate(planes)
            evaluation.value[:] *= -1
            return evaluation

    search = Search(CONNECT4, SearchSettings(cache=1024))
    slot = np.array([0])
    search.begin(slot, 50)
    for _ in range(10):
        search.update(TableEvaluator(7).evaluate(search.select()))
    planes = search.select()
    search.clear_cache()
    search.update(TableEvaluator(7).evaluate(planes))  # asked of the old weights: not to be remembered
    assert (search._cache.entries["key"] == 0).all()
    search.reset(slot)
    search.begin(slot, 50)
    search.run(Negated(7))
    fresh = Search(CONNECT4, SearchSettings())
    fresh.begin(slot, 50)
    fresh.run(Negated(7))
    assert (search.result(slot).visits == fresh.result(slot).visits).all()


@pytest.mark.kernels
@pytest.mark.parametrize("game", [CONNECT4, GOMOKU6], ids=["connect4", "gomoku6"])
def test_images_of_a_position_share_an_entry_and_get_their_own_priors(game) -> None:
    rng = np.random.default_rng(2)
    cache = make_cache(game, 256)
    for plies in range(2, 12):
        planes = planes_of(game, random_position(game, plies, rng))
        priors = rng.random(game.actions).astype(np.float32)
        key, image = canonical_key(cache, game, planes, True)
        store(cache, key, game.action_symmetries[image], priors, np.float32(0.25), np.float32(7))
        for cells, actions in zip(game.cell_symmetries, game.action_symmetries, strict=True):
            turned = planes.reshape(len(planes), -1)[:, cells].reshape(planes.shape)
            turned = np.ascontiguousarray(turned)
            other_key, other_image = canonical_key(cache, game, turned, True)
            assert other_key == key
            place = find(cache, other_key)
            recall(cache, place, game.action_symmetries[other_image])
            assert cache.recalled == pytest.approx(priors[actions])
            assert cache.entries[place]["value"] == np.float32(0.25)


def test_symmetry_hits_more_often() -> None:
    hits = []
    for symmetry in (False, True):
        settings = SearchSettings(cache=1 << 14, cache_symmetry=symmetry)
        search = Search(GOMOKU6, settings)
        search.begin(np.array([0]), 300)
        search.run(UniformEvaluator(36))
        hits.append(search.counters.cache_hits)
    assert hits[1] > 2 * hits[0]


def test_keys_tell_positions_apart() -> None:
    cache = make_cache(CONNECT4, 1)
    rng = np.random.default_rng(6)
    keys = {}
    for _ in range(2000):
        state = random_position(CONNECT4, int(rng.integers(42)), rng)
        planes = planes_of(CONNECT4, state)
        keys.setdefault(canonical_key(cache, CONNECT4, planes, False)[0], set()).add(planes.tobytes())
    assert all(len(positions) == 1 for positions in keys.values())
    assert len(keys) > 1000
