"""What is known about games: the search must find it."""

from functools import cache

import numpy as np
import pytest

from rayzero.evaluator import UniformEvaluator
from rayzero.games import make_game, rules
from rayzero.games.notation import parse_action
from rayzero.games.rules import LOSS, NO_ACTION, ONGOING, PLY, RESULT, WIN
from rayzero.search import Search, SearchSettings
from tests.search.positions import after, initial, legal_actions, random_position
from tests.search.worlds import bandit

TICTACTOE = make_game("tictactoe")
CONNECT4 = make_game("connect4")
GOMOKU = make_game("gomoku")
GOMOKU6 = make_game("gomoku", width=6, height=6, in_a_row=6)
ONE = np.array([0])


def played(game, state: np.ndarray, action: int) -> np.ndarray:
    child = state.copy()
    rules.play(game, child, action)
    return child


class Solver:
    """Exhaustive search: the outcome for the player to move."""

    def __init__(self, game) -> None:
        self.game = game
        self.value = cache(self._value)

    def of(self, state: np.ndarray) -> int:
        return self.value(state.tobytes())

    def _value(self, key: bytes) -> int:
        state = np.frombuffer(key, np.int64)
        if state[RESULT] != ONGOING:
            return int(state[RESULT])
        return max(-self.of(played(self.game, state, a)) for a in legal_actions(self.game, state))


def all_positions(game) -> list[np.ndarray]:
    """Every position that can be reached and is not over; the last move does not make a difference here."""
    found = {}
    waiting = [initial(game)]
    while waiting:
        state = waiting.pop()
        key = state[2:].tobytes()
        if key in found or state[RESULT] != ONGOING:
            continue
        found[key] = state
        waiting += [played(game, state, a) for a in legal_actions(game, state)]
    return list(found.values())


@pytest.mark.parametrize(
    ("settings", "simulations"),
    [
        (SearchSettings(), 200),
        (SearchSettings(moves_left_slope=0.05, forced_playouts=2.0), 200),
        (SearchSettings(kind=1, gumbel_considered=9), 200),
        (SearchSettings(leaves=4), 300),
        (SearchSettings(solver=False, lookahead=0, fpu=2, fpu_value=0.0), 3000),
    ],
    ids=["default", "moves left", "gumbel", "leaves", "plain"],
)
def test_tictactoe_is_never_lost_from_any_position(settings: SearchSettings, simulations: int) -> None:
    positions = all_positions(TICTACTOE)
    assert len(positions) == 4520
    if simulations > 1000:
        positions = positions[::8]
    solver = Solver(TICTACTOE)
    slots = np.arange(len(positions))
    search = Search(TICTACTOE, settings._replace(simulations=simulations), games=len(positions))
    search.reset(slots, np.stack(positions))
    search.begin(slots, simulations)
    search.run(UniformEvaluator(9))
    best = search.result(slots).best
    lost = [
        (state, action)
        for state, action in zip(positions, best, strict=True)
        if solver.of(state) >= 0 and solver.of(played(TICTACTOE, state, int(action))) > 0
    ]
    assert lost == []


# Stones of the player to move, of the other one, and the moves that win by force: at once, or by the next move.
# The other's stones never threaten anything.
WINS_IN_ONE = [
    ("F8 G8 H8 I8", "A1 C1 E1 G2", "E8 J8"),
    ("E8 F8 G8 I8", "A1 C1 E1 G2", "H8"),
    ("C3 D4 E5 F6", "A15 C15 E15 G14", "B2 G7"),
    ("C12 D11 E10 F9", "A1 C1 E1 G2", "B13 G8"),
    ("H1 H2 H3 H4", "A15 C15 E15 G14", "H5"),
    ("A15 B15 C15 E15", "A1 C1 E1 G2", "D15"),
    ("N11 N12 N13 N14", "A1 C1 E1 G2", "N15 N10"),
]
WINS_IN_TWO = [
    ("G8 H8 I8", "A1 C1 E1", "F8 J8"),  # an open three becomes an open four
    ("H6 H7 H8", "A1 C1 E1", "H5 H9"),
    ("F6 G7 H8", "A15 C15 E15", "E5 I9"),
    ("J6 I7 H8", "A1 C1 E1", "K5 G9"),
    ("G8 H8 J8", "A1 C1 E1", "I8"),  # a broken three
    ("H4 H5 H7", "A15 C15 E15", "H6"),
    ("E8 F8 G8 H5 H6 H7", "D8 H4 A1 C1 E1 K15", "H8"),  # a four in two directions at once
    ("A1 B1 C1 D2 D3 D4", "H15 A15 J12 C15 E15 L12", "D1 D5"),
]


