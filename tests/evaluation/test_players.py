"""Players of all kinds choose legal, sensible moves for many games at once."""

import numpy as np
import pytest

from rayzero.config.schema import Game
from rayzero.errors import ConfigError, GameError
from rayzero.evaluation.matches import play_match
from rayzero.evaluation.openings import positions
from rayzero.evaluation.players import AlphaBetaPlayer, MctsPlayer, NetPlayer, RandomPlayer
from rayzero.evaluation.specs import Setting, parse_player
from rayzero.evaluator import UniformEvaluator
from rayzero.games.registry import make_game
from rayzero.search import SearchSettings

CONNECT4 = make_game("connect4")
SETTINGS = SearchSettings()


def net_player(simulations=32, **options):
    return NetPlayer("net", CONNECT4, UniformEvaluator(7), SETTINGS, simulations, **options)


def ask(player, histories, slots=None):
    slots = np.arange(len(histories)) if slots is None else np.array(slots)
    return player.best(slots, positions(CONNECT4, histories), histories).tolist()


WIN_IN_3 = (3, 0, 3, 0, 3, 0)  # the player to move wins in column 3
MUST_BLOCK_3 = (3, 0, 3, 0, 3)  # and here it must be stopped


@pytest.mark.parametrize("make", [net_player, lambda: MctsPlayer(CONNECT4, 300), lambda: AlphaBetaPlayer(CONNECT4, 2)])
def test_wins_and_threats_are_seen(make):
    assert ask(make(), [WIN_IN_3, MUST_BLOCK_3]) == [3, 3]


def test_tree_follows_the_game():
    class Counting(UniformEvaluator):
        calls = 0

        def evaluate(self, planes):
            self.calls += len(planes)
            return super().evaluate(planes)

    def play_on(keep):
        evaluator = Counting(7)
        player = NetPlayer("net", CONNECT4, evaluator, SETTINGS, 64)
        moves = (2,)
        for _ in range(4):
            slots = np.array([0 if keep else len(moves) % 2])
            moves += tuple(player.best(slots, positions(CONNECT4, [moves]), [moves]).tolist())
            moves += (6,)
            if not keep:
                player = NetPlayer("net", CONNECT4, evaluator, SETTINGS, 64)
        return evaluator.calls

    assert play_on(keep=True) < play_on(keep=False)


def test_slot_with_another_game_starts_anew():
    player = net_player()
    ask(player, [(3, 3)])
    assert ask(player, [WIN_IN_3]) == [3]
    assert ask(player, [(3, 3, 0), MUST_BLOCK_3], slots=[4, 2])[1] == 3
    assert ask(player, [MUST_BLOCK_3], slots=[4]) == [3]


def test_temperature_gives_variety_in_the_first_plies_only():
    player = net_player(temperature_plies=2)
    assert len({ask(player, [()])[0] for _ in range(20)}) > 1
    assert {ask(player, [WIN_IN_3])[0] for _ in range(10)} == {3}


def test_net_player_plays_whole_matches():
    result = play_match(CONNECT4, net_player(), RandomPlayer(CONNECT4), 20)
    assert result.score > 0.8
    assert result.forfeits == ()


def test_solver_is_unbeaten():
    pytest.importorskip("bitbully")
    solver = parse_player("solver", CONNECT4, Game("connect4"), Setting())
    result = play_match(CONNECT4, solver, MctsPlayer(CONNECT4, 100), 4, opening_plies=0)
    assert result.wins_first == 2


@pytest.mark.parametrize(
    "word", ["mcts", "mcts:", "mcts:many", "mcts:0", "mcts:-5", "alphabeta:x", "gomocup:", "gomocup: "]
)
def test_words_that_mean_no_player(word):
    with pytest.raises(ConfigError, match="write"):
        parse_player(word, CONNECT4, Game("connect4"), Setting())


def test_words_that_mean_a_player():
    names = ["random", "mcts:50", "alphabeta:2"]
    for name in names:
        assert parse_player(name, CONNECT4, Game("connect4"), Setting()).name == name


def test_solver_refuses_another_game():
    with pytest.raises(GameError, match="Connect4 on 7x6 only"):
        parse_player("solver", make_game("tictactoe"), Game("tictactoe"), Setting())
