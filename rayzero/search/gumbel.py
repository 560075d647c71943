"""Gumbel search: sequential halving at the root, the improved policy as target and below the root.

After "Policy improvement by planning with Gumbel" (Danihelka and others, 2022). Values are in [-1, 1], so
the published transform of values in [0, 1] is sigma(q) = (c_visit + max N) * c_scale * (q + 1) / 2.
"""

import math

import numpy as np

from rayzero.games.rules import WIN
from rayzero.jit import bare_kernel, inline_kernel
from rayzero.search.selection import child_q
from rayzero.search.tree import swap

SMALLEST_PRIOR = 1e-30  # A prior of 0 has no logarithm.


@bare_kernel
def fill_schedule(considered, simulations, visits):
    """For each simulation, the visits that a root action must have to be considered by it.

    All start with the best `considered` actions; each phase gives each of them the same number of visits and
    halves their number, down to two.
    """
    if considered <= 1:
        for t in range(simulations):
            visits[t] = t
        return
    phases = 0
    while 1 << phases < considered:
        phases += 1
    t = 0
    done = 0  # visits of the actions that are still in
    while t < simulations:
        for _ in range(max(1, simulations // (phases * considered))):
            for _ in range(considered):
                if t < simulations:
                    visits[t] = done
                    t += 1
            done += 1
        considered = max(2, considered // 2)


@inline_kernel
def best_first_by(key, action, prior, start, end):
    """Swap the unvisited edge with the largest key of its action (of equal ones, the lowest action) to the start."""
    best = start
    for e in range(start + 1, end):
        if key[action[e]] > key[action[best]] or (key[action[e]] == key[action[best]] and action[e] < action[best]):
            best = e
    if start < end:
        swap(action, prior, start, best)


@bare_kernel
def add_logits(tree, key):
    """Turn Gumbel noise by action into noise + log(prior), the order in which root actions are considered."""
    root = tree.nodes[0]
    for e in range(root.first, root.first + root.edges):
        key[tree.action[e]] += math.log(max(np.float64(tree.prior[e]), SMALLEST_PRIOR))


@inline_kernel
def completed(tree, i, settings):
    """What stands for the value of unvisited actions, the factor of values, and the prior mass of the visited ones.

    The first mixes the node's own evaluation with the values of its visited actions, weighted by their priors.
    """
    node = tree.nodes[i]
    visits = 0
    most = 0
    mass = 0.0
    total = 0.0
    for e in range(node.first, node.first + node.visited):
        child = tree.nodes[tree.child[e]]
        p = max(np.float64(tree.prior[e]), SMALLEST_PRIOR)
        mass += p
        total += p * child_q(node, child, settings)
        visits += child.visits + child.waiting
        most = max(most, child.visits + child.waiting)
    mixed = np.float64(node.raw_value)
    if visits:
        mixed = (mixed + visits * (total / mass)) / (1 + visits)
    return mixed, (settings.gumbel_c_visit + most) * settings.gumbel_c_scale / 2, mass


@bare_kernel
def choose_root(tree, key, considered, settings):
    """The considered action with the largest Gumbel + log P + sigma(Q); proven losses are passed over.

    Where they leave no action with the scheduled number of visits, the best of all others is taken.
    """
    root = tree.nodes[0]
    mixed, scale, _ = completed(tree, np.int64(0), settings)
    best, most = -1, -math.inf
    other, most_other = -1, -math.inf
    for k in range(min(root.visited + 1, root.edges)):
        score = key[tree.action[root.first + k]]
        visits = 0
        if k == root.visited:
            score += scale * mixed
        else:
            child = tree.nodes[tree.child[root.first + k]]
            if settings.solver and child.result == WIN:
                continue
            score += scale * child_q(root, child, settings)
            visits = child.visits + child.waiting - child.kept
        if visits == considered and score > most:
            most = score
            best = k
        if score > most_other:
            most_other = score
            other = k
    return best if best >= 0 else other


@bare_kernel
def choose_inner(tree, i, settings):
    """The action whose share of visits is furthest behind the improved policy softmax(log P + sigma(Q))."""
    node = tree.nodes[i]
    mixed, scale, mass = completed(tree, i, settings)
    top, norm = normaliser(tree, i, mixed, scale, mass, settings)
    visits = 0
    for e in range(node.first, node.first + node.visited):
        child = tree.nodes[tree.child[e]]
        visits += child.visits + child.waiting
    best, most = -1, -math.inf
    for k in range(min(node.visited + 1, node.edges)):
        p = np.float64(tree.prior[node.first + k])
        if k == node.visited:
            score = p * math.exp(scale * mixed - top) / norm
        else:
            child = tree.nodes[tree.child[node.first + k]]
            if settings.solver and child.result == WIN:
                continue
            score = p * math.exp(scale * child_q(node, child, settings) - top) / norm
            score -= (child.visits + child.waiting) / (1.0 + visits)
        if score > most:
            most = score
            best = k
    return best


@inline_kernel
def normaliser(tree, i, mixed, scale, mass, settings):
    """The largest exponent of the improved policy, taken out for safety, and the sum of its weights."""
    node = tree.nodes[i]
    top = scale * mixed if node.visited < node.edges else -math.inf
    for e in range(node.first, node.first + node.visited):
        top = max(top, scale * child_q(node, tree.nodes[tree.child[e]], settings))
    norm = 0.0
    for e in range(node.first, node.first + node.visited):
        q = child_q(node, tree.nodes[tree.child[e]], settings)
        norm += np.float64(tree.prior[e]) * math.exp(scale * q - top)
    if node.visited < node.edges:
        norm += max(1.0 - mass, 0.0) * math.exp(scale * mixed - top)
    return top, max(norm, SMALLEST_PRIOR)


@bare_kernel
def improved_policy(tree, settings, weights):
    """softmax(log P + sigma(completed Q)) over the root's actions, the training target; proven losses get none."""
    root = tree.nodes[0]
    mixed, scale, mass = completed(tree, np.int64(0), settings)
    top, norm = normaliser(tree, np.int64(0), mixed, scale, mass, settings)
    for k in range(root.edges):
        q = mixed
        if k < root.visited:
            child = tree.nodes[tree.child[root.first + k]]
            if settings.solver and child.result == WIN:
                continue
            q = child_q(root, child, settings)
        p = np.float64(tree.prior[root.first + k])
        weights[tree.action[root.first + k]] = p * math.exp(scale * q - top) / norm


@bare_kernel
def winner(tree, key, settings):
    """The action that sequential halving ends with: the best of the most visited in this search."""
    root = tree.nodes[0]
    considered = np.int64(0)
    for e in range(root.first, root.first + root.visited):
        child = tree.nodes[tree.child[e]]
        if not (settings.solver and child.result == WIN):
            considered = max(considered, child.visits - child.kept)
    return tree.action[root.first + choose_root(tree, key, considered, settings)]
