"""Models on disk: a directory with `model.safetensors` and `card.json`; no pickle is ever read.

The card says which game and net the weights are for, where they come from and how strong they were measured;
docs/net.md lists its keys.
"""

import dataclasses
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import rayzero
from rayzero.config.schema import Game as GameConfig
from rayzero.config.schema import Net as NetConfig
from rayzero.errors import ConfigError, GameError, ModelError
from rayzero.games.registry import game_names, make_game
from rayzero.net.blueprint import Blueprint
from rayzero.net.tensors import read_tensors, write_tensors
from rayzero.records import Weights

WEIGHTS_FILE, CARD_FILE = "model.safetensors", "card.json"
FORMAT = 1
MAX_CARD = 1_000_000


@dataclass(frozen=True)
class Card:
    """What a person or a program should know of a model before loading it."""

    game: GameConfig
    net: NetConfig
    steps: int = 0  # optimizer steps; also the version of the weights
    games: int | None = None  # games of self-play until then
    ratings: dict[str, Any] = field(default_factory=dict)  # how strong, and how that was measured
    config_hash: str | None = None  # of the run's resolved settings
    notes: str = ""


@dataclass(frozen=True)
class Model:
    """A loaded model."""

    path: Path
    card: Card
    game: Any
    net: NetConfig
    weights: Weights


class Sizes(NamedTuple):
    """All that a net needs to know of its game."""

    height: int
    width: int
    plane_count: int
    actions: int
    max_plies: int

    @classmethod
    def of(cls, game: Any) -> "Sizes":
        """The sizes of a game."""
        return cls(**{name: int(getattr(game, name)) for name in cls._fields})


def save_model(path: Path, weights: Weights, card: Card) -> None:
    """Write a model into a directory, which is made where it is missing."""
    game = make_game(card.game.name, **card.game.options)
    blueprint = Blueprint.create(game, card.net)
    path.mkdir(parents=True, exist_ok=True)
    flat = np.ascontiguousarray(weights.flat, np.float32)
    write_tensors(path / WEIGHTS_FILE, blueprint.split(flat))
    entries = {
        "format": FORMAT,
        "rayzero": rayzero.__version__,
        **dataclasses.asdict(dataclasses.replace(card, steps=weights.version)),
        "sizes": Sizes.of(game)._asdict(),
        "parameters": blueprint.size,
        "sha256": hashlib.sha256(flat.tobytes()).hexdigest(),
    }
    (path / CARD_FILE).write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")


def load_model(path: Path | str, expected: GameConfig | None = None) -> Model:
    """Load and check a model: its directory, or the `model.safetensors` in it.

    With `expected`, a model of any other game or board is refused. A card never makes code run: a game that is
    not built in is used only where `expected` names it too.
    """
    folder, card, blueprint, weights = load_weights(path)
    game = _make_game(folder, card, expected)
    if Blueprint.create(game, card.net) != blueprint:
        raise ModelError(f"{folder}: the game has sizes {Sizes.of(game)}, other ones than the model was made for.")
    return Model(folder, card, game, card.net, weights)


def load_weights(path: Path | str) -> tuple[Path, Card, Blueprint, Weights]:
    """Load and check a model without its game."""
    folder = Path(path)
    folder = folder.parent if folder.name == WEIGHTS_FILE else folder
    entries = _read_card(folder / CARD_FILE)
    card, sizes = _parse_card(folder / CARD_FILE, entries)
    try:
        blueprint = Blueprint.create(sizes, card.net)
    except ConfigError as error:
        raise ModelError(f"{folder / CARD_FILE}: {error}") from error
    weights_path = folder / WEIGHTS_FILE
    arrays = read_tensors(weights_path, dict(blueprint.slots))
    flat = np.concatenate([arrays[name].ravel() for name, _ in blueprint.slots])
    if hashlib.sha256(flat.tobytes()).hexdigest() != entries["sha256"]:
        raise ModelError(f"{weights_path} does not belong to its card, or is damaged: its checksum differs.")
    if not np.isfinite(flat).all():
        raise ModelError(f"{weights_path} holds numbers that are not finite; training must have failed.")
    return folder, card, blueprint, Weights(card.steps, flat)


def _read_card(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_CARD:
            raise ModelError(f"{path} is no model card: it is larger than {MAX_CARD} bytes.")
        entries = json.loads(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path.parent} is no model: {path.name} can't be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} is no model card: it is not JSON ({error}).") from error
    if not isinstance(entries, dict) or entries.get("format") != FORMAT:
        found = entries.get("format") if isinstance(entries, dict) else None
        raise ModelError(f"{path} is no model card of format {FORMAT} (found: {found!r}).")
    return entries


# The keys of a card that decide how the weights are read, and their types.
_TYPES: dict[str, Any] = {"game": dict, "net": dict, "steps": int, "sizes": dict, "sha256": str, "ratings": dict}


def _parse_card(path: Path, entries: dict[str, Any]) -> tuple[Card, Sizes]:
    for key, kind in _TYPES.items():
        if type(entries.get(key)) is not kind:
            raise ModelError(f"{path}: {key} should be of type {kind.__name__}, found {entries.get(key)!r:.80}.")
    sizes = entries["sizes"]
    if sizes.keys() != set(Sizes._fields) or any(type(n) is not int or not 1 <= n <= 65536 for n in sizes.values()):
        raise ModelError(f"{path}: sizes should give {', '.join(Sizes._fields)} as integers, found {sizes!r:.200}.")
    game = _section(path, "game", GameConfig(), entries["game"])
    net = _section(path, "net", NetConfig(), entries["net"])
    rest = {f.name for f in dataclasses.fields(Card)} - {"game", "net"}
    return Card(game=game, net=net, **{key: entries[key] for key in rest if key in entries}), Sizes(**sizes)


def _section(path: Path, name: str, default: Any, entries: dict[str, Any]) -> Any:
    """A section of settings whose keys and types are those of its defaults; unknown keys come from newer versions."""
    for key, value in entries.items():
        if not hasattr(default, key):
            raise ModelError(f"{path}: {name}.{key} is not known to rayzero {rayzero.__version__}; it may be newer.")
        standard = getattr(default, key)
        if standard is not None and type(value) is not type(standard):
            raise ModelError(f"{path}: {name}.{key} is {value!r:.80}; it should be of type {type(standard).__name__}.")
    return dataclasses.replace(default, **entries)


def _make_game(folder: Path, card: Card, expected: GameConfig | None) -> Any:
    name = card.game.name
    if expected is not None and expected.name != name:
        raise ModelError(f"{folder} is a model for {name}; one for {expected.name} is needed.")
    if expected is None and name not in game_names():
        raise ModelError(f"{folder} is a model for {name}, which is not built in: name that game to load its code.")
    try:
        game = make_game(name, **card.game.options)
        wanted = game if expected is None else make_game(name, **expected.options)
    except (GameError, TypeError, ValueError, ArithmeticError) as error:
        raise ModelError(f"{folder / CARD_FILE}: the game can't be made: {error}") from error
    if (game.width, game.height) != (wanted.width, wanted.height):
        boards = f"{game.width}x{game.height}; one for {wanted.width}x{wanted.height} is needed"
        raise ModelError(f"{folder} is a model for a board of {boards}.")
    if any(not np.array_equal(a, b) for a, b in zip(game, wanted, strict=True)):
        raise ModelError(f"{folder} is a model for other rules of {name}: its options are {card.game.options}.")
    return game
