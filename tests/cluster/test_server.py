"""The shared server gives every worker what it would get alone, merged, and survives."""

import asyncio
import os
import signal
import threading
import time

import numpy as np
import pytest

from rayzero.cluster.server import InferenceServer
from rayzero.cluster.workers import RemoteEvaluator, SelfPlayWorker
from rayzero.config import load_config
from rayzero.games import make_game
from rayzero.net import build_net, flatten, make_evaluator
from rayzero.records import Evaluation, Weights


class Echo:
    """Answers with what it was asked; slow, so that requests pile up."""

    def __init__(self, seconds=0.0):
        self.version = 0
        self.seconds = seconds
        self.batches = []

    def load(self, weights):
        self.version = weights.version

    def evaluate(self, planes):
        time.sleep(self.seconds)
        self.batches.append(len(planes))
        n = len(planes)
        value = planes.reshape(n, -1).sum(1).astype(np.float32)
        return Evaluation(np.tile(value[:, None], (1, 3)), value, np.zeros((n, 3), np.float32), -value)

    def pid(self):
        return os.getpid()


CONFIG = load_config("tictactoe", ["inference.max_batch=64", "selfplay.games_per_worker=8", "inference.threads=1"])
WEIGHTS = Weights(5, np.zeros(0, np.float32))


def planes(seed, n):
    return np.random.default_rng(seed).integers(0, 2, (n, 4, 3, 3)).astype(np.uint8)


def test_requests_are_merged_and_answered_each_by_its_own():
    echo = Echo(seconds=0.02)
    server = InferenceServer(CONFIG, WEIGHTS, echo)

    async def ask():
        asked = [planes(seed, seed % 7 + 1) for seed in range(40)]
        return asked, await asyncio.gather(*(server.evaluate(one) for one in asked)), await server.stats()

    asked, answers, stats = asyncio.run(ask())
    for one, (version, evaluation) in zip(asked, answers, strict=True):
        assert version == 5
        assert np.array_equal(evaluation.value, one.reshape(len(one), -1).sum(1))
        assert np.array_equal(evaluation.priors[:, 1], evaluation.value) and np.array_equal(
            evaluation.moves_left, -evaluation.value
        )
    assert stats.requests == 40 and stats.positions == sum(map(len, asked)) == sum(echo.batches)
    assert stats.batches < 8 and max(echo.batches) <= 64
    assert stats.computed >= 0.02 * stats.batches and stats.queued > 0.02


def test_an_error_reaches_the_worker_and_the_server_goes_on():
    class Failing(Echo):
        def evaluate(self, planes):
            if len(planes) == 3:
                raise ValueError("three")
            return super().evaluate(planes)

    server = InferenceServer(CONFIG, WEIGHTS, Failing())

    async def ask():
        with pytest.raises(ValueError, match="three"):
            await server.evaluate(planes(1, 3))
        return await server.evaluate(planes(1, 2))

    assert len(asyncio.run(ask())[1].value) == 2


class EchoServer(InferenceServer):
    def __init__(self, config, weights):
        super().__init__(config, weights, Echo(0.01))

    async def pid(self):
        return os.getpid()


def test_a_dead_server_costs_its_workers_nothing_but_time(ray_here):
    def start(incarnation):
        return ray_here.remote(EchoServer).options(num_cpus=0, name=f"server-0.{incarnation}").remote(CONFIG, WEIGHTS)

    server = start(0)
    evaluator = RemoteEvaluator({"server-0": 0}, 0)
    pid = ray_here.get(server.pid.remote())
    pending = [evaluator.submit(planes(seed, 4)) for seed in range(6)]
    os.kill(pid, signal.SIGKILL)
    revived = []

    thread = threading.Timer(0.5, lambda: revived.append(start(2)))
    thread.start()
    for seed, request in enumerate(pending):
        assert np.array_equal(request.result().value, planes(seed, 4).reshape(4, -1).sum(1))
    assert evaluator.version == 5
    thread.join()
    ray_here.kill(revived[0])


def test_workers_with_and_without_a_server_play_the_same_games(ray_here):
    """The same seed gives the same games, wherever the net runs."""
    config = load_config(
        "tictactoe",
        ["selfplay.games_per_worker=8", "inference.threads=1", "inference.precision=float32", "net.channels=8"],
    )
    game = make_game("tictactoe")
    weights = flatten(build_net(game, config.net), version=3)
    server = ray_here.remote(InferenceServer).options(num_cpus=0, name="server-9.0").remote(config, weights)
    games = []
    for servers in ({}, {"server-9": 0}):
        worker = SelfPlayWorker(config, 7, servers, 0)
        records = []
        while len(records) < 12:
            records += worker.advance(0.3, weights if not records else None)[0]
        games.append([record.moves.tolist() for record in records[:12]])
    ray_here.kill(server)
    assert games[0] == games[1]


def test_the_real_net_answers_the_same_in_the_server(ray_here):
    game = make_game("tictactoe")
    weights = flatten(build_net(game, CONFIG.net), version=3)
    local = make_evaluator(game, CONFIG.net, CONFIG.inference)
    local.load(weights)
    server = ray_here.remote(InferenceServer).options(num_cpus=0).remote(CONFIG, weights)
    version, there = ray_here.get(server.evaluate.remote(planes(1, 33)))
    here = local.evaluate(planes(1, 33))
    assert version == 3
    for name in ("priors", "value", "wdl", "moves_left"):
        assert np.allclose(getattr(there, name), getattr(here, name), atol=1e-5), name
    assert ray_here.get(server.load.remote(Weights(4, weights.flat))) == 4
    assert ray_here.get(server.evaluate.remote(planes(1, 2)))[0] == 4
    ray_here.kill(server)
