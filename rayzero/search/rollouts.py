"""Pure Monte-Carlo tree search: no net, equal priors, random games from each new leaf.

Selection is Q + c_puct * P * sqrt(N_parent) / (1 + N) with P = 1 / number of legal actions and Q = 0 for an
unvisited child, so unvisited children of a node are all alike. They are taken in a random order (a shuffle
drawn as far as needed), which has no bias to low indices and lets a node hold only its visited children:
memory and time do not depend on the number of legal actions. A visited child goes before an unvisited one
of the same score, an earlier visited one before a later.

A tree has room for a bounded number of nodes. When it is full it stops growing, and random games go on
from the deepest node reached: any number of playouts is possible.
"""

from typing import Any, NamedTuple

import numpy as np

from rayzero import chance
from rayzero.games.rules import ONGOING, RESULT, legal, play, rollout
from rayzero.jit import bare_kernel, kernel
from rayzero.search.threads import in_parts

ROOT = 0
NO_NODE = -1
NODES_PER_PLAYOUT = 3  # Blocks of children double, and the halves left behind stay unused.
MAX_NODES = 4_000_000  # About 120 MB a tree.


class Tree(NamedTuple):
    """P nodes; a node's children are one block of them. Values are those of the player who moved to the node."""

    visits: Any  # int32 [P]
    total: Any  # int32 [P]: sum of the outcomes
    mean: Any  # float32 [P]: total / visits
    share: Any  # float32 [P]: 1 / (1 + visits)
    action: Any  # int16 [P]: played to get here
    draw: Any  # int16 [P]: the random number that chose it, see `_next_action`
    first: Any  # int32 [P]: the block of children
    children: Any  # int16 [P]: visited so far
    room: Any  # int16 [P]: size of the block
    actions: Any  # int16 [P]: number of legal ones, known from the first child on


@kernel
def _make_tree(nodes):
    return Tree(
        np.empty(nodes, np.int32),
        np.empty(nodes, np.int32),
        np.empty(nodes, np.float32),
        np.empty(nodes, np.float32),
        np.empty(nodes, np.int16),
        np.empty(nodes, np.int16),
        np.empty(nodes, np.int32),
        np.empty(nodes, np.int16),
        np.empty(nodes, np.int16),
        np.empty(nodes, np.int16),
    )


@bare_kernel
def _clear(tree, node):
    tree.visits[node] = 0
    tree.total[node] = 0
    tree.children[node] = 0
    tree.room[node] = 0


@bare_kernel
def _select(tree, node, c_puct):
    """The best visited child, or NO_NODE where an unvisited one is better."""
    children = tree.children[node]
    if children == 0:
        return NO_NODE
    urge = np.float32(c_puct * np.sqrt(np.float64(tree.visits[node])) / tree.actions[node])
    first = tree.first[node]
    best = NO_NODE
    score = np.float32(-2.0) if children == tree.actions[node] else urge
    for child in range(first, first + children):
        other = tree.mean[child] + urge * tree.share[child]
        if other > score or (best == NO_NODE and other == score):
            score = other
            best = child
    return best


@bare_kernel
def _next_action(tree, node, actions, n, random):
    """Draw one of the unvisited actions; `actions` holds the n legal ones.

    The draws of the children so far repeat the shuffle that they came from.
    """
    children = tree.children[node]
    first = tree.first[node]
    for i in range(children):
        drawn = tree.draw[first + i]
        actions[i], actions[drawn] = actions[drawn], actions[i]
    draw = children + chance.draw(random, n - children)
    return draw, actions[draw]


@bare_kernel
def _make_room(tree, node, used):
    """See that one more child fits; returns the number of used nodes, or NO_NODE where the tree is full."""
    children = tree.children[node]
    if children < tree.room[node]:
        return used
    room = min(max(2, 2 * children), tree.actions[node])
    if used + room > len(tree.visits):
        return NO_NODE
    first = tree.first[node]
    for i in range(children):
        tree.visits[used + i] = tree.visits[first + i]
        tree.total[used + i] = tree.total[first + i]
        tree.mean[used + i] = tree.mean[first + i]
        tree.share[used + i] = tree.share[first + i]
        tree.action[used + i] = tree.action[first + i]
        tree.draw[used + i] = tree.draw[first + i]
        tree.first[used + i] = tree.first[first + i]
        tree.children[used + i] = tree.children[first + i]
        tree.room[used + i] = tree.room[first + i]
        tree.actions[used + i] = tree.actions[first + i]
    tree.first[node] = used
    tree.room[node] = room
    return used + room


