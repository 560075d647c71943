"""Tools of the learner: optimizers, and which precision trains fastest here."""

import copy
import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from rayzero.config.schema import Learner as LearnerConfig
from rayzero.net.module import Net


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """Layers in bfloat16 where that is the precision."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")


def pick_training_precision(asked: str, net: Net, device: torch.device) -> str:
    """The precision asked for; for auto bfloat16 on a GPU that has it, and on a CPU what is faster in a short trial."""
    if asked != "auto":
        return asked
    if device.type != "cpu":
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
    trial = copy.deepcopy(net)
    return min(("float32", "bfloat16"), key=lambda precision: _seconds(trial, device, precision))


def _seconds(net: Net, device: torch.device, precision: str) -> float:
    blueprint = net.blueprint
    planes = torch.zeros(64, blueprint.planes, blueprint.height, blueprint.width, dtype=torch.uint8)
    best = float("inf")
    for _ in range(4):  # The first one also chooses kernels.
        start = time.perf_counter()
        with autocast(device, precision):
            heads = net(planes)
        (heads.policy.float().sum() + heads.value.float().sum()).backward()
        best = min(best, time.perf_counter() - start)
    return best


def make_optimizer(net: nn.Module, config: LearnerConfig) -> torch.optim.Optimizer:
    """Weight decay on the weights of layers only: not on biases, nor on batch norm."""
    parameters = list(net.parameters())
    groups = [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
    ]
    # All state from the start, in the memory layout of the parameters: a checkpoint is restored by writing into it.
    if config.optimizer == "sgd":
        optimizer: torch.optim.Optimizer = torch.optim.SGD(
            groups, config.learning_rate, momentum=0.9, nesterov=True, fused=True
        )
        for parameter in parameters:
            optimizer.state[parameter] = {"momentum_buffer": torch.zeros_like(parameter)}
        return optimizer
    kind = torch.optim.AdamW if config.optimizer == "adamw" else torch.optim.Adam
    optimizer = kind(groups, config.learning_rate, fused=True)
    for parameter in parameters:
        averages = {key: torch.zeros_like(parameter) for key in ("exp_avg", "exp_avg_sq")}
        optimizer.state[parameter] = {"step": torch.zeros((), device=parameter.device), **averages}
    return optimizer


@contextmanager
def statistics_kept(net: nn.Module) -> Iterator[None]:
    """Let batch norm use a batch's statistics without remembering them."""
    norms = [module for module in net.modules() if isinstance(module, nn.BatchNorm2d)]
    for norm in norms:
        norm.track_running_stats = False
    try:
        yield
    finally:
        for norm in norms:
            norm.track_running_stats = True
