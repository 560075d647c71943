"""The games on offer, and how people see their boards."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from rayzero.errors import GameError
from rayzero.games.kinarow import KInARow
from rayzero.games.registry import make_game

# name in links and on the page -> (title, name of the rules, options)
_OFFERED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "gomoku15": ("Gomoku 15×15", "gomoku", {}),
    "gomoku8": ("Gomoku 8×8", "gomoku", {"width": 8, "height": 8}),
    "gomoku6": ("Four in a row 6×6", "gomoku", {"width": 6, "height": 6, "in_a_row": 4}),
    "connect4": ("Connect4", "connect4", {}),
    "tictactoe": ("Tic-tac-toe", "tictactoe", {}),
    "othello": ("Othello", "othello", {}),
}


@dataclass(frozen=True)
class Offer:
    """A game with its name on the page, and everything needed to draw it."""

    name: str
    title: str
    game: Any
    board: str  # points | holes | squares
    pieces: str  # stones | discs | marks
    players: tuple[str, str]
    columns: tuple[str, ...]
    rows: tuple[str, ...]

    @property
    def drop(self) -> bool:
        """Whether an action is a column into which a piece falls."""
        return bool(getattr(self.game, "gravity", False))

    @property
    def pass_action(self) -> int | None:
        """The action that places nothing, in a game that has one."""
        cells = self.game.height * self.game.width
        return cells if self.game.actions == cells + 1 else None

    def action_text(self, action: int) -> str:
        """An action as people write it."""
        if action == self.pass_action:
            return "pass"
        if not 0 <= action < self.game.actions:
            return f"action {action}"
        return self.columns[action % self.game.width] + ("" if self.drop else self.rows[action // self.game.width])

    def parse_action(self, text: str) -> int:
        """The action that a text such as H8 means."""
        actions = self.parse_actions(text)
        if len(actions) != 1:
            raise GameError(f"{text[:40]!r} is not one move; {self._example}.")
        return actions[0]

    def parse_actions(self, text: str) -> list[int]:
        """The actions of moves in a row, with or without anything between them."""
        pattern = r"\d" if self.drop else r"[a-z]{1,2}\d{1,2}"
        words = re.split(rf"(pass|{pattern})", text.lower())
        for rest in words[::2]:
            if rest.strip(" ,;.-\t\r\n"):
                raise GameError(f"{rest.strip()[:40]!r} is no move of {self.title}; {self._example}.")
        return [self._parse_word(word) for word in words[1::2]]

    @property
    def _example(self) -> str:
        middle = self.action_text(self.game.width // 2 if self.drop else (self.game.height // 2) * self.game.width + self.game.width // 2)
        return f"a move is written like {middle}"

    def _parse_word(self, word: str) -> int:
        if word == "pass":
            if self.pass_action is None:
                raise GameError(f"{self.title} has no pass.")
            return self.pass_action
        column = word if self.drop else word.rstrip("0123456789")
        row = word[len(column) :]
        columns, rows = [name.lower() for name in self.columns], list(self.rows)
        if column not in columns or (not self.drop and row not in rows):
            raise GameError(f"{word.upper()} is not on the board; {self._example}.")
        return columns.index(column) + (0 if self.drop else rows.index(row) * self.game.width)


def offered() -> list[str]:
    """The names of all games of the page."""
    return list(_OFFERED)


@cache
def offer(name: str) -> Offer:
    """A game of the page by its name."""
    if name not in _OFFERED:
        raise GameError(f"There is no game {name!r} here; there are: {', '.join(_OFFERED)}.")
    title, rules, options = _OFFERED[name]
    return _describe(name, title, make_game(rules, **options))


def offer_for(game_name: str, options: dict[str, Any]) -> Offer:
    """The offer for a model's game; one that is not on the list yet is put there."""
    game = make_game(game_name, **options)
    for name in _OFFERED:
        if same_game(offer(name).game, game):
            return offer(name)
    size = f"{game.width}x{game.height}"
    name = f"{game_name.split(':')[-1].lower()}-{size}"
    while name in _OFFERED:
        name += "+"
    _OFFERED[name] = (f"{game_name.split(':')[-1].capitalize()} {game.width}×{game.height}", game_name, options)
    return offer(name)


def same_game(one: Any, other: Any) -> bool:
    """Whether two games have the same rules: compares their numbers, which determine their tables."""
    if type(one) is not type(other):
        return False
    return all(getattr(one, f) == getattr(other, f) for f in one._fields if isinstance(getattr(one, f), int | bool))


def _describe(name: str, title: str, game: Any) -> Offer:
    in_a_row = isinstance(game, KInARow)
    if in_a_row and game.gravity:
        board, pieces, players = "holes", "discs", ("Red", "Yellow")
    elif in_a_row and game.width > 5:
        board, pieces, players = "points", "stones", ("Black", "White")
    elif in_a_row:
        board, pieces, players = "squares", "marks", ("Cross", "Circle")
    else:
        board, pieces, players = "squares", "stones", ("Black", "White")
    return Offer(name, title, game, board, pieces, players, *_labels(game))


def _labels(game: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if getattr(game, "gravity", False):
        return tuple(str(column + 1) for column in range(game.width)), ()
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    columns = tuple(letters[c] if c < 26 else "A" + letters[c - 26] for c in range(game.width))
    return columns, tuple(str(game.height - row) for row in range(game.height))
