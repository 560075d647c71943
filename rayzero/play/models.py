"""Everyone one can play against: pure MCTS, the shipped models, a given one, and those of a run."""

import contextlib
import dataclasses
import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rayzero.config.schema import Inference as InferenceConfig
from rayzero.config.schema import Net as NetConfig
from rayzero.config.schema import Search as SearchConfig
from rayzero.errors import ModelError
from rayzero.evaluator import Evaluator
from rayzero.net import Blueprint, make_evaluator
from rayzero.net.files import CARD_FILE, WEIGHTS_FILE, Model, load_model
from rayzero.net.find import find_model, shipped_models
from rayzero.play.catalogue import offer, offer_for, offered
from rayzero.play.levels import Level, read_levels
from rayzero.play.rollouts import RolloutThinker
from rayzero.play.thinker import NetThinker, Thinker
from rayzero.records import Weights
from rayzero.search import SearchSettings
from rayzero.storage import numbered

LOADED = 6  # thinkers kept in memory
MCTS = "mcts"
NEWEST = "newest"
_MCTS_LEVELS = tuple(Level(playouts) for playouts in (50, 150, 500, 1500, 5000, 15000))


@dataclass(frozen=True)
class Entry:
    """One that can be chosen."""

    id: str
    title: str
    kind: str  # net | mcts
    games: tuple[str, ...]  # names of the offers it can play
    levels: tuple[Level, ...]
    path: Path | None = None
    note: str = ""
    version: int | None = None


class ModelBook:
    """Finds models, and keeps a few of them ready to think.

    An id is only ever looked up in the list: no file name is made from what somebody sent.
    """

    def __init__(self, given: str | None = None, shipped: bool = True) -> None:
        self._given = Path(given) if given else None
        self._shipped = shipped
        self._thinkers: OrderedDict[tuple[str, str, int], Future[Thinker]] = OrderedDict()
        self._lock = threading.Lock()
        self.run = self._run_of(self._given)
        self._fixed = [*self._given_entries(), *self._shipped_entries()]
        if self.run is not None and not self._run_entries():
            raise ModelError(f"{given} holds no model yet: its first checkpoint comes after a few minutes.")

    def entries(self) -> list[Entry]:
        """Everyone there is now, the given model first and pure MCTS last; a run may have gained some."""
        nets = [*self._run_entries(), *self._fixed]
        without = [] if nets else ["There is no trained model here yet."]
        note = " ".join([*without, "Random games instead of a net."])
        return [*nets, Entry(MCTS, "Pure MCTS", "mcts", tuple(offered()), _MCTS_LEVELS, note=note)]

    def find(self, id: str, game: str) -> Entry:
        """An entry by its id, for a game that it can play."""
        for entry in self.entries():
            if entry.id == id:
                if game not in entry.games:
                    raise ModelError(f"{entry.title} does not play {game}; it plays {', '.join(entry.games)}.")
                return entry
        raise ModelError(f"There is no model {id[:80]!r} here.")

    def thinker(self, entry: Entry, game: str, level: Level | None = None) -> Thinker:
        """The thinker of an entry (at a level: of that level's checkpoint); loading one holds up no other."""
        path = entry.path
        if path is not None and level is not None and level.checkpoint is not None:
            path = path / level.checkpoint
        key = (str(path or entry.id), game, entry.version or 0)
        with self._lock:
            loaded = self._thinkers.get(key)
            missing = loaded is None or (loaded.done() and (loaded.exception() or not loaded.result().alive))
            if loaded is None or missing:
                loaded = self._thinkers[key] = Future()
            self._thinkers.move_to_end(key)
            old = [self._thinkers.popitem(last=False)[1] for _ in range(len(self._thinkers) - LOADED)]
        if missing:
            _fulfil(loaded, lambda: self._make(path, game))
        for one in old:
            threading.Thread(target=_close, args=[one], daemon=True).start()
        return loaded.result()

    def close(self) -> None:
        """Stop all thinking."""
        with self._lock:
            loaded = list(self._thinkers.values())
            self._thinkers.clear()
        for one in loaded:
            _close(one)

    @staticmethod
    def _make(path: Path | None, game: str) -> Thinker:
        rules = offer(game).game
        if path is None:
            return RolloutThinker(rules)
        return NetThinker(rules, open_evaluator(load_model(path), rules), play_settings())

    @staticmethod
    def _run_of(given: Path | None) -> Path | None:
        for base in (given, Path("runs") / given) if given else ():
            if base and (base / "checkpoints").is_dir():
                return base
        return None

    def _given_entries(self) -> list[Entry]:
        if self._given is None or self.run is not None:
            return []
        path = find_model(str(self._given))
        return [_entry("given", path.name, path)]

    def _shipped_entries(self) -> list[Entry]:
        names = shipped_models() if self._shipped else []
        return [_entry(f"shipped-{name}", name, find_model(name)) for name in names]

    def _run_entries(self) -> list[Entry]:
        """The best model of a run, its newest one, and all that are kept; old ones go while the run goes on."""
        if self.run is None:
            return []
        found = {**numbered(self.run / "promoted", "step"), **numbered(self.run / "checkpoints", "step")}
        found = {step: path for step, path in sorted(found.items()) if (path / WEIGHTS_FILE).is_file()}
        named = [(f"step-{step}", f"Step {step:,}", path) for step, path in reversed(found.items())]
        if found:
            named.insert(0, (NEWEST, "Newest", found[max(found)]))
        if (self.run / "best").is_dir():
            named.insert(0, ("best", "Best", (self.run / "best").resolve()))
        entries = []
        for id, title, path in named:
            with contextlib.suppress(FileNotFoundError):
                entries.append(_entry(id, title, path))
        return [
            dataclasses.replace(one, note=f"Follows the training. {one.note}") if one.id == NEWEST else one
            for one in entries
        ]


