"""The sessions of the service, and thinking for them without blocking anyone."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool

from rayzero.errors import GameError, ModelError, UserError
from rayzero.play.levels import Level
from rayzero.play.messages import MAX_SIMULATIONS, Opponent
from rayzero.play.models import Entry, ModelBook
from rayzero.play.report import Report
from rayzero.play.session import Session
from rayzero.play.thinker import Request

MAX_SESSIONS = 1000


class NotFound(UserError):
    """Something with that name does not exist (any more)."""


class Conflict(UserError):
    """The game went on while the request was being answered."""


class Desk:
    """All sessions, the oldest forgotten first, and the models that think for them."""

    def __init__(self, book: ModelBook, capacity: int = MAX_SESSIONS) -> None:
        self.book = book
        self._capacity = capacity
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def add(self, session: Session) -> str:
        """Keep a session under a name that nobody can guess."""
        id = secrets.token_urlsafe(12)
        self._sessions[id] = session
        while len(self._sessions) > self._capacity:
            self._sessions.popitem(last=False)
        return id

    def get(self, id: str) -> Session:
        """A session by its name."""
        if id not in self._sessions:
            raise NotFound("There is no such session; it may have been forgotten. Start it anew from its moves.")
        self._sessions.move_to_end(id)
        return self._sessions[id]

    def remove(self, id: str) -> None:
        """Forget a session."""
        self.get(id)
        del self._sessions[id]

    async def reply(self, session: Session, opponent: Opponent) -> Report:
        """Have a model move in a session."""
        if session.outcome is not None:
            raise GameError("The game is over: there is nothing to answer.")
        entry = await self.entry(opponent.model, session.offer.name)
        level, simulations = _budget(entry, opponent)
        moves = list(session.moves)
        report = await self.think(entry, session, simulations, opponent.seconds, level=level)
        if session.moves != moves or session.outcome is not None:
            raise Conflict("The game went on while the engine was thinking; its answer was dropped.")
        session.play(report.best)
        return report

    async def entry(self, model: str, game: str) -> Entry:
        """Look a model up; the list may have to be read from disk."""
        return await run_in_threadpool(self.book.find, model, game)

    async def think(
        self,
        entry: Entry,
        session: Session,
        simulations: int,
        seconds: float | None = None,
        watch: Callable[[Report], None] | None = None,
        level: Level | None = None,
    ) -> Report:
        """Think about a session's position; leaving early gives up the search."""
        if session.outcome is not None and not session.legal:
            raise GameError("The game is over: there is nothing to think about.")
        thinker = await run_in_threadpool(self.book.thinker, entry, session.offer.name, level)
        loop = asyncio.get_running_loop()

        def tell(report: Report) -> None:
            if watch is not None:
                loop.call_soon_threadsafe(watch, report)

        request = Request(session.state.copy(), simulations, seconds, None if watch is None else tell)
        thinker.submit(request)
        try:
            return await asyncio.wrap_future(request.answer)
        finally:
            request.cancel()


def _budget(entry: Entry, opponent: Opponent) -> tuple[Level | None, int]:
    given = [opponent.level, opponent.simulations, opponent.seconds]
    if sum(value is not None for value in given) != 1:
        raise ModelError("Say exactly one of level, simulations and seconds.")
    if opponent.simulations is not None:
        return None, opponent.simulations
    if opponent.level is None:
        return None, MAX_SIMULATIONS
    if opponent.level >= len(entry.levels):
        raise ModelError(f"{entry.title} has levels 0 to {len(entry.levels) - 1}; {opponent.level} is not one of them.")
    level = entry.levels[opponent.level]
    return level, level.simulations
