"""Pure Monte-Carlo tree search: no net, equal priors, random games from each new leaf.

Selection is Q + c_puct * P * sqrt(N_parent) / (1 + N) with P = 1 / number of legal actions and Q = 0 for an
unvisited child, so unvisited children of a node are all alike. They are taken in a random order (a shuffle
drawn as far as needed), which has no bias to low indices and lets a node hold only its visited children:
memory and time do not depend on the number of legal actions. Of children with the same score the one
that was visited first most recently is taken, and an unvisited one last of all.

A tree has room for a bounded number of nodes. When it is full it stops growing, and random games go on
from the deepest node reached: any number of playouts is possible.
"""

from typing import Any

import numpy as np

from rayzero.chance import draw, random_states
from rayzero.games.rules import ONGOING, RESULT, legal, play, rollout
from rayzero.jit import inline_kernel, kernel
from rayzero.search.threads import in_parts

ROOT = 0
NO_NODE = -1
NODES_PER_PLAYOUT = 4  # Never more: blocks of children double, and what they leave behind stays unused.
MAX_NODES = 4_000_000  # 128 MB a tree.


# A node; values are those of the player who moved to it. Its children are one block of the tree.
NODE = np.dtype(
    [
        ("visits", np.int32),
        ("total", np.int32),  # sum of the outcomes
        ("value", np.float32),  # total / visits
        ("share", np.float32),  # 1 / (1 + visits)
        ("first", np.int32),  # where the block of children begins
        ("children", np.int16),  # visited so far
        ("room", np.int16),  # size of the block
        ("actions", np.int16),  # number of legal ones, known from the first child on
        ("action", np.int16),  # played to get here
        ("drawn", np.int16),  # the random number that chose it, see `_next_action`
        ("spare", np.int16),  # 32 bytes: two nodes to a cache line
    ]
)


@inline_kernel
def _clear(tree, node):
    tree[node].visits = 0
    tree[node].total = 0
    tree[node].children = 0
    tree[node].room = 0


@inline_kernel
def _select(tree, node, c_puct):
    """The best visited child, or NO_NODE where an unvisited one is better."""
    children = tree[node].children
    if children == 0:
        return NO_NODE
    actions = tree[node].actions
    urge = np.float32(c_puct) * np.sqrt(np.float32(tree[node].visits)) / np.float32(actions)
    first = tree[node].first
    best = NO_NODE
    score = np.float32(-2.0) if children == actions else urge
    for child in range(first, first + children):
        other = tree[child].value + urge * tree[child].share
        best = child if other >= score else best
        score = max(score, other)
    return best


@inline_kernel
def _next_action(tree, node, actions, n, random):
    """Draw one of the unvisited actions; `actions` holds the n legal ones.

    The draws of the children so far repeat the shuffle that they came from.
    """
    children = tree[node].children
    first = tree[node].first
    for i in range(children):
        drawn = tree[first + i].drawn
        actions[i], actions[drawn] = actions[drawn], actions[i]
    drawn = children + draw(random, n - children)
    return drawn, actions[drawn]


@inline_kernel
def _make_room(tree, node, used):
    """See that one more child fits; returns the number of used nodes, or NO_NODE where the tree is full."""
    children = tree[node].children
    if children < tree[node].room:
        return used
    room = min(max(2, 2 * children), tree[node].actions)
    if used + room > len(tree):
        return NO_NODE
    first = tree[node].first
    for i in range(children):
        tree[used + i] = tree[first + i]
    tree[node].first = used
    tree[node].room = room
    return used + room


@inline_kernel
def _back_up(tree, path, depth, outcome):
    """Add an outcome, seen by the player to move at the end of the path, to all its nodes."""
    for i in range(depth - 1, -1, -1):
        outcome = -outcome
        node = path[i]
        visits = tree[node].visits + 1
        total = tree[node].total + outcome
        tree[node].visits = visits
        tree[node].total = total
        tree[node].value = np.float32(total) / np.float32(visits)
        tree[node].share = np.float32(1.0) / np.float32(1 + visits)


@kernel
def _grow(game, root, tree, playouts, c_puct, random):
    """Search an unfinished position; returns the number of used nodes."""
    state = np.empty_like(root)
    actions = np.empty(game.actions, np.int16)
    path = np.empty(game.max_plies + 2, np.int32)
    _clear(tree, ROOT)
    tree[ROOT].visits = 1  # As if its own playout had been made: then its children get all the others.
    used = 1
    for _ in range(playouts):
        for word in range(game.state_size):
            state[word] = root[word]
        node = ROOT
        path[0] = node
        depth = 1
        while state[RESULT] == ONGOING:
            child = _select(tree, node, c_puct)
            new = child == NO_NODE
            if new:
                n = legal(game, state, actions)
                tree[node].actions = n
                after = _make_room(tree, node, used)
                if after == NO_NODE:
                    break
                used = after
                drawn, action = _next_action(tree, node, actions, n, random)
                child = np.int64(tree[node].first + tree[node].children)
                tree[node].children += 1
                _clear(tree, child)
                tree[child].action = action
                tree[child].drawn = drawn
            play(game, state, tree[child].action)
            node = child
            path[depth] = node
            depth += 1
            if new:
                break
        outcome = rollout(game, state, actions, random) if state[RESULT] == ONGOING else state[RESULT]
        _back_up(tree, path, depth, outcome)
    return used


@kernel
def _search(game, states, tree, playouts, c_puct, random, visits, values):
    """Search every position, adding to visits int32 [n, A] and values float32 [n] (0 where the game is over)."""
    for i in range(len(states)):
        if states[i, RESULT] == ONGOING:
            _grow(game, states[i], tree, playouts, c_puct, random[i])
            values[i] -= np.float32(tree[ROOT].total) / np.float32(max(playouts, 1))
            first = tree[ROOT].first
            for child in range(first, first + tree[ROOT].children):
                visits[i, tree[child].action] += tree[child].visits


class RolloutSearch:
    """Pure MCTS for any game: a fresh tree for every position, the most visited move.

    Each position gets `trees` independent trees that share its playouts (root parallelism: one tree is
    stronger, several use several cores for a single position). Results depend on the seed and on the calls
    made before, never on the number of threads.
    """

    def __init__(
        self,
        game: Any,
        c_puct: float = 5.0,
        seed: int = 1,
        *,
        threads: int = 1,
        trees: int = 1,
        max_nodes: int = MAX_NODES,
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
        random = random_states(int(self._seeds.integers(2**63)), len(jobs))

        def run(part: slice) -> None:
            tree = np.recarray(nodes, NODE)
            _search(self.game, jobs[part], tree, per_tree, self.c_puct, random[part], visits[part], values[part])

        in_parts(run, len(jobs), self.threads)
        summed = visits.reshape(n, self.trees, -1).sum(axis=1, dtype=np.int32)
        return summed, values.reshape(n, self.trees).mean(axis=1)

    def best(self, states: np.ndarray, playouts: int) -> np.ndarray:
        """The most visited action int16 [n] of each position, the lowest of equals."""
        return self.search(states, playouts).argmax(axis=1).astype(np.int16)
