"""`python -m rayzero.export MODEL OUT.onnx`: a model as ONNX, checked against torch where onnxruntime is installed."""

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rayzero.cli import make_parser, run
from rayzero.errors import ModelError, UserError
from rayzero.net.blueprint import Blueprint
from rayzero.net.files import Card, load_weights
from rayzero.net.find import find_model
from rayzero.records import Weights

TOLERANCE = 1e-4


def export(model: str, path: Path) -> str:
    """Write a model as ONNX; returns a sentence that says what was written and checked."""
    if importlib.util.find_spec("onnx") is None:
        raise UserError("Exporting needs onnx: pip install 'rayzero[export]'.")
    import onnx

    from rayzero.net.onnx_graph import build_onnx

    folder, card, blueprint, weights = load_weights(find_model(model))
    graph = build_onnx(blueprint, weights.flat)
    for key, value in _metadata(card).items():
        graph.metadata_props.add(key=key, value=value)
    onnx.checker.check_model(graph)
    if not path.parent.is_dir():
        raise UserError(f"{path} can't be written: there is no directory {path.parent}.")
    path.write_bytes(graph.SerializeToString())
    told = f"{path}: {folder} in ONNX, {path.stat().st_size:,} bytes"
    if importlib.util.find_spec("onnxruntime") is None:
        return f"{told}; not checked, because onnxruntime is not installed."
    return f"{told}; answers differ from torch by at most {check(path, blueprint, weights):.1e}."


def _metadata(card: Card) -> dict[str, str]:
    return {"game": card.game.name, "game_options": str(card.game.options), "steps": str(card.steps)}


def check(path: Path, blueprint: Blueprint, weights: Weights) -> float:
    """The largest difference between an exported file in onnxruntime and torch, on random planes."""
    import onnxruntime

    from rayzero.net.torch_engine import TorchEvaluator

    shape = (16, blueprint.planes, blueprint.height, blueprint.width)
    planes = np.random.default_rng(1).integers(0, 2, shape, np.uint8)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(names, {"planes": planes}), strict=True))
    torch_evaluator = TorchEvaluator(blueprint, "float32", "cpu", threads=1, max_batch=0)
    torch_evaluator.load(weights)
    wanted = torch_evaluator.evaluate(planes)
    value = found["wdl"][:, 0] - found["wdl"][:, 2] if "wdl" in found else found["value"][:, 0]
    differences = [np.abs(found["policy"] - wanted.priors).max(), np.abs(value - wanted.value).max()]
    if "moves_left" in found:
        differences.append(np.abs(found["moves_left"][:, 0] - wanted.moves_left).max() / blueprint.max_plies)
    worst = float(max(differences))
    if not worst < TOLERANCE:
        raise ModelError(f"{path} answers differently from torch, by {worst:.1e}: do not use it.")
    return worst


def main(argv: Sequence[str]) -> int:
    """Export as the command line says."""
    parser = make_parser("export", "Write a model as ONNX.")
    parser.add_argument("model", metavar="MODEL", help="a model or run directory, or the name of a shipped model")
    parser.add_argument("path", metavar="OUT.onnx", type=Path)
    options = parser.parse_args(argv)
    print(export(options.model, options.path))
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
