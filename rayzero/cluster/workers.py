"""Self-play in an actor, with the net beside it or in a server."""

import time
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayActorError

from rayzero.config import Config
from rayzero.evaluator import Evaluator
from rayzero.games import make_game
from rayzero.records import Evaluation, GameRecord, Weights
from rayzero.reports import InferenceStats
from rayzero.selfplay import SelfPlay, SelfPlayStats

_SERVER_PATIENCE = 60.0  # seconds that a server may take to come back
_LOOK_AHEAD = 4  # incarnations of a server that may have come and gone unseen


class SelfPlayWorker:
    """Plays games in finite stretches; the driver asks for the next one."""

    def __init__(self, config: Config, seed: int, servers: dict[str, int], start: int) -> None:
        game = make_game(config.game.name, **config.game.options)
        self._evaluator = RemoteEvaluator(servers, start) if servers else LocalEvaluator(_beside(game, config))
        self._selfplay = SelfPlay(game, config.search, config.selfplay, self._evaluator, seed)

    def advance(
        self, seconds: float, weights: Weights | None
    ) -> tuple[list[GameRecord], tuple[SelfPlayStats, InferenceStats]]:
        """Play on, with new weights if given; returns the finished games."""
        if weights is not None:
            self._selfplay.load(weights)
        done = self._selfplay.advance(seconds)
        return done.records, (done.stats, self._evaluator.take_stats())


def _beside(game: Any, config: Config) -> Evaluator:
    from rayzero.net import make_evaluator

    return make_evaluator(game, config.net, config.inference)


class LocalEvaluator:
    """Answers at once."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.version = evaluator.version
        self._evaluator = evaluator
        self._stats = InferenceStats()

    def load(self, weights: Weights) -> None:
        """Use these weights from now on."""
        self._evaluator.load(weights)
        self.version = weights.version

    def submit(self, planes: np.ndarray) -> "Answer":
        """Evaluate now."""
        start = time.perf_counter()
        answer = Answer(self._evaluator.evaluate(planes))
        n = len(planes)
        self._stats += InferenceStats(1, 1, n, n, 0.0, time.perf_counter() - start)
        return answer

    def take_stats(self) -> InferenceStats:
        """Counts since the last call."""
        stats, self._stats = self._stats, InferenceStats()
        return stats


class Answer:
    """An evaluation that is there."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def result(self) -> Evaluation:
        """No need to wait."""
        return self._evaluation


class RemoteEvaluator:
    """Asks a server, and the next one when it does not answer."""

    def __init__(self, servers: dict[str, int], start: int) -> None:
        self.version = 0
        self._incarnations = dict(servers)  # the newest that is known, by name
        self._turn = start
        self._server = self._find()

    def load(self, weights: Weights) -> None:
        """The server has its own way to new weights; only the version is of interest."""
        self.version = weights.version

    def submit(self, planes: np.ndarray) -> "Request":
        """Send positions without waiting for the answer."""
        return Request(self, planes)

    def take_stats(self) -> InferenceStats:
        """The server counts itself."""
        return InferenceStats()

    def send(self, planes: np.ndarray) -> Any:
        """The reference of an answer to come."""
        return self._server.evaluate.remote(planes)

    def lost(self, server: Any) -> None:
        """The server of a request is gone: find one that lives."""
        if server is self._server:
            self._turn += 1
            self._server = self._find()

    @property
    def server(self) -> Any:
        """Who is asked now."""
        return self._server

    def _find(self) -> Any:
        end = time.monotonic() + _SERVER_PATIENCE
        while True:
            names = list(self._incarnations)
            for turn in range(len(names)):
                if server := self._look_for(names[(self._turn + turn) % len(names)]):
                    return server
            if time.monotonic() > end:
                raise TimeoutError(f"no inference server came back within {_SERVER_PATIENCE:.0f} seconds")
            time.sleep(0.1)

    def _look_for(self, name: str) -> Any:
        """A living incarnation of a server, or None."""
        known = self._incarnations[name]
        for incarnation in range(known, known + _LOOK_AHEAD):
            try:
                server = ray.get_actor(server_name(name, incarnation))
                ray.get(server.ready.remote(), timeout=_SERVER_PATIENCE)
            except (ValueError, RayActorError):
                continue
            self._incarnations[name] = incarnation
            return server
        return None


def server_name(name: str, incarnation: int) -> str:
    """The name of an actor; a dead one's would stay taken for a while."""
    return f"{name}.{incarnation}"


class Request:
    """An evaluation on its way; asked again where a server died over it."""

    def __init__(self, evaluator: RemoteEvaluator, planes: np.ndarray) -> None:
        self._evaluator = evaluator
        self._planes = planes
        self._send()

    def result(self) -> Evaluation:
        """Wait for the answer."""
        while True:
            try:
                version, evaluation = ray.get(self._reference)
            except RayActorError:
                self._evaluator.lost(self._server)
                self._send()
            else:
                self._evaluator.version = version
                return evaluation

    def _send(self) -> None:
        self._server = self._evaluator.server
        self._reference = self._evaluator.send(self._planes)
