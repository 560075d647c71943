"""Every architecture on every game: layers, shapes, counts, and what their outputs must satisfy."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from rayzero.config.schema import Net as NetConfig
from rayzero.errors import ConfigError
from rayzero.games.registry import game_names, make_game
from rayzero.net import Blueprint, assign, build_net, flatten
from rayzero.net.module import Net, float_state
from rayzero.records import Weights

ARCHITECTURES = ["plain", "resnet", "nested"]
# A board with more actions than cells and one pass, and one whose actions are neither cells nor columns.
ODD_GAMES = [
    SimpleNamespace(plane_count=3, height=4, width=5, actions=21, max_plies=60),
    SimpleNamespace(plane_count=7, height=6, width=4, actions=50, max_plies=33),
]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("value_head", ["wdl", "tanh"])
def test_outputs_on_every_game(architecture, name, value_head, positions):
    game = make_game(name)
    net = build_net(game, NetConfig(architecture=architecture, channels=16, blocks=2, value_head=value_head)).eval()
    planes, legal = positions(game, 24)
    with torch.no_grad():
        heads = net(torch.from_numpy(planes), reply=True)
        priors, value, moves_left = net.blueprint.answer(net, torch.from_numpy(planes).float())
    assert heads.policy.shape == heads.reply.shape == (24, game.actions)
    assert heads.value.shape == (24, 3 if value_head == "wdl" else 1)
    assert heads.moves_left.shape == (24, game.max_plies + 1)
    torch.testing.assert_close(priors.sum(1), torch.ones(24))
    over_legal = priors.numpy() * legal
    over_legal /= over_legal.sum(1, keepdims=True)
    assert np.allclose(over_legal.sum(1), 1, atol=1e-6)
    if value_head == "wdl":
        torch.testing.assert_close(value.sum(1), torch.ones(24))
        value = value[:, :1] - value[:, 2:]
    assert value.abs().max() <= 1
    assert moves_left.shape == (24, 1) and moves_left.min() >= 0 and moves_left.max() <= game.max_plies


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("heads", ["pooled", "flat"])
@pytest.mark.parametrize("game", ODD_GAMES, ids=["pass", "other actions"])
def test_heads_fit_other_action_counts(architecture, heads, game):
    net = build_net(game, NetConfig(architecture=architecture, channels=8, blocks=1, heads=heads)).eval()
    planes = torch.randint(0, 2, (3, game.plane_count, game.height, game.width), dtype=torch.uint8)
    found = net(planes, reply=True)
    assert found.policy.shape == found.reply.shape == (3, game.actions)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("heads", ["pooled", "flat"])
def test_slots_are_the_state_dict(architecture, heads, gomoku8):
    """The flat array can be read without torch only if both agree on names, shapes and order."""
    net = build_net(gomoku8, NetConfig(architecture=architecture, channels=8, blocks=2, heads=heads))
    state = {name: tuple(t.shape) for name, t in net.state_dict().items() if t.is_floating_point()}
    assert list(state.items()) == net.blueprint.slots
    assert sum(t.numel() for t in float_state(net)) == net.blueprint.size


def test_plain_net_of_the_notes_counts_its_parameters():
    """Convolutions 32-64-128, policy 4 planes + linear, value 2 planes + linear 64 + linear 1."""
    game = make_game("gomoku", width=8, height=8)
    net = build_net(
        game, NetConfig(architecture="plain", channels=32, value_head="tanh", moves_left=False, reply=False)
    )
    convolutions = (4 * 32 * 9 + 32) + (32 * 64 * 9 + 64) + (64 * 128 * 9 + 128)
    policy = (128 * 4 + 4) + (4 * 64 * 64 + 64)
    value = (128 * 2 + 2) + (2 * 64 * 64 + 64) + (64 + 1)
    assert sum(p.numel() for p in net.parameters()) == convolutions + policy + value
    assert not any(isinstance(module, torch.nn.BatchNorm2d) for module in net.modules())


def test_residual_net_of_the_tutorial_counts_its_parameters():
    """Stem, 4 blocks x 64, policy 2 planes + linear, value 1 plane + linear 256 + linear 1; batch norm everywhere."""
    net = build_net(
        make_game("gomoku"),
        NetConfig(channels=64, blocks=4, heads="flat", value_head="tanh", moves_left=False, reply=False),
    )
    stem = 4 * 64 * 9 + 2 * 64
    tower = 8 * (64 * 64 * 9 + 2 * 64)
    policy = 64 * 2 + 2 * 2 + (2 * 225 * 225 + 225)
    value = 64 + 2 + (225 * 256 + 256) + (256 + 1)
    assert sum(p.numel() for p in net.parameters()) == stem + tower + policy + value


@pytest.mark.parametrize("architecture", ["resnet", "nested"])
def test_pooled_heads_run_on_any_board(architecture):
    """The same weights give an answer on 8x8 and on 15x15, apart from the moves-left head."""
    small, large = make_game("gomoku", width=8, height=8), make_game("gomoku")
    config = NetConfig(architecture=architecture, channels=8, blocks=1, moves_left=False)
    assert Blueprint.create(small, config).slots == Blueprint.create(large, config).slots


def test_flatten_and_assign_are_inverse(gomoku8):
    first = build_net(gomoku8, NetConfig(architecture="nested", channels=8, blocks=1))
    second = build_net(gomoku8, NetConfig(architecture="nested", channels=8, blocks=1))
    weights = flatten(first, 5)
    assert weights.version == 5 and weights.flat.dtype == np.float32
    weights.flat.flags.writeable = False
    assign(second, weights)
    assert all(torch.equal(a, b) for a, b in zip(float_state(first), float_state(second), strict=True))
    with torch.no_grad():
        next(first.parameters()).add_(1)
    assert np.array_equal(weights.flat, flatten(second, 5).flat)
    with pytest.raises(ValueError, match="do not fit"):
        assign(second, Weights(5, weights.flat[1:]))


def test_flat_order_is_logical_not_memory(gomoku8):
    """Convolutions lie in memory channels last; the flat array is [out, in, rows, columns] all the same."""
    net = build_net(gomoku8, NetConfig(channels=8, blocks=1))
    arrays = net.blueprint.split(flatten(net, 0).flat)
    for name, tensor in net.state_dict().items():
        if tensor.is_floating_point():
            assert np.array_equal(arrays[name], tensor.numpy())


def test_a_new_net_is_unsure(gomoku8, positions):
    net = build_net(gomoku8, NetConfig()).eval()
    planes, _ = positions(gomoku8, 32)
    with torch.no_grad():
        priors, wdl, _ = net.blueprint.answer(net, torch.from_numpy(planes).float())
    assert priors.max() < 0.2
    assert (wdl[:, 0] - wdl[:, 2]).abs().max() < 0.6


@pytest.mark.parametrize(
    ("changes", "key"),
    [({"architecture": "vit"}, "architecture"), ({"heads": "round"}, "heads"), ({"value_head": "sign"}, "value_head")],
)
def test_unknown_settings_are_told(changes, key, gomoku8):
    with pytest.raises(ConfigError, match=f"net.{key}"):
        Blueprint.create(gomoku8, NetConfig(**changes))


def test_impossible_sizes_are_told(gomoku8):
    with pytest.raises(ConfigError, match="blocks"):
        Blueprint.create(gomoku8, NetConfig(channels=0))


def test_net_prints_its_layers(gomoku8):
    text = repr(Net(Blueprint.create(gomoku8, NetConfig(channels=8, blocks=1))))
    assert "stem" in text and "block0_second" in text and "moves_left" in text
