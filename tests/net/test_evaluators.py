"""Evaluators against the net itself, and what all of them promise."""

import subprocess
import sys
import threading

import numpy as np
import pytest
import torch

from rayzero.config.schema import Inference
from rayzero.config.schema import Net as NetConfig
from rayzero.errors import ConfigError
from rayzero.games.registry import make_game
from rayzero.net import Blueprint, assign, build_net, evaluators, make_evaluator
from rayzero.records import Weights

ENGINES = ["torch", "openvino"]
NETS = {
    "plain": NetConfig(architecture="plain", channels=16),
    "resnet": NetConfig(channels=32, blocks=2),
    "resnet flat tanh": NetConfig(channels=16, blocks=2, heads="flat", value_head="tanh", moves_left=False),
    "nested": NetConfig(architecture="nested", channels=32, blocks=2),
}


def reference(game, net, weights, planes):
    """Priors, value and moves left from the training module in evaluation mode: batch norm not folded."""
    module = build_net(game, net).eval()
    assign(module, weights)
    with torch.no_grad():
        heads = module(torch.from_numpy(planes))
    priors = torch.softmax(heads.policy, 1).numpy()
    if net.value_head == "tanh":
        value = torch.tanh(heads.value[:, 0]).numpy()
    else:
        wdl = torch.softmax(heads.value, 1).numpy()
        value = wdl[:, 0] - wdl[:, 2]
    if heads.moves_left is None:
        return priors, value, np.zeros(len(planes))
    plies = torch.softmax(heads.moves_left, 1).numpy() @ np.arange(game.max_plies + 1)
    return priors, value, plies


def divergence(wanted, found):
    return float(np.mean(np.sum(wanted * (np.log(wanted + 1e-12) - np.log(found + 1e-12)), axis=1)))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["gomoku8", "connect4"])
@pytest.mark.parametrize("net", NETS.values(), ids=NETS.keys())
def test_float32_equals_the_net(engine, name, net, positions, weights_for):
    game = make_game("gomoku", width=8, height=8) if name == "gomoku8" else make_game(name)
    planes, _ = positions(game, 40)
    weights = weights_for(Blueprint.create(game, net))
    evaluator = make_evaluator(game, net, Inference(engine=engine, precision="float32", threads=1))
    evaluator.load(weights)
    found = evaluator.evaluate(planes)
    priors, value, plies = reference(game, net, weights, planes)
    assert np.abs(found.priors - priors).max() < 1e-5
    assert np.abs(found.value - value).max() < 1e-5
    assert np.abs(found.moves_left - plies).max() < 1e-5 * game.max_plies
    assert np.allclose(found.wdl[:, 0] - found.wdl[:, 2], found.value, atol=1e-6)
    assert np.allclose(found.wdl.sum(1), 1, atol=1e-5) and found.wdl.shape == (40, 3)
    assert {a.dtype for a in vars(found).values()} == {np.dtype(np.float32)}
    assert value.std() > 0.01 and priors.std() > 1e-4  # A net whose answers are all alike would prove nothing.


@pytest.mark.parametrize(
    ("engine", "precision", "most_kl", "most_rms"),
    [("torch", "bfloat16", 1e-3, 0.02), ("openvino", "bfloat16", 1e-3, 0.02), ("openvino", "int8", 5e-3, 0.05)],
)
@pytest.mark.parametrize("architecture", ["resnet", "nested"])
def test_low_precision_stays_close(engine, precision, most_kl, most_rms, architecture, gomoku8, positions, weights_for):
    net = NetConfig(architecture=architecture, channels=32, blocks=3)
    planes, _ = positions(gomoku8, 300)
    weights = weights_for(Blueprint.create(gomoku8, net))
    evaluator = make_evaluator(gomoku8, net, Inference(engine=engine, precision=precision, threads=1))
    if precision == "int8":
        evaluator.calibrate(planes[:256])
    evaluator.load(weights)
    found = evaluator.evaluate(planes)
    priors, value, _ = reference(gomoku8, net, weights, planes)
    assert divergence(priors, found.priors) < most_kl
    assert np.sqrt(np.mean((found.value - value) ** 2)) < most_rms
    assert np.abs(found.priors.sum(1) - 1).max() < 0.02


