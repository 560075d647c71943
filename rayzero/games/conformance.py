"""What every game must keep to, built-in or somebody's own. A game that does not is told why in a sentence."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba.core.errors import NumbaError

from rayzero.chance import draw, random_states
from rayzero.errors import GameError
from rayzero.games import rules
from rayzero.games.rules import DRAW, FORCED, FREE, LAST, LOSS, NO_ACTION, ONGOING, PLY, RESULT, WIN, WON
from rayzero.jit import kernel

NUMBERS = ("height", "width", "plane_count", "actions", "state_size", "max_plies")
SENTINEL = 77  # What arrays hold before a rule writes into them.


class Trace(NamedTuple):
    """A game of n moves and what the rules said before each of them and at the end."""

    moves: np.ndarray  # int16 [n]
    states: np.ndarray  # int64 [n + 1, state_size]
    counts: np.ndarray  # int64 [n + 1]: how many legal actions there were
    actions: np.ndarray  # int16 [n + 1, actions]: the legal ones
    planes: np.ndarray  # uint8 [n + 1, plane_count, height, width]


@kernel
def random_moves(game, random, moves):
    """Play legal actions at random; returns the number of plies, at most len(moves)."""
    state = np.full(game.state_size, SENTINEL, np.int64)
    actions = np.empty(game.actions, np.int16)
    rules.init(game, state)
    ply = 0
    while state[RESULT] == ONGOING and ply < len(moves):
        n = rules.legal(game, state, actions)
        if n == 0:
            break
        moves[ply] = actions[draw(random, n)]
        rules.play(game, state, moves[ply])
        ply += 1
    return ply


def ask(game, moves, states, counts, actions, planes):
    """Fill a trace by playing moves."""
    rules.init(game, states[0])
    for ply in range(len(moves) + 1):
        if ply > 0:
            states[ply] = states[ply - 1]
            rules.play(game, states[ply], moves[ply - 1])
        counts[ply] = rules.legal(game, states[ply], actions[ply])
        rules.planes(game, states[ply], planes[ply])


ask_compiled = kernel(ask)


@kernel
def look(game, state, depth, found):
    """Look-ahead, compiled."""
    return rules.lookahead(game, state, depth, found)


@kernel
def replies(game, state, action, actions, results):
    """The result after an action, and the results after every reply to it; returns the number of replies."""
    after = state.copy()
    rules.play(game, after, action)
    results[0] = after[RESULT]
    n = rules.legal(game, after, actions)
    for i in range(n):
        reply = after.copy()
        rules.play(game, reply, actions[i])
        results[i + 1] = reply[RESULT]
    return n


@kernel
def roll(game, start, random, outcomes, plies, uniform):
    """Random games from a state by the game's own rollout, or by the one that asks for every legal action."""
    actions = np.empty(game.actions, np.int16)
    state = start.copy()
    for i in range(len(outcomes)):
        state[:] = start
        if uniform:
            while state[RESULT] == ONGOING:
                n = rules.legal(game, state, actions)
                rules.play(game, state, actions[draw(random, n)])
            outcomes[i] = state[RESULT] if (state[PLY] - start[PLY]) % 2 == 0 else -state[RESULT]
        else:
            outcomes[i] = rules.rollout(game, state, actions, random)
        plies[i] = state[PLY] - start[PLY]


def need(condition: Any, sentence: str) -> None:
    """Complain unless a condition holds."""
    if not condition:
        raise GameError(sentence)


def make_trace(game: Any, moves: np.ndarray, fill: int = SENTINEL, compiled: bool = True) -> Trace:
    """Ask all rules along a game, with arrays that hold `fill` before."""
    n = len(moves) + 1
    trace = Trace(
        moves,
        np.full((n, game.state_size), fill, np.int64),
        np.full(n, -1, np.int64),
        np.full((n, game.actions), fill, np.int16),
        np.full((n, game.plane_count, game.height, game.width), fill, np.uint8),
    )
    (ask_compiled if compiled else ask)(game, *trace)
    return trace


