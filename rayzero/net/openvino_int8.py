"""Nets in int8 in OpenVINO: convolutions whose inputs and weights are rounded to 256 levels.

The largest inputs on some positions set the levels. They are found anew for new weights, by running the net
once on those positions: a few hundred milliseconds, and no further package.
"""

from typing import Any

import numpy as np
import openvino as ov
import openvino.opset13 as op

from rayzero.net.blueprint import Blueprint
from rayzero.net.openvino_graph import OpenVinoOps, planes_input

NARROW = 16  # Layers with fewer channels gain nothing: the first, which sees the planes, and the last ones.


class _Probe(OpenVinoOps):
    """Remembers the input of every convolution to be rounded."""

    def __init__(self, layers: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
        super().__init__(layers)
        self.inputs: dict[str, Any] = {}

    def conv(self, x: Any, name: str, channels: int, size: tuple[int, int], norm: bool, pad: bool) -> Any:
        """As it is."""
        if _is_wide(self.layers[name][0]):
            self.inputs[name] = x
        return super().conv(x, name, channels, size, norm, pad)


class _Int8(OpenVinoOps):
    """Rounds inputs and weights of wide convolutions, and the other branch of a sum with what a convolution saw."""

    def __init__(self, layers: dict[str, tuple[np.ndarray, np.ndarray]], largest: dict[str, float]) -> None:
        super().__init__(layers)
        self.largest = largest
        self.rounded: dict[Any, Any] = {}

    def conv(self, x: Any, name: str, channels: int, size: tuple[int, int], norm: bool, pad: bool) -> Any:
        """In int8 where it is wide."""
        weight, bias = self.layers[name]
        if not _is_wide(weight):
            return super().conv(x, name, channels, size, norm, pad)
        if x not in self.rounded:
            self.rounded[x] = _round(x, np.float32(0), np.float32(max(self.largest[name], 1e-6)), 256)
        limits = np.abs(weight).max((1, 2, 3), keepdims=True) + np.float32(1e-9)
        return self._convolve(self.rounded[x], _round(op.constant(weight), -limits, limits, 255), bias, pad)

    def add(self, x: Any, y: Any) -> Any:
        """OpenVINO adds the rounded skip connection inside the convolution."""
        return super().add(self.rounded.get(x, x), y)


def _is_wide(weight: np.ndarray) -> bool:
    return min(weight.shape[:2]) >= NARROW


def _round(x: Any, low: Any, high: Any, levels: int) -> Any:
    low, high = op.constant(low), op.constant(high)
    return op.fake_quantize(x, low, high, low, high, levels)


def build_int8_graph(blueprint: Blueprint, flat: np.ndarray, positions: np.ndarray, core: Any, settings: Any) -> Any:
    """OpenVINO's model of a net in int8, with levels for these positions (uint8 planes)."""
    layers = blueprint.folded(flat)
    planes, numbers = planes_input(blueprint)
    probe = _Probe(layers)
    blueprint.answer(probe, numbers)
    everything = op.constant([0, 1, 2, 3], np.int64)
    maxima = [op.result(op.reduce_max(x, everything)) for x in probe.inputs.values()]
    request = core.compile_model(ov.Model(maxima, [planes]), "CPU", settings).create_infer_request()
    request.infer([positions])
    largest = [float(tensor.data) for tensor in request.output_tensors]
    planes, numbers = planes_input(blueprint)
    answers = blueprint.answer(_Int8(layers, dict(zip(probe.inputs, largest, strict=True))), numbers)
    return ov.Model([op.result(answer) for answer in answers], [planes], "rayzero")
