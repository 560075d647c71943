"""Wins by continuous threats on k-in-a-row boards.

A move that makes a winning cell forces the answer there, so that a sequence of such moves needs no look
at other answers. It wins when two winning cells stand at once. An answer may itself make a winning cell
of the other player: then the next move has to fill it, and to threaten as well.
"""

from typing import Any, NamedTuple

import numpy as np

from rayzero.games.lines import MASK, completes, empties, flip_stone, gaps, is_empty, landing_cell, stones_in
from rayzero.games.rules import FORCED, FREE, HEADER, PLY, WON
from rayzero.jit import bare_kernel, kernel

NODES = 200  # Moves that one search may try; with 5,000 no more wins were found in 1,750 positions of play.
NO_CELL = -1


class Sequence(NamedTuple):
    """A sequence of threats and forced answers under way, at most D long, and what is left to try."""

    candidates: Any  # int16 [D, cells]: cells where a threat may be possible, all of them
    levels: Any  # int64 [D, 5]: see below
    seen: Any  # int32 [cells + 1]: the last list that a cell was put into; behind the cells, the newest list


# How many candidates there are, how many may be tried, how many were tried; the stones on the board.
COUNT, LIMIT, TRIED, THREAT, ANSWER = 0, 1, 2, 3, 4


@kernel
def forced_win(game, root, depth, found, n):
    """Search for the shortest win by threats alone; where n > 0, only the actions found[:n] may begin it.

    Returns the first action and the number of own moves, which is 0 where no win was found.
    """
    area = game.height * game.width
    sequence = Sequence(np.empty((depth, area), np.int16), np.empty((depth, 5), np.int64), np.zeros(area + 1, np.int32))
    state = root.copy()
    nodes = 0
    for moves in range(2, depth + 1):
        action, nodes, deeper = search_threats(game, state, moves, found, n, nodes, sequence)
        if action != NO_CELL:
            return action, moves
        if not deeper:
            break
    return NO_CELL, 0


@bare_kernel
def search_threats(game, state, moves, found, n, nodes, sequence):
    """Search with so many own moves at most. Returns the first action, nodes so far, and whether more could help."""
    own = (state[PLY] & 1) * 32
    candidates, levels = sequence.candidates, sequence.levels
    first_candidates(game, state, own, found, n, sequence)
    deeper = False
    level = 0
    while level >= 0:
        if levels[level, TRIED] == levels[level, LIMIT] or nodes == NODES:
            level -= 1
            if level >= 0:
                flip_stone(game, state, levels[level, THREAT], own)
                flip_stone(game, state, levels[level, ANSWER], 32 - own)
            continue
        cell = np.int64(candidates[level, levels[level, TRIED]])
        levels[level, TRIED] += 1
        if not is_empty(game, state, cell):
            continue
        nodes += 1
        kind, answer, must = threaten(game, state, cell, own)
        if kind == WON:
            first = np.int64(candidates[0, levels[0, TRIED] - 1])
            return (first % game.width if game.gravity else first), nodes, False
        if kind == FORCED and level + 2 < moves:
            levels[level, THREAT] = cell
            levels[level, ANSWER] = answer
            level += 1
            next_candidates(game, state, own, level, must, sequence)
        elif kind == FORCED:
            deeper = nodes < NODES
            flip_stone(game, state, cell, own)
            flip_stone(game, state, answer, 32 - own)
    return np.int64(NO_CELL), nodes, deeper


@bare_kernel
def threaten(game, state, cell, own):
    """Try a stone on a cell. Returns (kind, answer, must):

    WON     it wins against any answer
    FORCED  the threat and its only answer are on the board; the next stone has to go to `must`, if any
    FREE    it forces nothing, or loses; the board is as before
    """
    other = 32 - own
    above = cell - game.width
    flip_stone(game, state, cell, own)
    threats, answer = wins_after(game, state, cell, own)
    opens = game.gravity and above >= 0 and completes(game, state, above, other)
    if threats == 0 or opens:
        flip_stone(game, state, cell, own)
        return FREE, NO_CELL, NO_CELL
    if threats > 1:
        return WON, NO_CELL, NO_CELL
    flip_stone(game, state, answer, other)
    above = answer - game.width
    if game.gravity and above >= 0 and completes(game, state, above, own):
        return WON, answer, NO_CELL
    counters, must = wins_after(game, state, answer, other)
    if counters > 1:
        flip_stone(game, state, answer, other)
        flip_stone(game, state, cell, own)
        return FREE, NO_CELL, NO_CELL
    return FORCED, answer, must


