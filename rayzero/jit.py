"""Compiled functions whose on-disk cache never goes stale.

numba notices a change in the file of a compiled function, but not in a function it calls from another
file. So every kernel is cached in a folder named after a hash of all sources it may have been built
from: its own module, every module beside it that one imports, however indirectly, and every game.
"""

import ast
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache

PACKAGE = Path(__file__).resolve().parent
KEEP_SECONDS = 30 * 24 * 3600  # Folders of sources that nobody has used for so long are removed.
_kernels: list[Any] = []
_other_games: dict[str, Path] = {}  # by the names of their modules, which compiled code on disk refers to


def jit_options(counted: bool, inline: bool = False) -> Any:
    """How numba compiles; `counted` says whether references are, and is inherited by callees where not set."""
    return {"error_model": "numpy", "nogil": True, "_nrt": counted, "forceinline": inline}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function without the GIL, with numpy's division, cached on disk."""
    return _compile(function, counted=True)


def bare_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that makes no arrays and no slices, without counting references.

    Every call of a `kernel` from another counts a reference to each array among its arguments, the
    fields of NamedTuples included, by atomic operations: about 100 ns for a game. Here that is free.
    """
    return _compile(function, counted=False)


def inline_kernel(function: Callable[..., Any]) -> Any:
    """Compile a small `bare_kernel` into each of its callers.

    A call hands over seven words for each array, the fields of NamedTuples included: about 10 ns for a game.
    """
    return _compile(function, counted=False, inline=True)


def depends_on(module: str, source: Path) -> None:
    """Rebuild kernels when this file changes: called for a game, which matters where it lives outside the package."""
    if source not in _built_in_games() and _other_games.get(module) != source:
        _other_games[module] = source
        for compiled in _kernels:
            _cache_by_sources(compiled)


def _compile(function: Callable[..., Any], counted: bool, inline: bool = False) -> Any:
    compiled = numba.njit(**jit_options(counted, inline))(function)
    if hasattr(compiled, "enable_caching"):
        _kernels.append(compiled)
        _cache_by_sources(compiled)
    return compiled


def _cache_by_sources(compiled: Any) -> None:
    source = Path(compiled.py_func.__code__.co_filename).resolve()
    written = all(path.is_file() for path in (source, *_other_games.values()))
    folder = _folder(source, frozenset(_other_games.items())) if written else None
    if folder is None:  # Nothing can be kept, as for what was written at a prompt or in a notebook.
        compiled._cache = NullCache()
        return
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(folder)
    try:
        compiled.enable_caching()
    finally:
        settings.CACHE_DIR = before


@cache
def _folder(source: Path, other_games: frozenset[tuple[str, Path]]) -> Path | None:
    """The cache of a module's kernels; None where nothing can be written: then every process compiles anew."""
    modules = sorted(module for module, _ in other_games)
    digest = hashlib.sha256(repr((sys.version, numba.__version__, modules)).encode())
    for path in sorted(_built_in_games().union(_sources_of(source), *(_sources_of(game) for _, game in other_games))):
        digest.update(hashlib.sha256(_content(path)).digest())
    try:
        folder = _cache_root() / digest.hexdigest()[:16]
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _forget_unused(folder.parent)
        os.utime(folder)
    except (OSError, RuntimeError):  # RuntimeError: there is no home.
        return None
    return folder


def _cache_root() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(os.environ.get("NUMBA_CACHE_DIR") or base) / "rayzero"


def _forget_unused(root: Path) -> None:
    for folder in root.iterdir():
        if folder.is_dir() and time.time() - folder.stat().st_mtime > KEEP_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


@cache
def _built_in_games() -> frozenset[Path]:
    """The sources of all games of the package, whether in use or not: so that every process agrees."""
    files = (PACKAGE / "games").glob("*.py")
    return frozenset().union(*(_sources_of(path) for path in files if b"\nregister(" in _content(path)))


@cache
def _content(source: Path) -> bytes:
    return source.read_bytes()


@cache
def _sources_of(source: Path) -> frozenset[Path]:
    """A module's file and those of the modules that it imports from its own folders or from rayzero."""
    found: set[Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path not in found and path.is_file():
            found.add(path)
            waiting += _imports_of(path)
    return frozenset(found)


@cache
def _imports_of(path: Path) -> tuple[Path, ...]:
    return tuple(file for roots, name in _imported_names(path) for root in roots for file in _files_of(root, name))


def _imported_names(path: Path) -> Iterator[tuple[list[Path], str]]:
    """Every name that may be a module, with the folders it may be in."""
    around = [*path.parents, PACKAGE.parent]
    for node in ast.walk(ast.parse(_content(path))):
        if isinstance(node, ast.Import):
            yield from ((around, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            roots = [path.parents[node.level - 1]] if node.level else around
            module = node.module or ""
            yield roots, module
            yield from ((roots, f"{module}.{alias.name}") for alias in node.names)


def _files_of(root: Path, name: str) -> list[Path]:
    base = root.joinpath(*filter(None, name.split(".")))
    return [path for path in (base.with_name(f"{base.name}.py"), base / "__init__.py") if path.is_file()]
