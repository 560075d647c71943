"""From a leaf to the root: running means of value and moves left, and proven results."""

import numpy as np

from rayzero.games.rules import DRAW, LOSS, ONGOING, WIN
from rayzero.jit import inline_kernel
from rayzero.search.selection import proven_value
from rayzero.search.tree import NO_NODE


@inline_kernel
def back_up(tree, leaf, value, moves_left, settings):
    """Count a visit of a leaf with a value for its player to move, and of every node above it.

    The sign turns, the value is discounted and moves left grow by one at every ply. A leaf that is proven may
    prove its parent, and so on; a node proven by this visit passes on its exact value.
    """
    i = leaf
    proving = tree.nodes[leaf].result != ONGOING
    while i != NO_NODE:
        node = tree.nodes[i]
        if proving:
            if i != leaf:
                proving = settings.solver and prove(tree, i)
            if proving:
                value = proven_value(node.result, node.plies, settings.discount)
                moves_left = np.float64(node.plies)
        node.visits += 1
        node.value += (value - node.value) / node.visits
        node.moves_left += (moves_left - node.moves_left) / node.visits
        value *= -settings.discount
        moves_left += 1.0
        i = node.parent


@inline_kernel
def prove(tree, i):
    """See whether the children decide a node: a won move (the shortest), or all moves known.

    A child's result is that of the other player: a child that is LOSS is a move that wins.
    """
    node = tree.nodes[i]
    result = LOSS
    plies = 0
    undecided = node.visited < node.edges
    for k in range(node.visited):
        child = tree.nodes[tree.child[node.first + k]]
        if child.result == LOSS:
            if result != WIN or child.plies + 1 < plies:
                plies = child.plies + 1
            result = WIN
        elif child.result == ONGOING:
            undecided = True
        elif result != WIN:
            if child.result == DRAW and result == LOSS:
                result = DRAW
                plies = child.plies + 1
            elif (child.result == DRAW) == (result == DRAW):
                plies = max(plies, child.plies + 1)
    if undecided and result != WIN:
        return False
    node.result = result
    node.plies = plies
    return True
