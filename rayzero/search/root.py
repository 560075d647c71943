"""What happens at a root only: exploration noise on its priors, and moving it along the game."""

import numpy as np

from rayzero.games import rules
from rayzero.jit import bare_kernel
from rayzero.search.tree import best_first, clear_tree, copy, keep_subtree, tree_of


@bare_kernel
def reset_trees(forest, game, slots, states, initial):
    """Forget the trees of some games; their roots get new states, or the initial position."""
    for row in range(len(slots)):
        b = slots[row]
        clear_tree(tree_of(forest, b), forest.slots[b])
        forest.slots[b].active = 0
        forest.slots[b].waiting = 0
        if initial:
            rules.init(game, forest.states[b])
        else:
            copy(states[row], forest.states[b])


@bare_kernel
def begin_searches(forest, settings, slots, simulations, noisy, epsilon):
    """Start a search at the root of some games; `forest.noise` holds their samples already."""
    for row in range(len(slots)):
        b = slots[row]
        slot = forest.slots[b]
        slot.target = simulations[row]
        slot.noisy = noisy[row]
        slot.epsilon = epsilon
        slot.active = 1
        if forest.nodes[b, 0].edges:
            prepare_root(forest, b, settings)


@bare_kernel
def prepare_root(forest, b, settings):
    """Put temperature and noise on the priors of an expanded root, starting from its own ones."""
    slot = forest.slots[b]
    tree = tree_of(forest, b)
    root = tree.nodes[0]
    first, last = root.first, root.first + root.edges
    if not slot.saved:
        forest.clean[b] = 0.0
    total = 0.0
    power = 1.0 / settings.root_temperature if slot.noisy else 1.0
    for e in range(first, last):
        if slot.saved:
            tree.prior[e] = forest.clean[b, tree.action[e]]
        else:
            forest.clean[b, tree.action[e]] = tree.prior[e]
        if power != 1.0:
            tree.prior[e] = np.float64(tree.prior[e]) ** power
        total += np.float64(tree.prior[e])
    slot.saved = 1
    if slot.noisy:
        mix_noise(tree, root, forest.noise[b], slot.epsilon, total)
    best_first(tree.action, tree.prior, first + root.visited, last)


@bare_kernel
def mix_noise(tree, root, noise, epsilon, total):
    """(1 - epsilon) * P + epsilon * Dirichlet, the sample being gammas that are normalised over the edges."""
    norm = 0.0
    for e in range(root.first, root.first + root.edges):
        norm += noise[tree.action[e]]
    for e in range(root.first, root.first + root.edges):
        p = np.float64(tree.prior[e]) / total
        tree.prior[e] = (1.0 - epsilon) * p + epsilon * (noise[tree.action[e]] / norm) if norm > 0.0 else p


@bare_kernel
def play_moves(forest, game, settings, slots, actions):
    """Advance the roots of some games; returns the first row with an illegal action, or -1 (then all are played)."""
    legal = forest.actions[0]
    for row in range(len(slots)):
        n = rules.legal(game, forest.states[slots[row]], legal)
        known = False
        for k in range(n):
            known |= legal[k] == actions[row]
        if not known:
            return row
    for row in range(len(slots)):
        b = slots[row]
        slot = forest.slots[b]
        tree = tree_of(forest, b)
        root = tree.nodes[0]
        rules.play(game, forest.states[b], actions[row])
        slot.active = 0
        kept = False
        for k in range(root.visited):
            if settings.reuse_tree and tree.action[root.first + k] == actions[row]:
                keep_subtree(tree, slot, np.int64(tree.child[root.first + k]), forest.moved[0], forest.moved[1])
                kept = True
                break
        if not kept:
            clear_tree(tree, slot)
    return -1


@bare_kernel
def count_legal(forest, game, slots, counts):
    """The number of legal actions at some roots."""
    for row in range(len(slots)):
        counts[row] = rules.legal(game, forest.states[slots[row]], forest.actions[0])
