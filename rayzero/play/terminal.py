"""Playing in the terminal: moves as coordinates, everything else as a word."""

from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rayzero.errors import GameError, ModelError, UserError
from rayzero.games.notation import board_text
from rayzero.play.catalogue import Offer, offer
from rayzero.play.formats import formats_for, read_game, write_game
from rayzero.play.levels import Level
from rayzero.play.models import Entry, ModelBook
from rayzero.play.report import Report
from rayzero.play.session import Session
from rayzero.play.thinker import Thinker, ask

HELP = """A move is written like {example}. Other words:
  hint          the move the engine would make        undo          take back your last move
  tree          what the engine thinks of the position  level N       play against level 1 to {levels}
  save FILE     write the game ({formats})      open FILE     read one
  swap          change sides                          new           start over
  resign        give up                               quit          leave"""
STYLES = {"X": "bold cyan", "O": "bold yellow"}
HINT_SIMULATIONS = 400


class Quit(Exception):
    """The person has had enough."""


def play_in_terminal(book: ModelBook, game: str | None, level: int | None, second: bool) -> int:
    """Play until the person leaves."""
    entry = choose_entry(book, game)
    try:
        Terminal(book, entry, offer(game or entry.games[0]), level, 1 if second else 0, Console()).run()
    except (Quit, EOFError, KeyboardInterrupt):
        print()
    finally:
        book.close()
    return 0


def choose_entry(book: ModelBook, game: str | None) -> Entry:
    """The first model that plays the game; pure MCTS where there is no net for it."""
    if game is not None:
        offer(game)
    return next(entry for entry in book.entries() if game is None or game in entry.games)


