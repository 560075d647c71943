"""Pure MCTS against a plain reference with a node object per position, and against known truths."""

from functools import cache

import numpy as np
import pytest

from rayzero.chance import draw, random_states
from rayzero.games import make_game
from rayzero.games.rules import LAST, NO_ACTION, ONGOING, RESULT, init, legal, play, rollout
from rayzero.search.rollouts import RolloutSearch

TICTACTOE = make_game("tictactoe")
CONNECT4 = make_game("connect4")
GOMOKU6 = make_game("gomoku", width=6, height=6, in_a_row=4)
GOMOKU15 = make_game("gomoku")
OTHELLO = make_game("othello")
GAMES = {"tictactoe": TICTACTOE, "connect4": CONNECT4, "gomoku6": GOMOKU6, "gomoku15": GOMOKU15, "othello": OTHELLO}


def position(game, moves=()):
    state = np.zeros(game.state_size, np.int64)
    init(game, state)
    for move in moves:
        play(game, state, move)
    return state


def legal_actions(game, state):
    actions = np.empty(game.actions, np.int16)
    return actions[: legal(game, state, actions)].tolist()


def random_position(game, plies, generator):
    """A position after at most so many random moves, not finished."""
    while True:
        state = position(game)
        for _ in range(plies):
            play(game, state, generator.choice(legal_actions(game, state)))
            if state[RESULT] != ONGOING:
                break
        else:
            return state


class Node:
    """The reference: what the documentation says, in objects."""

    def __init__(self):
        self.visits, self.total, self.unvisited, self.children = 0, 0, None, []

    def playout(self, game, state, c_puct, random):
        """The outcome of one playout for the player to move here."""
        if state[RESULT] != ONGOING:
            outcome = int(state[RESULT])
        elif self.visits == 0:
            outcome = int(rollout(game, state, np.empty(game.actions, np.int16), random))
        else:
            if self.unvisited is None:
                self.unvisited = legal_actions(game, state)
            action, child = self.best(c_puct) or self.add(random)
            play(game, state, action)
            outcome = -child.playout(game, state, c_puct, random)
        self.visits += 1
        self.total -= outcome  # The value of a node is that of the player who moved to it.
        return outcome

    def best(self, c_puct):
        actions = np.float32(len(self.unvisited) + len(self.children))
        urge = np.float32(c_puct) * np.sqrt(np.float32(self.visits)) / actions
        highest, found = (urge if self.unvisited else -np.inf), None
        for action, child in self.children:
            mean = np.float32(child.total) / np.float32(child.visits)
            score = mean + urge * (np.float32(1) / np.float32(1 + child.visits))
            if score >= highest:
                highest, found = score, (action, child)
        return found

    def add(self, random):
        drawn = draw(random, len(self.unvisited))
        action = self.unvisited[drawn]
        self.unvisited[drawn] = self.unvisited[0]
        self.unvisited = self.unvisited[1:]
        self.children.append((action, Node()))
        return self.children[-1]


def reference_visits(game, state, playouts, c_puct, seed):
    random = random_states(int(np.random.default_rng(seed).integers(2**63)))[0]
    root = Node()
    root.visits = 1
    for _ in range(playouts):
        root.playout(game, state.copy(), c_puct, random)
    visits = np.zeros(game.actions, np.int32)
    for action, child in root.children:
        visits[action] = child.visits
    return visits


@pytest.mark.kernels
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("c_puct", [0.5, 5.0, 30.0])
def test_visits_are_those_of_the_reference(name, c_puct):
    game = GAMES[name]
    generator = np.random.default_rng(3)
    for seed, plies in enumerate((0, 2, 4)):
        state = random_position(game, plies, generator)
        visits = RolloutSearch(game, c_puct, seed).search(state[None], 60)[0]
        assert visits.tolist() == reference_visits(game, state, 60, c_puct, seed).tolist()


@pytest.mark.kernels
def test_every_playout_visits_a_legal_move():
    states = np.array([position(CONNECT4), position(CONNECT4, [3] * 6), position(CONNECT4, [0, 1, 0, 1, 0, 1, 0])])
    visits = RolloutSearch(CONNECT4).search(states, 100)
    assert visits.sum(axis=1).tolist() == [100, 100, 0]  # The last game is over.
    assert visits[1, 3] == 0
    assert (np.delete(visits[1], 3) > 0).all()


def test_unvisited_moves_come_in_random_order():
    first = RolloutSearch(TICTACTOE, seed=5).search(np.repeat(position(TICTACTOE)[None], 9000, axis=0), 1).sum(axis=0)
    assert np.abs(first - 1000).max() < 5 * np.sqrt(1000)


