"""ONNX graphs of nets, built straight from the flat weights."""

from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

from rayzero.net.blueprint import Blueprint

OPSET, IR_VERSION = 17, 8  # Old enough for every runtime in use.


class OnnxOps:
    """Collects nodes and constants; a value is its name."""

    def __init__(self, layers: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
        self.layers = layers
        self.nodes: list[Any] = []
        self.constants: dict[str, np.ndarray] = {}
        self.widths: dict[str, int] = {}  # of the vectors that may be averaged over

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output, whose name is returned."""
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, name: str, array: np.ndarray) -> str:
        """Add a constant."""
        self.constants[name] = array
        return name

    def _weights(self, name: str) -> tuple[str, str]:
        weight, bias = self.layers[name]
        return self.constant(f"{name}.weight", weight), self.constant(f"{name}.bias", bias)

    def conv(self, x: str, name: str, channels: int, size: tuple[int, int], norm: bool, pad: bool) -> str:
        """Convolution with bias."""
        pads = [size[0] // 2, size[1] // 2] * 2 if pad else [0, 0, 0, 0]
        return self.node("Conv", x, *self._weights(name), kernel_shape=list(size), pads=pads)

    def linear(self, x: str, name: str, outputs: int) -> str:
        """Matrix product and bias."""
        y = self.node("Gemm", x, *self._weights(name), transB=1)
        self.widths[y] = outputs
        return y

    def relu(self, x: str) -> str:
        """The larger of x and 0."""
        return self.node("Relu", x)

    def add(self, x: str, y: str) -> str:
        """The sum."""
        return self.node("Add", x, y)

    def shift(self, x: str, by: str) -> str:
        """One number per channel added."""
        return self.node("Add", x, self.node("Unsqueeze", by, self.constant("cells", np.array([2, 3], np.int64))))

    def pool(self, x: str) -> str:
        """Mean and maximum of every channel."""
        parts = [self.node(kind, x, axes=[2, 3], keepdims=0) for kind in ("ReduceMean", "ReduceMax")]
        return self.node("Concat", *parts, axis=1)

    def flatten(self, x: str) -> str:
        """Channels, rows, columns."""
        return self.node("Flatten", x, axis=1)

    def concat(self, x: str, y: str) -> str:
        """One after the other."""
        return self.node("Concat", x, y, axis=1)

    def softmax(self, x: str) -> str:
        """Probabilities."""
        y = self.node("Softmax", x, axis=1)
        self.widths[y] = self.widths.get(x, 0)
        return y

    def tanh(self, x: str) -> str:
        """The hyperbolic tangent."""
        return self.node("Tanh", x)

    def mean_index(self, x: str) -> str:
        """The expected index."""
        return self.node("MatMul", x, self.constant("plies", np.arange(self.widths[x], dtype=np.float32)[:, None]))


def build_onnx(blueprint: Blueprint, flat: np.ndarray) -> ModelProto:
    """A net in ONNX: uint8 `planes` in; `policy`, `wdl` or `value`, and `moves_left` out."""
    ops = OnnxOps(blueprint.folded(flat))
    answers = blueprint.answer(ops, ops.node("Cast", "planes", to=TensorProto.FLOAT))
    value = ("wdl", 3) if blueprint.value_head == "wdl" else ("value", 1)
    outputs = [("policy", blueprint.actions), value, ("moves_left", 1)][: len(answers)]
    for answer, (name, _) in zip(answers, outputs, strict=True):
        ops.nodes.append(helper.make_node("Identity", [answer], [name]))
    shape: list[str | int | None] = ["positions", blueprint.planes, blueprint.height, blueprint.width]
    graph = helper.make_graph(
        ops.nodes,
        "rayzero",
        [helper.make_tensor_value_info("planes", TensorProto.UINT8, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["positions", size]) for name, size in outputs],
        [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in ops.constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
