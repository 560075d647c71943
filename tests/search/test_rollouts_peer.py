"""Our pure MCTS against open_spiel's C++ one: independent of our own search, the same strength is due."""

import numpy as np
import pytest

from rayzero.bench.peers import running_peer
from rayzero.games import make_game
from rayzero.games.rules import ONGOING, PLY, RESULT, init, play
from rayzero.search.rollouts import RolloutSearch

PLAYOUTS = 1000
C_PUCT = 5.0  # Both select by the same rule, see rayzero/bench/peers/open_spiel_mcts.py.


def play_pair(game, peer, ours, opening, seed):
    """Our score in two games from an opening, with colours swapped."""
    score = 0.0
    for our_side in range(2):
        state = np.zeros(game.state_size, np.int64)
        init(game, state)
        moves = []
        while state[RESULT] == ONGOING:
            if len(moves) < len(opening):
                move = opening[len(moves)]
            elif state[PLY] % 2 == our_side:
                move = int(ours.best(state[None], PLAYOUTS)[0])
            else:
                request = {"game": "connect_four", "parameters": {}, "moves": moves, "playouts": PLAYOUTS}
                move = peer.ask(**request, c=C_PUCT, seed=seed + len(moves))["action"]
            play(game, state, move)
            moves.append(move)
        outcome = int(state[RESULT]) if state[PLY] % 2 == our_side else -int(state[RESULT])
        score += (outcome + 1) / 2
    return score


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_as_strong_as_open_spiel_with_the_same_playouts():
    game = make_game("connect4")
    ours = RolloutSearch(game, c_puct=C_PUCT, seed=3)
    generator = np.random.default_rng(9)
    with running_peer("open_spiel_mcts", "open_spiel") as peer:
        pairs = [
            play_pair(game, peer, ours, generator.integers(7, size=3).tolist(), 100 * pair) / 2 for pair in range(250)
        ]
    mean, half = np.mean(pairs), 1.96 * np.std(pairs, ddof=1) / np.sqrt(len(pairs))
    print(f"score {mean:.3f} +- {half:.3f} in {2 * len(pairs)} games")
    assert half < 0.05
    assert abs(mean - 0.5) < half
