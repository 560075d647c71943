"""Self-play: many games at once, in two groups, so that one is searched while the other is evaluated."""

import time
import uuid
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

import numpy as np

from rayzero.config import schema
from rayzero.games.rules import NO_ACTION, ONGOING, PLY, RESULT, WIN, legal, play
from rayzero.jit import kernel
from rayzero.records import Evaluation, GameRecord, Weights
from rayzero.search import Search, SearchResult, SearchSettings
from rayzero.search.targets import sample_actions


class Pending(Protocol):
    """An evaluation that is on its way."""

    def result(self) -> Evaluation:
        """Wait for it."""


class Submitting(Protocol):
    """An evaluator that can be asked now and answer later."""

    version: int

    def load(self, weights: Weights) -> None:
        """Use these weights from the next submission on."""

    def submit(self, planes: np.ndarray) -> Pending:
        """Start evaluating uint8 planes [B, C, H, W]."""


@dataclass
class SelfPlayStats:
    """Counts of one or more calls of `advance`; they add up."""

    seconds: float = 0.0
    waited: float = 0.0  # seconds without anything to search, waiting for evaluations
    games: int = 0
    plies: int = 0
    targets: int = 0
    simulations: int = 0
    evaluations: int = 0
    saved: int = 0  # simulations that the rules or a proof answered without an evaluation
    cache_hits: int = 0
    first_player_points: float = 0.0
    draws: int = 0

    def __iadd__(self, other: "SelfPlayStats") -> "SelfPlayStats":
        for entry in fields(self):
            setattr(self, entry.name, getattr(self, entry.name) + getattr(other, entry.name))
        return self


@dataclass
class Advance:
    """What a stretch of self-play brought."""

    records: list[GameRecord] = field(default_factory=list)
    stats: SelfPlayStats = field(default_factory=SelfPlayStats)