def test_int8_calibrates_itself_on_what_it_evaluates(small_net, gomoku8, positions):
    net, _, weights = small_net
    planes, _ = positions(gomoku8, 300)
    evaluator = make_evaluator(gomoku8, net, Inference(engine="openvino", precision="int8", threads=1))
    evaluator.load(weights)
    before = evaluator.evaluate(planes)
    evaluator.load(weights)
    after = evaluator.evaluate(planes)
    assert 1e-8 < divergence(before.priors, after.priors) < 5e-3


@pytest.mark.parametrize("engine", ENGINES)
def test_any_batch_size_and_memory_layout(engine, small_net, gomoku8, positions):
    net, _, weights = small_net
    planes, _ = positions(gomoku8, 70)
    evaluator = make_evaluator(gomoku8, net, Inference(engine=engine, precision="float32", threads=1))
    evaluator.load(weights)
    whole = evaluator.evaluate(planes)
    for size in (0, 1, 2, 3, 17, 64, 70, 1):
        part = evaluator.evaluate(planes[:size])
        assert part.priors.shape == (size, 64)
        assert np.allclose(part.priors, whole.priors[:size], atol=1e-6)
    frozen = planes.copy()
    frozen.flags.writeable = False
    assert np.allclose(evaluator.evaluate(frozen).value, whole.value, atol=1e-6)
    assert np.allclose(evaluator.evaluate(planes[::-2]).value, whole.value[::-2], atol=1e-6)
    flipped = np.asfortranarray(planes)
    assert np.allclose(evaluator.evaluate(flipped).value, whole.value, atol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_answers_belong_to_the_caller(engine, small_net, gomoku8, positions):
    net, _, weights = small_net
    planes, _ = positions(gomoku8, 8)
    evaluator = make_evaluator(gomoku8, net, Inference(engine=engine, threads=1))
    evaluator.load(weights)
    first = evaluator.evaluate(planes)
    kept = first.priors.copy(), first.value.copy()
    evaluator.evaluate(np.zeros_like(planes))
    assert np.array_equal(first.priors, kept[0]) and np.array_equal(first.value, kept[1])
    first.priors[:] = 0
    first.value[:] = 0


@pytest.mark.parametrize("engine", ENGINES)
def test_new_weights_change_the_answers_and_the_version(engine, small_net, gomoku8, positions, weights_for):
    net, blueprint, weights = small_net
    planes, _ = positions(gomoku8, 8)
    evaluator = make_evaluator(gomoku8, net, Inference(engine=engine, precision="float32", threads=1))
    evaluator.load(weights)
    first = evaluator.evaluate(planes)
    assert evaluator.version == weights.version
    other = weights_for(blueprint, seed=2)
    frozen = other.flat.copy()
    frozen.flags.writeable = False
    evaluator.load(Weights(99, frozen))
    assert evaluator.version == 99
    assert np.abs(evaluator.evaluate(planes).value - first.value).max() > 1e-3
    evaluator.load(weights)
    assert np.abs(evaluator.evaluate(planes).value - first.value).max() < 1e-6


@pytest.mark.parametrize("engine", ENGINES)
def test_threads_may_share_an_evaluator(engine, small_net, gomoku8, positions):
    net, _, weights = small_net
    planes, _ = positions(gomoku8, 64)
    evaluator = make_evaluator(gomoku8, net, Inference(engine=engine, precision="float32", threads=1))
    evaluator.load(weights)
    wanted = evaluator.evaluate(planes).value
    wrong = []

    def ask(start):
        for _ in range(20):
            found = evaluator.evaluate(planes[start : start + 16]).value
            if np.abs(found - wanted[start : start + 16]).max() > 1e-5:
                wrong.append(start)

    workers = [threading.Thread(target=ask, args=(start,)) for start in (0, 16, 32, 48)]
    for worker in workers:
        worker.start()
    evaluator.load(weights)
    for worker in workers:
        worker.join()
    assert wrong == []


def test_openvino_works_without_torch(small_net):
    """A self-play worker that evaluates with OpenVINO must stay small."""
    code = """
import sys
import numpy as np
from rayzero.config.schema import Inference, Net
from rayzero.games.registry import make_game
from rayzero.net import Blueprint, make_evaluator
from rayzero.records import Weights
game, net = make_game("tictactoe"), Net(channels=8, blocks=1)
size = Blueprint.create(game, net).size
for precision in ("auto", "int8"):
    evaluator = make_evaluator(game, net, Inference(engine="auto", precision=precision, threads=1, device="cpu"))
    for _ in range(2):
        evaluator.load(Weights(1, np.full(size, 0.1, np.float32)))
        evaluator.evaluate(np.zeros((300, 4, 3, 3), np.uint8))
assert type(evaluator).__name__ == "OpenVinoEvaluator"
assert not {"torch", "nncf", "onnx"} & set(sys.modules), "heavy imports"
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_torch_takes_over_without_openvino(monkeypatch, gomoku8, small_net):
    net, _, weights = small_net
    monkeypatch.setattr(evaluators.importlib.util, "find_spec", lambda name: None)
    evaluator = make_evaluator(gomoku8, net, Inference(threads=1, device="cpu"))
    assert type(evaluator).__name__ == "TorchEvaluator"
    assert evaluator.precision in ("float32", "bfloat16")
    with pytest.raises(ConfigError, match="not installed"):
        make_evaluator(gomoku8, net, Inference(engine="openvino"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_missing_device_is_told(gomoku8):
    with pytest.raises(ConfigError, match="inference.device is cuda"):
        make_evaluator(gomoku8, NetConfig(), Inference(engine="torch", device="cuda"))


def test_int8_needs_openvino(gomoku8):
    with pytest.raises(ConfigError, match="int8 needs inference.engine openvino"):
        make_evaluator(gomoku8, NetConfig(), Inference(engine="torch", precision="int8", device="cpu"))


def test_what_was_picked_is_logged(gomoku8, caplog):
    with caplog.at_level("INFO", logger="rayzero.net.evaluators"):
        evaluator = make_evaluator(gomoku8, NetConfig(channels=8, blocks=1), Inference(engine="openvino", threads=1))
    assert evaluator.precision in caplog.text and "OpenVINO" in caplog.text


def test_batches_run_in_captured_graphs_of_a_few_sizes(small_net, gomoku8, positions, monkeypatch):
    """The bookkeeping around CUDA graphs, with a graph that computes on the CPU."""
    from rayzero.net.torch_engine import CudaGraphs, FoldedNet

    _, blueprint, weights = small_net
    net = FoldedNet(blueprint, torch.device("cpu"), torch.float32)
    net.load(weights.flat)
    captured = []

    def capture(self, size):
        captured.append(size)
        given = torch.zeros(size, 4, 8, 8, dtype=torch.uint8)
        answer = net.answer(given)

        class Graph:
            def replay(self):
                answer.copy_(net.answer(given))

        return Graph(), torch.zeros_like(given), given, answer

    monkeypatch.setattr(CudaGraphs, "_capture", capture)
    graphs = CudaGraphs(net, max_batch=48)
    planes, _ = positions(gomoku8, 100)
    wanted = net.answer(torch.from_numpy(planes)).numpy()
    for size in (100, 3, 48, 0, 20, 100):
        assert np.allclose(graphs.run(planes[:size]), wanted[:size], atol=1e-6)
    assert captured == [48, 8, 32]
