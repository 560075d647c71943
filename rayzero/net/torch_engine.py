"""Nets in torch with batch norm folded: on CUDA and MPS, and on a CPU without OpenVINO."""

import threading
import time
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from rayzero.errors import ConfigError
from rayzero.net.answers import as_evaluation
from rayzero.net.blueprint import Blueprint
from rayzero.net.module import TorchOps
from rayzero.records import Evaluation, Weights


class FoldedNet(TorchOps):
    """A net with fixed weights; `load` copies new ones into the same memory, which captured graphs rely on."""

    def __init__(self, blueprint: Blueprint, device: torch.device, dtype: torch.dtype) -> None:
        self.blueprint = blueprint
        self.dtype = dtype
        self.layers: dict[str, tuple[Tensor, Tensor]] = {}
        for layer in blueprint.layers:
            weight = torch.zeros(layer.shape, device=device, dtype=dtype)
            if weight.dim() == 4:
                weight = weight.to(memory_format=torch.channels_last)
            self.layers[layer.name] = weight, torch.zeros(layer.shape[0], device=device, dtype=dtype)

    def load(self, flat: np.ndarray) -> None:
        """Fold and copy."""
        for name, arrays in self.blueprint.folded(flat).items():
            for tensor, array in zip(self.layers[name], arrays, strict=True):
                tensor.copy_(torch.from_numpy(np.array(array)))

    def conv(self, x: Tensor, name: str, channels: int, size: tuple[int, int], norm: bool, pad: bool) -> Tensor:
        """Convolution and bias."""
        weight, bias = self.layers[name]
        return F.conv2d(x, weight, bias, padding="same" if pad else "valid")

    def linear(self, x: Tensor, name: str, outputs: int) -> Tensor:
        """Matrix product and bias."""
        return F.linear(x, *self.layers[name])

    def answer(self, planes: Tensor) -> Tensor:
        """All answers side by side in one float32 array, so that one copy brings them home."""
        x = planes.to(dtype=self.dtype, memory_format=torch.channels_last)
        return torch.cat(self.blueprint.answer(self, x), 1)


class TorchEvaluator:
    """Evaluates with torch; usable from several threads, one evaluation at a time."""

    def __init__(self, blueprint: Blueprint, precision: str, device: str, threads: int, max_batch: int) -> None:
        self.version = -1
        self.blueprint = blueprint
        self.precision = precision
        self.device = torch.device(device)
        if device == "cpu" and torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        dtype = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[precision]
        self._net = FoldedNet(blueprint, self.device, dtype)
        self._graphs = CudaGraphs(self._net, max_batch) if device == "cuda" else None
        self._lock = threading.Lock()

    def load(self, weights: Weights) -> None:
        """Copy the weights in place."""
        with self._lock, torch.inference_mode():
            self._net.load(weights.flat)
            self.version = weights.version

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        """Evaluate uint8 planes [B, C, H, W]."""
        with self._lock, torch.inference_mode():
            # A copy of read-only planes, of which torch warns.
            answer = self._run(np.require(planes, np.uint8, ["C", "W"]))
        actions, values = self.blueprint.actions, 3 if self.blueprint.value_head == "wdl" else 1
        priors, value, moves_left = np.split(answer, [actions, actions + values], axis=1)
        return as_evaluation(np.ascontiguousarray(priors), value, moves_left if self.blueprint.moves_left else None)

    def _run(self, planes: np.ndarray) -> np.ndarray:
        if self._graphs is not None:
            return self._graphs.run(planes)
        return self._net.answer(torch.from_numpy(planes).to(self.device)).cpu().numpy()


class CudaGraphs:
    """One captured CUDA graph per batch size, sizes growing by powers of two; a batch runs in the next larger one."""

    def __init__(self, net: FoldedNet, max_batch: int) -> None:
        self.net = net
        self.max_batch = max_batch
        self._captured: dict[int, tuple[Any, Tensor, Tensor, Tensor]] = {}

    def run(self, planes: np.ndarray) -> np.ndarray:
        """Evaluate on the GPU, in parts where the batch is larger than the largest graph."""
        parts = [planes[start : start + self.max_batch] for start in range(0, max(len(planes), 1), self.max_batch)]
        answers = [self._run_part(part) for part in parts]
        return answers[0] if len(answers) == 1 else np.concatenate(answers)

    def _run_part(self, planes: np.ndarray) -> np.ndarray:
        n = len(planes)
        size = min(max(8, 1 << (n - 1).bit_length()), self.max_batch)
        if size not in self._captured:
            self._captured[size] = self._capture(size)
        graph, pinned, given, answer = self._captured[size]
        pinned[:n].copy_(torch.from_numpy(planes))
        given[:n].copy_(pinned[:n], non_blocking=True)
        graph.replay()
        return answer[:n].to("cpu", copy=True).numpy()

    def _capture(self, size: int) -> tuple[Any, Tensor, Tensor, Tensor]:
        blueprint = self.net.blueprint
        shape = (size, blueprint.planes, blueprint.height, blueprint.width)
        pinned = torch.zeros(shape, dtype=torch.uint8, pin_memory=True)
        given = pinned.to("cuda")
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # cuDNN picks its kernels in runs before the capture.
            for _ in range(3):
                self.net.answer(given)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            answer = self.net.answer(given)
        return graph, pinned, given, answer


def pick_torch_precision(asked: str, blueprint: Blueprint, device: str, threads: int) -> str:
    """The precision asked for; for auto half precision on a GPU, and on a CPU what is faster in a tenth of a second."""
    if asked == "int8":
        raise ConfigError("inference.precision int8 needs inference.engine openvino; torch has float32 and bfloat16.")
    if asked != "auto":
        return asked
    if device != "cpu":
        return "float16"
    return max(("float32", "bfloat16"), key=lambda precision: _positions_per_second(blueprint, precision, threads))


def _positions_per_second(blueprint: Blueprint, precision: str, threads: int) -> float:
    evaluator = TorchEvaluator(blueprint, precision, "cpu", threads, 0)
    planes = np.zeros((32, blueprint.planes, blueprint.height, blueprint.width), np.uint8)
    evaluator.evaluate(planes)
    start, runs = time.perf_counter(), 0
    while time.perf_counter() < start + 0.05:
        evaluator.evaluate(planes)
        runs += 1
    return runs / (time.perf_counter() - start)
