"""A Gomocup (Piskvork) engine: python -m rayzero.gomocup [MODEL], commands on stdin, answers on stdout."""

import gc
import queue
import re
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import IO, NamedTuple

from rayzero import __version__
from rayzero.cli import make_parser, run
from rayzero.errors import GameError, ModelError, UserError
from rayzero.evaluator import Evaluator, UniformEvaluator
from rayzero.games.kinarow import KInARow
from rayzero.net.files import Model, load_model
from rayzero.net.find import find_model, shipped_models
from rayzero.play.clock import Clock, TimedPlayer
from rayzero.play.models import open_evaluator, play_settings

MAX_LINE = 4096
EXACT, RENJU, CARO = 1, 4, 8
OWN, OTHER = 1, 2


class Line(NamedTuple):
    """A line of the manager, and when it came."""

    text: str | None  # None: the end of input
    at: float


class Engine:
    """Answers one manager."""

    def __init__(self, model: Model | None, say: Callable[[str], None]) -> None:
        self._model = model
        self._say = say
        self._clock = Clock()
        self._rule = 0
        self._player: TimedPlayer | None = None
        self._board: list[tuple[int, int, int]] | None = None  # stones since BOARD
        self._board_problem = ""
        self._lines: queue.Queue[Line] = queue.Queue()
        self._ended = threading.Event()

    def feed(self, text: str | None) -> None:
        """Take a line from whoever reads; thinking stops at once when it is the last one."""
        if text is None or text.strip().upper() == "END":
            self._ended.set()
        self._lines.put(Line(text, time.perf_counter()))

    def run(self) -> None:
        """Answer until END or the end of input."""
        while True:
            line = self._lines.get()
            if line.text is None or line.text.strip().upper() == "END":
                return
            try:
                self.answer(line.text.strip(), line.at)
            except UserError as error:
                self._say(f"ERROR {error}")

    def answer(self, text: str, at: float) -> None:
        """Carry out one line."""
        if not text:
            return None
        command, _, rest = text.partition(" ")
        name = command.upper()
        if self._board is not None and name not in _COMMANDS:
            return self._take_stone(text)
        if name not in _COMMANDS:
            return self._say(f"UNKNOWN {command[:40]}")
        if name != "DONE":
            self._board = None  # A manager that has something else to say has given the board up.
        return _COMMANDS[name](self, rest.strip(), at)

    def _start(self, rest: str, at: float) -> None:
        if not rest.isdigit():
            raise GameError(f"START needs the size of the board, not {rest[:40]!r}.")
        self._set_up(int(rest), int(rest))

    def _rectstart(self, rest: str, at: float) -> None:
        self._set_up(*self._pair(rest))

    def _set_up(self, width: int, height: int) -> None:
        self._player = None
        if not (5 <= width <= 32 and 5 <= height <= 32):
            raise GameError(f"A board of {width}x{height} is not possible: 5 to 32 columns and rows are.")
        self._player = self._make_player(width, height)
        self._say("OK")

    def _make_player(self, width: int, height: int) -> TimedPlayer:
        game = KInARow.create(width, height, 5, exact=bool(self._rule & EXACT))
        evaluator: Evaluator = UniformEvaluator(game.actions)
        if self._model is not None:
            evaluator = open_evaluator(self._model, game)
        player = TimedPlayer(game, evaluator, play_settings()._replace(leaves=4))
        player.warm_up()
        gc.collect()
        gc.freeze()  # Nothing made so far is garbage later: collections stay short while the clock runs.
        return player

    def _restart(self, rest: str, at: float) -> None:
        self._ready().restart([])
        self._say("OK")

    def _begin(self, rest: str, at: float) -> None:
        player = self._ready()
        if player.moves:
            raise GameError("BEGIN is for an empty board.")
        self._move(player, at)

    def _turn(self, rest: str, at: float) -> None:
        player = self._ready()
        cell = self._cell(player, rest)
        if cell in player.moves:
            raise GameError(f"{rest} is taken.")
        player.play(cell)
        self._move(player, at)

    def _takeback(self, rest: str, at: float) -> None:
        player = self._ready()
        if not player.moves or player.moves[-1] != self._cell(player, rest):
            raise GameError("Only the last move can be taken back.")
        player.restart(player.moves[:-1])
        self._say("OK")

    def _begin_board(self, rest: str, at: float) -> None:
        self._ready()
        self._board, self._board_problem = [], ""

    def _take_stone(self, text: str) -> None:
        assert self._board is not None
        numbers = re.fullmatch(r"(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})", text)
        if numbers is None or len(self._board) > 32 * 32:
            self._board_problem = f"BOARD has lines x,y,field, not {text[:40]!r}."
        else:
            x, y, field = map(int, numbers.groups())
            self._board.append((x, y, field))

    def _done(self, rest: str, at: float) -> None:
        stones, self._board = self._board, None
        if stones is None:
            raise GameError("DONE is for the end of BOARD.")
        if self._board_problem:
            raise GameError(self._board_problem)
        player = self._ready()
        own = [self._cell(player, f"{x},{y}") for x, y, field in stones if field == OWN]
        other = [self._cell(player, f"{x},{y}") for x, y, field in stones if field == OTHER]
        if len(own) + len(other) < len(stones):
            raise GameError("Blocked fields are not supported.")
        if len(other) - len(own) not in (0, 1):
            raise GameError(f"{len(own)} own and {len(other)} other stones: it can't be my turn.")
        first, second = (own, other) if len(own) == len(other) else (other, own)
        moves = [move for pair in zip(first, second, strict=False) for move in pair]
        player.restart(moves + first[len(second) :])
        self._move(player, at)

    def _info(self, rest: str, at: float) -> None:
        key, _, value = rest.partition(" ")
        if not re.fullmatch(r"-?\d{1,18}", value.strip()):
            return
        if key.lower() == "rule":
            self._set_rule(int(value))
        elif key.lower() in {field.name for field in fields(Clock)}:
            setattr(self._clock, key.lower(), int(value))

    def _set_rule(self, rule: int) -> None:
        changed = self._player is not None and (rule ^ self._rule) & EXACT
        self._rule = rule
        if changed and self._player is not None and not self._player.moves:
            self._player = self._make_player(self._player.game.width, self._player.game.height)

    def _about(self, rest: str, at: float) -> None:
        self._say(f'name="rayzero", version="{__version__}", author="the rayzero authors", country="-"')

    def _ready(self) -> TimedPlayer:
        if self._player is None:
            raise GameError("START with the size of the board comes first.")
        if self._rule & (RENJU | CARO):
            raise GameError("Only freestyle and exactly five are known; not renju, not caro.")
        return self._player

    def _move(self, player: TimedPlayer, at: float) -> None:
        move = player.think(at, self._clock, self._ended.is_set)
        self._say(f"{move % player.game.width},{move // player.game.width}")
        player.play(move)  # After the answer: moving a large tree takes milliseconds.

    def _cell(self, player: TimedPlayer, text: str) -> int:
        x, y = self._pair(text)
        if not (x < player.game.width and y < player.game.height):
            raise GameError(f"{x},{y} is not on the board.")
        return y * player.game.width + x

    @staticmethod
    def _pair(text: str) -> tuple[int, int]:
        numbers = re.fullmatch(r"(\d{1,3})\s*,\s*(\d{1,3})", text)
        if numbers is None:
            raise GameError(f"Two numbers with a comma are needed, not {text[:40]!r}.")
        return int(numbers[1]), int(numbers[2])


