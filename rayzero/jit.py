"""Compiled functions whose on-disk cache never goes stale.

numba notices a change in the file of a compiled function, but not in a function it calls from another
file. So every kernel is cached in a folder named after a hash of all sources it may have been built
from: its own module, every rayzero module that one imports, and every game.
"""

import ast
import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

PACKAGE = Path(__file__).parent
_kernels: list[Any] = []
_game_sources: set[Path] = set((PACKAGE / "games").glob("*.py"))


def jit_options(counted: bool) -> dict[str, Any]:
    """How numba compiles; `counted` says whether references are, and is inherited by callees where not set."""
    return {"error_model": "numpy", "nogil": True, "_nrt": counted}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function without the GIL, with numpy's division, cached on disk."""
    return _compile(function, counted=True)


def bare_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that makes no arrays and no slices, without counting references.

    Every call of a `kernel` from another counts a reference to each array among its arguments, the
    fields of NamedTuples included, by atomic operations: about 100 ns for a game. Here that is free.
    """
    return _compile(function, counted=False)


def _compile(function: Callable[..., Any], counted: bool) -> Any:
    compiled = numba.njit(**jit_options(counted))(function)
    if hasattr(compiled, "enable_caching"):
        _kernels.append(compiled)
        _cache_beside_sources(compiled)
    return compiled


def depends_on(source: Path) -> None:
    """Rebuild kernels when this file changes: called for a game that lives outside the package."""
    if source not in _game_sources:
        _game_sources.add(source)
        for compiled in _kernels:
            _cache_beside_sources(compiled)


def _cache_beside_sources(compiled: Any) -> None:
    source = Path(compiled.py_func.__code__.co_filename)
    folder = _cache_root() / _fingerprint(_sources_of(source) | _game_sources)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # No place to write: compile anew in every process.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        compiled.enable_caching()
    finally:
        numba.config.CACHE_DIR = before


def _cache_root() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(os.environ.get("NUMBA_CACHE_DIR") or base) / "rayzero"


def _fingerprint(sources: set[Path]) -> str:
    digest = hashlib.sha256(sys.version.encode() + numba.__version__.encode())
    for source in sorted(sources):
        digest.update(_content(source))
    return digest.hexdigest()[:16]


@cache
def _content(source: Path) -> bytes:
    return source.read_bytes()


@cache
def _sources_of(source: Path) -> frozenset[Path]:
    """A module's file and those of all rayzero modules that it imports, however indirectly."""
    found: set[Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for node in ast.walk(ast.parse(_content(path))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "rayzero":
                waiting += _files_of(node.module or "", [alias.name for alias in node.names])
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] == "rayzero":
                        waiting += _files_of(alias.name, [])
    return frozenset(found)


def _files_of(module: str, names: list[str]) -> list[Path]:
    base = PACKAGE.joinpath(*module.split(".")[1:])
    candidates = [base.with_suffix(".py"), base / "__init__.py", *(base / f"{name}.py" for name in names)]
    return [path for path in candidates if path.is_file()]
