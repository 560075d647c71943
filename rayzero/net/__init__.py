"""Nets: architectures, evaluators and model files. Only what trains or runs in torch imports torch."""

from typing import TYPE_CHECKING, Any

from rayzero.net.blueprint import Blueprint
from rayzero.net.evaluators import make_evaluator
from rayzero.net.files import Card, Model, load_model, save_model
from rayzero.net.find import find_model, shipped_models
from rayzero.net.position import Opinion, evaluate_position

if TYPE_CHECKING:
    from rayzero.net.module import assign, build_net, flatten

_NEEDS_TORCH = ("assign", "build_net", "flatten")

__all__ = [
    "Blueprint",
    "Card",
    "Model",
    "Opinion",
    "assign",
    "build_net",
    "evaluate_position",
    "find_model",
    "flatten",
    "load_model",
    "make_evaluator",
    "save_model",
    "shipped_models",
]


def __getattr__(name: str) -> Any:
    if name in _NEEDS_TORCH:
        from rayzero.net import module

        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
