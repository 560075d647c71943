"""What happens at a root only: exploration noise on its priors, and moving it along the game."""

import math

import numpy as np

from rayzero.games import rules
from rayzero.games.rules import ONGOING
from rayzero.jit import bare_kernel, inline_kernel
from rayzero.search.gumbel import add_logits, best_first_by, fill_schedule
from rayzero.search.settings import GUMBEL
from rayzero.search.tree import NO_GAME, NO_NODE, best_first, clear_tree, copy, keep_subtree, tree_of


@bare_kernel
def reset_trees(forest, game, slots, waiting, states, initial):
    """Forget the trees of some games; their roots get new states, or the initial position."""
    for row in range(len(slots)):
        b = slots[row]
        drop_leaves(forest, waiting, b)
        clear_tree(tree_of(forest, b), forest.slots[b])
        forest.slots[b].active = 0
        if initial:
            rules.init(game, forest.states[b])
        else:
            copy(states[row], forest.states[b])


@bare_kernel
def begin_searches(forest, numbers, slots, simulations, noisy, epsilon):
    """Start a search at the root of some games; `forest.noise` holds their samples already."""
    settings = numbers[0]
    for row in range(len(slots)):
        b = slots[row]
        slot = forest.slots[b]
        root = forest.nodes[b, 0]
        slot.target = simulations[row]
        slot.start = max(root.visits - 1, 0)
        slot.noisy = noisy[row]
        slot.epsilon = epsilon
        slot.active = 1
        for e in range(root.first, root.first + root.visited):
            child = forest.nodes[b, forest.child[b, e]]
            child.kept = child.visits
        if root.edges:
            prepare_root(forest, b, settings)


@bare_kernel
def prepare_root(forest, b, settings):
    """Put what a search does at its root only on the priors of an expanded one, starting from its own priors."""
    slot = forest.slots[b]
    tree = tree_of(forest, b)
    root = tree.nodes[0]
    for e in range(root.first, root.first + root.edges):
        if slot.saved:
            tree.prior[e] = forest.clean[b, tree.action[e]]
        else:
            forest.clean[b, tree.action[e]] = tree.prior[e]
    slot.saved = 1
    if settings.kind == GUMBEL:
        add_logits(tree, forest.noise[b])
        remaining = max(slot.target - slot.start, 0)
        fill_schedule(min(settings.gumbel_considered, root.edges), remaining, forest.schedule[b])
    elif slot.noisy:
        heat(tree, root, settings.root_temperature)
        mix_noise(tree, root, forest.noise[b], slot.epsilon)
    order_root(forest, b, settings)


@inline_kernel
def order_root(forest, b, settings):
    """Put the root's best unvisited edge before the others; a Gumbel root has its own order."""
    tree = tree_of(forest, b)
    root = tree.nodes[0]
    start, end = root.first + root.visited, root.first + root.edges
    if settings.kind == GUMBEL:
        best_first_by(forest.noise[b], tree.action, tree.prior, start, end)
    else:
        best_first(tree.action, tree.prior, start, end)


@inline_kernel
def heat(tree, root, temperature):
    """P ** (1/T), normalised."""
    if temperature == 1.0:
        return
    total = 0.0
    for e in range(root.first, root.first + root.edges):
        tree.prior[e] = math.pow(np.float64(tree.prior[e]), 1.0 / temperature)
        total += np.float64(tree.prior[e])
    for e in range(root.first, root.first + root.edges):
        tree.prior[e] = np.float64(tree.prior[e]) / total


@inline_kernel
def mix_noise(tree, root, noise, epsilon):
    """(1 - epsilon) * P + epsilon * Dirichlet, the sample being gammas that are normalised over the edges."""
    total = 0.0
    for e in range(root.first, root.first + root.edges):
        total += noise[tree.action[e]]
    if total > 0.0:
        for e in range(root.first, root.first + root.edges):
            sample = noise[tree.action[e]] / total
            tree.prior[e] = (1.0 - epsilon) * np.float64(tree.prior[e]) + epsilon * sample


@bare_kernel
def drop_leaves(forest, waiting, b):
    """Leaves of a tree that is about to change are no longer waited for."""
    if forest.slots[b].waiting:
        for row in range(waiting):
            if forest.leaves[row].game == b:
                forest.leaves[row].game = NO_GAME
        for i in range(forest.slots[b].nodes):
            forest.nodes[b, i].waiting = 0
        forest.slots[b].waiting = 0


@bare_kernel
def play_moves(forest, scratch, game, reuse, slots, waiting, actions):
    """Advance the roots of some games; returns the first row with an illegal action, or -1 (then all are played)."""
    for row in range(len(slots)):
        n = rules.legal(game, forest.states[slots[row]], scratch.legal)
        known = False
        for k in range(n):
            known |= scratch.legal[k] == actions[row]
        if not known:
            return row
    for row in range(len(slots)):
        b = slots[row]
        slot = forest.slots[b]
        tree = tree_of(forest, b)
        root = tree.nodes[0]
        drop_leaves(forest, waiting, b)
        rules.play(game, forest.states[b], actions[row])
        slot.active = 0
        kept = child_after(tree, root, actions[row]) if reuse else NO_NODE
        if kept != NO_NODE and (tree.nodes[kept].edges or tree.nodes[kept].result != ONGOING):
            keep_subtree(tree, slot, kept, scratch)
        else:  # Visits of a node that found no room for its edges say nothing about its moves.
            clear_tree(tree, slot)
    return -1


@inline_kernel
def child_after(tree, node, action):
    """The child that an action leads to, or NO_NODE."""
    for e in range(node.first, node.first + node.visited):
        if tree.action[e] == action:
            return np.int64(tree.child[e])
    return np.int64(NO_NODE)


@bare_kernel
def count_legal(forest, scratch, game, slots, counts):
    """The number of legal actions at some roots."""
    for row in range(len(slots)):
        counts[row] = rules.legal(game, forest.states[slots[row]], scratch.legal)
