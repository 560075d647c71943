"""How people write moves and see boards: H8 on Gomoku boards, columns 1 to 7 for Connect4, D3 and pass for Othello.

Rows count from below, or from the top in a game with a property `rows_from_top` that says True. A game
with other actions than cells or columns may have a method `action_text(action)` of its own.
"""

import re
from functools import cache
from typing import Any

import numpy as np

from rayzero.errors import GameError

EMPTY = -1
_SEPARATORS = " ,;.-\t\r\n"


def labels(game: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the columns and of the rows, which are () where an action is a column."""
    rows = 0 if game.actions == game.width else game.height
    return _labels(game.width, rows, bool(getattr(game, "rows_from_top", False)))


@cache
def _labels(width: int, height: int, from_top: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if height == 0:
        return tuple(str(column + 1) for column in range(width)), ()
    letters = [chr(ord("A") + i) for i in range(26)]
    columns = (letters + [first + second for first in letters for second in letters])[:width]
    rows = [str(row + 1) for row in range(height)]
    return tuple(columns), tuple(rows if from_top else rows[::-1])


def pass_action(game: Any) -> int | None:
    """The action that places nothing: the one after the cells, in a game that has it."""
    cells = game.height * game.width
    return cells if game.actions == cells + 1 else None


def action_text(game: Any, action: int) -> str:
    """An action as people write it."""
    if not 0 <= action < game.actions:
        return f"action {action}"
    if hasattr(game, "action_text"):
        return str(game.action_text(action))
    columns, rows = labels(game)
    if not rows:
        return columns[action]
    if action == pass_action(game):
        return "pass"
    cells = game.height * game.width
    if game.actions not in (cells, cells + 1):
        return str(action)
    return columns[action % game.width] + rows[action // game.width]


def parse_action(game: Any, text: str) -> int:
    """The action that a text such as H8 means."""
    actions = parse_actions(game, text)
    if len(actions) != 1:
        raise GameError(f"{text.strip()[:40]!r} is not one move; {_example(game)}.")
    return actions[0]


def parse_actions(game: Any, text: str) -> list[int]:
    """The actions of moves in a row, with or without anything between them: h8h7i9, or 4 4 5 3."""
    actions = {action_text(game, action).lower(): action for action in range(game.actions)}
    longest_first = sorted(actions, key=len, reverse=True)
    words = re.split(f"({'|'.join(map(re.escape, longest_first))})", text.lower())
    for i, rest in enumerate(words[::2]):
        if rest.strip(_SEPARATORS):
            wrong = rest if i == 0 else words[2 * i - 1] + rest  # H88 is one wrong word, not H8 and another.
            raise GameError(f"{wrong.strip(_SEPARATORS)[:40]!r} is no move on this board; {_example(game)}.")
    return [actions[word] for word in words[1::2]]


def board_text(game: Any, board: np.ndarray, last: int | None = None) -> str:
    """A board int8 [height, width] as text, X for the first player and O for the second; the last piece in brackets."""
    columns, rows = labels(game)
    margin = max((len(row) for row in rows), default=0)
    lines = []
    for row in range(game.height):
        cells = [".XO"[board[row, column] - EMPTY] for column in range(game.width)]
        line = "".join(f" {cell} " for cell in cells)
        if last is not None and last // game.width == row:
            at = 3 * (last % game.width)
            line = f"{line[:at]}({line[at + 1]}){line[at + 3 :]}"
        lines.append(f"{rows[row] if rows else '':>{margin}} {line}".rstrip())
    lines.append(" " * (margin + 1) + "".join(f"{column:^3}" for column in columns).rstrip())
    return "\n".join(lines)


def winning_line(game: Any, board: np.ndarray, last: int | None) -> tuple[int, ...]:
    """The cells of the row that the last piece completed, from one end to the other; () in games without rows."""
    if not hasattr(game, "in_a_row") or last is None:
        return ()
    pieces = board.reshape(game.height, game.width)
    row, column = divmod(last, game.width)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        cells = [last]
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < game.height and 0 <= c < game.width and pieces[r, c] == pieces[row, column]:
                cells.append(r * game.width + c)
                r, c = r + sign * down, c + sign * right
        if len(cells) == game.in_a_row or (len(cells) > game.in_a_row and not game.exact):
            return tuple(sorted(cells))
    return ()


def _example(game: Any) -> str:
    first, middle, last = (action_text(game, action) for action in (0, game.actions // 2, game.actions - 1))
    return f"moves are written like {first}, {middle} or {last}"
