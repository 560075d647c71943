"""What a finished search says: visits, values, the training policy and the move to play."""

import math

import numpy as np

from rayzero.games import rules
from rayzero.games.rules import LOSS, NO_ACTION, ONGOING, RESULT, WIN, WON
from rayzero.jit import bare_kernel, inline_kernel
from rayzero.search.gumbel import improved_policy, winner
from rayzero.search.selection import child_q, exploration, node_value
from rayzero.search.settings import GUMBEL
from rayzero.search.tree import copy, tree_of


@bare_kernel
def read_roots(forest, scratch, game, numbers, slots, out):
    """Fill a SearchResult, one row per slot."""
    settings = numbers[0]
    for row in range(len(slots)):
        b = slots[row]
        tree = tree_of(forest, b)
        root = tree.nodes[0]
        read_children(tree, settings, out.visits[row], out.q[row])
        out.priors[row] = 0.0
        for e in range(root.first, root.first + root.edges):
            a = tree.action[e]
            out.priors[row, a] = forest.clean[b, a] if forest.slots[b].saved else tree.prior[e]
        out.value[row] = node_value(root, settings)
        out.moves_left[row] = root.moves_left if root.result == ONGOING else root.plies
        out.proven[row] = root.result
        out.proven_plies[row] = root.plies
        policy = out.policy[row]
        policy[:] = 0.0
        if root.edges == 0:
            if forest.states[b, RESULT] == ONGOING and root.result != ONGOING:
                known_by_rules(forest, scratch, game, settings, b, policy)
            out.best[row] = most(policy)
        else:
            undecided_gumbel = settings.kind == GUMBEL and root.result == ONGOING
            if undecided_gumbel:
                improved_policy(tree, settings, policy)
            else:
                weigh_visits(tree, policy)
                if settings.forced_playouts > 0.0 and forest.slots[b].noisy and root.result == ONGOING:
                    prune_forced(tree, settings, policy)
            if not normalise(policy):
                copy(out.priors[row], policy)
            out.best[row] = winner(tree, forest.noise[b], settings) if undecided_gumbel else most_visited(tree, policy)


@inline_kernel
def read_children(tree, settings, visits, q):
    """Visits and values (for the player to move at the root) by action."""
    visits[:] = 0
    q[:] = np.nan
    root = tree.nodes[0]
    for e in range(root.first, root.first + root.visited):
        child = tree.nodes[tree.child[e]]
        if child.visits:
            visits[tree.action[e]] = child.visits
            q[tree.action[e]] = -settings.discount * node_value(child, settings)


@inline_kernel
def keeps_result(root, child):
    """Whether a move is as good as what is proven: the shortest win, the longest loss, else no proven loss."""
    if root.result == WIN:
        return child.result == LOSS and child.plies + 1 == root.plies
    if root.result == LOSS:
        return child.plies + 1 == root.plies
    return child.result != WIN and (root.result == ONGOING or child.result == root.result)


@inline_kernel
def weigh_visits(tree, weights):
    """Visits by action, of those moves that keep what is proven."""
    root = tree.nodes[0]
    for e in range(root.first, root.first + root.visited):
        child = tree.nodes[tree.child[e]]
        if keeps_result(root, child):
            weights[tree.action[e]] = child.visits


@bare_kernel
def prune_forced(tree, settings, weights):
    """Take forced playouts out of the visits of all moves but the most visited.

    Each loses up to sqrt(forced * P * simulations) visits, as long as its score at the root stays below that of
    the most visited move; a single visit that is left counts for nothing.
    """
    root = tree.nodes[0]
    scale = exploration(root.visits, settings) * math.sqrt(root.visits)
    star = np.int64(-1)
    for e in range(root.first, root.first + root.visited):
        if star < 0 or weights[tree.action[e]] > weights[tree.action[star]]:
            star = e
    best = root_score(tree, star, np.float64(weights[tree.action[star]]), scale, settings)
    for e in range(root.first, root.first + root.visited):
        a = tree.action[e]
        if e == star or weights[a] == 0:
            continue
        forced = math.sqrt(settings.forced_playouts * np.float64(tree.prior[e]) * (root.visits - 1))
        left = np.float64(weights[a])
        while left > 0 and weights[a] - left + 1 <= forced and root_score(tree, e, left - 1, scale, settings) < best:
            left -= 1
        weights[a] = left if left > 1 else 0.0


@inline_kernel
def root_score(tree, e, visits, scale, settings):
    """What selection would give an edge of the root with so many visits and its present value."""
    q = child_q(tree.nodes[0], tree.nodes[tree.child[e]], settings)
    return q + scale * np.float64(tree.prior[e]) / (1.0 + visits)


@inline_kernel
def normalise(weights):
    """Make weights a distribution; False where all are 0."""
    total = 0.0
    for a in range(len(weights)):
        total += weights[a]
    if total > 0.0:
        for a in range(len(weights)):
            weights[a] = weights[a] / total
    return total > 0.0


@inline_kernel
def most(weights):
    """The action with the largest weight, or NO_ACTION where all are 0."""
    best = NO_ACTION
    for a in range(len(weights)):
        if weights[a] > (weights[best] if best != NO_ACTION else 0.0):
            best = a
    return best


@inline_kernel
def most_visited(tree, policy):
    """The visited action with the largest weight, of equal ones the first visited; else the likeliest."""
    root = tree.nodes[0]
    best = NO_ACTION
    for e in range(root.first, root.first + root.visited):
        a = tree.action[e]
        if policy[a] > (policy[best] if best != NO_ACTION else 0.0):
            best = a
    return best if best != NO_ACTION else most(policy)


@bare_kernel
def known_by_rules(forest, scratch, game, settings, b, policy):
    """The policy of a root that look-ahead has decided: winning moves, or the most stubborn of the losing ones."""
    state, found = forest.states[b], scratch.found
    kind, count, _ = rules.lookahead(game, state, settings.lookahead, found)
    if kind == WON:
        for k in range(count):
            policy[found[k]] = 1.0
    else:
        weigh_stubborn(forest, scratch, game, state, policy)
    normalise(policy)


@bare_kernel
def weigh_stubborn(forest, scratch, game, state, policy):
    """Of moves that all lose, those that leave the other side the fewest ways to win."""
    legal, found, trial = scratch.legal, scratch.found, forest.state
    fewest = game.actions + 1
    for k in range(rules.legal(game, state, legal)):
        copy(state, trial)
        rules.play(game, trial, legal[k])
        _, ways, _ = rules.lookahead(game, trial, 1, found)
        if ways < fewest:
            fewest = ways
            policy[:] = 0.0
        if ways == fewest:
            policy[legal[k]] = 1.0
