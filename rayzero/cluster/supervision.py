"""Actors that may die at any time, and the calls that are under way to them.

The driver makes a new actor in the place of a dead one; Ray's own restarts are off, since whoever comes
back needs what the others know by then (newest weights, newest checkpoint). An accident is followed by a
restart; an actor that fails again and again without ever answering is a bug and ends the run.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ray
from ray.exceptions import ObjectLostError, RayActorError, RayError, RayTaskError

from rayzero.errors import RunError, UserError

log = logging.getLogger(__name__)

RAISED_LIMIT = 3  # errors in a row out of our own code
DIED_LIMIT = 10  # deaths in a row from outside: killed, out of memory, node lost


class Member:
    """A place in the pipeline, and the actor that fills it at the moment."""

    def __init__(self, name: str, start: Callable[[int], Any]) -> None:
        self.name = name
        self.incarnation = 0  # how many actors filled this place before
        self.answered_at = time.monotonic()
        self.retired = False
        self._start = start
        self._raised = self._died = 0  # in a row, without an answer in between
        self.actor = start(0)

    def answered(self) -> None:
        """It works."""
        self.answered_at = time.monotonic()
        self._raised = self._died = 0

    def failed(self, incarnation: int, error: RayError) -> None:
        """Put a new actor in the place of one that died or raised an error."""
        if self.retired or incarnation != self.incarnation:
            return  # Nobody is missed, or another call to the same dead actor told it before.
        raised = isinstance(error, RayTaskError) or getattr(error, "actor_init_failed", False)
        self._raised += raised
        self._died += not raised
        if self._raised >= RAISED_LIMIT or self._died >= DIED_LIMIT:
            times = self._raised + self._died
            raise RunError(
                f"{self.name} failed {times} times in a row; the last time:\n{str(error).strip()}"
            ) from error
        log.warning("%s %s and is started again.", self.name, "raised an error" if raised else "died")
        log.debug("%s: %s", self.name, error)
        self.stop()
        self.incarnation += 1
        self.actor = self._start(self.incarnation)

    def stop(self) -> None:
        """End the actor without a farewell."""
        ray.kill(self.actor, no_restart=True)

    def retire(self) -> None:
        """End the actor, and have no other one in its place."""
        self.retired = True
        self.stop()


@dataclass(frozen=True)
class _Call:
    member: Member
    incarnation: int
    done: Callable[[Any], None]
    lost: Callable[[], None]
    gone: Callable[[], None]


class Calls:
    """Calls under way; their answers are handled one by one in `wait`."""

    def __init__(self) -> None:
        self._open: dict[Any, _Call] = {}
        self._counts: Counter[Member] = Counter()

    def __len__(self) -> int:
        return len(self._open)

    def to(self, member: Member) -> int:
        """How many are under way to a member."""
        return self._counts[member]

    def issue(
        self,
        member: Member,
        method: str,
        *arguments: Any,
        done: Callable[[Any], None] = lambda answer: None,
        lost: Callable[[], None] = lambda: None,
        gone: Callable[[], None] | None = None,
        returns: int = 1,
    ) -> Any:
        """Call a method; `done` gets the answer, `lost` is told that there will be none.

        `gone` is told instead of `lost` where an argument was lost with the node that held it: no new actor
        can make up for that.

        Returns the reference of the answer, or several where the method returns several; then the last
        one is what `done` gets.
        """
        references = getattr(member.actor, method).options(num_returns=returns).remote(*arguments)
        last = references if returns == 1 else references[-1]
        self._counts[member] += 1
        self._open[last] = _Call(member, member.incarnation, done, lost, gone or lost)
        return references

    def wait(self, seconds: float) -> None:
        """Handle all answers that are there, waiting for the first one."""
        if not self._open:
            time.sleep(seconds)
            return
        ray.wait(list(self._open), num_returns=1, timeout=seconds, fetch_local=False)
        ready, _ = ray.wait(list(self._open), num_returns=len(self._open), timeout=0, fetch_local=False)
        for reference in ready:
            self._finish(reference)

    def _finish(self, reference: Any) -> None:
        call = self._open.pop(reference)
        self._counts[call.member] -= 1
        try:
            answer = ray.get(reference)
        except RayError as error:
            self._failed(call, error)
        else:
            call.member.answered()
            call.done(answer)

    def _failed(self, call: _Call, error: RayError) -> None:
        cause = getattr(error, "cause", None)
        if isinstance(cause, UserError):
            raise cause from None
        if sentence := _sentence(error):
            raise RunError(sentence) from None
        if isinstance(error, ObjectLostError) or isinstance(cause, ObjectLostError):
            log.warning("%s misses what was lost with a node.", call.member.name)
            call.gone()
        else:
            call.member.failed(call.incarnation, error)
            call.lost()


def _sentence(error: RayError) -> str:
    """What a mistake of the person made a constructor say; Ray keeps only the text of its errors."""
    if not (isinstance(error, RayActorError) and error.actor_init_failed):
        return ""
    last = str(error).strip().splitlines()[-1]
    kind, _, sentence = last.partition(": ")
    return sentence if kind.startswith("rayzero.errors.") else ""
