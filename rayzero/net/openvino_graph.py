"""OpenVINO's graphs of nets, built straight from the flat weights."""

from typing import Any

import numpy as np
import openvino as ov
import openvino.opset13 as op

from rayzero.net.blueprint import Blueprint


class OpenVinoOps:
    """Builds OpenVINO's graph from folded weights."""

    def __init__(self, layers: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
        self.layers = layers

    def conv(self, x: Any, name: str, channels: int, size: tuple[int, int], norm: bool, pad: bool) -> Any:
        """Convolution and bias, which OpenVINO fuses."""
        weight, bias = self.layers[name]
        return self._convolve(x, op.constant(weight), bias, pad)

    def _convolve(self, x: Any, weight: Any, bias: np.ndarray, pad: bool) -> Any:
        mode = "same_upper" if pad else "valid"
        y = op.convolution(x, weight, [1, 1], [0, 0], [0, 0], [1, 1], mode)
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


def planes_input(blueprint: Blueprint) -> tuple[Any, Any]:
    """The input of a graph, uint8 planes of any number of positions, and the same as float32."""
    shape = ov.PartialShape([-1, blueprint.planes, blueprint.height, blueprint.width])
    planes = op.parameter(shape, np.uint8, name="planes")
    return planes, op.convert(planes, "f32")


def build_graph(blueprint: Blueprint, flat: np.ndarray) -> Any:
    """OpenVINO's model of a net: planes in, answers out."""
    planes, numbers = planes_input(blueprint)
    answers = blueprint.answer(OpenVinoOps(blueprint.folded(flat)), numbers)
    return ov.Model([op.result(answer) for answer in answers], [planes], "rayzero")