_COMMANDS: dict[str, Callable[[Engine, str, float], None]] = {
    "START": Engine._start,
    "RECTSTART": Engine._rectstart,
    "RESTART": Engine._restart,
    "BEGIN": Engine._begin,
    "TURN": Engine._turn,
    "TAKEBACK": Engine._takeback,
    "BOARD": Engine._begin_board,
    "DONE": Engine._done,
    "INFO": Engine._info,
    "ABOUT": Engine._about,
}


def read_lines(stream: IO[bytes], engine: Engine) -> None:
    """Hand over every line as it comes, and that there are no more."""
    while line := stream.readline(MAX_LINE):
        engine.feed(line.decode("latin-1").strip("\r\n\0 "))
    engine.feed(None)


def choose_model(text: str | None) -> Model | None:
    """The given model, else a shipped one for Gomoku, else none."""
    names = [text] if text else [name for name in ("gomoku15", *shipped_models()) if name in shipped_models()]
    for name in names:
        model = load_model(find_model(name))
        gomoku = isinstance(model.game, KInARow) and not model.game.gravity and model.game.in_a_row == 5
        if gomoku:
            return model
        if text:
            raise ModelError(f"{text} plays another game; a Gomocup engine needs a model for five in a row.")
    return None


def main(argv: Sequence[str]) -> int | None:
    """Run the engine."""
    parser = make_parser("gomocup", "A Gomocup engine: speaks the Piskvork protocol over stdin and stdout.")
    parser.add_argument("model", nargs="?", help="a run directory, a model, or the name of a shipped one")
    model = choose_model(parser.parse_args(argv).model)

    def say(text: str) -> None:
        print(text.replace("\n", " "), flush=True)

    engine = Engine(model, say)
    threading.Thread(target=read_lines, args=(sys.stdin.buffer, engine), daemon=True).start()
    if model is None:
        say("MESSAGE no model was given or shipped: playing by search alone")
    engine.run()
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
