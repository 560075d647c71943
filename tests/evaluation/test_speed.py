"""100 games of a 15x15 net against pure MCTS at once, beside the same games one after another with batches of one.

CPU time is compared, as wall time depends on what else the machine does: `pytest -m long -s` prints both.
"""

import time

import numpy as np
import pytest

from rayzero.config.schema import Inference, Net
from rayzero.evaluation.matches import play_match
from rayzero.evaluation.openings import Openings, positions
from rayzero.evaluation.players import MctsPlayer, NetPlayer, Player
from rayzero.games.registry import make_game
from rayzero.games.rules import ONGOING, RESULT
from rayzero.net import build_net, flatten, make_evaluator
from rayzero.search import SearchSettings

GAME = make_game("gomoku")


class Timed(Player):
    """Measures the CPU time of another player."""

    def __init__(self, player):
        self.player, self.name, self.seconds, self.moves = player, player.name, 0.0, 0

    def best(self, slots, states, histories):
        start = time.process_time()
        actions = self.player.best(slots, states, histories)
        self.seconds += time.process_time() - start
        self.moves += len(actions)
        return actions

    @property
    def per_move(self):
        return self.seconds / self.moves


@pytest.fixture(scope="module")
def make_net():
    config = Net()
    weights = flatten(build_net(GAME, config), 1)

    def make(engine, threads):
        evaluator = make_evaluator(GAME, config, Inference(engine=engine, threads=threads, device="cpu"))
        evaluator.load(weights)
        return Timed(NetPlayer("net", GAME, evaluator, SearchSettings(), 64))

    return make


def play_one_by_one(net, mcts, openings):
    for moves in openings:
        state = positions(GAME, [moves])
        while state[0, RESULT] == ONGOING:
            mover = (net, mcts)[len(moves) % 2]
            moves = (*moves, int(mover.best(np.array([0]), state, [moves])[0]))
            state = positions(GAME, [moves])


@pytest.mark.long
def test_all_games_at_once_are_faster(make_net):
    play_match(GAME, make_net("auto", 2), MctsPlayer(GAME, 1000, threads=2), 2)  # compiles
    net, mcts = make_net("auto", 2), Timed(MctsPlayer(GAME, 1000, threads=2))
    result = play_match(GAME, net, mcts, 100)
    assert result.games == 100
    assert result.forfeits == ()
    at_once = net.per_move + mcts.per_move
    print(f"\n100 games at once: {net.seconds + mcts.seconds:.1f} s of CPU time, {result.seconds:.1f} s in all")
    for engine in ("auto", "torch"):
        net, mcts = make_net(engine, 1), Timed(MctsPlayer(GAME, 1000))
        play_one_by_one(net, mcts, Openings(GAME, 2, 1).take(4))
        ratio = (net.per_move + mcts.per_move) / at_once
        print(f"one after another, {engine}: {ratio:.1f} times the CPU time, on one core instead of two")
        assert ratio > 1.2
