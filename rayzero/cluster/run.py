"""The run directory: everything of a run that survives, and whether a run can go on with these settings."""

import dataclasses
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rayzero.config import Config, dump, load_config
from rayzero.errors import RunError
from rayzero.reports import Progress
from rayzero.storage import lock, numbered, plainly, read_directory, write_directory, write_file

_PROGRESS = "progress.json"


@dataclass(frozen=True)
class Checkpoint:
    """A saved learner and the progress that goes with it."""

    path: Path
    files: dict[str, bytes]
    progress: Progress


class RunDirectory:
    """`<run.dir>/<run.name>/`; opened by one driver at a time."""

    def __init__(self, config: Config, new: bool = False) -> None:
        self.path = _choose(config, new)
        self.games = self.path / "games"
        self._checkpoints = self.path / "checkpoints"
        self._keep = config.run.keep_checkpoints
        with plainly(self.path):
            self._checkpoints.mkdir(parents=True, exist_ok=True)
        held = lock(self.path / "lock")
        if held is None:
            raise RunError(f"{self.path} is being trained by another process: stop that one, or add --new.")
        self._lock = held
        self.existed = (self.path / "config.yaml").exists()
        if self.existed:
            _check_same(load_config(self.path / "config.yaml"), config, self.path)
        self.starts = self._count_start()
        write_file(self.path / "config.yaml", dump(config).encode())

    def newest(self) -> Checkpoint | None:
        """The last complete checkpoint."""
        found = numbered(self._checkpoints, "step")
        if not found:
            return None
        path = found[max(found)]
        files = read_directory(path)
        return Checkpoint(path, files, Progress(**json.loads(files.pop(_PROGRESS))))

    def save(self, files: Mapping[str, bytes], progress: Progress) -> Path:
        """Write a checkpoint, complete or absent; forget the oldest."""
        path = self._checkpoints / f"step-{progress.steps}"
        content = json.dumps(dataclasses.asdict(progress), indent=1).encode()
        write_directory(path, {**files, _PROGRESS: content})
        for old in list(numbered(self._checkpoints, "step").values())[: -self._keep]:
            shutil.rmtree(old, ignore_errors=True)
        return path

    def _count_start(self) -> int:
        """How often the run was started before: no two starts play the same random games."""
        path = self.path / "starts"
        starts = int(path.read_text()) if path.exists() else 0
        write_file(path, str(starts + 1).encode())
        return starts

    def close(self) -> None:
        """Let another driver open it."""
        self._lock.close()


def _choose(config: Config, new: bool) -> Path:
    base = Path(config.run.dir) / (config.run.name or "run")
    path = base
    number = 1
    while new and path.exists():
        number += 1
        path = base.with_name(f"{base.name}-{number}")
    return path


def _check_same(before: Config, now: Config, path: Path) -> None:
    """A run goes on with the game and the net it began with; everything else may change."""
    changed = []
    for section in ("game", "net"):
        old, new = dataclasses.asdict(getattr(before, section)), dataclasses.asdict(getattr(now, section))
        changed += [f"{section}.{key} was {old[key]!r} and is now {new[key]!r}" for key in old if old[key] != new[key]]
    if changed:
        raise RunError(
            f"{path} can't go on with these settings: {'; '.join(changed)}. "
            "Change them back, or start a run beside it with --new."
        )
