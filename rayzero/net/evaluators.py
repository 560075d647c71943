"""Which engine runs a net here, and in which precision."""

import importlib.util
import logging
import os
from typing import Any

from rayzero.config.schema import Inference as InferenceConfig
from rayzero.config.schema import Net as NetConfig
from rayzero.errors import ConfigError
from rayzero.evaluator import Evaluator
from rayzero.net.blueprint import Blueprint

log = logging.getLogger(__name__)


def make_evaluator(game: Any, net: NetConfig, inference: InferenceConfig) -> Evaluator:
    """An evaluator for a game's net, still without weights."""
    blueprint = Blueprint.create(game, net)
    threads = inference.threads or available_cpus()
    device = _device(inference)
    engine = _engine(inference, device)
    if engine == "openvino":
        from rayzero.net.openvino_engine import OpenVinoEvaluator, pick_precision

        precision = pick_precision(inference.precision)
        log.info("Nets run in OpenVINO on the CPU, %s, %d threads.", precision, threads)
        return OpenVinoEvaluator(blueprint, precision, threads)
    from rayzero.net.torch_engine import TorchEvaluator, pick_torch_precision

    precision = pick_torch_precision(inference.precision, blueprint, device, threads)
    log.info("Nets run in torch on %s, %s, %d threads.", device, precision, threads)
    return TorchEvaluator(blueprint, precision, device, threads, inference.max_batch)


def available_cpus() -> int:
    """CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _device(inference: InferenceConfig) -> str:
    if inference.device == "cpu" or inference.engine == "openvino":
        return "cpu"
    if inference.device == "auto" and not _may_have_gpu():
        return "cpu"  # Without importing torch: a self-play worker stays small.
    import torch

    found = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    if inference.device not in ("auto", found):
        raise ConfigError(f"inference.device is {inference.device}, but torch finds only {found} here.")
    return found


def _may_have_gpu() -> bool:
    if os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"):
        return False
    return os.uname().sysname == "Darwin" or os.path.exists("/proc/driver/nvidia") or os.path.exists("/dev/kfd")


def _engine(inference: InferenceConfig, device: str) -> str:
    installed = importlib.util.find_spec("openvino") is not None
    if inference.engine == "openvino":
        if not installed:
            raise ConfigError("inference.engine is openvino, which is not installed: pip install openvino, or torch.")
        return "openvino"
    return "openvino" if inference.engine == "auto" and device == "cpu" and installed else "torch"
