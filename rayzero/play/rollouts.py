"""Pure MCTS as an opponent and, where there is no net, as an adviser."""

import os
import random
import threading
import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from rayzero.play.report import Report, rank_moves, split
from rayzero.play.thinker import MAX_WAITING, Overload, Request
from rayzero.search.rollouts import RolloutSearch

FIRST_LOOK = 1000  # playouts of the first of several looks, each four times as long as the one before
MAX_PLAYOUTS = 1_000_000


class RolloutThinker:
    """A fresh tree for every request, on a few threads."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self._pool = ThreadPoolExecutor(max(1, os.cpu_count() or 1), thread_name_prefix="rollouts")
        self._waiting = 0
        self._closed = False
        self._lock = threading.Lock()

    @property
    def alive(self) -> bool:
        """Whether requests are still answered."""
        return not self._closed

    def submit(self, request: Request) -> None:
        """Queue a request."""
        with self._lock:
            if self._waiting >= MAX_WAITING or self._closed:
                raise Overload("Too many requests are waiting already; try again in a moment.")
            self._waiting += 1
        self._pool.submit(self._think, request).add_done_callback(lambda done: _tell_if_dropped(done, request))

    def close(self) -> None:
        """Stop after the requests under way."""
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _think(self, request: Request) -> None:
        with self._lock:
            self._waiting -= 1
        if request.cancelled or not request.answer.set_running_or_notify_cancel():
            return
        try:
            report = self._looks(request)
        except Exception as error:
            request.answer.set_exception(error)
            raise
        if report is None:
            request.answer.set_exception(CancelledError())
        else:
            request.answer.set_result(report)

    def _looks(self, request: Request) -> Report | None:
        """Look once, or longer and longer where somebody watches or only the time is limited."""
        begun = time.monotonic()
        wanted = min(request.simulations, MAX_PLAYOUTS)
        step = wanted if request.watch is None and request.seconds is None else min(FIRST_LOOK, wanted)
        while not request.cancelled:
            report = self._look(request.state, step)
            spent = time.monotonic() - begun
            # The next look takes about four times as long as all before it together.
            if step >= wanted or (request.seconds is not None and 4 * spent > request.seconds):
                return report
            if request.watch is not None:
                request.watch(report)
            step = min(4 * step, wanted)
        return None

    def _look(self, state: np.ndarray, playouts: int) -> Report:
        search = RolloutSearch(self.game, seed=random.getrandbits(32))
        visits = search.search(state[None], playouts)[0]
        value = float(search.values(state[None], max(playouts // 4, 1))[0])
        tried = np.flatnonzero(visits)
        priors = np.zeros(len(visits), np.float32)
        priors[tried] = 1 / max(len(tried), 1)
        best = int(visits.argmax())
        moves = rank_moves(visits, [None] * len(visits), priors, best)
        return Report(int(visits.sum()), value, split(value, 0.0), 0.0, best, moves, (best,))


def _tell_if_dropped(done: "Future[None]", request: Request) -> None:
    if done.cancelled() and request.answer.set_running_or_notify_cancel():
        request.answer.set_exception(Overload("The model was put away while it was thinking; ask again."))