def test_a_few_visits_are_spread_over_all_cells():
    """With a fixed order a thousand playouts would favour the top of the board."""
    visits = RolloutSearch(GOMOKU15, seed=6).search(np.repeat(position(GOMOKU15)[None], 400, axis=0), 100).sum(axis=0)
    top, bottom = visits[:105].sum(), visits[120:].sum()
    assert abs(top - bottom) < 0.1 * (top + bottom)


def test_threads_change_nothing():
    generator = np.random.default_rng(1)
    states = np.array([random_position(GOMOKU6, 5, generator) for _ in range(21)])
    alone = RolloutSearch(GOMOKU6, seed=4).search(states, 200)
    assert (RolloutSearch(GOMOKU6, seed=4, threads=3).search(states, 200) == alone).all()
    assert (RolloutSearch(GOMOKU6, seed=5).search(states, 200) != alone).any()


def test_several_trees_share_the_playouts_of_a_position():
    states = np.array([position(CONNECT4), position(CONNECT4, [3])])
    visits = RolloutSearch(CONNECT4, threads=2, trees=4).search(states, 4000)
    assert visits.sum(axis=1).tolist() == [4000, 4000]
    assert visits.argmax(axis=1).tolist() == [3, 3]


def test_values_are_those_of_the_player_to_move():
    win = position(CONNECT4, [0, 6, 1, 6, 2, 5])  # Column 3 completes four.
    loss = position(CONNECT4, [2, 2, 3, 3, 4])  # Columns 1 and 5 will.
    over = position(CONNECT4, [0, 6, 1, 6, 2, 5, 3])
    for trees in (1, 3):
        values = RolloutSearch(CONNECT4, trees=trees).values(np.array([win, loss, over]), 9000)
        assert values[0] > 0.85
        assert values[1] < -0.5
        assert values[2] == 0


def test_a_full_tree_stops_growing_and_goes_on_playing():
    search = RolloutSearch(GOMOKU15, max_nodes=5000)
    visits = search.search(position(GOMOKU15, [112, 0, 113, 1, 114, 2, 115])[None], 100_000)[0]
    assert visits.sum() == 100_000
    assert visits.argmax() in (111, 116)  # An open four can't be stopped; both ends are as good.


def test_a_million_playouts_stay_within_the_bound():
    search = RolloutSearch(GOMOKU15, max_nodes=200_000)  # 6.4 MB
    assert search.search(position(GOMOKU15)[None], 1_000_000).sum() == 1_000_000


# Five in a row for the side to move, at an edge, on both diagonals, with a gap; then fours to be stopped.
AT_ONCE = [
    ([0, 30, 1, 31, 2, 32, 3, 34], {4}),
    ([224, 0, 208, 1, 192, 2, 176, 4], {160}),
    ([14, 100, 28, 101, 42, 102, 56, 104], {70}),
    ([112, 0, 113, 1, 115, 2, 116, 17], {114}),
    ([7, 200, 22, 201, 37, 202, 52], {67}),
    ([100, 0, 101, 224, 102, 210, 103, 99], {104}),
]


@pytest.mark.parametrize(("moves", "answers"), AT_ONCE)
def test_takes_wins_and_stops_fours(moves, answers):
    states = np.repeat(position(GOMOKU15, moves)[None], 3, axis=0)
    assert set(RolloutSearch(GOMOKU15).best(states, 150_000).tolist()) <= answers


@cache
def exact_value(key):
    """The value of a tic-tac-toe position for the player to move, by trying everything."""
    state = np.frombuffer(key, np.int64)
    if state[RESULT] != ONGOING:
        return int(state[RESULT])
    return max(-exact_value(after(state, move)) for move in legal_actions(TICTACTOE, state))


def after(state, move):
    state = state.copy()
    play(TICTACTOE, state, move)
    state[LAST] = NO_ACTION  # Says nothing about the position.
    return state.tobytes()


def test_tictactoe_is_played_perfectly():
    found, waiting = set(), [position(TICTACTOE).tobytes()]
    while waiting:
        state = np.frombuffer(waiting.pop(), np.int64)
        new = {after(state, move) for move in legal_actions(TICTACTOE, state)} - found
        found |= new
        waiting += new
    states = np.array([np.frombuffer(key, np.int64) for key in sorted(found)])
    states = states[states[:, RESULT] == ONGOING]
    best = RolloutSearch(TICTACTOE).best(states, 5000)
    wrong = [
        s for s, move in zip(states, best, strict=True) if -exact_value(after(s, move)) != exact_value(s.tobytes())
    ]
    assert len(states) == 4519  # all but the empty board
    assert wrong == []
