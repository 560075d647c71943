"""A slow search in plain Python, written from the formulas: objects, dictionaries, whole softmaxes.

It shares no code with the compiled one but the rules of the games. One tree; the same questions are asked
of the evaluator, in batches of up to `leaves` positions.
"""

import hashlib
import math
from collections.abc import Iterator

import numpy as np

from rayzero.games import rules
from rayzero.games.rules import DRAW, FORCED, LOSS, ONGOING, RESULT, WIN, WON
from rayzero.records import Evaluation
from rayzero.search import SearchSettings
from rayzero.search.settings import FPU_FIXED, FPU_PARENT, GUMBEL


class TableEvaluator:
    """Random but fixed answers: a position's planes are the seed."""

    def __init__(self, actions: int) -> None:
        self.actions = actions
        self.version = 0

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        rows = [self._row(position) for position in planes]
        priors, value, moves_left = (np.array(column, np.float32) for column in zip(*rows, strict=True))
        return Evaluation(priors, value, np.zeros((len(rows), 3), np.float32), moves_left)

    def _row(self, position: np.ndarray) -> tuple[np.ndarray, float, float]:
        seed = int.from_bytes(hashlib.blake2b(position.tobytes(), digest_size=8).digest(), "little")
        rng = np.random.default_rng(seed)
        priors = rng.dirichlet(np.full(self.actions, 0.5)) if seed % 9 else np.zeros(self.actions)
        return priors, rng.uniform(-1, 1), rng.uniform(0, 12)


class Node:
    def __init__(self) -> None:
        self.priors: dict[int, float] = {}  # empty: not expanded
        self.children: dict[int, Node] = {}  # in the order of their first visit
        self.visits = 0
        self.value = 0.0
        self.moves_left = 0.0
        self.raw_value = 0.0
        self.waiting = 0
        self.base = 0
        self.result = ONGOING
        self.plies = 0

    def walk(self, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], "Node"]]:
        yield path, self
        for action, child in self.children.items():
            yield from child.walk((*path, action))


