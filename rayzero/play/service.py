"""The service: sessions, moves and thinking over HTTP, and the page that uses them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool

from rayzero import __version__
from rayzero.errors import GameError, ModelError, RunError, UserError
from rayzero.play.catalogue import offer, offered
from rayzero.play.desk import Conflict, Desk, NotFound
from rayzero.play.formats import read_game, write_game
from rayzero.play.guard import LOCAL, Guard
from rayzero.play.messages import (
    GameInfo,
    GameText,
    ModelInfo,
    Name,
    NewMove,
    NewSession,
    Opponent,
    Ply,
    Problem,
    Reply,
    ReportInfo,
    Resignation,
    RunInfo,
    SessionInfo,
    Truth,
    Undo,
)
from rayzero.play.models import ModelBook
from rayzero.play.runs import RunPage, zip_model
from rayzero.play.session import Session
from rayzero.play.socket import think_aloud
from rayzero.play.thinker import Overload
from rayzero.play.truth import exact_scores, has_truth

STATIC = Path(__file__).parent / "static"
_STATUS: dict[type[UserError], int] = {NotFound: 404, ModelError: 404, RunError: 404, Conflict: 409, Overload: 429}
_PROBLEMS: dict[int | str, dict[str, Any]] = {status: {"model": Problem} for status in (400, 404, 409, 413, 422, 429)}


def make_app(book: ModelBook, token: str | None = None, hosts: frozenset[str] | None = LOCAL) -> FastAPI:
    """The whole service."""
    desk = Desk(book)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(book.close)

    app = FastAPI(
        title="rayzero",
        version=__version__,
        description="Play and analyse board games. One socket, /api/think, streams thinking; see docs/play.md.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=_PROBLEMS,
    )
    app.add_exception_handler(UserError, _tell)
    app.add_exception_handler(RequestValidationError, _tell_invalid)
    _add_lists(app, book)
    _add_sessions(app, desk)
    _add_thinking(app, desk)
    _add_run(app, book)
    app.mount("/", StaticFiles(directory=STATIC, html=True))
    app.add_middleware(Guard, token=token, hosts=hosts)
    return app


async def _tell(request: Request, error: Exception) -> Response:
    status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 400)
    return JSONResponse({"detail": str(error)}, status)


async def _tell_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return JSONResponse({"detail": f"{where}: {first['msg']}."}, 422)


def _add_lists(app: FastAPI, book: ModelBook) -> None:
    @app.get("/api/games")
    def games() -> list[GameInfo]:
        """All games, with everything needed to draw them."""
        book.entries()  # A model may bring a game of its own.
        return [GameInfo.of(offer(name), has_truth(offer(name).game)) for name in offered()]

    @app.get("/api/models")
    def models() -> list[ModelInfo]:
        """Everyone to play against, the preferred one of a game first."""
        return [ModelInfo.of(entry, book.run is not None) for entry in book.entries()]


def _add_sessions(app: FastAPI, desk: Desk) -> None:
    @app.post("/api/sessions", status_code=201)
    async def start(new: NewSession) -> SessionInfo:
        """Start a game."""
        session = read_game(offer(new.game), new.text)
        return SessionInfo.of(desk.add(session), session)

    @app.get("/api/sessions/{id}")
    async def show(id: Name) -> SessionInfo:
        """A game as it stands."""
        return SessionInfo.of(id, desk.get(id))

    @app.delete("/api/sessions/{id}", status_code=204)
    async def forget(id: Name) -> None:
        """Forget a game."""
        desk.remove(id)

    @app.post("/api/sessions/{id}/moves")
    async def move(id: Name, new: NewMove) -> SessionInfo:
        """Make a move."""
        session = desk.get(id)
        if (new.action is None) == (new.text is None):
            raise GameError("Say a move either as action or as text.")
        action = new.action if new.action is not None else session.offer.parse_action(new.text or "")
        session.play(action, new.ply)
        return SessionInfo.of(id, session)

    @app.post("/api/sessions/{id}/undo")
    async def undo(id: Name, how: Undo) -> SessionInfo:
        """Take plies back."""
        desk.get(id).undo(how.plies)
        return SessionInfo.of(id, desk.get(id))

    @app.post("/api/sessions/{id}/resign")
    async def resign(id: Name, who: Resignation) -> SessionInfo:
        """Give a game up."""
        desk.get(id).resign(who.player)
        return SessionInfo.of(id, desk.get(id))

    @app.get("/api/sessions/{id}/text")
    async def text(id: Name, format: Annotated[str, Query(max_length=20)] = "moves") -> GameText:
        """A game in one of its formats."""
        return GameText(format=format, text=write_game(desk.get(id), format))


def _add_thinking(app: FastAPI, desk: Desk) -> None:
    @app.post("/api/sessions/{id}/reply")
    async def reply(id: Name, opponent: Opponent) -> Reply:
        """Have a model think and make the next move."""
        session = desk.get(id)
        report = await desk.reply(session, opponent)
        return Reply(session=SessionInfo.of(id, session), report=ReportInfo.of(report, done=True))

    @app.get("/api/sessions/{id}/truth")
    async def truth(id: Name, ply: Ply) -> Truth:
        """The exact score of every move after so many plies, where a solver knows it."""
        session = desk.get(id)
        if not has_truth(session.offer.game):
            raise NotFound(f"No solver for {session.offer.title} is installed.")
        before = Session(session.offer, session.moves[:ply])
        if not before.legal:
            return Truth(scores=[None] * session.offer.game.actions)
        return Truth(scores=await run_in_threadpool(exact_scores, before.moves))

    @app.websocket("/api/think")
    async def think(socket: WebSocket) -> None:
        await think_aloud(socket, desk)


def _add_run(app: FastAPI, book: ModelBook) -> None:
    page = RunPage(book)

    @app.get("/api/run")
    def run() -> RunInfo:
        """The training run that is open: ratings, curves, newest games."""
        return page.info()

    @app.get("/api/run/models/{id}", response_class=Response, responses={200: {"content": {"application/zip": {}}}})
    def download(id: Name) -> Response:
        """A net of the run as a zip of card.json and model.safetensors."""
        found = [entry for entry in book.entries() if entry.id == id and entry.path is not None]
        if not found or found[0].path is None:
            raise ModelError(f"There is no model {id!r} to download.")
        name = f'attachment; filename="{found[0].path.name}.zip"'
        return Response(zip_model(found[0].path), 200, {"content-disposition": name}, "application/zip")
