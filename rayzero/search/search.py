"""Net-guided search over many games of one kind at once."""

from typing import Any, NamedTuple

import numpy as np

from rayzero.errors import GameError
from rayzero.evaluator import Evaluator
from rayzero.records import Evaluation
from rayzero.search.cache import EMPTY, make_cache, store_evaluations
from rayzero.search.descent import select_leaves, take_evaluation
from rayzero.search.inspect import principal_variation
from rayzero.search.policy import read_roots
from rayzero.search.root import begin_searches, count_legal, play_moves, reset_trees
from rayzero.search.settings import GUMBEL, SearchSettings
from rayzero.search.tree import EVALUATIONS, HITS, SAVED, SIMULATIONS, make_scratch, plant, transplant


class SearchResult(NamedTuple):
    """What the searches at n roots have found; values are those of the player to move."""

    visits: Any  # int32 [n, A]
    policy: Any  # float32 [n, A]: the training target
    q: Any  # float32 [n, A]: nan where unvisited
    priors: Any  # float32 [n, A]: of the net over the expanded actions, without noise
    value: Any  # float32 [n]
    moves_left: Any  # float32 [n]
    proven: Any  # int8 [n]: ONGOING where nothing is proven, else WIN, DRAW or LOSS
    proven_plies: Any  # int16 [n]
    best: Any  # int16 [n]: the move to play for strength; NO_ACTION where the game is over


class Counters(NamedTuple):
    """Work done since the search was made."""

    simulations: int
    evaluations: int  # asked of the evaluator
    saved: int  # not needed, because look-ahead through the rules knew the result
    cache_hits: int  # not needed, because the same position had been evaluated before


