"""All matches of a run, one JSON line each: the only truth about ladder, promotions and ratings."""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rayzero.records import MatchResult
from rayzero.storage import plainly


@dataclass(frozen=True)
class Entry:
    """A match and what followed from it."""

    id: str  # the same match played again has the same id, and counts once
    kind: str  # ladder | gate | bridge
    version: int  # of the weights of the player; 0 where it has none
    result: MatchResult
    promoted: bool = False
    climbed: bool = False
    ladder: dict[str, Any] = field(default_factory=dict)  # its state after this match


class MatchLog:
    """Append-only; a line that a crash cut off is as if it had never been begun."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[Entry] = []
        self._ids: dict[str, Entry] = {}
        if path.is_file():
            content = path.read_bytes()
            whole = content.rpartition(b"\n")[0]
            for line in whole.splitlines():
                self._take(_read(line))
            if len(content) > len(whole) + 1:
                os.truncate(path, len(whole) + 1 if whole else 0)

    def find(self, id: str) -> Entry | None:
        """The entry of a match that was played already."""
        return self._ids.get(id)

    def append(self, entry: Entry) -> None:
        """Write an entry through to the disk; one that is there already is left as it is."""
        if entry.id in self._ids:
            return
        with plainly(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "ab") as file:
                file.write(json.dumps(asdict(entry)).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        self._take(entry)

    def results(self) -> list[MatchResult]:
        """All results, oldest first."""
        return [entry.result for entry in self.entries]

    def last(self, kind: str) -> Entry | None:
        """The newest entry of a kind."""
        return next((entry for entry in reversed(self.entries) if entry.kind == kind), None)

    def _take(self, entry: Entry) -> None:
        if entry.id not in self._ids:
            self._ids[entry.id] = entry
            self.entries.append(entry)


def _read(line: bytes) -> Entry:
    content = json.loads(line)
    result = content.pop("result")
    result["pairs"] = tuple(result["pairs"])
    result["forfeits"] = tuple(result["forfeits"])
    return Entry(result=MatchResult(**result), **content)
