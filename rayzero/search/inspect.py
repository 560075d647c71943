"""Looking inside a search: its tree as objects and as text, and the line it expects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rayzero.games.notation import action_text
from rayzero.games.rules import DRAW, LOSS, NO_ACTION, ONGOING, WIN

if TYPE_CHECKING:
    from rayzero.search.search import Search

MARKS = {WIN: "win", DRAW: "draw", LOSS: "loss"}


@dataclass(frozen=True)
class Branch:
    """A visited move with all that follows; values are those of the player who makes the move.

    At the root, which is no move, they are those of the player to move.
    """

    action: int  # NO_ACTION at the root
    visits: int
    value: float  # mean over the visits, or exact where it is proven
    prior: float  # with the noise that was used; 1 at the root
    moves_left: float  # plies to the end of the game
    proven: int  # ONGOING, WIN, DRAW or LOSS
    children: tuple[Branch, ...]  # the most visited first


def read_tree(search: Search, slot: int = 0) -> Branch:
    """The tree of one game."""
    forest = search._forest
    root = forest.nodes[slot, 0]
    value = float(root.result) if root.result != ONGOING else float(root.value)
    moves_left = float(root.plies if root.result != ONGOING else root.moves_left)
    children = _children(search, slot, 0)
    return Branch(NO_ACTION, int(root.visits), value, 1.0, moves_left, int(root.result), children)


def _children(search: Search, slot: int, i: int) -> tuple[Branch, ...]:
    forest = search._forest
    node = forest.nodes[slot, i]
    edges = range(node.first, node.first + node.visited)
    branches = [_branch(search, slot, e, _children(search, slot, int(forest.child[slot, e]))) for e in edges]
    return tuple(sorted(branches, key=lambda branch: -branch.visits))


def _branch(search: Search, slot: int, e: int, children: tuple[Branch, ...] = ()) -> Branch:
    forest = search._forest
    child = forest.nodes[slot, forest.child[slot, e]]
    known = child.result != ONGOING
    return Branch(
        action=int(forest.action[slot, e]),
        visits=int(child.visits),
        value=-float(child.result if known else child.value),
        prior=float(forest.prior[slot, e]),
        moves_left=float(child.plies if known else child.moves_left),
        proven=-int(child.result) if known else ONGOING,
        children=children,
    )


def principal_variation(search: Search, slot: int = 0) -> list[int]:
    """The moves that both sides are expected to play: proven results first, then the most visits.

    Reads the nodes along the line only, so that it can be asked for in the middle of a large search.
    """
    forest = search._forest
    line: list[int] = []
    i = 0
    while forest.nodes[slot, i].visited:
        node = forest.nodes[slot, i]
        moves = {
            int(forest.child[slot, e]): _branch(search, slot, e) for e in range(node.first, node.first + node.visited)
        }
        i = max(moves, key=lambda j: _preference(moves[j]))
        line.append(moves[i].action)
    return line


def _preference(branch: Branch) -> tuple[float, float, int]:
    """A win, the sooner the better; then what is open or drawn, by visits; a loss, the later the better."""
    if branch.proven == WIN:
        return 1, -branch.moves_left, branch.visits
    if branch.proven == LOSS:
        return -1, branch.moves_left, branch.visits
    return 0, 0.0, branch.visits


def tree_text(search: Search, slot: int = 0, depth: int = 3, width: int = 5) -> str:
    """The most visited moves, `width` at each of `depth` levels, one line for each."""
    root = read_tree(search, slot)
    lines = [f"{'move':<14} {'visits':>8} {'Q':>7} {'prior':>6} {'left':>6}"]
    lines.append(_line("root", root))
    _append_children(search.game, root, 1, depth, width, lines)
    return "\n".join(lines)


def _append_children(game: Any, branch: Branch, level: int, depth: int, width: int, lines: list[str]) -> None:
    if level > depth:
        return
    for child in branch.children[:width]:
        lines.append(_line("  " * level + action_text(game, child.action), child))
        _append_children(game, child, level + 1, depth, width, lines)
    rest = branch.children[width:]
    if rest:
        more = "  " * level + f"{len(rest)} more"
        lines.append(f"{more:<14} {sum(child.visits for child in rest):>8}")


def _line(name: str, branch: Branch) -> str:
    mark = f"  proven {MARKS[branch.proven]}" if branch.proven != ONGOING else ""
    return f"{name:<14} {branch.visits:>8} {branch.value:>+7.3f} {branch.prior:>6.3f} {branch.moves_left:>6.1f}{mark}"
