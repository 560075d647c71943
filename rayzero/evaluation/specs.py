"""Players by the words that commands take: `mcts:1000`, `alphabeta:4`, `solver`, a model, an engine."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rayzero.config import load_config
from rayzero.config.schema import Game as GameConfig
from rayzero.config.schema import Inference, Search
from rayzero.errors import ConfigError
from rayzero.evaluation.engine import EnginePlayer, Limits
from rayzero.evaluation.players import AlphaBetaPlayer, MctsPlayer, NetPlayer, Player, RandomPlayer, SolverPlayer
from rayzero.net import Model, find_model, load_model, make_evaluator
from rayzero.net.evaluators import available_cpus
from rayzero.net.files import load_weights
from rayzero.search import SearchSettings

KNOWN = "random, mcts:PLAYOUTS, alphabeta:DEPTH, solver, gomocup:COMMAND, or a model"


@dataclass(frozen=True)
class Setting:
    """What all players of a match share."""

    simulations: int = 200
    seed: int = 1
    temperature_plies: int = 0  # from the start of a game, in which nets draw their moves by visits
    threads: int = field(default_factory=available_cpus)
    limits: Limits = field(default_factory=Limits)


def parse_player(text: str, game: Any, expected: GameConfig, setting: Setting) -> Player:
    """The player that a word means, for a game; a model may end in `@SIMULATIONS`."""
    kind, _, rest = text.partition(":")
    if text == "random":
        return RandomPlayer(game, setting.seed)
    if text == "solver":
        return SolverPlayer(game, setting.seed)
    if kind == "mcts":
        playouts = _number(text, rest, "mcts:1000, with the number of playouts")
        return MctsPlayer(game, playouts, setting.seed, setting.threads)
    if kind == "alphabeta":
        depth = _number(text, rest, "alphabeta:4, with the depth in plies")
        return AlphaBetaPlayer(game, depth, setting.seed, setting.threads)
    if kind == "gomocup":
        if not rest.strip():
            raise ConfigError(f"{text!r} names no engine: write gomocup:COMMAND, such as 'gomocup:/opt/engine -q'.")
        return EnginePlayer(game, rest, setting.limits)
    return model_player(text, load_player_model(text, expected), setting)


def load_player_model(text: str, expected: GameConfig | None = None, own_game: str | None = None) -> Model:
    """The model of a word that may end in `@SIMULATIONS`; refused where it is for another game than expected.

    A game that is not built in has to be named as `own_game`, as its code is run.
    """
    path = find_model(_split(text)[0])
    if own_game:
        expected = replace(load_weights(path)[1].game, name=own_game)
    return load_model(path, expected)


def model_player(text: str, model: Model, setting: Setting) -> NetPlayer:
    """A loaded model with search, as strong as `@SIMULATIONS` in its word or the setting says."""
    simulations = _split(text)[1] or setting.simulations
    evaluator = make_evaluator(model.game, model.net, Inference())
    evaluator.load(model.weights)
    name = text if text.endswith(f"@{simulations}") else f"{text}@{simulations}"
    search = SearchSettings.from_config(_search_of(model.path))
    return NetPlayer(name, model.game, evaluator, search, simulations, setting.seed, setting.temperature_plies)


def _split(text: str) -> tuple[str, int | None]:
    found = re.fullmatch(r"(.+)@([1-9]\d*)", text)
    if not found or Path(text).exists():
        return text, None
    return found[1], int(found[2])


def _search_of(path: Path) -> Search:
    """The search that the model's run was trained with; the standard one where there is no run around it."""
    for folder in (path, *path.parents[:2]):
        if (folder / "config.yaml").is_file():
            return load_config(folder / "config.yaml").search
    return Search()


def _number(text: str, rest: str, right: str) -> int:
    if not rest.isdigit() or int(rest) < 1:
        raise ConfigError(f"{text!r} is no player: write {right}. Players are: {KNOWN}.")
    return int(rest)
