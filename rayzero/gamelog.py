"""Finished games on disk: append-only segments of framed records, durable before they count.

A frame is a mark, the payload's length and CRC-32, and the payload. A crash may leave a torn frame at the
end of a segment; it was never acknowledged, and is cut off before the next one is written. No pickles.
"""

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from io import FileIO
from pathlib import Path

import numpy as np

from rayzero.errors import RunError
from rayzero.records import GameRecord
from rayzero.storage import lock, plainly, sync

_MARK = b"RZG1"
_FRAME = struct.Struct("<4sII")  # mark, length, crc
_HEAD = struct.Struct("<bHHIiiH")  # outcome, plies, targets, entries of policies, versions, length of the id
_SEGMENT_BYTES = 64 << 20


def encode(record: GameRecord) -> bytes:
    """A record as bytes."""
    name = record.id.encode()
    head = _HEAD.pack(
        record.outcome,
        len(record.moves),
        len(record.target_plies),
        len(record.policy_actions),
        *record.versions,
        len(name),
    )
    arrays = (
        record.moves.astype("<i2"),
        record.target_plies.astype("<i2"),
        record.policy_ends.astype("<i4"),
        record.policy_actions.astype("<i2"),
        record.policy_probabilities.astype("<f2"),
        record.search_values.astype("<f2"),
    )
    return b"".join((head, name, *(array.tobytes() for array in arrays)))


def decode(payload: bytes) -> GameRecord:
    """The record of `encode`."""
    outcome, plies, targets, entries, oldest, newest, name = _HEAD.unpack_from(payload)
    at = _HEAD.size + name

    def take(kind: str, count: int) -> np.ndarray:
        nonlocal at
        array = np.frombuffer(payload, kind, count, at)
        at += array.nbytes
        return array

    return GameRecord(
        id=payload[_HEAD.size : _HEAD.size + name].decode(),
        versions=(oldest, newest),
        moves=take("<i2", plies),
        outcome=outcome,
        target_plies=take("<i2", targets),
        policy_ends=take("<i4", targets),
        policy_actions=take("<i2", entries),
        policy_probabilities=take("<f2", entries),
        search_values=take("<f2", targets),
    )


def read_games(folder: Path) -> Iterator[GameRecord]:
    """Every whole record of a folder in the order of writing; a run may be writing to it."""
    for segment in segments(folder):
        for start, end in _frames(content := segment.read_bytes()):
            yield decode(content[start + _FRAME.size : end])


def newest_games(folder: Path, count: int) -> list[GameRecord]:
    """The last records, newest first, of the last segment that has any."""
    for segment in reversed(segments(folder)):
        content = segment.read_bytes()
        frames = list(_frames(content))[-count:]
        if frames:
            return [decode(content[start + _FRAME.size : end]) for start, end in reversed(frames)]
    return []


def segments(folder: Path) -> list[Path]:
    """The segment files, oldest first."""
    return sorted(folder.glob("*.games"))


class GameLog:
    """The only writer of a folder of segments: a second one waits for the first one's end."""

    def __init__(self, folder: Path, segment_bytes: int = _SEGMENT_BYTES) -> None:
        with plainly(folder):
            folder.mkdir(parents=True, exist_ok=True)
        held = lock(folder / "lock", seconds=30)
        if held is None:
            raise RunError(f"Another process writes games to {folder}: wait for it to end, or stop it.")
        self._lock = held
        self._folder = folder
        self._segment_bytes = segment_bytes
        found = segments(folder)
        self._path = found[-1] if found else folder / "000001.games"
        with plainly(self._path):
            self._file = FileIO(self._path, "ab")
            self._size = self._cut_torn_tail() if found else 0
            sync(folder)

    def append(self, records: Iterable[GameRecord]) -> None:
        """Write records; they are on disk when this returns, and none of them is after an error."""
        payloads = [encode(record) for record in records]
        frames = b"".join(_FRAME.pack(_MARK, len(p), zlib.crc32(p)) + p for p in payloads)
        if self._size >= self._segment_bytes:
            self._next_segment()
        with plainly(self._path):
            try:
                _write_all(self._file, frames)
                os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(self._size)
                raise
        self._size += len(frames)

    def close(self) -> None:
        """Let another writer take over."""
        self._file.close()
        self._lock.close()

    def _cut_torn_tail(self) -> int:
        end = max((end for _, end in _frames(self._path.read_bytes())), default=0)
        self._file.truncate(end)
        os.fsync(self._file.fileno())
        return end

    def _next_segment(self) -> None:
        path = self._folder / f"{int(self._path.stem) + 1:06}.games"
        with plainly(path):
            file = FileIO(path, "xb")
            sync(self._folder)
        self._file.close()
        self._file, self._path, self._size = file, path, 0


def _write_all(file: FileIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def _frames(content: bytes) -> Iterator[tuple[int, int]]:
    """Start and end of every whole frame; damaged bytes between them are stepped over."""
    at = 0
    while (at := content.find(_MARK, at)) >= 0:
        end = _frame_end(content, at)
        if end:
            yield at, end
            at = end
        else:
            at += 1


def _frame_end(content: bytes, start: int) -> int:
    """Where the frame at `start` ends; 0 if it is torn or damaged."""
    body = start + _FRAME.size
    if body > len(content):
        return 0
    _, length, crc = _FRAME.unpack_from(content, start)
    end = body + length
    if end > len(content) or zlib.crc32(memoryview(content)[body:end]) != crc:
        return 0
    return end