class Search:
    """B trees of one game. `begin` some, then `select`, evaluate and `update` until `select` gives nothing."""

    def __init__(self, game: Any, settings: SearchSettings, games: int = 1, seed: int = 1) -> None:
        self.game = game
        self.settings = settings.checked()
        self._numbers = self.settings.numbers()
        self._rng = np.random.default_rng(seed)
        self._forest = plant(game, games, self._pool(settings.simulations), settings.leaves, self._gumbel)
        self._scratch = make_scratch(game, self._pool(settings.simulations))
        self._cache = make_cache(game, settings.cache)
        self._waiting = 0
        self.reset(np.arange(games))

    @property
    def _gumbel(self) -> bool:
        return self.settings.kind == GUMBEL

    def _pool(self, simulations: int) -> int:
        # A Gumbel search spends all its simulations on top of those kept from before.
        return (2 if self._gumbel else 1) * simulations + self.settings.leaves + 1

    @property
    def states(self) -> np.ndarray:
        """int64 [B, state_size]: the roots; to be read only."""
        states: np.ndarray = self._forest.states
        return states

    @property
    def finished(self) -> np.ndarray:
        """Which games, bool [B], games have no search under way."""
        finished: np.ndarray = self._forest.slots["active"] == 0
        return finished

    @property
    def counters(self) -> Counters:
        """How much was simulated, evaluated, and saved."""
        return Counters(*(int(self._forest.counters[i]) for i in (SIMULATIONS, EVALUATIONS, SAVED, HITS)))

    def reset(self, slots: np.ndarray, states: np.ndarray | None = None) -> None:
        """Forget the trees of some games and put their roots at these states, or at the initial position."""
        slots = _indices(slots)
        given = self._forest.states[slots] if states is None else np.ascontiguousarray(states, np.int64)
        reset_trees(self._forest, self.game, slots, self._waiting, given, states is None)

    def begin(
        self,
        slots: np.ndarray,
        simulations: int | np.ndarray,
        noise: bool | np.ndarray = False,
        epsilon: float = 0.25,
        alpha: float | None = None,
    ) -> None:
        """Start a search at the root of each slot; simulations kept from the last move count towards its number.

        With noise a search explores: Dirichlet noise (alpha None: 10 / number of legal actions), temperature and
        forced playouts at the root, or Gumbel noise.
        """
        slots = _indices(slots)
        budget = np.full(len(slots), simulations, np.int32)
        noisy = np.full(len(slots), noise, np.bool_)
        self._make_room(int(budget.max(initial=0)))
        self._sample_noise(slots, noisy, alpha)
        begin_searches(self._forest, self._numbers, slots, budget, noisy, float(epsilon))

    def _sample_noise(self, slots: np.ndarray, noisy: np.ndarray, alpha: float | None) -> None:
        if self._gumbel:
            self._forest.noise[slots] = 0.0
        slots = slots[noisy]
        shape = (len(slots), self.game.actions)
        if not len(slots):
            return
        if self._gumbel:
            self._forest.noise[slots] = self._rng.gumbel(size=shape)
            return
        counts = np.empty(len(slots), np.int64)
        count_legal(self._forest, self._scratch, self.game, slots, counts)
        shapes = 10 / np.maximum(counts, 1)[:, None] if alpha is None else alpha
        self._forest.noise[slots] = self._rng.standard_gamma(shapes, shape)

    def _make_room(self, simulations: int) -> None:
        games, nodes = self._forest.nodes.shape
        if self._pool(simulations) > nodes:
            larger = plant(self.game, games, self._pool(simulations), self.settings.leaves, self._gumbel)
            self._forest = transplant(self._forest, larger)
            self._scratch = make_scratch(self.game, self._pool(simulations))

    def select(self) -> np.ndarray:
        """Planes uint8 [n, C, H, W] of the leaves that need an evaluation; none when every search has finished.

        They stay valid until the next call.
        """
        if self._waiting:
            raise RuntimeError("select was called again before update took in the evaluation of its leaves")
        self._waiting = select_leaves(self._forest, self._cache, self.game, self._numbers)
        planes: np.ndarray = self._forest.planes[: self._waiting]
        return planes

    def update(self, evaluation: Evaluation) -> None:
        """Take in the evaluation of the planes that `select` gave."""
        n, self._waiting = self._waiting, 0
        priors, value, moves_left = evaluation.priors, evaluation.value, evaluation.moves_left
        if self.settings.cache:
            store_evaluations(self._cache, self._forest, self.game, n, priors, value, moves_left)
        take_evaluation(self._forest, self._numbers, n, priors, value, moves_left)

    def run(self, evaluator: Evaluator) -> None:
        """Finish every search that has begun."""
        while len(planes := self.select()):
            self.update(evaluator.evaluate(planes))

    def clear_cache(self) -> None:
        """Forget all evaluations: to be called with new weights."""
        self._cache.entries["key"] = EMPTY
        self._forest.leaves["key"] = EMPTY  # Those on their way are of the old weights.

    def result(self, slots: np.ndarray) -> SearchResult:
        """What the searches at these roots have found so far."""
        slots = _indices(slots)
        n, actions = len(slots), self.game.actions
        result = SearchResult(
            visits=np.empty((n, actions), np.int32),
            policy=np.empty((n, actions), np.float32),
            q=np.empty((n, actions), np.float32),
            priors=np.empty((n, actions), np.float32),
            value=np.empty(n, np.float32),
            moves_left=np.empty(n, np.float32),
            proven=np.empty(n, np.int8),
            proven_plies=np.empty(n, np.int16),
            best=np.empty(n, np.int16),
        )
        read_roots(self._forest, self._scratch, self.game, self._numbers, slots, result)
        return result

    def principal_variation(self, slot: int = 0) -> list[int]:
        """The moves that both sides are expected to play."""
        return principal_variation(self, slot)

    def play(self, slots: np.ndarray, actions: np.ndarray) -> None:
        """Advance the roots; what was searched below the moves is kept where `reuse_tree` says so."""
        slots, actions = _indices(slots), np.ascontiguousarray(actions, np.int16)
        reuse = self.settings.reuse_tree
        wrong = play_moves(self._forest, self._scratch, self.game, reuse, slots, self._waiting, actions)
        if wrong >= 0:
            raise GameError(f"Action {actions[wrong]} is not legal in the position of game {slots[wrong]}.")


def _indices(slots: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.atleast_1d(slots), np.int64)