def _fulfil(promise: "Future[Thinker]", make: Callable[[], Thinker]) -> None:
    try:
        promise.set_result(make())
    except BaseException as error:
        promise.set_exception(error)


def _close(loaded: "Future[Thinker]") -> None:
    if loaded.exception() is None:
        loaded.result().close()


def _entry(id: str, title: str, path: Path) -> Entry:
    card = json.loads((path / CARD_FILE).read_text(encoding="utf-8"))
    home = offer_for(card["game"]["name"], card["game"]["options"])
    levels, note = read_levels(path)
    return Entry(id, title, "net", (home.name,), levels, path, note, card["steps"])


def play_settings() -> SearchSettings:
    """How nets search when they play for people: for strength, without noise."""
    return SearchSettings.from_config(SearchConfig())


def open_evaluator(model: Model, game: Any, threads: int | None = None) -> Evaluator:
    """An evaluator with the model's weights for a game, which may have another board size than the model's."""
    net, weights = fit_to_board(model, game)
    evaluator = make_evaluator(game, net, InferenceConfig(place="worker", threads=threads))
    evaluator.load(weights)
    return evaluator


def fit_to_board(model: Model, game: Any) -> tuple[NetConfig, Weights]:
    """The model's net for a board of any size; a ModelError where its weights depend on the size."""
    own = Blueprint.create(model.game, model.net)
    if Blueprint.create(game, model.net) == own:
        return model.net, model.weights
    net = dataclasses.replace(model.net, moves_left=False, reply=False)  # Its size depends on the longest game.
    blueprint = Blueprint.create(game, net)
    arrays = own.split(model.weights.flat)
    if any(name not in arrays or arrays[name].shape != shape for name, shape in blueprint.slots):
        own_size, size = (f"{one.width}x{one.height}" for one in (model.game, game))
        raise ModelError(f"{model.path.name} was made for a board of {own_size} and can't play on {size}.")
    flat = [arrays[name].ravel() for name, _ in blueprint.slots]

    return net, Weights(model.weights.version, np.concatenate(flat))
