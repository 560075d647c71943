"""The games on offer, and how people see their boards."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from rayzero.errors import GameError
from rayzero.games import notation
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
        return not self.rows

    @property
    def pass_action(self) -> int | None:
        """The action that places nothing, in a game that has one."""
        return notation.pass_action(self.game)

    def action_text(self, action: int) -> str:
        """An action as people write it."""
        return notation.action_text(self.game, action)

    def parse_action(self, text: str) -> int:
        """The action that a text such as H8 means."""
        return notation.parse_action(self.game, text)

    def parse_actions(self, text: str) -> list[int]:
        """The actions of moves in a row, with or without anything between them."""
        return notation.parse_actions(self.game, text)


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
    return Offer(name, title, game, board, pieces, players, *notation.labels(game))