def position_with(own: str, other: str, second: bool) -> np.ndarray:
    """A position of 15x15 with these stones, the first ones to move; `second` adds a far stone before all others."""
    moves = [move for pair in zip(own.split(), other.split(), strict=True) for move in pair]
    return after(GOMOKU, [parse_action(GOMOKU, move) for move in (["N1"] if second else []) + moves])


@pytest.mark.parametrize("lookahead", [0, 1, 4])
@pytest.mark.parametrize("colour", ["first", "second"])
def test_wins_in_one_are_found(lookahead: int, colour: str) -> None:
    check_table(WINS_IN_ONE, lookahead, colour, 1, simulations=800)


@pytest.mark.parametrize("lookahead", [1, 4])
@pytest.mark.parametrize("colour", ["first", "second"])
def test_wins_in_two_are_found(lookahead: int, colour: str) -> None:
    check_table(WINS_IN_TWO, lookahead, colour, 3, simulations=800)


def check_table(table: list[tuple[str, str, str]], lookahead: int, colour: str, plies: int, simulations: int) -> None:
    states = np.stack([position_with(own, other, colour == "second") for own, other, _ in table])
    slots = np.arange(len(table))
    settings = SearchSettings(lookahead=lookahead, simulations=simulations, fpu=2, fpu_value=0.0)  # tries every move
    search = Search(GOMOKU, settings, games=len(table))
    search.reset(slots, states)
    search.begin(slots, simulations)
    search.run(UniformEvaluator(GOMOKU.actions))
    result = search.result(slots)
    for row, (own, _, winning) in enumerate(table):
        expected = {parse_action(GOMOKU, text) for text in winning.split()}
        assert int(result.best[row]) in expected, (own, winning)
        assert result.proven[row] == WIN, own
        assert result.proven_plies[row] == plies, own
        assert set(np.flatnonzero(result.policy[row])) <= expected, own


def test_connect4_endgames_are_played_perfectly() -> None:
    rng = np.random.default_rng(8)
    solver = Solver(CONNECT4)
    states: list[np.ndarray] = []
    while len(states) < 50:
        state = random_position(CONNECT4, int(rng.integers(34, 41)), rng)
        if state[PLY] >= 34:
            states.append(state)
    slots = np.arange(50)
    search = Search(CONNECT4, SearchSettings(simulations=400), games=50)
    search.reset(slots, np.stack(states))
    values = [solver.of(state) for state in states]
    assert {-1, 0, 1} <= set(values)
    while len(slots):
        search.begin(slots, 400)
        search.run(UniformEvaluator(7))
        best = search.result(slots).best
        for slot, action in zip(slots, best, strict=True):
            after_it = played(CONNECT4, search.states[slot], int(action))
            values[slot] = -values[slot]
            assert solver.of(after_it) == values[slot], (slot, action)
        search.play(slots, best)
        slots = slots[search.states[slots, RESULT] == ONGOING]


