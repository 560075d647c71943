"""Nets and positions for tests."""

import numpy as np
import pytest

from rayzero.config.schema import Net as NetConfig
from rayzero.games.registry import make_game
from rayzero.games.rules import RESULT, init, legal, planes, play
from rayzero.net import Blueprint
from rayzero.records import Weights

ONGOING = 2


def random_positions(game, count, seed=0):
    """Planes [count, C, H, W] and masks of legal actions [count, A] of positions met in random games."""
    rng = np.random.default_rng(seed)
    state, actions = np.empty(game.state_size, np.int64), np.empty(game.actions, np.int16)
    found, allowed = [], []
    init(game, state)
    while len(found) < count:
        if state[RESULT] != ONGOING:
            init(game, state)
        n = legal(game, state, actions)
        image = np.empty((game.plane_count, game.height, game.width), np.uint8)
        planes(game, state, image)
        found.append(image)
        allowed.append(np.isin(np.arange(game.actions), actions[:n]))
        play(game, state, rng.choice(actions[:n]))
    return np.stack(found), np.stack(allowed)


def random_weights(blueprint, seed=1):
    """Weights as of a net in the middle of its training: every array has its own numbers, statistics included."""
    rng = np.random.default_rng(seed)
    flat = np.empty(blueprint.size, np.float32)
    for name, array in blueprint.split(flat).items():
        if name.endswith("running_var"):
            array[...] = rng.uniform(0.5, 2, array.shape)
        elif name.endswith("norm.weight"):
            array[...] = rng.uniform(0.4, 1.0, array.shape)
        elif array.ndim > 1:
            array[...] = rng.normal(0, np.sqrt(2 / np.prod(array.shape[1:])), array.shape)
        else:
            array[...] = rng.normal(0, 0.2, array.shape)
    return Weights(7, flat)


@pytest.fixture(scope="session")
def positions():
    return random_positions


@pytest.fixture(scope="session")
def weights_for():
    return random_weights


@pytest.fixture(scope="session")
def gomoku8():
    return make_game("gomoku", width=8, height=8)


@pytest.fixture(scope="session")
def small_net(gomoku8):
    """A small net for 8x8, its blueprint and weights."""
    net = NetConfig(channels=16, blocks=2)
    blueprint = Blueprint.create(gomoku8, net)
    return net, blueprint, random_weights(blueprint)
