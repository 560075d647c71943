"""The rules once more, slow and obvious, written without the tricks of the kernels."""

from collections.abc import Iterator

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class PlainBoard:
    """k in a row on a dictionary of stones: (row, column) -> 0 for the first player, 1 for the second."""

    def __init__(self, width: int, height: int, in_a_row: int, gravity: bool = False, exact: bool = False) -> None:
        self.width, self.height, self.in_a_row, self.gravity, self.exact = width, height, in_a_row, gravity, exact
        self.stones: dict[tuple[int, int], int] = {}
        self.moves: list[int] = []
        self.result: int | None = None  # None: goes on; else 0, or -1: the player to move has lost

    def copy(self) -> "PlainBoard":
        other = PlainBoard(self.width, self.height, self.in_a_row, self.gravity, self.exact)
        other.stones, other.moves, other.result = dict(self.stones), list(self.moves), self.result
        return other

    def target(self, action: int) -> tuple[int, int] | None:
        if not self.gravity:
            cell = divmod(action, self.width)
            return None if cell in self.stones else cell
        for row in reversed(range(self.height)):
            if (row, action) not in self.stones:
                return row, action
        return None

    def legal(self) -> list[int]:
        if self.result is not None:
            return []
        count = self.width if self.gravity else self.width * self.height
        return [action for action in range(count) if self.target(action) is not None]

    def play(self, action: int) -> None:
        cell = self.target(action)
        assert cell is not None and self.result is None
        player = len(self.moves) % 2
        self.stones[cell] = player
        self.moves.append(action)
        lengths = [self._run(cell, direction, player) for direction in DIRECTIONS]
        if self.in_a_row in lengths if self.exact else max(lengths) >= self.in_a_row:
            self.result = -1
        elif len(self.stones) == self.width * self.height:
            self.result = 0

    def after(self, action: int) -> "PlainBoard":
        other = self.copy()
        other.play(action)
        return other

    def _run(self, cell: tuple[int, int], direction: tuple[int, int], player: int) -> int:
        length = 1
        for sign in (1, -1):
            row, column = cell
            while True:
                row, column = row + sign * direction[0], column + sign * direction[1]
                if self.stones.get((row, column)) != player:
                    break
                length += 1
        return length

    def wins(self) -> list[int]:
        """The actions that win at once."""
        return [action for action in self.legal() if self.after(action).result == -1]

    def wins_by_threats(self, depth: int) -> bool:
        """Whether the mover wins in `depth` own moves, each but the last threatening to win, against any defence."""
        if self.wins():
            return True
        return depth > 1 and any(self.threat_wins(action, depth) for action in self.legal())

    def threat_wins(self, action: int, depth: int) -> bool:
        """Whether that move begins such a win."""
        board = self.after(action)
        if board.result is not None:
            return board.result == -1
        return (
            board.threatened()
            and not board.wins()
            and all(board.after(reply).wins_by_threats(depth - 1) for reply in board.legal())
        )

    def threatened(self) -> bool:
        """Whether the player who has just moved would win if he could move again."""
        for action in self.legal():
            other = self.copy()
            other.moves.append(-1)
            other.play(action)
            if other.result == -1:
                return True
        return False


class PlainOthello:
    """Othello on a dictionary; action 64 is the pass."""

    def __init__(self) -> None:
        self.discs = {(3, 3): 1, (4, 4): 1, (3, 4): 0, (4, 3): 0}
        self.moves: list[int] = []
        self.result: int | None = None
        self._next = self._placements(0)

    def legal(self) -> list[int]:
        return [] if self.result is not None else self._next or [64]

    def play(self, action: int) -> None:
        player = len(self.moves) % 2
        if action != 64:
            cell = divmod(action, 8)
            for flipped in list(self._flips(cell, player)):
                self.discs[flipped] = player
            self.discs[cell] = player
        self.moves.append(action)
        self._next = self._placements(1 - player)
        if not self._next and not self._placements(player):
            mover = 1 - player
            difference = sum(1 if owner == mover else -1 for owner in self.discs.values())
            self.result = (difference > 0) - (difference < 0)

    def _placements(self, player: int) -> list[int]:
        return [cell for cell in range(64) if any(True for _ in self._flips(divmod(cell, 8), player))]

    def _flips(self, cell: tuple[int, int], player: int) -> Iterator[tuple[int, int]]:
        if cell in self.discs:
            return
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                line = []
                row, column = cell[0] + down, cell[1] + right
                while (down or right) and self.discs.get((row, column)) == 1 - player:
                    line.append((row, column))
                    row, column = row + down, column + right
                if self.discs.get((row, column)) == player:
                    yield from line