@pytest.mark.parametrize("colour", [0, 1])
@pytest.mark.parametrize(("value", "expected"), [(0.8, "shorter"), (-0.8, "longer")])
def test_moves_left_prefers_the_shorter_win_and_the_longer_defence(colour: int, value: float, expected: str) -> None:
    """Two moves with the same value and other lengths; the second player sees the same after one stone."""
    near, far = 8, 27
    world = bandit(
        36, {near: value, far: value, **{a: -0.99 for a in range(36) if a not in (near, far)}}, moves={near: 6, far: 30}
    )
    if colour:
        inner, stone = world.answer, 35

        def turned(planes):  # The second player's world: his stones are the ones that decide.
            planes = planes.copy()
            planes[3] = 1 - planes[3]
            return inner(planes)

        world.answer = turned
        state = after(GOMOKU6, [stone])
    else:
        state = initial(GOMOKU6)
    settings = SearchSettings(moves_left_slope=0.02, moves_left_cap=0.15, solver=False, lookahead=0, simulations=400)
    search = Search(GOMOKU6, settings)
    search.reset(ONE, state[None])
    search.begin(ONE, 400)
    search.run(world)
    visits = search.result(ONE).visits[0]
    preferred, other = (near, far) if expected == "shorter" else (far, near)
    assert visits[preferred] > 1.3 * visits[other]
    without = Search(GOMOKU6, settings._replace(moves_left_slope=0.0))
    without.reset(ONE, state[None])
    without.begin(ONE, 400)
    without.run(world)
    visits = without.result(ONE).visits[0]
    assert abs(int(visits[preferred]) - int(visits[other])) <= 3


@pytest.mark.parametrize("first", [[], ["N1"]], ids=["first player", "second player"])
def test_solver_prefers_the_shorter_of_two_wins_and_the_longer_of_two_losses(first: list[str]) -> None:
    # A four and an open three: winning at once is better than in two moves.
    moves = [*first, "F8", "A1", "G8", "C1", "H8", "E1", "I8", "G2", "H11", "I2", "H12", "K2", "H13", "M2"]
    state = after(GOMOKU, [parse_action(GOMOKU, move) for move in moves])
    search = Search(GOMOKU, SearchSettings(lookahead=0, simulations=600))
    search.reset(ONE, state[None])
    search.begin(ONE, 600)
    search.run(UniformEvaluator(GOMOKU.actions))
    result = search.result(ONE)
    assert result.proven_plies[0] == 1
    assert int(result.best[0]) in {parse_action(GOMOKU, "E8"), parse_action(GOMOKU, "J8")}
    # The other side to move: it is lost, and blocking the four lasts longest.
    defender = after(TICTACTOE, [4, 0, 2, 6, 3]) if not first else after(TICTACTOE, [8, 4, 0, 2, 6, 3])
    check_longest_defence(defender)


def check_longest_defence(state: np.ndarray) -> None:
    """Every proven length and the chosen move agree with an exhaustive search of lengths."""
    search = Search(TICTACTOE, SearchSettings(lookahead=0, simulations=5000))
    search.reset(ONE, state[None])
    search.begin(ONE, 5000)
    search.run(UniformEvaluator(9))
    result = search.result(ONE)

    def length(position: np.ndarray) -> tuple[int, int]:
        """Outcome for the mover, and plies: short wins and long losses."""
        if position[RESULT] != ONGOING:
            return int(position[RESULT]), 0
        options = [length(played(TICTACTOE, position, a)) for a in legal_actions(TICTACTOE, position)]
        return max(((-value, plies + 1) for value, plies in options), key=lambda o: (o[0], -o[1] if o[0] > 0 else o[1]))

    value, plies = length(state)
    assert result.proven[0] == value
    if value == LOSS:
        assert result.proven_plies[0] == plies
        assert length(played(TICTACTOE, state, int(result.best[0])))[1] + 1 == plies


def test_longest_defence_in_every_lost_position_of_tictactoe() -> None:
    solver = Solver(TICTACTOE)
    lost = [state for state in all_positions(TICTACTOE) if solver.of(state) == LOSS]
    assert len(lost) > 100
    for state in lost[::9]:
        check_longest_defence(state)
    assert NO_ACTION == -1
