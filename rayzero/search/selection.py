"""Which child a descent goes to: PUCT with first-play urgency, moves-left utility and proven results.

Statistics of a node are from the view of its own player to move; a parent sees the opposite.
"""

import math

import numpy as np

from rayzero.games.rules import ONGOING, WIN
from rayzero.jit import inline_kernel
from rayzero.search.settings import FPU_FIXED, FPU_REDUCTION


@inline_kernel
def proven_value(result, plies, discount):
    """The exact value of a proven node: discounted once for every ply to the end."""
    value = np.float64(result)
    if discount != 1.0:
        for _ in range(plies):
            value *= discount
    return value


@inline_kernel
def node_value(node, settings):
    """The value of a visited node for its player to move: exact where it is proven and the solver may use it."""
    if settings.solver and node.result != ONGOING:
        return proven_value(node.result, node.plies, settings.discount)
    return node.value


@inline_kernel
def moves_left_utility(parent, child, value, settings):
    """clamp(slope * (M_child - M_parent), -cap, cap) * Q_child, with Q from the child's own view.

    M_child > M_parent is a long way to go: good for a child that wins (for its own mover), so bad for the
    parent's mover when he wins, since then Q_child < 0.
    """
    moves = np.float64(child.plies) if settings.solver and child.result != ONGOING else child.moves_left
    term = settings.moves_left_slope * (moves - parent.moves_left)
    return min(max(term, -settings.moves_left_cap), settings.moves_left_cap) * value


@inline_kernel
def child_q(parent, child, settings):
    """The parent's value of a visited child, with the moves-left utility and the losses of waiting descents."""
    if child.visits == 0:
        return -settings.virtual_loss
    value = node_value(child, settings)
    q = -settings.discount * value
    if settings.moves_left_slope != 0.0:
        q += moves_left_utility(parent, child, value, settings)
    if child.waiting:
        q = (q * child.visits - settings.virtual_loss * child.waiting) / (child.visits + child.waiting)
    return q


@inline_kernel
def exploration(visits, settings):
    """c(N): constant, or growing with the logarithm of the visits."""
    if settings.c_base > 0.0:
        return settings.c_puct + math.log((visits + settings.c_base + 1.0) / settings.c_base)
    return settings.c_puct


@inline_kernel
def first_play_value(node, mass, settings):
    """What an unvisited child is taken to be worth; `mass` is the prior mass of the visited ones."""
    if settings.fpu == FPU_FIXED:
        return settings.fpu_value
    if settings.fpu == FPU_REDUCTION:
        return max(node.value - settings.fpu_value * math.sqrt(mass), -1.0)
    return node.value


@inline_kernel
def choose_puct(tree, i, forced, settings):
    """The edge (counted from the node's first) with the largest Q + c(N) * P * sqrt(N) / (1 + N_child).

    Children that are proven lost for the chooser are left out; a node where all are lost is itself proven
    and never gets here. Equal scores go to the child visited first. With `forced` > 0 (at a root with noise)
    a visited child with fewer than sqrt(forced * P * simulations) visits goes before all others.
    """
    node = tree.nodes[i]
    first = node.first
    visits = node.visits + node.waiting
    scale = exploration(visits, settings) * math.sqrt(visits)
    best = -1
    most = -math.inf
    mass = 0.0
    for k in range(node.visited):
        p = np.float64(tree.prior[first + k])
        mass += p
        child = tree.nodes[tree.child[first + k]]
        if settings.solver and child.result == WIN:
            continue
        n = child.visits + child.waiting
        if forced > 0.0 and n * n < forced * p * (visits - 1):
            return k
        score = child_q(node, child, settings) + scale * p / (1.0 + n)
        if score > most:
            most = score
            best = k
    if node.visited < node.edges:
        k = node.visited
        if first_play_value(node, mass, settings) + scale * np.float64(tree.prior[first + k]) > most:
            best = k
    return best
