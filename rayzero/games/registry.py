"""Games by name: the built-in ones, and any `module:Class` or `path/to/file.py:Class`."""

import difflib
import hashlib
import importlib
import inspect
import os
import sys
from pathlib import Path
from types import ModuleType
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
    from rayzero.games.rules import is_registered  # Loads the compiler, which names alone do not need.

    if not is_registered(game_class):
        raise GameError(f"{class_name} has no rules yet: call register({class_name}, ...) at the end of its file.")
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


def _load(name: str) -> ModuleType:
    if name.endswith(".py"):
        return _load_file(Path(name).resolve())
    if os.getcwd() not in sys.path:  # Commands installed by pip do not look there by themselves.
        sys.path.append(os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise GameError(f"There is no module {name!r} to take a game from ({error}).") from error


def _load_file(path: Path) -> ModuleType:
    """A file as a module, named after its content: every process that loads it gives it the same name."""
    if not path.is_file():
        raise GameError(f"There is no file {path} to take a game from.")
    source = path.read_bytes()
    name = f"{path.stem}_{hashlib.sha256(source).hexdigest()[:8]}"
    if name not in sys.modules:
        module = ModuleType(name)
        module.__file__ = str(path)
        sys.modules[name] = module
        try:
            exec(compile(source, path, "exec"), module.__dict__)
        except Exception as error:
            del sys.modules[name]
            raise GameError(f"{path} can't be loaded: {type(error).__name__}: {error}") from error
    return sys.modules[name]
