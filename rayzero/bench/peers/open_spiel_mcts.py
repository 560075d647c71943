"""open_spiel's C++ MCTS with random rollouts, one per leaf.

Its PUCT rule over the equal priors of its rollout evaluator is the rule of our pure MCTS:
Q + c * P * sqrt(N_parent) / (1 + N), Q = 0 where unvisited, children in random order, the most visited move.

Requests: game, parameters, moves (played so far), playouts, c, seed; the answer: action, seconds.
"""

import json
import sys
import time

import pyspiel


def answer(request):
    """Search one position."""
    game = pyspiel.load_game(request["game"], request["parameters"])
    state = game.new_initial_state()
    for move in request["moves"]:
        state.apply_action(move)
    evaluator = pyspiel.RandomRolloutEvaluator(1, request["seed"])
    rule = pyspiel.ChildSelectionPolicy.PUCT
    bot = pyspiel.MCTSBot(game, evaluator, request["c"], request["playouts"], 1000, False, request["seed"], False, rule)
    start = time.process_time()
    root = bot.mcts_search(state)
    return {"action": root.best_child().action, "seconds": time.process_time() - start}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
