"""The trees of B games as arrays: nodes, edges, and what each game's search is doing.

Every game has its own pool of nodes and of edges, filled from the front; node 0 is the root and a child
always comes after its parent. No state is stored: a descent plays its moves from the root's state.

The edges of a node lie together. The first `visited` of them have a child, in the order in which they were
first visited; the next one is the unvisited edge with the largest prior (of equal ones, the lowest action),
so that a selection rule has to look at no other unvisited edge.

An index that starts at a constant starts as np.int64: numba would compile what it is passed to twice, once for
the constant.
"""

from typing import Any, NamedTuple

import numpy as np

from rayzero.games.rules import ONGOING
from rayzero.jit import bare_kernel, inline_kernel

NO_NODE = -1
NO_GAME = -1
EDGE_LIMIT = 64_000_000  # of all games of one search: 640 MB


def _record(*fields: tuple[str, str]) -> np.dtype:
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


# Values are those of the player to move at the node.
NODE = _record(
    ("value", "f8"),  # mean over its visits
    ("moves_left", "f8"),  # mean over its visits, in plies
    ("raw_value", "f4"),  # of its own evaluation
    ("raw_moves_left", "f4"),
    ("visits", "i4"),
    ("kept", "i4"),  # visits before this search; only kept for children of the root
    ("parent", "i4"),
    ("first", "i4"),  # its first edge
    ("edges", "i2"),  # 0: not expanded
    ("visited", "i2"),
    ("plies", "i2"),  # to the end of the game, where `result` is known
    ("waiting", "i2"),  # descents through it that wait for an evaluation
    ("result", "i1"),  # ONGOING, or proven: WIN, DRAW, LOSS
)
SLOT = _record(
    ("epsilon", "f8"),  # share of the noise in the root's priors
    ("nodes", "i4"),  # used of the pool
    ("edges", "i4"),
    ("target", "i4"),  # simulations at which the search ends, kept ones included
    ("start", "i4"),  # simulations kept from before
    ("waiting", "i4"),  # leaves that wait for an evaluation
    ("active", "i1"),
    ("noisy", "i1"),
    ("saved", "i1"),  # whether `clean` holds the root's own priors
)
LEAF = _record(
    ("key", "i8"),  # in the cache, or EMPTY
    ("game", "i8"),  # NO_GAME where its tree is gone
    ("node", "i8"),
    ("edges", "i2"),
    ("symmetry", "i2"),  # the image of the position that has the key
)


class Tree(NamedTuple):
    """The pools of one game."""

    nodes: Any  # NODE [P]
    action: Any  # int16 [E]
    prior: Any  # float32 [E]
    child: Any  # int32 [E]: a node, for the visited edges of a node


class Forest(NamedTuple):
    """The trees of B games with P nodes, E edges and A actions, and the leaves that wait for an evaluation."""

    nodes: Any  # NODE [B, P]
    action: Any  # int16 [B, E]
    prior: Any  # float32 [B, E]
    child: Any  # int32 [B, E]
    slots: Any  # SLOT [B]
    states: Any  # int64 [B, state_size]: of the roots
    clean: Any  # float32 [B, A]: the root's priors without noise
    noise: Any  # float64 [B, A]: a Dirichlet or Gumbel sample for each root
    schedule: Any  # int64 [B, P]: visits of the root actions considered by each simulation (Gumbel only)
    leaves: Any  # LEAF [B*leaves]
    leaf_actions: Any  # int16 [B*leaves, A]
    planes: Any  # uint8 [B*leaves, C, H, W]
    counters: Any  # int64 [4]: simulations, evaluations, saved evaluations, cache hits
    state: Any  # int64 [state_size]: the position that a descent has come to


SIMULATIONS, EVALUATIONS, SAVED, HITS = 0, 1, 2, 3


class Scratch(NamedTuple):
    """Arrays to work with, as bare kernels can't make any."""

    legal: Any  # int16 [A]
    found: Any  # int16 [A]
    moved: Any  # int32 [P]
    expanded: Any  # int32 [P]