@bare_kernel
def wins_after(game, state, cell, side):
    """The winning cells of a player who had none before the stone on `cell`: whether 0, 1 or more, and one of them."""
    n, win = 0, NO_CELL
    if game.gravity:
        for column in range(game.width):
            landing = landing_cell(game, state, column)
            if landing >= 0 and completes(game, state, landing, side):
                n += 1
                win = landing
        return n, win
    words, starts, cells = game.words, game.starts, game.cells
    for direction in range(4):
        line = np.int64(words[cell, direction]) - HEADER
        word = state[HEADER + line]
        one, _ = gaps(word, starts[line], game.in_a_row, game.exact)
        wins = empties(one, word, game.in_a_row) >> side & MASK
        bit = 0
        while wins:
            if wins & 1 and cells[line, bit] != win:
                n += 1
                win = np.int64(cells[line, bit])
            wins >>= 1
            bit += 1
    return n, win


@bare_kernel
def first_candidates(game, state, own, found, n, sequence):
    """List the candidates of the first move; where n > 0, only found[:n] may be tried."""
    begin_list(sequence, 0)
    for i in range(n):
        action = np.int64(found[i])
        add_candidate(sequence, 0, landing_cell(game, state, action) if game.gravity else action)
    if game.gravity:
        add_landings(game, state, 0, sequence)
    else:
        for line in range(len(game.starts)):
            add_threats(game, state, line, own, 0, sequence)
    sequence.levels[0, LIMIT] = n if n > 0 else sequence.levels[0, COUNT]


@bare_kernel
def next_candidates(game, state, own, level, must, sequence):
    """List the candidates after a threat and its answer: on the lines of the new stone, and the old ones."""
    levels = sequence.levels
    begin_list(sequence, level)
    if must != NO_CELL:
        add_candidate(sequence, level, must)
    if game.gravity:
        add_landings(game, state, level, sequence)
    else:
        for direction in range(4):
            line = np.int64(game.words[levels[level - 1, THREAT], direction]) - HEADER
            add_threats(game, state, line, own, level, sequence)
        for i in range(levels[level - 1, COUNT]):
            add_candidate(sequence, level, sequence.candidates[level - 1, i])
    levels[level, LIMIT] = 1 if must != NO_CELL else levels[level, COUNT]


@bare_kernel
def begin_list(sequence, level):
    """Start a list of candidates."""
    sequence.seen[-1] += 1
    sequence.levels[level, COUNT] = 0
    sequence.levels[level, TRIED] = 0


@bare_kernel
def add_candidate(sequence, level, cell):
    """Append a cell to the newest list, once."""
    seen, levels = sequence.seen, sequence.levels
    if seen[cell] != seen[-1]:
        seen[cell] = seen[-1]
        sequence.candidates[level, levels[level, COUNT]] = cell
        levels[level, COUNT] += 1


@bare_kernel
def add_landings(game, state, level, sequence):
    """Append all cells that can be played on a board with gravity."""
    for column in range(game.width):
        cell = landing_cell(game, state, column)
        if cell >= 0:
            add_candidate(sequence, level, cell)


@bare_kernel
def add_threats(game, state, line, own, level, sequence):
    """Append the empty cells of a line's windows that two stones are missing in."""
    word = state[HEADER + line]
    if stones_in(word >> own & MASK) < game.in_a_row - 2:
        return
    _, two = gaps(word, game.starts[line], game.in_a_row, game.exact)
    cells = empties(two, word, game.in_a_row) >> own & MASK
    bit = 0
    while cells:
        if cells & 1:
            add_candidate(sequence, level, game.cells[line, bit])
        cells >>= 1
        bit += 1
