"""The learner learns what is known."""

import numpy as np
import pytest

from rayzero.config.schema import Inference
from rayzero.config.schema import Learner as LearnerConfig
from rayzero.config.schema import Net as NetConfig
from rayzero.games.registry import make_game
from rayzero.learner import Learner
from rayzero.net import make_evaluator
from rayzero.records import Batch


def symmetry_classes(game, batch):
    """A number per position, equal for positions that are rotations or reflections of each other."""
    stones = batch.planes[:, :2].reshape(len(batch.planes), 2, 9)
    images = stones[:, :, game.cell_symmetries]  # [n, 2, S, 9]
    keys = images.transpose(0, 2, 1, 3).reshape(len(stones), 8, 18)
    return np.array([min(row.tobytes() for row in rows) for rows in keys])


def turned(game, batch, take, rng):
    """A batch with a random symmetry of each position."""
    n = len(batch.planes)
    which = rng.integers(0, 8, n)
    cells = game.cell_symmetries[which]
    planes = np.take_along_axis(batch.planes.reshape(n, 4, 9), cells[:, None].astype(np.int64), 2)
    policies = np.take_along_axis(batch.policies, game.action_symmetries[which].astype(np.int64), 1)
    changed = take(batch, slice(None))
    return type(batch)(**vars(changed) | {"planes": planes.reshape(n, 4, 3, 3), "policies": policies})


def test_solved_positions(tictactoe_truth):
    """4,520 unfinished boards, some of them with several last moves; the empty one is a draw."""
    _, truth = tictactoe_truth
    boards = {row[:2].tobytes() for row in truth.planes}
    assert len(boards) == 4520
    first = next(i for i, image in enumerate(truth.planes) if image[:2].sum() == 0)
    assert truth.outcomes[first] == 0 and truth.moves_left[first] == 9 and (truth.policies[first] > 0).all()


@pytest.mark.slow
def test_tictactoe_is_learnt_from_solved_positions(tictactoe_truth, rows_of):
    """Positions held out with all their rotations and reflections: optimal moves, values and plies left."""
    game, truth = tictactoe_truth
    rng = np.random.default_rng(5)
    classes = symmetry_classes(game, truth)
    names = np.unique(classes)
    held_out = np.isin(classes, rng.choice(names, len(names) // 5, replace=False))
    training = np.flatnonzero(~held_out)
    steps = 2000
    net = NetConfig(channels=64, blocks=2, reply=False)
    config = LearnerConfig(
        schedule="cosine",
        schedule_steps=steps,
        learning_rate=4e-3,
        weight_decay=0.1,
        search_value_share=0.0,
        precision="float32",
        threads=1,
    )
    learner = Learner(game, net, config, seed=1)
    for _ in range(steps):
        learner.step(turned(game, rows_of(truth, rng.choice(training, 256)), rows_of, rng))
    evaluator = make_evaluator(game, net, Inference(threads=1))
    evaluator.load(learner.weights())
    test = rows_of(truth, held_out)
    found = evaluator.evaluate(test.planes)
    chosen = np.where(test.legal, found.priors, -1).argmax(1)
    optimal = test.policies[np.arange(len(chosen)), chosen] > 0
    assert optimal.mean() >= 0.99
    assert np.mean((found.value - test.outcomes) ** 2) < 0.1
    assert np.corrcoef(found.moves_left, test.moves_left)[0, 1] > 0.9


def test_the_end_of_a_game_that_fills_the_board_is_foreseen(rows_of):
    """Games on a board where nobody can win last as long as there are free cells: the net has to count them."""
    game = make_game("gomoku", width=4, height=4, in_a_row=4)
    rng = np.random.default_rng(1)
    n = 2000
    stones = rng.integers(0, 16, n)
    ranks = rng.permuted(np.tile(np.arange(16), (n, 1)), axis=1)
    owners = rng.integers(0, 2, (n, 16))
    planes = np.zeros((n, 4, 16), np.uint8)
    planes[:, 0], planes[:, 1] = (ranks < stones[:, None]) & (owners == 0), (ranks < stones[:, None]) & (owners == 1)
    batch = Batch(
        planes=planes.reshape(n, 4, 4, 4),
        policies=np.full((n, 16), 1 / 16, np.float32),
        outcomes=np.zeros(n, np.int8),
        search_values=np.zeros(n, np.float32),
        moves_left=(16 - stones).astype(np.int16),
        replies=np.zeros((n, 16), np.float32),
        legal=np.ones((n, 16), bool),
        age=0.0,
    )
    net = NetConfig(channels=16, blocks=1, reply=False)
    config = LearnerConfig(moves_left_weight=1.0, learning_rate=5e-3, precision="float32", threads=1)
    learner = Learner(game, net, config, seed=1)
    for _ in range(250):
        learner.step(rows_of(batch, rng.integers(0, 1500, 128)))
    evaluator = make_evaluator(game, net, Inference(threads=1))
    evaluator.load(learner.weights())
    test = rows_of(batch, slice(1500, n))
    assert np.corrcoef(evaluator.evaluate(test.planes).moves_left, test.moves_left)[0, 1] > 0.95
