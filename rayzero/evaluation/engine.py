"""External engines through the Gomocup protocol, from the manager's side.

Nothing is taken on trust: an engine may print anything or nothing, hang, exit, or never read. It loses the
game at hand by that, with the reason named, and the next game gets a new process.
"""

import contextlib
import os
import queue
import re
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rayzero.errors import EngineError
from rayzero.evaluation.players import History, Player
from rayzero.games.kinarow import KInARow
from rayzero.games.rules import NO_ACTION

LINE = 4096  # characters of a line that are read; the rest is another line
BACKLOG = 1000  # lines kept for reading; an engine that writes more waits
START_SECONDS = 60.0  # for loading whatever it loads, on a busy machine
START_ATTEMPTS = 2  # in a row; then it loses the rest of its games without another one
UNLIMITED = 2147483647


@dataclass(frozen=True)
class Limits:
    """What an engine gets for a move."""

    seconds: float = 5.0
    nodes: int | None = None  # for engines that know `INFO max_node`
    memory: int = 350_000_000
    grace: float = 1.0  # seconds over the limit that are forgiven


class EngineProcess:
    """Lines to and from one process; every wait has an end."""

    def __init__(self, command: str) -> None:
        try:
            self._process = subprocess.Popen(
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise EngineError(f"The engine {command!r} can't be started: {error}.") from error
        self._lines: queue.Queue[str | None] = queue.Queue(BACKLOG)
        self._outbox: queue.Queue[bytes | None] = queue.Queue()
        self._closed = threading.Event()
        for work in (self._read, self._write):
            threading.Thread(target=work, daemon=True).start()

    def send(self, *lines: str) -> None:
        """Send lines, after throwing away what nobody asked for."""
        for _ in range(2 * BACKLOG):
            try:
                if self._lines.get_nowait() is None:
                    raise EngineError("exited")
            except queue.Empty:
                break
        self._outbox.put("".join(f"{line}\r\n" for line in lines).encode())

    def answer(self, seconds: float) -> str:
        """The next line that is an answer."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except queue.Empty:
                break
            if line is None:
                raise EngineError("exited")
            if line and not line.upper().startswith(("MESSAGE", "DEBUG")):
                return line
        raise EngineError(f"did not answer within {seconds:g} s")

    def close(self, seconds: float) -> None:
        """End the process and whatever it started; it has some seconds to leave by itself."""
        self._closed.set()
        self._outbox.put(b"END\r\n")
        self._outbox.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except OSError:
            self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout
        while line := self._process.stdout.readline(LINE):
            self._put(line.decode(errors="replace").strip())
        self._put(None)

    def _put(self, line: str | None) -> None:
        while not self._closed.is_set():
            try:
                self._lines.put(line, timeout=0.2)
                return
            except queue.Full:
                continue

    def _write(self) -> None:
        assert self._process.stdin
        while (content := self._outbox.get()) is not None:
            try:
                self._process.stdin.write(content)
                self._process.stdin.flush()
            except OSError:
                return


class _Refusal(EngineError):
    """The engine says itself that it can't play such a board."""


class EnginePlayer(Player):
    """A Gomocup engine; games are shown to it as whole boards, so one process serves them all."""

    def __init__(self, game: Any, command: str, limits: Limits | None = None) -> None:
        if not isinstance(game, KInARow) or game.gravity or game.in_a_row != 5:
            raise EngineError("Gomocup engines play five in a row on boards without gravity; this game is another one.")
        self.name = f"gomocup:{command}"
        self._game = game
        self._command = command
        self._limits = limits or Limits()
        self._excuses: dict[int, str] = {}
        self._failed_starts = 0
        self._start_problem = ""
        self._engine: EngineProcess | None = EngineProcess(command)
        try:
            self._start(self._engine)
        except _Refusal as error:
            self._end(0.0)
            raise EngineError(f"{self.name} can't play this game: it {error}.") from error
        except EngineError:
            self._end(0.0)  # It loses its games one by one, as it would in the middle of a match.

    def best(self, slots: np.ndarray, states: np.ndarray, histories: Sequence[History]) -> np.ndarray:
        """Ask for one game after the other."""
        actions = np.full(len(states), NO_ACTION, np.int16)
        for row, (slot, history) in enumerate(zip(slots, histories, strict=True)):
            try:
                actions[row] = self._ask(history)
            except EngineError as error:
                self._excuses[int(slot)] = str(error)
                self._end(0.0)
        return actions

    def excuse(self, slot: int) -> str:
        """What went wrong."""
        return self._excuses.get(slot, "gave the game up")

    def close(self) -> None:
        """End the process."""
        self._end(1.0)

    def _end(self, seconds: float) -> None:
        if self._engine:
            self._engine.close(seconds)
            self._engine = None

    def _ask(self, history: History) -> int:
        engine = self._fresh_board()
        limits = self._limits
        settings = {
            "timeout_turn": round(limits.seconds * 1000),
            "timeout_match": 0,
            "time_left": UNLIMITED,
            "max_memory": limits.memory,
            "game_type": 1,
            "rule": int(self._game.exact),
        }
        if limits.nodes:
            settings["max_node"] = limits.nodes
        own = len(history) % 2
        stones = [
            f"{move % self._game.width},{move // self._game.width},{1 if ply % 2 == own else 2}"
            for ply, move in enumerate(history)
        ]
        engine.send(
            *(f"INFO {key} {value}" for key, value in settings.items()),
            *(["BOARD", *stones, "DONE"] if stones else ["BEGIN"]),
        )
        return self._cell(engine.answer(limits.seconds + limits.grace), history)

    def _fresh_board(self) -> EngineProcess:
        """An engine with an empty board: the old process if it can restart, else a new one."""
        if self._engine:
            self._engine.send("ABOUT")
            self._engine.answer(START_SECONDS)
            self._engine.send("RESTART")
            if _is_ok(self._engine.answer(START_SECONDS)):
                return self._engine
            self._end(0.0)
        if self._failed_starts == START_ATTEMPTS:
            raise EngineError(f"does not start (it {self._start_problem})")
        self._engine = EngineProcess(self._command)
        self._start(self._engine)
        return self._engine

    def _start(self, engine: EngineProcess) -> None:
        self._failed_starts += 1
        try:
            self._greet(engine)
        except EngineError as error:
            self._start_problem = str(error)
            raise
        self._failed_starts = 0

    def _greet(self, engine: EngineProcess) -> None:
        width, height = self._game.width, self._game.height
        start = f"START {width}" if width == height else f"RECTSTART {width},{height}"
        engine.send("ABOUT")
        engine.answer(START_SECONDS)
        engine.send(start)
        if not _is_ok(line := engine.answer(START_SECONDS)):
            kind = _Refusal if line.upper().startswith("ERROR") else EngineError
            raise kind(f"answered {_short(line)} to {start}")

    def _cell(self, line: str, history: History) -> int:
        found = re.fullmatch(r"(\d{1,3})\s*,\s*(\d{1,3})", line)
        if not found:
            raise EngineError(f"answered {_short(line)} instead of a move")
        x, y = int(found[1]), int(found[2])
        if x >= self._game.width or y >= self._game.height:
            raise EngineError(f"answered {x},{y}, which is off the board")
        if (cell := y * self._game.width + x) in history:
            raise EngineError(f"answered {x},{y}, which is not free")
        return cell


def _is_ok(line: str) -> bool:
    return line.upper().startswith("OK")


def _short(line: str) -> str:
    return repr(line if len(line) <= 40 else line[:40] + "...")
