"""Nets as torch modules: to train them, and to move their weights in and out as one flat array."""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from rayzero.config.schema import Net as NetConfig
from rayzero.net.blueprint import NORM_EPSILON, Blueprint
from rayzero.net.ops import Heads, Layer
from rayzero.records import Weights

LAST_LAYERS = ("policy", "policy_pass", "reply", "reply_pass", "value", "moves_left")


class TorchOps:
    """The operations without weights, in torch."""

    def relu(self, x: Tensor) -> Tensor:
        """The larger of x and 0."""
        return F.relu(x)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """The sum."""
        return x + y

    def shift(self, x: Tensor, by: Tensor) -> Tensor:
        """One number per channel added."""
        return x + by[:, :, None, None]

    def pool(self, x: Tensor) -> Tensor:
        """Mean and maximum of every channel."""
        cells = x.permute(0, 2, 3, 1).flatten(1, 2)  # [B, cells, C], as channels-last images lie in memory.
        return torch.cat([cells.mean(1), cells.max(1).values], 1)  # Three times faster to train than `amax`.

    def flatten(self, x: Tensor) -> Tensor:
        """Channels, rows, columns."""
        return x.flatten(1)

    def concat(self, x: Tensor, y: Tensor) -> Tensor:
        """One after the other."""
        return torch.cat([x, y], 1)

    def softmax(self, x: Tensor) -> Tensor:
        """In float32, whatever precision the logits have."""
        return torch.softmax(x.float(), 1)

    def tanh(self, x: Tensor) -> Tensor:
        """In float32, whatever precision the logits have."""
        return torch.tanh(x.float())

    def mean_index(self, x: Tensor) -> Tensor:
        """The expected index."""
        return x @ torch.arange(x.shape[1], dtype=x.dtype, device=x.device)[:, None]


class Conv(nn.Conv2d):
    """A convolution with batch norm, or with a bias."""

    def __init__(self, layer: Layer) -> None:
        outputs, inputs, rows, columns = layer.shape
        padding = "same" if layer.pad else "valid"
        super().__init__(inputs, outputs, (rows, columns), padding=padding, bias=not layer.norm)
        self.norm = nn.BatchNorm2d(outputs, eps=NORM_EPSILON) if layer.norm else None

    def forward(self, x: Tensor) -> Tensor:
        """Convolve, then normalise."""
        x = super().forward(x)
        return x if self.norm is None else self.norm(x)


class Net(nn.Module, TorchOps):
    """A net to be trained; its forward pass takes uint8 planes and gives logits."""

    def __init__(self, blueprint: Blueprint) -> None:
        super().__init__()
        self.blueprint = blueprint
        for layer in blueprint.layers:
            is_conv = len(layer.shape) == 4
            module = Conv(layer) if is_conv else nn.Linear(layer.shape[1], layer.shape[0])
            _initialise(
                module, last=layer.name in ("policy", "policy_pass", "reply", "reply_pass", "value", "moves_left")
            )
            self.add_module(layer.name, module)

    def forward(self, planes: Tensor, reply: bool = False) -> Heads:
        """Logits of all heads; of the reply only where it is asked for."""
        x = planes.to(memory_format=torch.channels_last, dtype=torch.float32)
        return self.blueprint.run(self, x, reply)

    def conv(self, x: Tensor, name: str, channels: int, size: tuple[int, int], norm: bool, pad: bool) -> Tensor:
        """The layer of that name."""
        return self._modules[name](x)  # type: ignore[misc]

    def linear(self, x: Tensor, name: str, outputs: int) -> Tensor:
        """The layer of that name."""
        return self._modules[name](x)  # type: ignore[misc]


def _initialise(module: nn.Module, last: bool) -> None:
    """He's weights; small ones in the last layers, so that a new net is unsure of everything."""
    weight, bias = module.weight, module.bias
    assert isinstance(weight, Tensor)
    nn.init.kaiming_normal_(weight, nonlinearity="relu")
    if isinstance(bias, Tensor):
        nn.init.zeros_(bias)
    if last:
        weight.data.mul_(0.1)


def build_net(game: Any, net: NetConfig) -> Net:
    """A new net for a game, with random weights from torch's global generator."""
    return Net(Blueprint.create(game, net)).to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def float_state(module: nn.Module) -> list[Tensor]:
    """What weights are made of: every float tensor of the state dict, statistics of batch norm included."""
    return [tensor for tensor in module.state_dict().values() if tensor.is_floating_point()]


def flatten(module: nn.Module, version: int) -> Weights:
    """A copy of all weights in one flat array."""
    return flatten_tensors(float_state(module), version)


def flatten_tensors(tensors: list[Tensor], version: int) -> Weights:
    """A copy of tensors, in their logical order whatever their memory layout, in one flat array."""
    flat = torch.cat([tensor.detach().reshape(-1).float() for tensor in tensors])
    return Weights(version, flat.cpu().numpy())


def assign(module: nn.Module, weights: Weights) -> None:
    """Copy weights into a module."""
    assign_tensors(float_state(module), weights)


@torch.no_grad()
def assign_tensors(tensors: list[Tensor], weights: Weights) -> None:
    """Copy weights into tensors."""
    size = sum(tensor.numel() for tensor in tensors)
    if weights.flat.shape != (size,):
        raise ValueError(f"{weights.flat.size} weights do not fit a net with {size}")
    flat = torch.from_numpy(np.array(weights.flat, np.float32))  # A copy: arrays from Ray are read-only.
    for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
        tensor.copy_(part.view(tensor.shape))
