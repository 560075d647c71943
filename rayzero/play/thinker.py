"""Thinking for many sessions at once: one thread per model, whose trees share every evaluation.

Requests join between two steps of the search and leave as soon as they have what they asked for, so that
a long one never holds up a short one. A thinker without work waits and costs nothing.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from rayzero.errors import UserError
from rayzero.evaluator import Evaluator
from rayzero.games.rules import planes
from rayzero.jit import kernel
from rayzero.play.report import Report, make_report
from rayzero.search import Search, SearchSettings

SLOTS = 16  # searches under way at once, which share the room for edges; more requests wait in line
MAX_WAITING = 1000
REPORT_SECONDS = 0.1


class Overload(UserError):
    """More requests than can be answered in reasonable time."""


@dataclass
class Request:
    """Think about a position until the simulations or the seconds are used up, or until it is cancelled."""

    state: np.ndarray  # int64 [state_size]: an unfinished position
    simulations: int
    seconds: float | None = None
    watch: Callable[[Report], None] | None = None  # called from the thread of the thinker, about ten times a second
    answer: "Future[Report]" = field(default_factory=Future)
    cancelled: bool = False
    begun: float = 0.0
    reported: float = 0.0
    draws: float = 0.0  # the net's own share of draws

    def cancel(self) -> None:
        """Nobody waits for the answer any more; `answer` may end without one."""
        self.cancelled = True


class Thinker(Protocol):
    """Thinks about positions of one game."""

    game: Any

    @property
    def alive(self) -> bool:
        """Whether requests are still answered."""

    def submit(self, request: Request) -> None:
        """Queue a request; its `answer` is set in due course."""

    def close(self) -> None:
        """Stop thinking."""


class NetThinker:
    """Net-guided search for many requests at once."""

    def __init__(self, game: Any, evaluator: Evaluator, settings: SearchSettings, slots: int = SLOTS) -> None:
        self.game = game
        self.evaluator = evaluator
        self._search = Search(game, settings, games=slots)
        self._waiting: deque[Request] = deque()
        self._active: dict[int, Request] = {}
        self._free = list(range(slots))
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="thinker", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether requests are still answered."""
        return not self._closing

    def submit(self, request: Request) -> None:
        """Queue a request."""
        with self._changed:
            if len(self._waiting) >= MAX_WAITING or self._closing:
                raise Overload("Too many requests are waiting already; try again in a moment.")
            self._waiting.append(request)
            self._changed.notify()

    def close(self) -> None:
        """Stop the thread; whoever still waits is told."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._admit():
                leaves = self._search.select()
                if len(leaves):
                    self._search.update(self.evaluator.evaluate(leaves))
                self._hand_out()
        except Exception as error:  # Without its thread a thinker answers nobody: say why to all.
            self._fail(error)
            raise
        self._fail(Overload("The model was put away while it was thinking; ask again."))

    def _fail(self, error: Exception) -> None:
        with self._changed:
            self._closing = True
            for request in self._active.values():
                request.answer.set_exception(error)
            for request in self._waiting:
                if request.answer.set_running_or_notify_cancel():
                    request.answer.set_exception(error)
            self._waiting.clear()
            self._active.clear()

    def _admit(self) -> bool:
        """Wait for work and give slots to those in line; False when it is time to stop."""
        with self._changed:
            while not (self._waiting or self._active or self._closing):
                self._changed.wait()
            if self._closing:
                return False
            fresh = []
            while self._waiting and self._free:
                request = self._waiting.popleft()
                if request.cancelled or not request.answer.set_running_or_notify_cancel():
                    request.answer.cancel()
                    continue
                slot = self._free.pop()
                self._active[slot] = request
                fresh.append(slot)
        if fresh:
            self._begin(fresh)
        return True

    def _begin(self, slots: list[int]) -> None:
        requests = [self._active[slot] for slot in slots]
        states = np.stack([request.state for request in requests])
        self._search.reset(np.array(slots), states)
        self._search.begin(np.array(slots), np.array([request.simulations for request in requests], np.int32))
        first = self.evaluator.evaluate(root_planes(self.game, states))
        for request, wdl in zip(requests, first.wdl, strict=True):
            request.begun = request.reported = time.monotonic()
            request.draws = float(wdl[1])

    def _hand_out(self) -> None:
        now = time.monotonic()
        finished = self._search.finished
        for slot, request in list(self._active.items()):
            late = request.seconds is not None and now - request.begun >= request.seconds
            if finished[slot] or late or request.cancelled:
                self._release(slot, request)
            elif request.watch and now - request.reported >= REPORT_SECONDS:
                request.reported = now
                request.watch(self._report(slot, request))

    def _release(self, slot: int, request: Request) -> None:
        if request.cancelled:
            request.answer.set_exception(CancelledError())
        else:
            request.answer.set_result(self._report(slot, request))
        self._search.reset(np.array([slot]))
        del self._active[slot]
        self._free.append(slot)

    def _report(self, slot: int, request: Request) -> Report:
        return make_report(self._search, slot, request.draws)


@kernel
def _write_planes(game: Any, states: np.ndarray, out: np.ndarray) -> None:
    for i in range(len(states)):
        planes(game, states[i], out[i])


def root_planes(game: Any, states: np.ndarray) -> np.ndarray:
    """The net's input uint8 [n, C, H, W] for states int64 [n, S]."""
    out = np.empty((len(states), game.plane_count, game.height, game.width), np.uint8)
    _write_planes(game, states, out)
    return out


def ask(thinker: Thinker, state: np.ndarray, simulations: int, seconds: float | None = None) -> Report:
    """Think and wait for the answer."""
    request = Request(state, simulations, seconds)
    thinker.submit(request)
    return request.answer.result()