class SelfPlay:
    """Plays `games` games at a time against itself and turns the finished ones into records."""

    def __init__(
        self,
        game: Any,
        search: schema.Search,
        selfplay: schema.SelfPlay,
        evaluator: Submitting,
        seed: int,
    ) -> None:
        self.evaluator = evaluator
        sizes = [(selfplay.games_per_worker + 1) // 2, selfplay.games_per_worker // 2]
        seeds = np.random.SeedSequence(seed).spawn(2)
        self._groups = [
            _Group(game, search, selfplay, size, group_seed)
            for size, group_seed in zip(sizes, seeds, strict=True)
            if size
        ]
        self._pending: list[Pending | None] = [None] * len(self._groups)

    def load(self, weights: Weights) -> None:
        """Play on with new weights, in the games that are under way too."""
        self.evaluator.load(weights)
        for group in self._groups:
            group.search.clear_cache()

    def advance(self, seconds: float) -> Advance:
        """Play for about so long; games in progress stay for the next call."""
        start = time.perf_counter()
        before = self._counters()
        done = Advance()
        while time.perf_counter() - start < seconds:
            for index, group in enumerate(self._groups):
                pending = self._pending[index]
                if pending is not None:
                    asked = time.perf_counter()
                    evaluation = pending.result()
                    done.stats.waited += time.perf_counter() - asked
                    self._pending[index] = None
                    group.search.update(evaluation)
                planes = group.next_leaves(self.evaluator.version, done.records)
                self._pending[index] = self.evaluator.submit(planes)
        done.stats += _count(done.records)
        for name, value in self._counters().items():
            setattr(done.stats, name, value - before[name])
        done.stats.seconds = time.perf_counter() - start
        return done

    def boards(self) -> np.ndarray:
        """The moves of every game in progress, int16 [games, max_plies], ended by NO_ACTION: for watching."""
        return np.concatenate([group.moves for group in self._groups])

    def _counters(self) -> dict[str, int]:
        counters = [group.search.counters for group in self._groups]
        return {
            name: sum(getattr(counter, name) for counter in counters)
            for name in ("simulations", "evaluations", "saved", "cache_hits")
        }


class _Group:
    """Games whose leaves are evaluated together."""

    def __init__(
        self, game: Any, search: schema.Search, selfplay: schema.SelfPlay, size: int, seed: np.random.SeedSequence
    ) -> None:
        self.game = game
        self.settings = selfplay
        self.kind = search.kind
        self.simulations = search.simulations
        self.random = np.random.default_rng(seed)
        self.search = Search(game, SearchSettings.from_config(search), games=size, seed=int(seed.generate_state(1)[0]))
        self.moves = np.full((size, game.max_plies), NO_ACTION, np.int16)
        self.full = np.zeros(size, bool)  # the current search is a full one: its result is a training target
        self.oldest = np.zeros(size, np.int64)
        self.targets: list[list[_Target]] = [[] for _ in range(size)]
        self._start(np.arange(size), version=0)

    def next_leaves(self, version: int, records: list[GameRecord]) -> np.ndarray:
        """Move on every game whose search has finished, until some leaf needs an evaluation."""
        while True:
            planes = self.search.select()
            slots = np.flatnonzero(self.search.finished)
            if len(slots):
                self._move(slots, version, records)
            if len(planes):
                return planes

    def _move(self, slots: np.ndarray, version: int, records: list[GameRecord]) -> None:
        result = self.search.result(slots)
        plies = self.search.states[slots, PLY]
        self._record(slots, plies, result)
        actions = self._choose(slots, plies, result)
        self.moves[slots, plies] = actions
        self.search.play(slots, actions)
        ended = self.search.states[slots, RESULT] != ONGOING
        for slot in slots[ended]:
            records.append(self._finish(slot, version))
        self._start(slots[ended], version)
        self._begin(slots[~ended])

    def _record(self, slots: np.ndarray, plies: np.ndarray, result: SearchResult) -> None:
        for row in np.flatnonzero(self.full[slots]):
            actions = np.flatnonzero(result.policy[row]).astype(np.int16)
            self.targets[slots[row]].append(
                _Target(int(plies[row]), actions, result.policy[row, actions], float(result.value[row]))
            )

    def _choose(self, slots: np.ndarray, plies: np.ndarray, result: SearchResult) -> np.ndarray:
        """Sample by policy ** (1/T) early in a game; play for strength later, or where a win is proven.

        The policy, not the visits: it leaves out moves that are proven lost and visits that were forced. A Gumbel
        search has sampled already.
        """
        settings = self.settings
        temperature = np.where(plies < settings.temperature_plies, settings.temperature, settings.temperature_end)
        temperature[(result.proven == WIN) | (self.kind == "gumbel")] = 0.0
        weights = self._with_noise(result.policy) if settings.move_noise else result.policy
        sampled = sample_actions(weights, temperature, self.random)
        return np.where(temperature > 0, sampled, result.best).astype(np.int16)

    def _with_noise(self, policies: np.ndarray) -> np.ndarray:
        """The noise of AlphaZero_Gomoku: on the move probabilities, not on the priors in the tree."""
        mixed = policies.copy()
        epsilon = self.settings.noise_epsilon
        for row in mixed:
            legal = np.flatnonzero(row)
            alpha = self.settings.noise_alpha or 10 / len(legal)
            row[legal] = (1 - epsilon) * row[legal] + epsilon * self.random.dirichlet(np.full(len(legal), alpha))
        return mixed

    def _start(self, slots: np.ndarray, version: int) -> None:
        if not len(slots):
            return
        self.search.reset(slots)
        self.moves[slots] = NO_ACTION
        self.oldest[slots] = version
        for slot in slots:
            self.targets[slot] = []
        if self.settings.random_plies:
            self._open_randomly(slots)
        self._begin(slots)

    def _open_randomly(self, slots: np.ndarray) -> None:
        states = self.search.states[slots].copy()
        for slot, state in zip(slots, states, strict=True):
            draws = self.random.random(self.random.integers(self.settings.random_plies + 1))
            play_randomly(self.game, state, draws, self.moves[slot])
        self.search.reset(slots, states)

    def _begin(self, slots: np.ndarray) -> None:
        if not len(slots):
            return
        settings = self.settings
        full = self.random.random(len(slots)) < settings.full_share
        self.full[slots] = full
        simulations = np.where(full, self.simulations, settings.fast_simulations)
        noise = full if not settings.move_noise else np.zeros_like(full)
        self.search.begin(slots, simulations, noise=noise, epsilon=settings.noise_epsilon, alpha=settings.noise_alpha)

    def _finish(self, slot: int, version: int) -> GameRecord:
        state = self.search.states[slot]
        plies, outcome = int(state[PLY]), int(state[RESULT])
        targets = self.targets[slot]
        return GameRecord(
            id=uuid.uuid4().hex,
            versions=(int(self.oldest[slot]), version),
            moves=self.moves[slot, :plies].copy(),
            outcome=outcome if plies % 2 == 0 else -outcome,
            target_plies=np.array([target.ply for target in targets], np.int16),
            policy_ends=np.cumsum([len(target.actions) for target in targets], dtype=np.int32),
            policy_actions=_join([target.actions for target in targets], np.int16),
            policy_probabilities=_join([target.probabilities for target in targets], np.float16),
            search_values=np.array([target.value for target in targets], np.float16),
        )


@dataclass(frozen=True)
class _Target:
    ply: int
    actions: np.ndarray  # int16 [k]
    probabilities: np.ndarray  # float32 [k]
    value: float


@kernel
def play_randomly(game, state, draws, moves):
    """Play one random action per draw in [0, 1), as long as it does not end the game."""
    actions = np.empty(game.actions, np.int16)
    trial = np.empty_like(state)
    for ply in range(len(draws)):
        n = legal(game, state, actions)
        action = actions[int(draws[ply] * n)]
        trial[:] = state
        play(game, trial, action)
        if trial[RESULT] != ONGOING:
            return
        state[:] = trial
        moves[ply] = action


def _join(parts: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype)


def _count(records: list[GameRecord]) -> SelfPlayStats:
    return SelfPlayStats(
        games=len(records),
        plies=sum(record.plies for record in records),
        targets=sum(len(record.target_plies) for record in records),
        first_player_points=sum((record.outcome + 1) / 2 for record in records),
        draws=sum(record.outcome == 0 for record in records),
    )
