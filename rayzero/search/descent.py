"""One step of the search for all games: descend to leaves that need an evaluation, then take it in."""

import numpy as np

from rayzero.games import rules
from rayzero.games.rules import FORCED, FREE, LOSS, ONGOING, RESULT, WIN, WON
from rayzero.jit import bare_kernel, inline_kernel
from rayzero.search.backup import back_up
from rayzero.search.cache import canonical_key, find, recall
from rayzero.search.gumbel import choose_inner, choose_root
from rayzero.search.root import order_root, prepare_root
from rayzero.search.selection import choose_puct, proven_value
from rayzero.search.settings import GUMBEL
from rayzero.search.tree import (
    EVALUATIONS,
    HITS,
    NO_GAME,
    NO_NODE,
    SAVED,
    SIMULATIONS,
    add_child,
    best_first,
    copy,
    expand,
    tree_of,
)


@inline_kernel
def done(tree, slot):
    """Whether a search needs no more descents."""
    root = tree.nodes[0]
    return root.result != ONGOING or root.visits - 1 + slot.waiting >= slot.target


@bare_kernel
def select_leaves(forest, cache, game, numbers):
    """Descend in every active game until leaves wait for an evaluation; return how many do."""
    settings = numbers[0]
    n = np.int64(0)
    for b in range(len(forest.slots)):
        slot = forest.slots[b]
        if not slot.active:
            continue
        tree = tree_of(forest, b)
        for _ in range(settings.leaves):
            if not next_leaf(forest, tree, cache, game, settings, b, n):
                break
            n += 1
        if slot.waiting == 0:
            slot.active = 0
    forest.counters[EVALUATIONS] += n
    return n


@inline_kernel
def next_leaf(forest, tree, cache, game, settings, b, row):
    """Simulate until a leaf needs an evaluation and is written into the row; False when none does (for now).

    Leaves whose result or evaluation is known cost nothing, so the next simulation follows at once.
    """
    slot = forest.slots[b]
    while not done(tree, slot):
        copy(forest.states[b], forest.state)
        i = descend(forest, tree, game, settings, b)
        node = tree.nodes[i]
        if node.waiting and node.edges == 0:
            return False  # Another descent of this step is there already.
        if node.result == ONGOING and node.edges == 0 and (node.visits == 0 or has_room(tree, slot, game)):
            if needs_evaluation(forest, tree, cache, game, settings, b, i, row):
                slot.waiting += 1
                mark_path(tree, settings, i, 1)
                return True
            if node.result == ONGOING:
                continue
        forest.counters[SIMULATIONS] += i != 0
        if node.result != ONGOING:
            exact = proven_value(node.result, node.plies, settings.discount)
            back_up(tree, i, exact, np.float64(node.plies), settings)
        else:
            back_up(tree, i, np.float64(node.raw_value), np.float64(node.raw_moves_left), settings)
    return False


@inline_kernel
def descend(forest, tree, game, settings, b):
    """Follow the selection rule from the root to a node that is new, not expanded, or proven; play along.

    Where the pool of nodes is full it ends at the parent of the child that has no room.
    """
    slot = forest.slots[b]
    gumbel = settings.kind == GUMBEL
    i = np.int64(0)
    while True:
        node = tree.nodes[i]
        if node.result != ONGOING or node.edges == 0:
            return i
        if not gumbel:
            k = choose_puct(tree, i, settings.forced_playouts if i == 0 and slot.noisy else 0.0, settings)
        elif i == 0:
            simulation = node.visits - 1 + slot.waiting - slot.start
            k = choose_root(tree, forest.noise[b], forest.schedule[b, simulation], settings)
        else:
            k = choose_inner(tree, i, settings)
        if k < node.visited:
            j = np.int64(tree.child[node.first + k])
        else:
            j = add_child(tree, slot, i)
            if j == NO_NODE:
                return i
            if i == 0:
                order_root(forest, b, settings)
            else:
                best_first(tree.action, tree.prior, node.first + node.visited, node.first + node.edges)
        rules.play(game, forest.state, tree.action[node.first + k])
        i = j


@inline_kernel
def needs_evaluation(forest, tree, cache, game, settings, b, i, row):
    """Look at a new leaf: False where the rules decide it, or where the cache has its evaluation, now taken in."""
    node = tree.nodes[i]
    leaf = forest.leaves[row]
    actions = forest.leaf_actions[row]
    leaf.game = b
    leaf.node = i
    leaf.edges = assess(node, game, settings, forest.state, actions)
    if node.result != ONGOING:
        forest.counters[SAVED] += forest.state[RESULT] == ONGOING
        return False
    rules.planes(game, forest.state, forest.planes[row])
    if settings.cache == 0:
        return True
    leaf.key, leaf.symmetry = canonical_key(cache, game, forest.planes[row], settings.cache_symmetry)
    place = find(cache, leaf.key)
    if place < 0:
        return True
    forest.counters[HITS] += 1
    recall(cache, place, game.action_symmetries[leaf.symmetry])
    entry = cache.entries[place]
    absorb(forest, tree, leaf, actions, cache.recalled, entry.value, entry.moves_left, settings)
    return False


@inline_kernel
def assess(node, game, settings, state, actions):
    """Ask the rules about a new leaf: its result where they know it, else the actions to expand and their number.

    Where the other side threatens to win at once, only the moves that stop it are expanded.
    """
    if state[RESULT] != ONGOING:
        node.result = state[RESULT]
        node.plies = 0
        return 0
    if settings.lookahead > 0:
        kind, count, plies = rules.lookahead(game, state, settings.lookahead, actions)
        if kind == WON or (kind == FORCED and count == 0):
            node.result = WIN if kind == WON else LOSS
            node.plies = plies
            return 0
        if kind != FREE:
            return count
    return rules.legal(game, state, actions)


@inline_kernel
def has_room(tree, slot, game):
    """Whether a node that found the pool of edges full can be expanded now."""
    return slot.edges + game.actions <= len(tree.action)


@inline_kernel
def mark_path(tree, settings, i, change):
    """Count a waiting descent in or out from a leaf to the root; a lone descent meets no other."""
    if settings.leaves > 1:
        while i != NO_NODE:
            tree.nodes[i].waiting += change
            i = tree.nodes[i].parent


@bare_kernel
def take_evaluation(forest, numbers, n, priors, value, moves_left):
    """Expand and back up the n waiting leaves, those of forgotten trees excepted."""
    settings = numbers[0]
    for row in range(n):
        leaf = forest.leaves[row]
        if leaf.game == NO_GAME:
            continue
        slot = forest.slots[leaf.game]
        tree = tree_of(forest, leaf.game)
        mark_path(tree, settings, leaf.node, -1)
        slot.waiting -= 1
        absorb(forest, tree, leaf, forest.leaf_actions[row], priors[row], value[row], moves_left[row], settings)
        if slot.waiting == 0 and done(tree, slot):
            slot.active = 0


@inline_kernel
def absorb(forest, tree, leaf, actions, priors, value, moves_left, settings):
    """Expand one leaf with its evaluation and back it up."""
    node = tree.nodes[leaf.node]
    node.raw_value = value
    node.raw_moves_left = moves_left
    expand(tree, forest.slots[leaf.game], leaf.node, actions, leaf.edges, priors)
    if leaf.node == 0:
        prepare_root(forest, leaf.game, settings)
    forest.counters[SIMULATIONS] += leaf.node != 0
    back_up(tree, leaf.node, np.float64(value), np.float64(moves_left), settings)
