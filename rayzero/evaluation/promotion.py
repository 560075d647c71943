"""The best model of a run: `best` points to one of the complete models in `promoted/`.

A model is written beside its place and renamed, so it is there completely or not at all; only then the
pointer moves, in one step. A crash anywhere leaves the old best or the new one.
"""

import os
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

from rayzero.storage import numbered, plainly, sync

KEEP = 3  # promoted models: whoever reads the last best model can finish


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
    models = numbered(run / "promoted", "step")
    for old in [number for number in models if number != version][: -(KEEP - 1)]:
        shutil.rmtree(models[old], ignore_errors=True)


def best_version(run: Path) -> int | None:
    """The version of the best model, or None before the first promotion."""
    best = run / "best"
    if not best.is_symlink():
        return None
    return int(os.readlink(best).rpartition("step-")[2])