class Reference:
    """The search of one game."""

    def __init__(self, game, settings: SearchSettings, state: np.ndarray, seed: int = 1) -> None:
        self.game = game
        self.settings = settings.checked()
        self.state = state.copy()
        self.root = Node()
        self.rng = np.random.default_rng(seed)
        self.clean: dict[int, float] = {}
        self.noise = np.zeros(game.actions)
        self.noisy = False
        self.evaluations = 0

    def begin(self, simulations: int, noise: bool = False, epsilon: float = 0.25, alpha: float | None = None) -> None:
        self.target = simulations
        self.start = max(self.root.visits - 1, 0)
        self.noisy = noise
        self.epsilon = epsilon
        self.noise = np.zeros(self.game.actions)
        if noise and self.settings.kind == GUMBEL:
            self.noise = self.rng.gumbel(size=(1, self.game.actions))[0]
        elif noise:
            shape = alpha if alpha is not None else 10 / len(legal_actions(self.game, self.state))
            self.noise = self.rng.standard_gamma(shape, (1, self.game.actions))[0]
        for child in self.root.children.values():
            child.base = child.visits
        if self.root.priors:
            self.prepare_root()

    def prepare_root(self) -> None:
        settings = self.settings
        if self.clean:
            self.root.priors = dict(self.clean)
        self.clean = dict(self.root.priors)
        if settings.kind == GUMBEL:
            considered = min(settings.gumbel_considered, len(self.clean))
            self.schedule = considered_visits(considered, max(self.target - self.start, 0))
        elif self.noisy:
            priors = self.clean
            if settings.root_temperature != 1:
                heated = {a: f32(math.pow(p, 1 / settings.root_temperature)) for a, p in priors.items()}
                total = sum(heated.values())
                priors = {a: f32(p / total) for a, p in heated.items()}
            total = ordered_sum(self.noise[a] for a in priors)
            self.root.priors = {
                a: f32((1 - self.epsilon) * p + self.epsilon * (self.noise[a] / total)) for a, p in priors.items()
            }

    def run(self, evaluator) -> None:
        while leaves := self.select():
            planes = np.stack([planes_of(self.game, state) for _, state, _ in leaves])
            evaluation = evaluator.evaluate(planes)
            self.evaluations += len(leaves)
            for row, (path, _, actions) in enumerate(leaves):
                for node in path:
                    node.waiting -= 1
                self.expand(path[-1], actions, evaluation.priors[row])
                path[-1].raw_value = float(evaluation.value[row])
                self.back_up(path, float(evaluation.value[row]), float(evaluation.moves_left[row]))

    def done(self) -> bool:
        return self.root.result != ONGOING or self.root.visits - 1 + self.root.waiting >= self.target

    def select(self) -> list[tuple[list[Node], np.ndarray, list[int]]]:
        leaves = []
        while len(leaves) < self.settings.leaves and not self.done():
            path, state = self.descend()
            leaf = path[-1]
            if leaf.waiting and not leaf.priors:
                break
            actions = self.assess(leaf, state) if leaf.result == ONGOING else []
            if leaf.result != ONGOING:
                self.back_up(path, self.exact(leaf), float(leaf.plies))
                continue
            leaves.append((path, state, actions))
            for node in path:
                node.waiting += 1
        return leaves

    def descend(self) -> tuple[list[Node], np.ndarray]:
        state = self.state.copy()
        path = [self.root]
        while path[-1].priors and path[-1].result == ONGOING:
            node = path[-1]
            action = self.choose(node)
            rules.play(self.game, state, action)
            path.append(node.children.setdefault(action, Node()))
        return path, state

    def assess(self, leaf: Node, state: np.ndarray) -> list[int]:
        if state[RESULT] != ONGOING:
            leaf.result = int(state[RESULT])
            return []
        if self.settings.lookahead:
            found = np.empty(self.game.actions, np.int16)
            kind, n, plies = rules.lookahead(self.game, state, self.settings.lookahead, found)
            if kind == WON or (kind == FORCED and n == 0):
                leaf.result = WIN if kind == WON else LOSS
                leaf.plies = plies
                return []
            if kind == FORCED:
                return [int(a) for a in found[:n]]
        return legal_actions(self.game, state)

    def expand(self, node: Node, actions: list[int], priors: np.ndarray) -> None:
        total = ordered_sum(float(priors[a]) for a in actions)
        node.priors = {a: f32(float(priors[a]) / total if total > 0 else 1 / len(actions)) for a in actions}
        if node is self.root:
            self.clean = {}
            self.prepare_root()

    def exact(self, node: Node) -> float:
        value = float(node.result)
        for _ in range(node.plies):
            value *= self.settings.discount
        return value

    def back_up(self, path: list[Node], value: float, moves_left: float) -> None:
        proven = path[-1].result != ONGOING
        for node in reversed(path):
            if node is not path[-1]:
                value, moves_left = value * -self.settings.discount, moves_left + 1
                proven = proven and self.settings.solver and self.prove(node)
            if proven:
                value, moves_left = self.exact(node), float(node.plies)
            node.visits += 1
            node.value += (value - node.value) / node.visits
            node.moves_left += (moves_left - node.moves_left) / node.visits

    def prove(self, node: Node) -> bool:
        known = {child for child in node.children.values() if child.result != ONGOING}
        wins = [child.plies + 1 for child in known if child.result == LOSS]
        draws = [child.plies + 1 for child in known if child.result == DRAW]
        if wins:
            node.result, node.plies = WIN, min(wins)
        elif len(known) < len(node.priors):
            return False
        elif draws:
            node.result, node.plies = DRAW, max(draws)
        else:
            node.result, node.plies = LOSS, max(child.plies + 1 for child in known)
        return True

    def q(self, parent: Node, child: Node) -> float:
        settings = self.settings
        if not child.visits:
            return -settings.virtual_loss
        proven = settings.solver and child.result != ONGOING
        value = self.exact(child) if proven else child.value
        moves_left = child.plies if proven else child.moves_left
        q = -settings.discount * value
        if settings.moves_left_slope:
            term = settings.moves_left_slope * (moves_left - parent.moves_left)
            q += min(max(term, -settings.moves_left_cap), settings.moves_left_cap) * value
        if child.waiting:
            n = child.visits + child.waiting
            q = (q * child.visits - settings.virtual_loss * child.waiting) / n
        return q

    def open_actions(self, node: Node) -> list[int]:
        """All that are not proven lost: the visited ones in their order, then the others by prior."""
        lost = {a for a, child in node.children.items() if self.settings.solver and child.result == WIN}
        unvisited = sorted((a for a in node.priors if a not in node.children), key=lambda a: (-node.priors[a], a))
        return [a for a in node.children if a not in lost] + unvisited

    def choose(self, node: Node) -> int:
        if self.settings.kind == GUMBEL:
            return self.choose_gumbel_root() if node is self.root else self.choose_gumbel(node)
        settings = self.settings
        n = node.visits + node.waiting
        c = settings.c_puct
        if settings.c_base:
            c += math.log((n + settings.c_base + 1) / settings.c_base)
        mass = ordered_sum(node.priors[a] for a in node.children)
        if settings.fpu == FPU_FIXED:
            unvisited = settings.fpu_value
        elif settings.fpu == FPU_PARENT:
            unvisited = node.value
        else:
            unvisited = max(node.value - settings.fpu_value * math.sqrt(mass), -1)
        scores = {}
        for action in self.open_actions(node):
            child = node.children.get(action)
            visits = child.visits + child.waiting if child else 0
            forced = settings.forced_playouts if self.noisy and node is self.root and child else 0
            if visits < math.sqrt(forced * node.priors[action] * (n - 1)):
                return action
            q = self.q(node, child) if child else unvisited
            scores[action] = q + c * math.sqrt(n) * node.priors[action] / (1 + visits)
        return max(scores, key=lambda a: scores[a])

    def completed(self, node: Node) -> tuple[dict[int, float], dict[int, float]]:
        """Log-priors, and sigma(q) of every action, the mixed value standing for unvisited ones."""
        visits = {a: child.visits + child.waiting for a, child in node.children.items()}
        q = {a: self.q(node, child) for a, child in node.children.items()}
        total = sum(visits.values())
        mixed = node.raw_value
        if total:
            weighted = sum(node.priors[a] * q[a] for a in q) / sum(node.priors[a] for a in q)
            mixed = (node.raw_value + total * weighted) / (1 + total)
        scale = (self.settings.gumbel_c_visit + max(visits.values(), default=0)) * self.settings.gumbel_c_scale
        sigma = {a: scale * (q.get(a, mixed) + 1) / 2 for a in node.priors}
        return {a: math.log(max(p, 1e-30)) for a, p in node.priors.items()}, sigma

    def choose_gumbel_root(self) -> int:
        logits, sigma = self.completed(self.root)
        scores = {a: self.noise[a] + logits[a] + sigma[a] for a in self.open_actions(self.root)}
        simulation = self.root.visits - 1 + self.root.waiting - self.start
        new = {a: child.visits + child.waiting - child.base for a, child in self.root.children.items()}
        considered = [a for a in scores if new.get(a, 0) == self.schedule[simulation]]
        return max(considered or scores, key=lambda a: scores[a])

    def improved_policy(self, node: Node) -> dict[int, float]:
        logits, sigma = self.completed(node)
        top = max(logits[a] + sigma[a] for a in logits)
        weights = {a: math.exp(logits[a] + sigma[a] - top) for a in logits}
        total = sum(weights.values())
        return {a: weight / total for a, weight in weights.items()}

    def choose_gumbel(self, node: Node) -> int:
        policy = self.improved_policy(node)
        visits = {a: child.visits + child.waiting for a, child in node.children.items()}
        total = sum(visits.values())
        return max(self.open_actions(node), key=lambda a: policy[a] - visits.get(a, 0) / (1 + total))

    def play(self, action: int) -> None:
        rules.play(self.game, self.state, action)
        kept = self.root.children.get(action) if self.settings.reuse_tree else None
        self.root = kept or Node()
        self.clean = {}


def considered_visits(considered: int, simulations: int) -> list[int]:
    """The table of mctx, as published."""
    if considered <= 1:
        return list(range(simulations))
    log2max = math.ceil(math.log2(considered))
    sequence: list[int] = []
    visits = [0] * considered
    while len(sequence) < simulations:
        extra = max(1, int(simulations / (log2max * considered)))
        for _ in range(extra):
            sequence.extend(visits[:considered])
            for i in range(considered):
                visits[i] += 1
        considered = max(2, considered // 2)
    return sequence[:simulations]


def ordered_sum(values) -> float:
    """One after another, as the compiled code adds: Python's own sum is more exact than that in newer versions."""
    total = 0.0
    for value in values:
        total += float(value)
    return total


def f32(value: float) -> float:
    return float(np.float32(value))


def legal_actions(game, state: np.ndarray) -> list[int]:
    actions = np.empty(game.actions, np.int16)
    return [int(a) for a in actions[: rules.legal(game, state, actions)]]


def planes_of(game, state: np.ndarray) -> np.ndarray:
    out = np.empty((game.plane_count, game.height, game.width), np.uint8)
    rules.planes(game, state, out)
    return out
