"""Boards as pictures: a game as a strip, policies as heat maps."""

import io
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from rayzero.games.rules import LAST, NO_ACTION, init, planes, play
from rayzero.records import GameRecord

CELL = 12  # pixels
BOARD = (222, 184, 135)
GRID = (150, 115, 75)
STONES = ((20, 20, 20), (245, 245, 245))
LAST_MOVE = (200, 30, 30)
HEAT = (30, 60, 200)
GAP = 6


class Picture(NamedTuple):
    """A PNG file and its size."""

    png: bytes
    width: int
    height: int


def game_strip(game: Any, record: GameRecord, count: int = 6) -> Picture:
    """A few moments of a game, evenly spaced, its end included."""
    plies = sorted({round(record.plies * (i + 1) / count) for i in range(count)})
    return _encode([_draw(game, record, ply, None) for ply in plies])


def policy_strip(game: Any, record: GameRecord, count: int = 6) -> Picture | None:
    """The search's policies at a few training targets of a game, over the boards they are for."""
    targets = len(record.target_plies)
    if targets == 0 or game.actions < game.width:
        return None
    chosen = sorted({round(i * (targets - 1) / max(count - 1, 1)) for i in range(count)})
    boards = []
    for target in chosen:
        start = record.policy_ends[target - 1] if target else 0
        part = slice(start, record.policy_ends[target])
        policy = np.zeros(game.actions, np.float32)
        policy[record.policy_actions[part]] = record.policy_probabilities[part]
        boards.append(_draw(game, record, int(record.target_plies[target]), policy))
    return _encode(boards)


def _draw(game: Any, record: GameRecord, ply: int, policy: np.ndarray | None) -> np.ndarray:
    state = np.zeros(game.state_size, np.int64)
    init(game, state)
    for action in record.moves[:ply]:
        play(game, state, action)
    seen = np.zeros((game.plane_count, game.height, game.width), np.uint8)
    planes(game, state, seen)
    board = np.empty((game.height * CELL, game.width * CELL, 3), np.uint8)
    board[:] = BOARD
    board[CELL // 2 :: CELL] = GRID
    board[:, CELL // 2 :: CELL] = GRID
    if policy is not None:
        _heat(game, board, policy)
    first = ply % 2  # plane 0 holds the stones of the player to move
    for row in range(game.height):
        for column in range(game.width):
            for plane in (0, 1):
                if seen[plane, row, column]:
                    _disc(board, row, column, STONES[first ^ plane])
    if state[LAST] != NO_ACTION and game.plane_count > 2 and seen[2].sum() == 1:
        row, column = np.argwhere(seen[2])[0]
        _disc(board, row, column, LAST_MOVE, CELL // 5)
    return board


def _heat(game: Any, board: np.ndarray, policy: np.ndarray) -> None:
    """Blend probabilities in: a cell each, or a column each where an action names one."""
    cells = game.height * game.width
    strength = np.sqrt(policy / max(policy.max(), 1e-9))
    grid = strength[:cells].reshape(game.height, game.width) if len(policy) >= cells else None
    if grid is None:
        grid = np.zeros((game.height, game.width))
        grid[0] = strength[: game.width]
    blend = np.kron(grid, np.ones((CELL, CELL)))[:, :, None]
    board[:] = (board * (1 - 0.8 * blend) + np.array(HEAT) * 0.8 * blend).astype(np.uint8)


def _disc(board: np.ndarray, row: int, column: int, colour: tuple[int, int, int], radius: int = CELL // 2 - 1) -> None:
    y, x = np.ogrid[:CELL, :CELL]
    middle = (CELL - 1) / 2
    inside = (y - middle) ** 2 + (x - middle) ** 2 <= radius**2 + 1
    board[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL][inside] = colour


def _encode(boards: list[np.ndarray]) -> Picture:
    gap = np.full((boards[0].shape[0], GAP, 3), 255, np.uint8)
    strip = np.concatenate([part for board in boards for part in (board, gap)][:-1], axis=1)
    file = io.BytesIO()
    Image.fromarray(strip).save(file, "PNG")
    return Picture(file.getvalue(), strip.shape[1], strip.shape[0])