@bare_kernel
def _back_up(tree, path, depth, outcome):
    """Add an outcome, seen by the player to move at the end of the path, to all its nodes."""
    for i in range(depth - 1, -1, -1):
        outcome = -outcome
        node = path[i]
        tree.visits[node] += 1
        tree.total[node] += outcome
        tree.mean[node] = np.float32(tree.total[node]) / np.float32(tree.visits[node])
        tree.share[node] = np.float32(1.0) / np.float32(1 + tree.visits[node])


@kernel
def _grow(game, root, tree, playouts, c_puct, random):
    """Search an unfinished position; returns the number of used nodes."""
    state = np.empty_like(root)
    actions = np.empty(game.actions, np.int16)
    path = np.empty(game.max_plies + 2, np.int32)
    _clear(tree, ROOT)
    tree.visits[ROOT] = 1  # As if its own playout had been made: then its children get all the others.
    used = 1
    for _ in range(playouts):
        state[:] = root
        node = ROOT
        path[0] = node
        depth = 1
        while state[RESULT] == ONGOING:
            child = _select(tree, node, c_puct)
            new = child == NO_NODE
            if new:
                n = legal(game, state, actions)
                tree.actions[node] = n
                after = _make_room(tree, node, used)
                if after == NO_NODE:
                    break
                used = after
                draw, action = _next_action(tree, node, actions, n, random)
                child = tree.first[node] + tree.children[node]
                tree.children[node] += 1
                _clear(tree, child)
                tree.action[child] = action
                tree.draw[child] = draw
            play(game, state, tree.action[child])
            node = child
            path[depth] = node
            depth += 1
            if new:
                break
        outcome = rollout(game, state, actions, random) if state[RESULT] == ONGOING else state[RESULT]
        _back_up(tree, path, depth, outcome)
    return used


@kernel
def _search(game, states, playouts, c_puct, nodes, random, visits, values):
    """Search every position, adding to visits int32 [n, A] and values float32 [n] (0 where the game is over)."""
    tree = _make_tree(nodes)
    for i in range(len(states)):
        if states[i, RESULT] == ONGOING:
            _grow(game, states[i], tree, playouts, c_puct, random[i])
            values[i] -= np.float32(tree.total[ROOT]) / np.float32(max(playouts, 1))
            first = tree.first[ROOT]
            for child in range(first, first + tree.children[ROOT]):
                visits[i, tree.action[child]] += tree.visits[child]


class RolloutSearch:
    """Pure MCTS for any game: a fresh tree for every position, the most visited move.

    Each position gets `trees` independent trees that share its playouts (root parallelism: one tree is
    stronger, several use several cores for a single position). Results depend on the seed and on the calls
    made before, never on the number of threads.
    """

    def __init__(
        self, game: Any, c_puct: float = 5.0, seed: int = 1, threads: int = 1, trees: int = 1, max_nodes: int = MAX_NODES
    ) -> None:
        self.game = game
        self.c_puct = c_puct
        self.threads = threads
        self.trees = trees
        self.max_nodes = max_nodes
        self._seeds = np.random.default_rng(seed)

    def search(self, states: np.ndarray, playouts: int) -> np.ndarray:
        """Visits int32 [n, A] of the actions at states int64 [n, S]; all zero where the game is over."""
        return self._run(states, playouts)[0]

    def values(self, states: np.ndarray, playouts: int) -> np.ndarray:
        """The mean outcome float32 [n] of the playouts, for the player to move; 0 where the game is over."""
        return self._run(states, playouts)[1]

    def _run(self, states: np.ndarray, playouts: int) -> tuple[np.ndarray, np.ndarray]:
        n = len(states)
        per_tree = -(-playouts // self.trees)
        nodes = max(min(NODES_PER_PLAYOUT * per_tree + 2, self.max_nodes), 2 + 2 * self.game.actions)
        jobs = np.repeat(np.ascontiguousarray(states, np.int64), self.trees, axis=0)
        visits = np.zeros((len(jobs), self.game.actions), np.int32)
        values = np.zeros(len(jobs), np.float32)
        random = chance.random_states(int(self._seeds.integers(2**63)), len(jobs))

        def run(part: slice) -> None:
            _search(self.game, jobs[part], per_tree, self.c_puct, nodes, random[part], visits[part], values[part])

        in_parts(run, len(jobs), self.threads)
        summed = visits.reshape(n, self.trees, -1).sum(axis=1, dtype=np.int32)
        return summed, values.reshape(n, self.trees).mean(axis=1)

    def best(self, states: np.ndarray, playouts: int) -> np.ndarray:
        """The most visited action int16 [n] of each position, the lowest of equals."""
        return self.search(states, playouts).argmax(axis=1).astype(np.int16)
