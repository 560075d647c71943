"""What the schema says about a key, for error messages, checks and the reference page."""

import dataclasses
import types
import typing
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

from rayzero.config.schema import Config

_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", type(None): "null"}


def keys() -> Iterator[str]:
    """Every setting as section.name, in the order of the schema."""
    for section, kind in _hints(Config).items():
        for name in _hints(kind):
            yield f"{section}.{name}"


def types_of(key: str) -> tuple[Any, ...]:
    """The types that a key or section may have; empty where there is no such key."""
    kind: Any = Config
    for name in key.split("."):
        if not dataclasses.is_dataclass(kind):
            return ()
        kind = _hints(typing.cast(type, kind)).get(name)
    if kind is None:
        return ()
    return typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)


def choices_of(key: str) -> tuple[str, ...]:
    """The words that a key may have; empty where it is free."""
    return next((typing.get_args(kind) for kind in types_of(key) if typing.get_origin(kind) is Literal), ())


def default_of(key: str) -> str:
    """The default as it is written in YAML."""
    section, _, name = key.partition(".")
    return written(getattr(getattr(Config(), section, None), name, None))


def written(value: Any) -> str:
    """A value as it is written in YAML."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value)


def say_type(key: str) -> str:
    """What a key may be, in words."""
    if choices_of(key):
        return f"one of {', '.join(choices_of(key))}"
    return " or ".join(_WORDS.get(kind, "a mapping such as {width: 8}") for kind in types_of(key))


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)
