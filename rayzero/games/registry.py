"""Games by name: the built-in ones, and any `module:Class` or `path/to/file.py:Class`."""

import difflib
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any

from rayzero.errors import GameError

# name -> (module, class, options that the name stands for)
_NAMED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "tictactoe": ("rayzero.games.kinarow", "KInARow", {"width": 3, "height": 3, "in_a_row": 3}),
    "connect4": ("rayzero.games.kinarow", "KInARow", {"width": 7, "height": 6, "in_a_row": 4, "gravity": True}),
    "gomoku": ("rayzero.games.kinarow", "KInARow", {"width": 15, "height": 15, "in_a_row": 5}),
    "othello": ("rayzero.games.othello", "Othello", {}),
}


def game_names() -> list[str]:
    """The names of the built-in games."""
    return list(_NAMED)


def make_game(name: str, **options: Any) -> Any:
    """A game by its name and options, such as make_game("gomoku", width=8, height=8)."""
    module_name, class_name, standard = _NAMED[name] if name in _NAMED else (*_split(name), {})
    game_class = getattr(_load(module_name), class_name, None)
    if game_class is None or not hasattr(game_class, "create"):
        raise GameError(f"{module_name} has no game called {class_name}: a NamedTuple class with `create` is needed.")
    known = inspect.signature(game_class.create).parameters
    for option, value in options.items():
        if option not in known:
            raise GameError(f"{name} has no option {option!r}. {_instead(option, list(known))}")
        wanted = known[option].annotation
        if wanted in (bool, int, str) and type(value) is not wanted:
            raise GameError(f"{name}: {option} can't be {value!r}, a value of type {wanted.__name__} is needed.")
    return game_class.create(**{**standard, **options})


def _split(name: str) -> tuple[str, str]:
    module_name, colon, class_name = name.rpartition(":")
    if not colon:
        raise GameError(
            f"There is no game {name!r}. {_instead(name, game_names())} "
            "Your own game is given as module:Class or path/to/file.py:Class."
        )
    return module_name, class_name


def _instead(wrong: str, known: list[str]) -> str:
    close = difflib.get_close_matches(wrong, known, n=1)
    return f"Did you mean {close[0]}?" if close else f"There are: {', '.join(known) or 'none'}."


def _load(name: str) -> Any:
    if not name.endswith(".py"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise GameError(f"There is no module {name!r} to take a game from ({error}).") from error
    path = Path(name).resolve()
    if not path.is_file():
        raise GameError(f"There is no file {name} to take a game from.")
    module_name = path.stem
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    return sys.modules[module_name]
