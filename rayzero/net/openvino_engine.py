"""Nets in OpenVINO: the fastest on a CPU, and without torch."""

import threading
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset13 as op

from rayzero.net.answers import as_evaluation
from rayzero.net.blueprint import Blueprint
from rayzero.records import Evaluation, Weights


class OpenVinoOps:
    """Builds OpenVINO's graph from folded weights."""

    def __init__(self, layers: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
        self.layers = layers

    def conv(self, x: Any, name: str, channels: int, size: tuple[int, int], norm: bool, pad: bool) -> Any:
        """Convolution and bias, which OpenVINO fuses."""
        weight, bias = self.layers[name]
        mode = "same_upper" if pad else "valid"
        y = op.convolution(x, op.constant(weight), [1, 1], [0, 0], [0, 0], [1, 1], mode)
        return op.add(y, op.constant(bias[None, :, None, None]))

    def linear(self, x: Any, name: str, outputs: int) -> Any:
        """Matrix product and bias."""
        weight, bias = self.layers[name]
        return op.add(op.matmul(x, op.constant(weight), False, True), op.constant(bias[None, :]))

    def relu(self, x: Any) -> Any:
        """The larger of x and 0."""
        return op.relu(x)

    def add(self, x: Any, y: Any) -> Any:
        """The sum."""
        return op.add(x, y)

    def shift(self, x: Any, by: Any) -> Any:
        """One number per channel added."""
        return op.add(x, op.unsqueeze(by, op.constant([2, 3], np.int64)))

    def pool(self, x: Any) -> Any:
        """Mean and maximum of every channel."""
        axes = op.constant([2, 3], np.int64)
        return op.concat([op.reduce_mean(x, axes), op.reduce_max(x, axes)], 1)

    def flatten(self, x: Any) -> Any:
        """Channels, rows, columns."""
        return op.reshape(x, op.constant([0, -1], np.int64), True)

    def concat(self, x: Any, y: Any) -> Any:
        """One after the other."""
        return op.concat([x, y], 1)

    def softmax(self, x: Any) -> Any:
        """Probabilities."""
        return op.softmax(x, 1)

    def tanh(self, x: Any) -> Any:
        """The hyperbolic tangent."""
        return op.tanh(x)

    def mean_index(self, x: Any) -> Any:
        """The expected index."""
        count = x.get_output_partial_shape(0)[1].get_length()
        return op.matmul(x, op.constant(np.arange(count, dtype=np.float32)[:, None]), False, False)


class OpenVinoEvaluator:
    """Evaluates with OpenVINO on the CPU; usable from several threads, one evaluation at a time."""

    def __init__(self, blueprint: Blueprint, precision: str, threads: int) -> None:
        self.version = -1
        self.blueprint = blueprint
        self.precision = precision
        self._core = ov.Core()
        self._settings = {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "bf16" if precision == "bfloat16" else "f32",
            "ENABLE_CPU_PINNING": False,  # Two workers would be pinned to the same core.
        }
        self._lock = threading.Lock()
        self._request: Any = None

    def load(self, weights: Weights) -> None:
        """Build and compile the graph anew: reading constants is what lets OpenVINO lay them out for its kernels."""
        model = build_graph(self.blueprint, weights.flat)
        request = self._core.compile_model(model, "CPU", self._settings).create_infer_request()
        with self._lock:
            self._request = request
            self.version = weights.version

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        """Evaluate uint8 planes [B, C, H, W]."""
        planes = np.ascontiguousarray(planes, np.uint8)
        with self._lock:
            self._request.set_input_tensor(ov.Tensor(planes, shared_memory=True))
            self._request.infer()
            answers = [tensor.data.copy() for tensor in self._request.output_tensors]
        return as_evaluation(*answers)


def build_graph(blueprint: Blueprint, flat: np.ndarray) -> Any:
    """OpenVINO's model of a net: uint8 planes of any number in, answers out."""
    shape = ov.PartialShape([-1, blueprint.planes, blueprint.height, blueprint.width])
    planes = op.parameter(shape, np.uint8, name="planes")
    numbers = op.convert(planes, "f32")
    answers = blueprint.answer(OpenVinoOps(blueprint.folded(flat)), numbers)
    return ov.Model([op.result(answer) for answer in answers], [planes], "rayzero")


def pick_precision(asked: str) -> str:
    """The precision asked for; bfloat16 for auto where this CPU computes with it, as it is emulated elsewhere."""
    if asked != "auto":
        return asked
    return "bfloat16" if "BF16" in ov.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES") else "float32"
