"""Evaluations remembered by position, so that the same one is never asked for twice with the same weights.

The key is a Zobrist hash of all that the net sees, its input planes, so an entry is exact whatever a game
puts into them. With symmetry, all images of a position share the entry of the one with the smallest key.
"""

from typing import Any, NamedTuple

import numpy as np

from rayzero.jit import bare_kernel, inline_kernel

EMPTY = 0  # No position has this key.
PROBES = 4
ENTRY = np.dtype((np.record, np.dtype([("key", "i8"), ("value", "f4"), ("moves_left", "f4")], align=True)))


class Cache(NamedTuple):
    """A table of fixed size; N is a power of two."""

    zobrist: Any  # int64 [planes*height*width, 8]: a random word for every bit of every value
    entries: Any  # ENTRY [N]
    priors: Any  # float32 [N, A]: as the net sees the canonical image
    recalled: Any  # float32 [A]: the priors that were asked for


def make_cache(game: Any, entries: int) -> Cache:
    """An empty cache with room for at least so many positions (at least one, used or not)."""
    size = 1 << (max(entries, 1) - 1).bit_length()
    cells = game.plane_count * game.height * game.width
    words = np.random.default_rng(20_261_118).integers(1, 1 << 62, (cells, 8))
    return Cache(
        zobrist=words,
        entries=np.zeros(size, ENTRY),
        priors=np.zeros((size, game.actions), np.float32),
        recalled=np.zeros(game.actions, np.float32),
    )


@bare_kernel
def key_of(cache, cells, planes):
    """The hash of planes [C, H, W] whose cells are permuted by one row of a game's `cell_symmetries`."""
    area = len(cells)
    width = planes.shape[2]
    key = np.int64(0)
    for c in range(planes.shape[0]):
        for i in range(area):
            value = planes[c, cells[i] // width, cells[i] % width]
            bit = 0
            while value:
                if value & 1:
                    key ^= cache.zobrist[c * area + i, bit]
                value >>= 1
                bit += 1
    return key if key != EMPTY else np.int64(1)


@bare_kernel
def canonical_key(cache, game, planes, symmetry):
    """The key of a position and the image it belongs to: the smallest of all images with `symmetry`, else its own."""
    best, image = key_of(cache, game.cell_symmetries[0], planes), 0
    if symmetry:
        for s in range(1, len(game.cell_symmetries)):
            key = key_of(cache, game.cell_symmetries[s], planes)
            if key < best:
                best, image = key, s
    return best, image


@inline_kernel
def find(cache, key):
    """The place of a key, or -1."""
    mask = len(cache.entries) - 1
    for probe in range(PROBES):
        place = (key + probe) & mask
        if cache.entries[place].key == key:
            return place
    return -1


@bare_kernel
def store(cache, key, actions, priors, value, moves_left):
    """Remember an evaluation; `actions` is the row of `action_symmetries` of the position's image.

    A free place near the key is taken first, else one that the key chooses is given up.
    """
    mask = len(cache.entries) - 1
    place = (key + (key >> 32) % PROBES) & mask
    for probe in range(PROBES):
        other = cache.entries[(key + probe) & mask].key
        if other in (EMPTY, key):
            place = (key + probe) & mask
            break
    entry = cache.entries[place]
    entry.key = key
    entry.value = value
    entry.moves_left = moves_left
    for a in range(len(actions)):
        cache.priors[place, a] = priors[actions[a]]


@inline_kernel
def recall(cache, place, actions):
    """Turn the priors of an entry back to the position's own image."""
    for a in range(len(actions)):
        cache.recalled[actions[a]] = cache.priors[place, a]


@bare_kernel
def store_evaluations(cache, forest, game, n, priors, value, moves_left):
    """Remember what was said of the n waiting leaves; those with an EMPTY key were asked of older weights."""
    for row in range(n):
        leaf = forest.leaves[row]
        if leaf.key != EMPTY:
            actions = game.action_symmetries[leaf.symmetry]
            store(cache, leaf.key, actions, priors[row], value[row], moves_left[row])
