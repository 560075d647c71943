"""Othello: discs are outflanked and turned, and a player who can't place one passes.

A state holds one word of discs per player with bit `row * size + column`. The last action is the pass; it
is legal only when nothing else is. The game is over when neither player can place a disc.
"""

from typing import Any, NamedTuple

import numpy as np

from rayzero.chance import draw
from rayzero.errors import GameError
from rayzero.games.rules import DRAW, HEADER, LAST, LOSS, NO_ACTION, ONGOING, PLY, RESULT, WIN, register
from rayzero.games.symmetry import board_symmetries
from rayzero.jit import bare_kernel


class Othello(NamedTuple):
    """A board of 4x4, 6x6 or 8x8; make it with `Othello.create`."""

    height: int
    width: int
    plane_count: int
    actions: int
    state_size: int
    max_plies: int
    cell_symmetries: Any  # int16 [4, size*size]
    action_symmetries: Any  # int16 [4, size*size + 1]
    shifts: Any  # int64 [8]: by how many bits a step in a direction moves a disc
    landings: Any  # int64 [8]: where such a step may end

    @property
    def rows_from_top(self) -> bool:
        """A1 is the top left corner."""
        return True

    @classmethod
    def create(cls, size: int = 8) -> "Othello":
        """Build the tables for a board."""
        if size not in (4, 6, 8):
            raise GameError(f"Othello needs a board of 4, 6 or 8 rows, not {size}.")
        cells = size * size
        # The other four swap the colours of the first discs.
        symmetries = board_symmetries(size, size)[[0, 3, 4, 7]]
        passes = np.full((len(symmetries), 1), cells, np.int16)
        shifts, landings = _directions(size)
        return cls(
            height=size,
            width=size,
            plane_count=4,
            actions=cells + 1,
            state_size=HEADER + 2,
            max_plies=2 * (cells - 4),  # A pass is followed by a disc.
            cell_symmetries=symmetries,
            action_symmetries=np.concatenate([symmetries, passes], axis=1),
            shifts=shifts,
            landings=landings,
        )


def _directions(size: int) -> tuple[np.ndarray, np.ndarray]:
    steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
    shifts = np.array([down * size + right for down, right in steps], np.int64)
    landings = np.zeros(8, np.int64)
    for direction, (down, right) in enumerate(steps):
        for row in range(size):
            for column in range(size):
                if 0 <= row - down < size and 0 <= column - right < size:
                    landings[direction] |= np.int64(1) << np.int64(row * size + column)
    return shifts, landings


@bare_kernel
def step(discs, shift, landing):
    """All discs moved by one cell in a direction; those that leave the board are gone."""
    return (discs << shift if shift > 0 else discs >> -shift) & landing


@bare_kernel
def placements(game, own, other):
    """The empty cells where a disc turns at least one of the other's."""
    shifts, landings = game.shifts, game.landings
    found = np.int64(0)
    for direction in range(8):
        reached = step(own, shifts[direction], landings[direction]) & other
        for _ in range(game.width - 3):
            reached |= step(reached, shifts[direction], landings[direction]) & other
        found |= step(reached, shifts[direction], landings[direction])
    return found & ~(own | other)


@bare_kernel
def turned(game, own, other, disc):
    """The other's discs that a new disc turns."""
    shifts, landings = game.shifts, game.landings
    found = np.int64(0)
    for direction in range(8):
        line = np.int64(0)
        reached = step(disc, shifts[direction], landings[direction])
        while reached & other:
            line |= reached
            reached = step(reached, shifts[direction], landings[direction])
        if reached & own:
            found |= line
    return found


@bare_kernel
def lead(game, own, other):
    """How many more discs the first of two players has."""
    difference = np.int64(0)
    for cell in range(game.height * game.width):
        difference += (own >> cell & 1) - (other >> cell & 1)
    return difference


def init(game, state):
    """Four discs in the middle."""
    middle = game.height // 2
    upper, lower = (middle - 1) * game.width + middle - 1, middle * game.width + middle - 1
    state[PLY] = 0
    state[LAST] = NO_ACTION
    state[RESULT] = ONGOING
    state[HEADER] = np.int64(1) << (upper + 1) | np.int64(1) << lower
    state[HEADER + 1] = np.int64(1) << upper | np.int64(1) << (lower + 1)


def legal(game, state, actions):
    """Cells that turn discs, else the pass."""
    if state[RESULT] != ONGOING:
        return 0
    mover = state[PLY] & 1
    cells = placements(game, state[HEADER + mover], state[HEADER + 1 - mover])
    if cells == 0:
        actions[0] = game.actions - 1
        return 1
    return list_cells(game, cells, actions)


@bare_kernel
def list_cells(game, cells, actions):
    """Write the cells whose bits are set; returns their number."""
    n = 0
    for cell in range(game.actions - 1):
        actions[n] = cell
        n += cells >> cell & 1
    return n


def play(game, state, action):
    """Place a disc and turn others, or pass."""
    mover = state[PLY] & 1
    own, other = state[HEADER + mover], state[HEADER + 1 - mover]
    if action < game.actions - 1:
        disc = np.int64(1) << np.int64(action)
        turning = turned(game, own, other, disc)
        own |= disc | turning
        other &= ~turning
        state[HEADER + mover] = own
        state[HEADER + 1 - mover] = other
    state[PLY] += 1
    state[LAST] = action
    if placements(game, other, own) == 0 and placements(game, own, other) == 0:
        difference = lead(game, other, own)
        state[RESULT] = WIN if difference > 0 else LOSS if difference < 0 else DRAW


def rollout(game, state, actions, random):
    """Random play that looks for placements once a ply."""
    start = state[PLY]
    ply = start
    own, other = state[HEADER + (ply & 1)], state[HEADER + 1 - (ply & 1)]
    cells = placements(game, own, other)
    while True:
        if cells:
            disc = np.int64(1) << np.int64(actions[draw(random, list_cells(game, cells, actions))])
            turning = turned(game, own, other, disc)
            own, other = own | disc | turning, other & ~turning
        own, other = other, own
        ply += 1
        cells = placements(game, own, other)
        if cells == 0 and placements(game, other, own) == 0:
            break
    difference = lead(game, own, other)
    state[PLY] = ply
    state[RESULT] = WIN if difference > 0 else LOSS if difference < 0 else DRAW
    return state[RESULT] if (ply - start) % 2 == 0 else -state[RESULT]


def planes(game, state, out):
    """Own discs, the other's, the last one placed, and ones where the player to move played first."""
    mover = state[PLY] & 1
    own, other = state[HEADER + mover], state[HEADER + 1 - mover]
    for row in range(game.height):
        for column in range(game.width):
            cell = row * game.width + column
            out[0, row, column] = own >> cell & 1
            out[1, row, column] = other >> cell & 1
            out[2, row, column] = state[LAST] == cell
            out[3, row, column] = 1 - mover


register(
    Othello,
    init=init,
    legal=legal,
    play=play,
    planes=planes,
    rollout=rollout,
    bare=("init", "legal", "play", "planes", "rollout"),
)
