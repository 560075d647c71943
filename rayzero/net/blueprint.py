"""The architectures, written once as programs over a handful of operations.

Nothing here imports torch, so a self-play worker can run a net without it.
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from rayzero.config.schema import Net as NetConfig
from rayzero.errors import ConfigError
from rayzero.net.ops import AnswerOps, Heads, Layer, Ops, Shapes, T

NORM_EPSILON = 1e-5


@dataclass(frozen=True)
class Blueprint:
    """All that decides the layers of a net: the sizes of its game and its settings."""

    planes: int
    height: int
    width: int
    actions: int
    max_plies: int
    architecture: str  # plain | resnet | nested
    channels: int
    blocks: int
    heads: str  # pooled | flat
    value_head: str  # wdl | tanh
    moves_left: bool
    reply: bool

    @classmethod
    def create(cls, game: Any, net: NetConfig) -> "Blueprint":
        """The blueprint of a game's net."""
        known = {"architecture": TRUNKS, "heads": ("auto", *HEADS), "value_head": ("wdl", "tanh")}
        for key, values in known.items():
            if getattr(net, key) not in values:
                raise ConfigError(f"net.{key} is {getattr(net, key)!r}; it can be {', '.join(values)}.")
        if not (1 <= net.channels <= 4096 and 1 <= net.blocks <= 256):
            raise ConfigError(
                f"A net of {net.blocks} blocks x {net.channels} channels can't be built: 1 to 256 x 4096."
            )
        heads = net.heads if net.heads != "auto" else "flat" if net.architecture == "plain" else "pooled"
        return cls(
            planes=game.plane_count,
            height=game.height,
            width=game.width,
            actions=game.actions,
            max_plies=game.max_plies,
            architecture=net.architecture,
            channels=net.channels,
            blocks=net.blocks,
            heads=heads,
            value_head=net.value_head,
            moves_left=net.moves_left,
            reply=net.reply,
        )

    def run(self, ops: Ops[Any], x: Any, reply: bool = False) -> Heads:
        """Run the net on planes that are numbers already."""
        return HEADS[self.heads](self, ops, TRUNKS[self.architecture](self, ops, x), reply)

    def answer(self, ops: AnswerOps[Any], x: Any) -> list[Any]:
        """Run the net and turn logits into answers: priors, value (wdl or [B, 1]), and moves left if it has them."""
        heads = self.run(ops, x)
        value = ops.softmax(heads.value) if self.value_head == "wdl" else ops.tanh(heads.value)
        answers = [ops.softmax(heads.policy), value]
        return answers + ([ops.mean_index(ops.softmax(heads.moves_left))] if self.moves_left else [])

    @cached_property
    def layers(self) -> list[Layer]:
        """Every layer with weights, in the order of torch's state dict."""
        return self._layers(self.reply)

    def _layers(self, reply: bool) -> list[Layer]:
        shapes = Shapes()
        self.run(shapes, (self.planes, self.height, self.width), reply)
        return shapes.layers

    @property
    def multiplications(self) -> int:
        """Multiplications of one evaluation."""
        return sum(prod(layer.shape) * layer.cells for layer in self._layers(reply=False))

    @cached_property
    def slots(self) -> list[tuple[str, tuple[int, ...]]]:
        """Every array of the weights by name, in their order in the flat array."""
        return [slot for layer in self.layers for slot in layer.slots]

    @property
    def size(self) -> int:
        """Numbers in the flat array of weights."""
        return sum(prod(shape) for _, shape in self.slots)

    def split(self, flat: np.ndarray) -> dict[str, np.ndarray]:
        """Views of the flat array by name."""
        if flat.shape != (self.size,):
            raise ValueError(f"{flat.size} weights do not fit a net with {self.size}")
        ends = np.cumsum([prod(shape) for _, shape in self.slots])
        parts = np.split(flat, ends[:-1])
        return {name: part.reshape(shape) for (name, shape), part in zip(self.slots, parts, strict=True)}

    def folded(self, flat: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Weight and bias of every layer, with batch norm folded into the convolution before it."""
        arrays = self.split(flat)
        result = {}
        for layer in self.layers:
            weight = arrays[f"{layer.name}.weight"]
            if layer.norm:
                gain, bias, mean, variance = (arrays[name] for name, _ in layer.slots[1:])
                scale = gain / np.sqrt(variance + np.float32(NORM_EPSILON))
                result[layer.name] = weight * scale[:, None, None, None], bias - mean * scale
            else:
                result[layer.name] = weight, arrays[f"{layer.name}.bias"]
        return result


def _plain(net: Blueprint, ops: Ops[T], x: T) -> T:
    """Three convolutions without batch norm, each twice as wide as the one before: 32-64-128 at 32 channels."""
    for i in range(3):
        x = ops.relu(ops.conv(x, f"conv{i}", net.channels * 2**i, (3, 3), norm=False, pad=True))
    return x


def _resnet(net: Blueprint, ops: Ops[T], x: T) -> T:
    x = ops.relu(ops.conv(x, "stem", net.channels, (3, 3), norm=True, pad=True))
    for i in range(net.blocks):
        x = _residual(net, ops, x, f"block{i}", net.channels)
    return x


def _residual(net: Blueprint, ops: Ops[T], x: T, name: str, channels: int, pooled: bool = False) -> T:
    y = ops.conv(x, f"{name}_first", channels, (3, 3), norm=True, pad=True)
    if pooled:
        y = ops.shift(y, ops.linear(ops.pool(x), f"{name}_pool", channels))
    y = ops.conv(ops.relu(y), f"{name}_second", channels, (3, 3), norm=True, pad=True)
    return ops.relu(ops.add(x, y))


def _nested(net: Blueprint, ops: Ops[T], x: T) -> T:
    """Blocks that halve the channels, run two residual blocks on them and widen again.

    The second one adds what the whole board says (mean and maximum of every channel) to every cell.
    """
    inner = max(net.channels // 2, 1)
    x = ops.relu(ops.conv(x, "stem", net.channels, (3, 3), norm=True, pad=True))
    for i in range(net.blocks):
        y = ops.relu(ops.conv(x, f"block{i}_down", inner, (1, 1), norm=True, pad=True))
        y = _residual(net, ops, y, f"block{i}_inner0", inner)
        y = _residual(net, ops, y, f"block{i}_inner1", inner, pooled=True)
        x = ops.relu(ops.add(x, ops.conv(y, f"block{i}_up", net.channels, (1, 1), norm=True, pad=True)))
    return x


def _pooled_heads(net: Blueprint, ops: Ops[T], x: T, reply: bool) -> Heads:
    """Heads without a weight per cell, so that weights carry over to other board sizes."""
    summary = ops.pool(ops.relu(ops.conv(x, "summary", 32, (1, 1), norm=True, pad=True)))
    hidden = ops.relu(ops.linear(summary, "hidden", 64))
    local = ops.conv(x, "local", 32, (1, 1), norm=True, pad=True)
    local = ops.relu(ops.shift(local, ops.linear(summary, "local_pool", 32)))
    return Heads(
        policy=_actions(net, ops, local, hidden, "policy"),
        value=ops.linear(hidden, "value", 3 if net.value_head == "wdl" else 1),
        moves_left=ops.linear(hidden, "moves_left", net.max_plies + 1) if net.moves_left else None,
        reply=_actions(net, ops, local, hidden, "reply") if reply and net.reply else None,
    )


def _actions(net: Blueprint, ops: Ops[T], local: T, hidden: T, name: str) -> T:
    """Logits of all actions: one per cell, one per column, or a linear layer where neither fits."""
    cells = net.height * net.width
    if net.actions == cells:
        return ops.flatten(ops.conv(local, name, 1, (1, 1), norm=False, pad=False))
    if net.actions == cells + 1:
        board = ops.flatten(ops.conv(local, name, 1, (1, 1), norm=False, pad=False))
        return ops.concat(board, ops.linear(hidden, f"{name}_pass", 1))
    if net.actions == net.width:
        return ops.flatten(ops.conv(local, name, 1, (net.height, 1), norm=False, pad=False))
    few = ops.relu(ops.conv(local, f"{name}_planes", 4, (1, 1), norm=True, pad=False))
    return ops.linear(ops.flatten(few), name, net.actions)


def _flat_heads(net: Blueprint, ops: Ops[T], x: T, reply: bool) -> Heads:
    """Few planes, flattened into linear layers: batch norm and 2 planes / 1 plane and 256, plain 4 / 2 and 64."""
    plain = net.architecture == "plain"
    policy_planes, value_planes, width = (4, 2, 64) if plain else (2, 1, 256)
    policy = ops.flatten(ops.relu(ops.conv(x, "policy_planes", policy_planes, (1, 1), norm=not plain, pad=False)))
    value = ops.flatten(ops.relu(ops.conv(x, "value_planes", value_planes, (1, 1), norm=not plain, pad=False)))
    hidden = ops.relu(ops.linear(value, "hidden", width))
    return Heads(
        policy=ops.linear(policy, "policy", net.actions),
        value=ops.linear(hidden, "value", 3 if net.value_head == "wdl" else 1),
        moves_left=ops.linear(hidden, "moves_left", net.max_plies + 1) if net.moves_left else None,
        reply=ops.linear(policy, "reply", net.actions) if reply and net.reply else None,
    )


TRUNKS: dict[str, Any] = {"plain": _plain, "resnet": _resnet, "nested": _nested}
HEADS: dict[str, Any] = {"pooled": _pooled_heads, "flat": _flat_heads}
