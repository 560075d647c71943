"""`python -m rayzero.search GAME [MOVES ...]`: search one position and show what the search has seen."""

import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from rayzero.cli import make_parser, run
from rayzero.config.schema import Inference
from rayzero.config.schema import Search as SearchConfig
from rayzero.errors import ConfigError
from rayzero.evaluator import Evaluator, UniformEvaluator
from rayzero.games import make_game
from rayzero.games.notation import action_text
from rayzero.games.position import Position
from rayzero.games.rules import ONGOING
from rayzero.search.inspect import MARKS, principal_variation, tree_text
from rayzero.search.search import Search, SearchResult
from rayzero.search.settings import SearchSettings


def main(argv: Sequence[str]) -> int:
    """Search the position after the given moves."""
    parser = make_parser("search", "Search one position and print the tree, the expected line and the best move.")
    parser.prog = "python -m rayzero.search"
    parser.add_argument("game", help="gomoku, connect4, tictactoe, othello, or module:Class")
    parser.add_argument("moves", nargs="*", help="from the start, such as H8 G7, or 4 4 3 for columns")
    parser.add_argument("--size", type=int, help="width and height of a gomoku board")
    parser.add_argument("--model", help="a model or run; without one all moves look alike to the search")
    parser.add_argument("--simulations", type=int, default=800)
    parser.add_argument("--depth", type=int, default=3, help="levels of the tree to print")
    parser.add_argument("--width", type=int, default=5, help="moves to print at each level")
    parser.add_argument("--set", nargs="*", default=[], metavar="key=value", help="search settings, such as c_puct=2")
    given = parser.parse_args(argv)
    options = {"width": given.size, "height": given.size} if given.size else {}
    game, evaluator = _load(given.model) if given.model else _blank(make_game(given.game, **options))
    position = Position.from_moves(game, " ".join(given.moves))
    search = Search(game, SearchSettings.from_config(_settings(given.set)))
    search.reset(np.array([0]), position.state[None])
    search.begin(np.array([0]), given.simulations)
    search.run(evaluator)
    print(position.text())
    print(tree_text(search, 0, given.depth, given.width))
    print(summary(search, search.result(np.array([0]))))
    return 0


def _blank(game: Any) -> tuple[Any, Evaluator]:
    return game, UniformEvaluator(game.actions)


def _load(text: str) -> tuple[Any, Evaluator]:
    from rayzero.net import find_model, load_model, make_evaluator  # torch is only needed with a model

    model = load_model(find_model(text))
    evaluator = make_evaluator(model.game, model.net, Inference())
    evaluator.load(model.weights)
    return model.game, evaluator


def _settings(texts: list[str]) -> SearchConfig:
    config = SearchConfig()
    types = {field.name: type(getattr(config, field.name)) for field in fields(config)}
    for text in texts:
        key, _, value = text.partition("=")
        if key not in types:
            raise ConfigError(f"There is no search setting {key!r}; there are: {', '.join(types)}.")
        try:
            setattr(config, key, value == "true" if types[key] is bool else types[key](value))
        except ValueError:
            raise ConfigError(f"search.{key} is {value!r}; it must be a {types[key].__name__}.") from None
    return config


def summary(search: Search, result: SearchResult) -> str:
    """The best move, the expected line, and what it cost, in a few sentences."""
    counters = search.counters
    line = " ".join(action_text(search.game, action) for action in principal_variation(search))
    proven = f", a proven {MARKS[int(result.proven[0])]}" if result.proven[0] != ONGOING else ""
    best = action_text(search.game, int(result.best[0])) if result.best[0] >= 0 else "none, the game is over"
    return (
        f"best {best}, value {result.value[0]:+.3f}{proven}, about {result.moves_left[0]:.0f} plies to the end\n"
        f"line {line or '-'}\n"
        f"{counters.simulations} simulations, {counters.evaluations} evaluations, {counters.saved} saved by the rules"
    )


if __name__ == "__main__":
    sys.exit(run(main))