def check_fields(game: Any) -> None:
    """Fields, and tables of symmetries."""
    for name in (*NUMBERS, "cell_symmetries", "action_symmetries"):
        need(name in game._fields, f"The field {name} is missing.")
    for name in NUMBERS:
        value = getattr(game, name)
        need(isinstance(value, int) and value > 0, f"{name} is {value!r}; a whole number above 0 is needed.")
    tables = ((game.cell_symmetries, game.height * game.width), (game.action_symmetries, game.actions))
    for name, (table, size) in zip(("cell_symmetries", "action_symmetries"), tables, strict=True):
        need(isinstance(table, np.ndarray) and table.dtype == np.int16, f"{name} is not an array of int16.")
        need(table.ndim == 2 and table.shape[1] == size, f"{name} has shape {table.shape}; [S, {size}] is needed.")
        need((np.sort(table, axis=1) == np.arange(size)).all(), f"A row of {name} is not a permutation.")
        need((table[0] == np.arange(size)).all(), f"The first row of {name} is not the identity.")
    counts = len(game.cell_symmetries), len(game.action_symmetries)
    need(counts[0] == counts[1], f"There are {counts[0]} symmetries of cells, but {counts[1]} of actions.")


def check_games(game: Any, traces: list[Trace]) -> None:
    """Games end in time; the three common words, legal actions and planes are right at every ply."""
    for trace in traces:
        end = len(trace.moves)
        if trace.states[-1, RESULT] == ONGOING:
            need(
                trace.counts[-1] > 0,
                f"No action is legal after the moves {trace.moves.tolist()}, but the game goes on.",
            )
            need(False, f"A game was not over after max_plies = {game.max_plies} plies.")
        for ply in range(end + 1):
            state, where = trace.states[ply], f"after the moves {trace.moves[:ply].tolist()}"
            last = trace.moves[ply - 1] if ply else NO_ACTION
            need(state[PLY] == ply, f"state[PLY] is {state[PLY]} {where}; {ply} is right.")
            need(state[LAST] == last, f"state[LAST] is {state[LAST]} {where}; {last} is right.")
            result = state[RESULT]
            need(result in (WIN, DRAW, LOSS, ONGOING), f"state[RESULT] is {result} {where}: none of the results.")
            need((result == ONGOING) == (ply < end), f"Whether the game is over depends on chance {where}.")
            legal = trace.actions[ply, : trace.counts[ply]]
            need(len(legal) == 0 or ply < end, f"The game is over {where}, but actions are legal.")
            need((np.diff(legal) > 0).all(), f"The legal actions {where} do not increase: {legal.tolist()}.")
            fits = len(legal) == 0 or (legal[0] >= 0 and legal[-1] < game.actions)
            need(fits, f"A legal action {where} is not in 0..{game.actions - 1}: {legal.tolist()}.")
            own, other = trace.planes[ply, :2]
            need(own.max() <= 1 and other.max() <= 1, f"Planes 0 and 1 hold more than 0 and 1 {where}.")
            need(not (own & other).any(), f"Planes 0 and 1, the pieces of the two players, overlap {where}.")


def check_purity(game: Any, traces: list[Trace]) -> None:
    """Only play changes a state, everything is written, and compiled code does what Python does."""
    for trace in traces:
        other = make_trace(game, trace.moves, fill=1)
        need((trace.states == other.states).all(), "init leaves words of the state as they were.")
        need((trace.planes == other.planes).all(), "planes does not write every cell of every plane.")
        state = np.zeros(game.state_size, np.int64)
        rules.init(game, state)
        for ply, move in enumerate(trace.moves):
            need((state == trace.states[ply]).all(), f"legal or planes changes the state at ply {ply}.")
            rules.play(game, state, int(move))
    plain = make_trace(game, traces[0].moves, compiled=False)
    for name in ("states", "counts", "actions", "planes"):
        compiled, python = getattr(traces[0], name), getattr(plain, name)
        need((compiled == python).all(), f"The {name} of a game differ between compiled code and Python.")


