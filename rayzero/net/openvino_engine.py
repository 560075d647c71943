"""Evaluation in OpenVINO: the fastest on a CPU, and without torch."""

import threading
from typing import Any

import numpy as np
import openvino as ov

from rayzero.net.answers import as_evaluation
from rayzero.net.blueprint import Blueprint
from rayzero.net.openvino_graph import build_graph
from rayzero.records import Evaluation, Weights

CALIBRATION = 256  # positions that set the levels of int8


class OpenVinoEvaluator:
    """Evaluates with OpenVINO on the CPU; usable from several threads, one evaluation at a time.

    In int8 the levels are set by positions: those given to `calibrate`, else those evaluated since the last
    `load`. Before there are enough of them, nets run in the CPU's next best precision.
    """

    def __init__(self, blueprint: Blueprint, precision: str, threads: int) -> None:
        self.version = -1
        self.blueprint = blueprint
        self.precision = precision
        self._core = ov.Core()
        base = pick_precision("auto") if precision == "int8" else precision
        self._settings = {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "bf16" if base == "bfloat16" else "f32",
            "ENABLE_CPU_PINNING": False,  # Two workers would be pinned to the same core.
        }
        self._lock = threading.Lock()
        self._request: Any = None
        self._calibration: np.ndarray | None = None
        self._seen: list[np.ndarray] = []

    def load(self, weights: Weights) -> None:
        """Build and compile the graph anew: OpenVINO lays out constants for its kernels when it compiles."""
        if sum(map(len, self._seen)) >= CALIBRATION:
            self.calibrate(np.concatenate(self._seen))
        request = self._core.compile_model(self._build(weights.flat), "CPU", self._settings).create_infer_request()
        with self._lock:
            self._request = request
            self.version = weights.version

    def _build(self, flat: np.ndarray) -> Any:
        if self._calibration is None:
            return build_graph(self.blueprint, flat)
        from rayzero.net.openvino_int8 import build_int8_graph

        return build_int8_graph(self.blueprint, flat, self._calibration, self._core, self._settings)

    def calibrate(self, planes: np.ndarray) -> None:
        """Set the levels of int8 by these positions, from the next `load` on; other precisions need none."""
        if self.precision == "int8":
            self._calibration = np.ascontiguousarray(planes[:CALIBRATION], np.uint8)
            self._seen = []

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        """Evaluate uint8 planes [B, C, H, W]."""
        planes = np.require(planes, np.uint8, ["C", "W"])  # A copy of read-only planes, which OpenVINO refuses.
        if self.precision == "int8" and sum(map(len, self._seen)) < CALIBRATION:
            self._seen.append(planes.copy())
        with self._lock:
            self._request.set_input_tensor(ov.Tensor(planes, shared_memory=True))
            self._request.infer()
            answers = [tensor.data.copy() for tensor in self._request.output_tensors]
        return as_evaluation(*answers)


def pick_precision(asked: str) -> str:
    """The precision asked for; bfloat16 for auto where this CPU computes with it, as it is emulated elsewhere."""
    if asked != "auto":
        return asked
    return "bfloat16" if "BF16" in ov.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES") else "float32"
