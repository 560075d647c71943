"""Thinking streamed over one socket, on which the newest request wins."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from rayzero.errors import GameError, UserError
from rayzero.play.catalogue import offer
from rayzero.play.desk import Desk
from rayzero.play.messages import Ask, ReportInfo
from rayzero.play.report import Report
from rayzero.play.session import Session
from rayzero.play.sweep import find_mistakes, first_player_value

MAX_MESSAGE = 64 * 1024
SWEEP_SECONDS = 0.2
Send = Callable[..., Awaitable[None]]


async def think_aloud(socket: WebSocket, desk: Desk) -> None:
    """Answer the requests of one page until it leaves."""
    await socket.accept()
    task: asyncio.Task[None] | None = None
    try:
        while True:
            text = await socket.receive_text()
            await _stop(task)
            task = asyncio.create_task(_answer(socket, desk, text))
    except (WebSocketDisconnect, KeyError):  # KeyError: a binary message.
        await _stop(task)


async def _stop(task: "asyncio.Task[None] | None") -> None:
    if task is not None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await task


async def _answer(socket: WebSocket, desk: Desk, text: str) -> None:
    number: int | None = None

    async def send(kind: str, **content: Any) -> None:
        await socket.send_json({"number": number, "kind": kind, **content})

    try:
        if len(text) > MAX_MESSAGE:
            raise GameError(f"The message is too long: at most {MAX_MESSAGE} characters.")
        ask = Ask.model_validate_json(text)
        number = ask.number
        if ask.kind != "stop":
            session = Session(offer(ask.game), ask.moves)
            await {"position": _position, "move": _move, "game": _game}[ask.kind](desk, ask, session, send)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        await send("error", message=f"{where or 'message'}: {first['msg']}.")
    except UserError as error:
        await send("error", message=str(error))


async def _position(desk: Desk, ask: Ask, session: Session, send: Send) -> None:
    news: asyncio.Queue[Report] = asyncio.Queue(1)

    def keep_newest(report: Report) -> None:
        if news.full():
            news.get_nowait()
        news.put_nowait(report)

    async def pass_on() -> None:
        while True:
            await send("report", report=ReportInfo.of(await news.get(), done=False).model_dump())

    passing = asyncio.create_task(pass_on())
    try:
        entry = await desk.entry(ask.model, ask.game)
        report = await desk.think(entry, session, ask.simulations, watch=keep_newest)
    finally:
        await _stop(passing)
    await send("done", report=ReportInfo.of(report, done=True).model_dump())


async def _move(desk: Desk, ask: Ask, session: Session, send: Send) -> None:
    """The value of the last move for whoever made it."""
    if not ask.moves:
        raise GameError("There is no move to look at.")
    report = None
    if session.legal:
        report = await desk.think(await desk.entry(ask.model, ask.game), session, ask.simulations)
    value = first_player_value(session, session.plies, report)
    sign = 1 if session.plies % 2 == 1 else -1
    await send("done", value=sign * (value or 0.0))


async def _game(desk: Desk, ask: Ask, session: Session, send: Send) -> None:
    """Values of all positions for the first player; they are searched side by side."""
    entry = await desk.entry(ask.model, ask.game)
    plies = range(session.plies + (1 if session.legal else 0))
    positions = {ply: Session(session.offer, session.moves[:ply]) for ply in plies}
    reports: dict[int, Report] = {}

    async def look(ply: int) -> None:
        reports[ply] = await desk.think(entry, positions[ply], ask.simulations)

    def state() -> dict[str, Any]:
        values = [first_player_value(session, ply, reports.get(ply)) for ply in range(session.plies + 1)]
        return {"values": values, "mistakes": [vars(mistake) for mistake in find_mistakes(session, reports)]}

    looks = {asyncio.create_task(look(ply)) for ply in plies}
    try:
        waiting = looks
        while waiting:
            done, waiting = await asyncio.wait(waiting, timeout=SWEEP_SECONDS)
            for task in done:
                task.result()
            if waiting and done:
                await send("report", **state())
    finally:
        for task in looks:
            task.cancel()
    await send("done", **state())