def check_symmetries(game: Any, traces: list[Trace]) -> None:
    """A symmetric game has symmetric legal actions, planes and results."""
    for trace in traces:
        for s, (cells, actions) in enumerate(zip(game.cell_symmetries, game.action_symmetries, strict=True)):
            image = np.argsort(actions).astype(np.int16)
            other = make_trace(game, image[trace.moves])
            need((other.counts == trace.counts).all(), f"Symmetry {s} changes the number of legal actions.")
            need((other.states[:, RESULT] == trace.states[:, RESULT]).all(), f"Symmetry {s} changes the result.")
            for ply in range(len(trace.moves) + 1):
                n = trace.counts[ply]
                legal = np.sort(image[trace.actions[ply, :n]])
                need((legal == other.actions[ply, :n]).all(), f"Symmetry {s} changes which actions are legal.")
            planes = trace.planes.reshape(*trace.planes.shape[:2], -1)[:, :, cells]
            same_planes = (planes == other.planes.reshape(planes.shape)).all()
            need(same_planes, f"Symmetry {s} changes planes otherwise than by moving cells.")


def check_lookahead(game: Any, traces: list[Trace]) -> None:
    """What look-ahead claims of one move is so; it changes nothing."""
    found, actions = np.zeros(game.actions, np.int16), np.zeros(game.actions, np.int16)
    results = np.zeros(game.actions + 1, np.int64)
    for trace in traces[:5]:
        end = len(trace.moves)
        for ply in sorted({*range(0, end, 1 + end // 10), *range(max(end - 10, 0), end)}):
            state = trace.states[ply]
            before = state.copy()
            kind, n, plies = look(game, state, 1, found)
            where = f"after the moves {trace.moves[:ply].tolist()}"
            need((state == before).all(), f"lookahead changes the state {where}.")
            need(kind in (FREE, FORCED, WON), f"lookahead returns {kind} {where}: none of FREE, FORCED, WON.")
            listed = set(found[:n].tolist())
            legal = trace.actions[ply, : trace.counts[ply]].tolist()
            need(listed <= set(legal), f"lookahead names an illegal action {where}.")
            need(n > 0 or kind != WON, f"lookahead returns WON without an action {where}.")
            for action in legal:
                answers = replies(game, state, action, actions, results)
                loses = results[0] == WIN or (results[1 : answers + 1] == LOSS).any()
                if kind == WON and plies == 1 and action in listed:
                    need(results[0] == LOSS, f"lookahead says that action {action} wins {where}; it does not.")
                if kind == FORCED and action not in listed:
                    need(loses, f"lookahead says that action {action} loses at once {where}; it does not.")


def check_rollout(game: Any, traces: list[Trace]) -> None:
    """The game's rollout has the outcomes and lengths of random play, seen by the player to move at the start."""
    for state in (traces[0].states[0], traces[-1].states[len(traces[-1].moves) // 2]):
        means = []
        for uniform in (False, True):
            outcomes, plies = np.zeros(2000, np.int64), np.zeros(2000, np.int64)
            roll(game, state.copy(), random_states(1)[0], outcomes, plies, uniform)
            need(((outcomes >= -1) & (outcomes <= 1)).all(), "rollout returns something else than WIN, DRAW or LOSS.")
            means.append((outcomes.mean(), plies.mean(), outcomes.std() + plies.std() * 1j))
        for what, a, b, spread in (
            ("outcome", means[0][0], means[1][0], means[1][2].real),
            ("length", means[0][1], means[1][1], means[1][2].imag),
        ):
            far = 6 * spread / np.sqrt(1000) + 1e-9
            need(abs(a - b) <= far, f"The mean {what} of rollout is {a:.3f}, that of random play {b:.3f}.")


CHECKS: tuple[Callable[[Any, list[Trace]], None], ...] = (
    check_games,
    check_purity,
    check_symmetries,
    check_lookahead,
    check_rollout,
)


def checks(game: Any, games: int = 20, seed: int = 1) -> Iterator[str]:
    """Run all checks on random games; yields what each has shown, raises GameError where one fails."""
    check_fields(game)
    yield str(check_fields.__doc__)
    try:
        traces = []
        for random in random_states(seed, games):
            moves = np.zeros(game.max_plies, np.int16)
            traces.append(make_trace(game, moves[: random_moves(game, random, moves)]))
        for check in CHECKS:
            check(game, traces)
            yield str(check.__doc__)
    except NumbaError as error:
        raise GameError(f"{type(game).__name__} can't be compiled:\n{error}") from error
