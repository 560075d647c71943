"""One position to look at and play on: for notebooks, tests and everything that does not need speed."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from rayzero.errors import GameError
from rayzero.games import notation, rules


class Position:
    """A game in progress. Actions may be given as numbers or as people write them: `position.play("H8")`."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.moves: list[int] = []
        self.state = np.zeros(game.state_size, np.int64)
        rules.init(game, self.state)

    @classmethod
    def from_moves(cls, game: Any, moves: Iterable[int] | str) -> "Position":
        """The position after these moves, given as actions or in one text such as "H8 H9 J10"."""
        position = cls(game)
        for action in notation.parse_actions(game, moves) if isinstance(moves, str) else moves:
            position.play(action)
        return position

    def copy(self) -> "Position":
        """The same position, to be changed on its own."""
        other = Position(self.game)
        other.moves = list(self.moves)
        other.state[:] = self.state
        return other

    def play(self, action: int | str) -> "Position":
        """Play a legal action; returns this position."""
        action = notation.parse_action(self.game, action) if isinstance(action, str) else int(action)
        if action not in self.legal:
            text = notation.action_text(self.game, action)
            why = "the game is over" if self.finished else "that is not legal here"
            raise GameError(f"Move {len(self.moves) + 1} can't be {text}: {why}.")
        rules.play(self.game, self.state, action)
        self.moves.append(action)
        return self

    @property
    def legal(self) -> list[int]:
        """The legal actions; none when the game is over."""
        actions = np.zeros(self.game.actions, np.int16)
        return [int(action) for action in actions[: rules.legal(self.game, self.state, actions)]]

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""
        return int(self.state[rules.PLY] % 2)

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return bool(self.state[rules.RESULT] != rules.ONGOING)

    @property
    def outcome(self) -> int | None:
        """1, 0 or -1 for the *first player*; None while the game goes on."""
        if not self.finished:
            return None
        result = int(self.state[rules.RESULT])
        return result if self.to_move == 0 else -result

    @property
    def planes(self) -> np.ndarray:
        """What a net sees: uint8 [plane_count, height, width]."""
        out = np.zeros((self.game.plane_count, self.game.height, self.game.width), np.uint8)
        rules.planes(self.game, self.state, out)
        return out

    @property
    def board(self) -> np.ndarray:
        """Whose piece is where: int8 [height, width] of 0, 1 and EMPTY."""
        own, other = self.planes[:2]
        return np.where(own, self.to_move, np.where(other, 1 - self.to_move, notation.EMPTY)).astype(np.int8)

    @property
    def last_cell(self) -> int | None:
        """The cell of the last piece; None before the first move and after a pass."""
        if not self.moves or self.moves[-1] == notation.pass_action(self.game):
            return None
        action = self.moves[-1]
        if self.game.actions != self.game.width:
            return action if action < self.game.height * self.game.width else None
        row = int(np.argmax(self.board[:, action] != notation.EMPTY))
        return row * self.game.width + action

    @property
    def winning_line(self) -> tuple[int, ...]:
        """The cells of the row that won; () while there is none."""
        won = self.outcome not in (None, 0)
        return notation.winning_line(self.game, self.board, self.last_cell) if won else ()

    def text(self) -> str:
        """The board, with coordinates."""
        return notation.board_text(self.game, self.board, self.last_cell)

    def moves_text(self) -> str:
        """The moves so far as people write them."""
        return " ".join(notation.action_text(self.game, action) for action in self.moves)

    def __repr__(self) -> str:
        if not self.finished:
            what = f"{'first' if self.to_move == 0 else 'second'} player to move"
        else:
            what = {1: "the first player has won", 0: "drawn", -1: "the second player has won"}[self.outcome or 0]
        return f"{self.text()}\n{len(self.moves)} plies, {what}"
