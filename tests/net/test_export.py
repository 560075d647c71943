"""ONNX files, and starting from another model's weights."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from rayzero.config.schema import Game as GameConfig
from rayzero.config.schema import Net as NetConfig
from rayzero.errors import ModelError, UserError
from rayzero.export import export
from rayzero.games.registry import make_game
from rayzero.net import Blueprint, Card, build_net, flatten, save_model
from rayzero.net.transfer import start_from


@pytest.mark.parametrize(
    "net",
    [
        NetConfig(architecture="plain", channels=8),
        NetConfig(channels=8, blocks=1, value_head="tanh", moves_left=False),
        NetConfig(architecture="nested", channels=16, blocks=1),
    ],
    ids=lambda net: net.architecture,
)
@pytest.mark.parametrize("name", ["tictactoe", "connect4"])
def test_exported_models_answer_as_torch_does(net, name, tmp_path, weights_for):
    pytest.importorskip("onnxruntime")
    save_model(tmp_path / "model", weights_for(Blueprint.create(make_game(name), net)), Card(GameConfig(name), net))
    told = export(str(tmp_path / "model"), tmp_path / "model.onnx")
    assert float(told.split()[-1].rstrip(".")) < 1e-5


def test_a_wrong_export_is_noticed(tmp_path, weights_for, monkeypatch):
    pytest.importorskip("onnxruntime")
    net, game = NetConfig(channels=8, blocks=1), make_game("tictactoe")
    save_model(tmp_path / "model", weights_for(Blueprint.create(game, net)), Card(GameConfig("tictactoe"), net))
    from rayzero.net.onnx_graph import OnnxOps

    monkeypatch.setattr(OnnxOps, "relu", lambda self, x: self.node("Tanh", x))
    with pytest.raises(ModelError, match="differently from torch"):
        export(str(tmp_path / "model"), tmp_path / "model.onnx")


def test_the_command_tells_mistakes(tmp_path):
    arguments = [sys.executable, "-m", "rayzero.export", "nowhere", str(tmp_path / "out.onnx")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "There is no model nowhere" in done.stderr and "Traceback" not in done.stderr


def test_no_directory_to_write_to(tmp_path, weights_for):
    net, game = NetConfig(channels=8, blocks=1), make_game("tictactoe")
    save_model(tmp_path / "model", weights_for(Blueprint.create(game, net)), Card(GameConfig("tictactoe"), net))
    with pytest.raises(UserError, match="no directory"):
        export(str(tmp_path / "model"), tmp_path / "missing" / "model.onnx")


@pytest.fixture
def model8(tmp_path, weights_for, gomoku8):
    net = NetConfig(architecture="nested", channels=16, blocks=1)
    card = Card(GameConfig("gomoku", {"width": 8, "height": 8}), net)
    save_model(tmp_path / "model8", weights_for(Blueprint.create(gomoku8, net)), card)
    return tmp_path / "model8"


def test_weights_carry_over_to_a_larger_board(model8, gomoku8, weights_for, caplog):
    """All but the moves-left head, whose size is that of the board."""
    net = build_net(make_game("gomoku"), NetConfig(architecture="nested", channels=16, blocks=1))
    before = net.blueprint.split(flatten(net, 0).flat)["moves_left.weight"].copy()
    with caplog.at_level("INFO"):
        start_from(net, str(model8))
    small = Blueprint.create(gomoku8, NetConfig(architecture="nested", channels=16, blocks=1))
    wanted = small.split(weights_for(small).flat)
    found = net.blueprint.split(flatten(net, 0).flat)
    for name, array in found.items():
        if name.startswith("moves_left"):
            continue
        assert np.array_equal(array, wanted[name]), name
    assert np.array_equal(found["moves_left.weight"], before)
    assert "new layers: moves_left" in caplog.text


def test_what_is_learnt_on_a_small_board_holds_on_a_large_one(model8, gomoku8):
    """In the middle of an empty board, policies see no edge and must not know the size."""
    small = build_net(gomoku8, NetConfig(channels=8, blocks=1, moves_left=False)).eval()
    large = build_net(make_game("gomoku"), NetConfig(channels=8, blocks=1, moves_left=False)).eval()
    large.load_state_dict(small.state_dict())
    planes = torch.zeros(1, 4, 8, 8, dtype=torch.uint8)
    wide = torch.zeros(1, 4, 15, 15, dtype=torch.uint8)
    with torch.no_grad():
        near, far = small(planes), large(wide)
    assert near.policy.shape == (1, 64) and far.policy.shape == (1, 225)
    assert torch.allclose(near.value, far.value, atol=0.5)


@pytest.mark.parametrize(
    ("changes", "key"), [({"channels": 8}, "channels"), ({"blocks": 2}, "blocks"), ({"architecture": "resnet"}, "arch")]
)
def test_another_trunk_is_no_start(changes, key, model8):
    settings = {"architecture": "nested", "channels": 16, "blocks": 1} | changes
    with pytest.raises(ModelError, match=key):
        start_from(build_net(make_game("gomoku"), NetConfig(**settings)), str(model8))