class Terminal:
    """One person at one console."""

    def __init__(
        self, book: ModelBook, entry: Entry, table: Offer, level: int | None, me: int, console: Console
    ) -> None:
        self.book = book
        self.entry = entry
        self.offer = table
        self.me = me
        self.console = console
        self.session = Session(table)
        self._set_level(str(level) if level is not None else str(-(-len(entry.levels) // 2)))

    def run(self) -> None:
        """Show, ask, answer."""
        self.say(f"{self.offer.title} against {self.entry.title}, level {self.number}; help shows all words.")
        self.say(self.entry.note, "dim")
        while True:
            self._engine_moves()
            self._show()
            words = self.console.input(self._prompt()).strip()
            try:
                self.obey(words)
            except UserError as error:
                self.say(str(error), "red")

    def obey(self, words: str) -> None:
        """Carry out what was typed."""
        name, _, rest = words.partition(" ")
        commands: dict[str, Callable[[str], None]] = {
            "hint": self._hint, "undo": self._undo, "tree": self._tree, "level": self._set_level, "save": self._save,
            "open": self._open, "swap": self._swap, "new": self._new, "resign": self._resign, "help": self._help,
            "?": self._help, "quit": self._quit, "exit": self._quit, "q": self._quit,
        }  # fmt: skip
        if name.lower() in commands:
            commands[name.lower()](rest.strip())
        elif words:
            self.session.play(self.offer.parse_action(words))

    def say(self, text: str, style: str = "") -> None:
        """Print a line."""
        self.console.print(text, style=style, markup=False, highlight=False)

    @property
    def _thinker(self) -> Thinker:
        return self.book.thinker(self.entry, self.offer.name, self.level)

    def _prompt(self) -> str:
        return "> " if self.session.outcome is not None else f"{self.offer.players[self.me]} ({'XO'[self.me]})> "

    def _engine_moves(self) -> None:
        if self.session.outcome is not None or self.session.to_move == self.me:
            return
        with self.console.status("thinking"):
            report = ask(self._thinker, self.session.state, self.level.simulations)
        self.session.play(report.best)
        self.say(f"{self.entry.title} plays {self.offer.action_text(report.best)}.", "bold")

    def _show(self) -> None:
        game = self.offer.game
        board = self.session.boards[-1].reshape(game.height, game.width)
        *rows, columns = board_text(game, board, self.session.last_cell).splitlines()
        text = Text("\n".join(rows))
        for piece, style in STYLES.items():
            text.highlight_words([piece], style)
        self.console.print(text)
        self.say(columns, "dim")
        outcome = self.session.outcome
        if outcome is not None:
            winner = None if outcome.winner is None else self.offer.players[outcome.winner]
            verdict = (
                "A draw" if winner is None else f"You win, {winner}" if outcome.winner == self.me else f"{winner} wins"
            )
            self.say(f"{verdict} after {self.session.plies} plies. new, undo, save or quit?", "bold green")

    def _report(self) -> Report:
        if self.session.outcome is not None:
            raise GameError("The game is over.")
        with self.console.status("thinking"):
            return ask(self._thinker, self.session.state, max(HINT_SIMULATIONS, self.level.simulations))

    def _hint(self, rest: str) -> None:
        self.say(f"{self.entry.title} would play {self.offer.action_text(self._report().best)}.")

    def _tree(self, rest: str) -> None:
        report = self._report()
        table = Table("move", "visits", "expects", "net", box=None)
        for move in report.moves[:10]:
            expects = "" if move.q is None else f"{50 * (1 + move.q):.0f} %"
            table.add_row(self.offer.action_text(move.action), str(move.visits), expects, f"{100 * move.prior:.0f} %")
        self.console.print(table)
        win, draw, loss = report.wdl
        proof = f"; proven {report.proven.result} within {report.proven.plies} plies" if report.proven else ""
        shares = f"win {100 * win:.0f} %, draw {100 * draw:.0f} %, loss {100 * loss:.0f} %"
        self.say(f"{shares} after {report.simulations} simulations{proof}")
        self.say("expected: " + " ".join(self.offer.action_text(action) for action in report.line))

    def _undo(self, rest: str) -> None:
        mine = self.session.to_move == self.me or self.session.outcome is not None
        self.session.undo(min(self.session.plies, 2 if mine and self.session.to_move == self.me else 1) or 1)

    def _set_level(self, rest: str) -> None:
        levels = self.entry.levels
        if not rest.isdigit() or not 1 <= int(rest) <= len(levels):
            raise ModelError(f"Levels go from 1 to {len(levels)}; {rest!r} is not one of them.")
        self.number = int(rest)
        self.level: Level = levels[self.number - 1]
        rating = "" if self.level.elo is None else f", {self.level.elo:.0f} Elo"
        self.say(f"Level {self.number}: {self.level.simulations} simulations a move{rating}.", "dim")

    def _save(self, rest: str) -> None:
        path = Path(rest or f"{self.offer.name}.sgf").expanduser()
        form = path.suffix.removeprefix(".")
        try:
            path.write_text(
                write_game(self.session, form if form in formats_for(self.offer) else "moves"), encoding="utf-8"
            )
        except OSError as error:
            raise GameError(f"{path} can't be written: {error.strerror}.") from error
        self.say(f"Saved {path}.")

    def _open(self, rest: str) -> None:
        try:
            text = Path(rest).expanduser().read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise GameError(f"{rest or 'Nothing'} can't be read: {error.strerror}.") from error
        self.session = read_game(self.offer, text)

    def _swap(self, rest: str) -> None:
        self.me = 1 - self.me

    def _new(self, rest: str) -> None:
        self.session = Session(self.offer)

    def _resign(self, rest: str) -> None:
        self.session.resign(self.me)

    def _help(self, rest: str) -> None:
        example = self.offer.action_text(self.offer.game.actions // 2)
        formats = ", ".join(f".{form}" for form in formats_for(self.offer) if form != "moves") + " or moves"
        self.say(HELP.format(example=example, levels=len(self.entry.levels), formats=formats))

    def _quit(self, rest: str) -> None:
        raise Quit
