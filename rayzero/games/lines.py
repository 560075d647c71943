"""Lines of stones as bit masks: what k-in-a-row boards are made of.

A state holds one word per row, column, diagonal and anti-diagonal: the first player's stones in its low
32 bits, the second player's in its high 32. No line is longer than 31 cells, so a zero follows each of
them, and shifts do not carry one player's row into the other's.

`game` is a KInARow, `side` the shift to a player's stones: 0 or 32.
"""

import numpy as np

from rayzero.games.rules import HEADER
from rayzero.jit import bare_kernel

MASK = 0xFFFFFFFF


def line_tables(width: int, height: int, in_a_row: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The tables `words`, `bits`, `cells` and `starts` of a KInARow."""
    diagonals = width + height - 1
    count = height + width + 2 * diagonals
    words = np.empty((height * width, 4), np.uint16)
    bits = np.empty((height * width, 4), np.uint8)
    cells = np.full((count, 32), -1, np.int16)
    starts = np.zeros(count, np.int64)
    for cell in range(height * width):
        row, column = divmod(cell, width)
        lines = (
            row,
            height + column,
            height + width + row - column + width - 1,
            height + width + diagonals + row + column,
        )
        for direction, (line, bit) in enumerate(zip(lines, (column, row, column, column), strict=True)):
            words[cell, direction] = HEADER + line
            bits[cell, direction] = bit
            cells[line, bit] = cell
    for line in range(count):
        for bit in range(32 - in_a_row):
            if (cells[line, bit : bit + in_a_row] >= 0).all():
                starts[line] |= (1 << bit) | (1 << bit + 32)
    return words, bits, cells, starts


@bare_kernel
def has_row(stones, k, exact):
    """Whether a word has k stones in a row (exactly k where `exact`)."""
    runs = stones
    length = 1
    while 2 * length <= k:
        runs &= runs >> length
        length *= 2
    if length < k:
        runs &= runs >> (k - length)
    if exact:  # A start of a run of k or more, with no stone before and none after the k.
        runs &= ~(stones << 1) & ~(stones >> k)
    return runs != 0


@bare_kernel
def stones_in(half):
    """How many bits are set."""
    n = 0
    while half:
        half &= half - 1
        n += 1
    return n


@bare_kernel
def completes(game, state, cell, side):
    """Whether a stone on an empty cell makes a row."""
    words, bits = game.words, game.bits
    a = state[words[cell, 0]] >> side & MASK | np.int64(1) << np.int64(bits[cell, 0])
    b = state[words[cell, 1]] >> side & MASK | np.int64(1) << np.int64(bits[cell, 1])
    c = state[words[cell, 2]] >> side & MASK | np.int64(1) << np.int64(bits[cell, 2])
    d = state[words[cell, 3]] >> side & MASK | np.int64(1) << np.int64(bits[cell, 3])
    if game.small:  # All four lines fit into one word.
        return has_row(a | b << 16 | c << 32 | d << 48, game.in_a_row, game.exact)
    return has_row(a | b << 32, game.in_a_row, game.exact) or has_row(c | d << 32, game.in_a_row, game.exact)


@bare_kernel
def flip_stone(game, state, cell, side):
    """Put a stone on a cell, or take it away again."""
    words, bits = game.words, game.bits
    one = np.int64(1) << side
    state[words[cell, 0]] ^= one << np.int64(bits[cell, 0])
    state[words[cell, 1]] ^= one << np.int64(bits[cell, 1])
    state[words[cell, 2]] ^= one << np.int64(bits[cell, 2])
    state[words[cell, 3]] ^= one << np.int64(bits[cell, 3])


@bare_kernel
def is_empty(game, state, cell):
    """Whether a cell has no stone."""
    word = state[game.words[cell, 0]]
    return (word | word >> 32) >> np.int64(game.bits[cell, 0]) & 1 == 0


@bare_kernel
def empty_cells(game, state, cells):
    """Write the empty cells in increasing order; returns their number."""
    n = 0
    row_mask = (np.int64(1) << game.width) - 1
    for row in range(game.height):
        word = state[HEADER + row]
        free = ~(word | word >> 32) & row_mask
        cell = row * game.width
        while free:
            cells[n] = cell
            n += free & 1
            free >>= 1
            cell += 1
    return n


@bare_kernel
def open_columns(game, state, columns):
    """Write the columns with room in increasing order; returns their number."""
    n = 0
    free = ~(state[HEADER] | state[HEADER] >> 32)
    for column in range(game.width):
        if free >> column & 1:
            columns[n] = column
            n += 1
    return n


@bare_kernel
def landing_cell(game, state, column):
    """The lowest empty cell of a column; negative where it is full."""
    word = state[HEADER + game.height + column]
    filled = word | word >> 32
    row = game.height - 1
    while row >= 0 and filled >> row & 1:
        row -= 1
    return row * game.width + column


@bare_kernel
def gaps(word, starts, k, exact):
    """Windows of k cells that only one player has stones in, with one and with two stones missing.

    Two words with a bit at the lowest cell of each such window, in the half of the player it belongs to.
    """
    others = word >> 32 & MASK | word << 32
    blocked = np.int64(0)
    one, two, three = np.int64(0), np.int64(0), np.int64(0)  # At least so many are missing.
    for i in range(k):
        missing = ~(word >> i)
        blocked |= others >> i
        three |= two & missing
        two |= one & missing
        one |= missing
    if exact:
        blocked |= word << 1 | word >> k
    usable = starts & ~blocked
    return one & ~two & usable, two & ~three & usable


@bare_kernel
def empties(windows, word, k):
    """The empty cells in windows of a line, each in the half of the windows' player."""
    cells = np.int64(0)
    for i in range(k):
        cells |= windows << i
    stones = word | word >> 32
    return cells & ~(stones & MASK | stones << 32)
