"""The shared inference server: requests of all workers merged into one forward pass after another."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from rayzero.config import Config
from rayzero.evaluator import Evaluator
from rayzero.games import make_game
from rayzero.records import Evaluation, Weights
from rayzero.reports import InferenceStats


class _Waiting(NamedTuple):
    planes: np.ndarray
    answer: "asyncio.Future[tuple[int, Evaluation]]"
    since: float


class InferenceServer:
    """An async actor: a queue, and a forward pass at a time in a thread of its own."""

    def __init__(self, config: Config, weights: Weights, evaluator: Evaluator | None = None) -> None:
        self._max_batch = config.inference.max_batch
        self._evaluator = evaluator or _make_evaluator(config)
        self._evaluator.load(weights)
        self._executor = ThreadPoolExecutor(1)
        self._queue: asyncio.Queue[_Waiting] = asyncio.Queue()
        self._pump: asyncio.Task[None] | None = None
        self._stats = InferenceStats()

    async def ready(self) -> bool:
        """Answers once the net is loaded."""
        return True

    async def load(self, weights: Weights) -> int:
        """Use new weights from the next forward pass on."""
        await asyncio.get_running_loop().run_in_executor(self._executor, self._evaluator.load, weights)
        return weights.version

    async def evaluate(self, planes: np.ndarray) -> tuple[int, Evaluation]:
        """Evaluations of one worker's leaves, and the version of the weights that made them."""
        loop = asyncio.get_running_loop()
        if self._pump is None or self._pump.done():
            self._pump = loop.create_task(self._forward())
        waiting = _Waiting(planes, loop.create_future(), time.perf_counter())
        self._queue.put_nowait(waiting)
        return await waiting.answer

    async def stats(self) -> InferenceStats:
        """Counts since the last call."""
        stats, self._stats = self._stats, InferenceStats()
        return stats

    async def _forward(self) -> None:
        loop = asyncio.get_running_loop()
        left: _Waiting | None = None
        while True:
            requests = [left or await self._queue.get()]
            left = None
            size = len(requests[0].planes)
            while not self._queue.empty():
                request = self._queue.get_nowait()
                if size + len(request.planes) > self._max_batch:
                    left = request
                    break
                requests.append(request)
                size += len(request.planes)
            start = time.perf_counter()
            try:
                version, answers = await loop.run_in_executor(self._executor, self._evaluate, requests)
            except Exception as error:
                for request in requests:
                    request.answer.set_exception(error)
                continue
            self._count(requests, size, start)
            for request, answer in zip(requests, answers, strict=True):
                request.answer.set_result((version, answer))

    def _evaluate(self, requests: list[_Waiting]) -> tuple[int, list[Evaluation]]:
        planes = requests[0].planes if len(requests) == 1 else np.concatenate([r.planes for r in requests])
        version = self._evaluator.version
        merged = self._evaluator.evaluate(planes)
        ends = np.cumsum([len(request.planes) for request in requests])
        return version, [
            Evaluation(merged.priors[a:b], merged.value[a:b], merged.wdl[a:b], merged.moves_left[a:b])
            for a, b in zip([0, *ends[:-1]], ends, strict=True)
        ]

    def _count(self, requests: list[_Waiting], size: int, start: float) -> None:
        stats = self._stats
        stats.requests += len(requests)
        stats.batches += 1
        stats.positions += size
        stats.capacity += max(self._max_batch, size)
        stats.queued += sum(start - request.since for request in requests)
        stats.computed += time.perf_counter() - start


def _make_evaluator(config: Config) -> Any:
    from rayzero.net import make_evaluator

    return make_evaluator(make_game(config.game.name, **config.game.options), config.net, config.inference)
