"""A game in progress: moves, the boards they led to, undo, and how it ended."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rayzero.errors import GameError
from rayzero.games.kinarow import KInARow
from rayzero.games.notation import EMPTY, winning_line
from rayzero.games.rules import DRAW, LOSS, ONGOING, RESULT, init, legal, planes, play
from rayzero.jit import kernel
from rayzero.play.catalogue import Offer


@kernel
def _replay(game: Any, moves: np.ndarray, state: np.ndarray, boards: np.ndarray, legal_counts: np.ndarray) -> int:
    """Play moves from the start, writing every board on the way; returns how many of them were legal."""
    actions = np.empty(game.actions, np.int16)
    picture = np.empty((game.plane_count, game.height, game.width), np.uint8)
    init(game, state)
    for ply in range(len(moves) + 1):
        planes(game, state, picture)
        mover = ply % 2
        for cell in range(game.height * game.width):
            row, column = cell // game.width, cell % game.width
            boards[ply, cell] = EMPTY
            if picture[0, row, column]:
                boards[ply, cell] = mover
            elif picture[1, row, column]:
                boards[ply, cell] = 1 - mover
        legal_counts[ply] = legal(game, state, actions)
        if ply == len(moves):
            return ply
        found = False
        for i in range(legal_counts[ply]):
            found = found or actions[i] == moves[ply]
        if not found:
            return ply
        play(game, state, moves[ply])
    return len(moves)


@dataclass(frozen=True)
class Outcome:
    """How a game ended."""

    winner: int | None  # 0 or 1, None: a draw
    reason: str  # played | resigned
    line: tuple[int, ...] = ()  # cells of the winning row


@dataclass
class Session:
    """One game; every change goes through `play`, `undo` and `resign`."""

    offer: Offer
    moves: list[int] = field(default_factory=list)
    resigned: int | None = None

    def __post_init__(self) -> None:
        self._replay()

    def play(self, action: int, ply: int | None = None) -> None:
        """Play an action, at an earlier ply if given: what came after that ply is forgotten."""
        ply = self.plies if ply is None else ply
        if not 0 <= ply <= self.plies:
            raise GameError(f"Ply {ply} does not exist: the game has {self.plies} plies.")
        before, resigned = self.moves, self.resigned
        self.moves = [*before[:ply], action]
        self.resigned = None
        try:
            if resigned is not None and ply == len(before):
                raise GameError("The game is over: one side has resigned.")
            self._replay()
        except GameError:
            self.moves, self.resigned = before, resigned
            raise

    def undo(self, plies: int = 1) -> None:
        """Take back plies, or the resignation first."""
        if self.resigned is not None:
            self.resigned = None
            return
        if not 1 <= plies <= self.plies:
            raise GameError(f"{plies} plies can't be taken back: the game has {self.plies}.")
        self.moves = self.moves[:-plies]
        self._replay()

    def resign(self, player: int) -> None:
        """Give the game up for a player."""
        if self.outcome is not None:
            raise GameError("The game is over already.")
        self.resigned = player

    @property
    def plies(self) -> int:
        """Moves so far."""
        return len(self.moves)

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""
        return self.plies % 2

    @property
    def legal(self) -> list[int]:
        """The legal actions; none when the game is over."""
        return [] if self.outcome is not None else legal_actions(self.offer.game, self.state)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        if self.resigned is not None:
            return Outcome(1 - self.resigned, "resigned")
        result = self.state[RESULT]
        if result == ONGOING:
            return None
        if result == DRAW:
            return Outcome(None, "played")
        winner = 1 - self.to_move if result == LOSS else self.to_move
        return Outcome(winner, "played", winning_line(self.offer.game, self.boards[-1], self.last_cell))

    @property
    def last_cell(self) -> int | None:
        """The cell of the last move, if it filled one."""
        return self.changes(self.plies - 1)[0][0] if self.plies and self.changes(self.plies - 1) else None

    def changes(self, ply: int) -> list[tuple[int, int]]:
        """The cells that the move of a ply changed, with whose piece is there now; the placed one first."""
        before, after = self.boards[ply], self.boards[ply + 1]
        placed = np.flatnonzero((before != after) & (before == EMPTY))
        turned = np.flatnonzero((before != after) & (before != EMPTY))
        return [(int(cell), int(after[cell])) for cell in (*placed, *turned)]

    def legal_lists(self) -> list[list[int] | None]:
        """The legal actions before every move; None in games where every empty cell or open column is legal."""
        if isinstance(self.offer.game, KInARow):
            return [None] * self.plies
        return [Session(self.offer, self.moves[:ply]).legal for ply in range(self.plies)]

    def start(self) -> list[tuple[int, int]]:
        """The pieces that are on the board before the first move."""
        return [(int(cell), int(self.boards[0][cell])) for cell in np.flatnonzero(self.boards[0] != EMPTY)]

    def text(self) -> str:
        """The moves in one word, as links hold them."""
        return "".join(self.offer.action_text(move) for move in self.moves)

    def _replay(self) -> None:
        game = self.offer.game
        if len(self.moves) > game.max_plies:
            raise GameError(f"{len(self.moves)} moves are too many: a game has at most {game.max_plies}.")
        state = np.empty(game.state_size, np.int64)
        boards = np.empty((len(self.moves) + 1, game.height * game.width), np.int8)
        counts = np.empty(len(self.moves) + 1, np.int64)
        played = _replay(game, np.array(self.moves, np.int64), state, boards, counts)
        if played < len(self.moves):
            name = self.offer.action_text(self.moves[played])
            over = "the game is over there" if counts[played] == 0 else "that is not legal there"
            raise GameError(f"Move {played + 1} can't be {name}: {over}.")
        self.state = state
        self.boards = boards


def legal_actions(game: Any, state: np.ndarray) -> list[int]:
    """The legal actions of a state."""
    found = np.empty(game.actions, np.int16)
    return [int(action) for action in found[: legal(game, state, found)]]
