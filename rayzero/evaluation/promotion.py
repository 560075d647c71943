"""The best model of a run: `best` points to one of the complete models in `promoted/`.

A model is written beside its place and renamed, so it is there completely or not at all; only then the
pointer moves, in one step. A crash anywhere leaves the old best or the new one.
"""

import contextlib
import os
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

from rayzero.storage import numbered, plainly, sync

KEEP = 4  # promoted models: whoever reads one that was the best a moment ago can finish


def promoted_model(run: Path, version: int) -> Path:
    """Where the promoted model of a version is."""
    return run / "promoted" / f"step-{version}"


def write_promoted(run: Path, version: int, save: Callable[[Path], object]) -> Path:
    """Have `save` write a model into an empty directory, then give it its place."""
    place = promoted_model(run, version)
    beside = place.with_name(f".{place.name}-{uuid.uuid4().hex[:8]}")
    with plainly(place):
        beside.mkdir(parents=True)
        try:
            save(beside)
            for file in beside.iterdir():
                sync(file)
            sync(beside)
            try:
                os.rename(beside, place)
            except OSError:
                if not place.is_dir():  # Another promotion of the same version was faster.
                    raise
            sync(place.parent)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return place


def point_to(run: Path, version: int) -> None:
    """Make a promoted model the best one, and let go of old ones."""
    target = promoted_model(run, version)
    if not target.is_dir():
        raise FileNotFoundError(target)
    link = run / f".best-{uuid.uuid4().hex[:8]}"
    with plainly(link):
        link.symlink_to(target.relative_to(run), target_is_directory=True)
        os.replace(link, run / "best")
        sync(run)
    _let_go(run)


def _let_go(run: Path) -> None:
    """Remove all but the last models to be written; by time, as another promotion may be under way."""
    written: dict[Path, int] = {}
    for path in numbered(run / "promoted", "step").values():
        with contextlib.suppress(FileNotFoundError):
            written[path] = path.stat().st_mtime_ns
    for path in sorted(written, key=lambda path: written[path])[:-KEEP]:
        if path.name != f"step-{best_version(run)}":
            shutil.rmtree(path, ignore_errors=True)


def clear_leftovers(run: Path) -> None:
    """Remove what a killed promotion left half done; only for whoever is alone in promoting."""
    for path in (run / "promoted").glob(".step-*"):
        shutil.rmtree(path, ignore_errors=True)
    for link in run.glob(".best-*"):
        link.unlink(missing_ok=True)


def best_version(run: Path) -> int | None:
    """The version of the best model, or None before the first promotion."""
    best = run / "best"
    if not best.is_symlink():
        return None
    return int(os.readlink(best).rpartition("step-")[2])
