"""What nets are made of: the operations an architecture may use.

Whoever implements them can run a net: torch modules to train it, folded weights to evaluate it, OpenVINO
and ONNX to build their graphs, and `Shapes` to find out which layers and weights there are.
"""

from math import prod
from typing import Any, NamedTuple, Protocol, TypeVar

T = TypeVar("T")


class Ops(Protocol[T]):
    """What nets are made of; images are [B, C, H, W], vectors [B, N]."""

    def conv(self, x: T, name: str, channels: int, size: tuple[int, int], norm: bool, pad: bool) -> T:
        """A convolution with batch norm, or with a bias where there is no `norm`."""

    def linear(self, x: T, name: str, outputs: int) -> T:
        """A linear layer with bias."""

    def relu(self, x: T) -> T:
        """The larger of x and 0."""

    def add(self, x: T, y: T) -> T:
        """The sum of two images or two vectors."""

    def shift(self, x: T, by: T) -> T:
        """An image plus a vector: one number per channel."""

    def pool(self, x: T) -> T:
        """Mean and maximum of every channel of an image, as one vector."""

    def flatten(self, x: T) -> T:
        """An image as a vector."""

    def concat(self, x: T, y: T) -> T:
        """Two vectors one after the other."""


class AnswerOps(Ops[T], Protocol[T]):
    """What turns a net's logits into answers."""

    def softmax(self, x: T) -> T:
        """Probabilities from a vector of logits."""

    def tanh(self, x: T) -> T:
        """The hyperbolic tangent."""

    def mean_index(self, x: T) -> T:
        """The expected index [B, 1] of a vector of probabilities."""


class Heads(NamedTuple):
    """Logits; None where the net has no such head or it was not asked for."""

    policy: Any  # [B, A]
    value: Any  # [B, 3]: win, draw, loss; or [B, 1] before tanh
    moves_left: Any  # [B, max_plies + 1]
    reply: Any  # [B, A]


class Layer(NamedTuple):
    """One layer with weights."""

    name: str
    shape: tuple[int, ...]  # of its weight: [out, in, rows, columns] or [out, in]
    norm: bool
    pad: bool
    cells: int  # that the weight is applied to, for each position

    @property
    def slots(self) -> list[tuple[str, tuple[int, ...]]]:
        """Its arrays by name, in the order of torch's state dict."""
        per_output = self.shape[:1]
        if not self.norm:
            return [(f"{self.name}.weight", self.shape), (f"{self.name}.bias", per_output)]
        norm = ("weight", "bias", "running_mean", "running_var")
        return [(f"{self.name}.weight", self.shape)] + [(f"{self.name}.norm.{part}", per_output) for part in norm]


class Shapes:
    """Runs a net on shapes alone, without the batch axis, and keeps the layers it meets."""

    def __init__(self) -> None:
        self.layers: list[Layer] = []

    def conv(self, x: Any, name: str, channels: int, size: tuple[int, int], norm: bool, pad: bool) -> Any:
        """Keeps the layer."""
        rows, columns = x[1:] if pad else (x[1] - size[0] + 1, x[2] - size[1] + 1)
        self.layers.append(Layer(name, (channels, x[0], *size), norm, pad, rows * columns))
        return channels, rows, columns

    def linear(self, x: Any, name: str, outputs: int) -> Any:
        """Keeps the layer."""
        self.layers.append(Layer(name, (outputs, x[0]), norm=False, pad=False, cells=1))
        return (outputs,)

    def relu(self, x: Any) -> Any:
        """The same shape."""
        return x

    def add(self, x: Any, y: Any) -> Any:
        """The same shape."""
        return x

    def shift(self, x: Any, by: Any) -> Any:
        """The same shape."""
        return x

    def pool(self, x: Any) -> Any:
        """Two numbers per channel."""
        return (2 * x[0],)

    def flatten(self, x: Any) -> Any:
        """As many numbers as there were."""
        return (prod(x),)

    def concat(self, x: Any, y: Any) -> Any:
        """As many numbers as both have."""
        return (x[0] + y[0],)
