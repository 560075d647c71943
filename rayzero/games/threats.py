"""What k-in-a-row boards decide by force: wins and threats of one move, and wins by continuous threats.

A winning cell of a player is an empty one where a stone makes a row. With gravity it counts only when a
stone can be put there now. The player to move who has one wins. Else the other's winning cells must be
filled: one leaves a single move, two are too many. Beyond that see rayzero.games.sequences.
"""

from rayzero.games.lines import MASK, completes, empties, gaps, landing_cell, stones_in
from rayzero.games.rules import FORCED, FREE, HEADER, PLY, WON
from rayzero.games.sequences import NO_CELL, forced_win
from rayzero.jit import bare_kernel


def lookahead(game, state, depth, found):
    """Depth: own moves of a forced win, the winning one included."""
    if game.gravity:
        kind, n, plies = one_move_with_gravity(game, state, found)
        could_threaten = True
    else:
        kind, n, plies, could_threaten = one_move(game, state, found)
    lost = kind == FORCED and n == 0
    if depth > 1 and could_threaten and kind != WON and not lost:
        action, moves = forced_win(game, state, depth, found, n)
        if moves > 0:
            found[0] = action
            return WON, 1, 2 * moves - 1
    return kind, n, plies


@bare_kernel
def one_move(game, state, found):
    """Wins and threats of one move without gravity, and whether the mover could make a threat."""
    own = (state[PLY] & 1) * 32
    k = game.in_a_row
    starts, cells = game.starts, game.cells
    n, threats, threat = 0, 0, NO_CELL
    could_threaten = False
    for line in range(len(starts)):
        word = state[HEADER + line]
        if stones_in(word >> own & MASK) < k - 2 and stones_in(word >> (32 - own) & MASK) < k - 1:
            continue
        one, two = gaps(word, starts[line], k, game.exact)
        could_threaten |= two >> own & MASK != 0
        if one == 0:
            continue
        wins = empties(one, word, k)
        mine, theirs = wins >> own & MASK, wins >> (32 - own) & MASK
        bit = 0
        while mine | theirs:
            cell = cells[line, bit]
            if mine & 1:
                n = add_once(found, n, cell)
            if theirs & 1 and cell != threat:
                threats += 1
                threat = cell
            mine >>= 1
            theirs >>= 1
            bit += 1
    if n > 0:
        return WON, n, 1, could_threaten
    if threats == 0:
        return FREE, 0, 0, could_threaten
    found[0] = threat
    return FORCED, 1 if threats == 1 else 0, 2, could_threaten


@bare_kernel
def add_once(found, n, cell):
    """Append a cell that is not in the list; returns the length."""
    for i in range(n):
        if found[i] == cell:
            return n
    found[n] = cell
    return n + 1


@bare_kernel
def one_move_with_gravity(game, state, found):
    """Wins and threats of one move, and moves that give the other player a winning cell just above."""
    own = (state[PLY] & 1) * 32
    other = 32 - own
    columns = 0
    n, threats, threat = 0, 0, NO_CELL
    for column in range(game.width):
        cell = landing_cell(game, state, column)
        if cell < 0:
            continue
        columns += 1
        if completes(game, state, cell, own):
            found[n] = column
            n += 1
        if completes(game, state, cell, other):
            threats += 1
            threat = column
    if n > 0:
        return WON, n, 1
    if threats > 1:
        return FORCED, 0, 2
    for column in range(game.width):
        cell = landing_cell(game, state, column)
        if cell < 0 or (threats == 1 and column != threat):
            continue
        if cell < game.width or not completes(game, state, cell - game.width, other):
            found[n] = column
            n += 1
    if n == columns:
        return FREE, 0, 0
    return FORCED, n, 2