def plant(game: Any, games: int, nodes: int, leaves: int, gumbel: bool) -> Forest:
    """Room for `games` trees of up to `nodes` nodes each; memory is only taken as it is used."""
    edges = max(min(nodes * game.actions, EDGE_LIMIT // games), 2 * game.actions)
    waiting = games * leaves
    return Forest(
        nodes=np.empty((games, nodes), NODE),
        action=np.empty((games, edges), np.int16),
        prior=np.empty((games, edges), np.float32),
        child=np.empty((games, edges), np.int32),
        slots=np.zeros(games, SLOT),
        states=np.zeros((games, game.state_size), np.int64),
        clean=np.zeros((games, game.actions), np.float32),
        noise=np.zeros((games, game.actions), np.float64),
        schedule=np.zeros((games, nodes if gumbel else 1), np.int64),
        leaves=np.zeros(waiting, LEAF),
        leaf_actions=np.empty((waiting, game.actions), np.int16),
        planes=np.zeros((waiting, game.plane_count, game.height, game.width), np.uint8),
        counters=np.zeros(4, np.int64),
        state=np.empty(game.state_size, np.int64),
    )


def make_scratch(game: Any, nodes: int) -> Scratch:
    """For trees of up to so many nodes."""
    actions, indices = np.empty((2, game.actions), np.int16), np.empty((2, nodes), np.int32)
    return Scratch(actions[0], actions[1], indices[0], indices[1])


def transplant(old: Forest, new: Forest) -> Forest:
    """Move everything into a forest with larger pools."""
    for name in Forest._fields:
        source = getattr(old, name)
        getattr(new, name)[tuple(slice(size) for size in source.shape)] = source
    return new


@inline_kernel
def tree_of(forest, b):
    """The tree of one game, as views."""
    return Tree(forest.nodes[b], forest.action[b], forest.prior[b], forest.child[b])


@inline_kernel
def copy(source, target):
    """What `target[:] = source` does, which bare kernels can't."""
    for i in range(len(source)):
        target[i] = source[i]


@inline_kernel
def clear_node(node, parent):
    """A node without visits."""
    node.value = 0.0
    node.moves_left = 0.0
    node.raw_value = 0.0
    node.raw_moves_left = 0.0
    node.visits = 0
    node.kept = 0
    node.parent = parent
    node.first = 0
    node.edges = 0
    node.visited = 0
    node.plies = 0
    node.waiting = 0
    node.result = ONGOING


@inline_kernel
def clear_tree(tree, slot):
    """A root without visits and nothing else."""
    clear_node(tree.nodes[0], NO_NODE)
    slot.nodes = 1
    slot.edges = 0
    slot.saved = 0


@inline_kernel
def best_first(action, prior, start, end):
    """Swap the edge with the largest prior (of equal ones, the lowest action) to the start."""
    if start >= end:
        return
    best = start
    most = prior[start]
    for e in range(start + 1, end):
        p = prior[e]
        if p > most or (p == most and action[e] < action[best]):
            best = e
            most = p
    swap(action, prior, start, best)


@inline_kernel
def swap(action, prior, e, f):
    """Exchange two unvisited edges."""
    action[e], action[f] = action[f], action[e]
    prior[e], prior[f] = prior[f], prior[e]


@inline_kernel
def expand(tree, slot, i, actions, count, priors):
    """Give a node its edges, with priors renormalised over them; a full pool leaves it as it is."""
    first = slot.edges
    if first + count > len(tree.action):
        return
    total = 0.0
    for k in range(count):
        total += np.float64(priors[actions[k]])
    for k in range(count):
        tree.action[first + k] = actions[k]
        p = np.float64(priors[actions[k]]) / total if total > 0.0 else 1.0 / count
        tree.prior[first + k] = p
    node = tree.nodes[i]
    node.first = first
    node.edges = count
    slot.edges += count
    best_first(tree.action, tree.prior, first, first + count)


@inline_kernel
def add_child(tree, slot, i):
    """A node for the first unvisited edge of node i; NO_NODE when the pool is full."""
    j = slot.nodes
    if j == len(tree.nodes):
        return NO_NODE
    slot.nodes += 1
    clear_node(tree.nodes[j], i)
    node = tree.nodes[i]
    tree.child[node.first + node.visited] = j
    node.visited += 1
    return j


@bare_kernel
def keep_subtree(tree, slot, new_root, scratch):
    """Make a node the root: move its subtree to the front of the pools and forget the rest."""
    nodes, moved, expanded = tree.nodes, scratch.moved, scratch.expanded
    count = 0
    n = 0
    for i in range(new_root, slot.nodes):  # Children come after their parents.
        moved[i] = NO_NODE
        if i != new_root and (nodes[i].parent < new_root or moved[nodes[i].parent] == NO_NODE):
            continue
        moved[i] = n
        parent = moved[nodes[i].parent] if i != new_root else NO_NODE
        if n != i:
            nodes[n] = nodes[i]
        nodes[n].parent = parent
        if nodes[n].edges:
            k = count  # In the order of their edges, which is nearly that of the nodes already.
            while k > 0 and nodes[expanded[k - 1]].first > nodes[n].first:
                expanded[k] = expanded[k - 1]
                k -= 1
            expanded[k] = n
            count += 1
        n += 1
    slot.nodes = n
    slot.saved = 0
    end = np.int64(0)
    for k in range(count):
        end = move_edges(tree, nodes[expanded[k]], end, moved)
    slot.edges = end


@inline_kernel
def move_edges(tree, node, to, moved):
    """Move a node's edges forward in the pool; return where the next ones go."""
    first = node.first
    for k in range(node.edges):
        tree.action[to + k] = tree.action[first + k]
        tree.prior[to + k] = tree.prior[first + k]
    for k in range(node.visited):
        tree.child[to + k] = moved[tree.child[first + k]]
    node.first = to
    return to + node.edges
