"""Files and directories that are complete or absent, whenever the process or the machine stops."""

import errno
import fcntl
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from rayzero.errors import RunError

_NEW, _OLD = ".new", ".old"


def write_file(path: Path, content: bytes) -> None:
    """Replace a file by another content, atomically."""
    beside = path.with_name(path.name + _NEW)
    with plainly(path):
        _write_through(beside, content)
        os.replace(beside, path)
        sync(path.parent)


def write_directory(path: Path, files: Mapping[str, bytes]) -> None:
    """Replace a directory of plain files by another; `recover_directory` ends what a crash left half done."""
    beside, before = path.with_name(path.name + _NEW), path.with_name(path.name + _OLD)
    with plainly(path):
        recover_directory(path)
        beside.mkdir(parents=True)
        for name, content in files.items():
            _write_through(beside / name, content)
        sync(beside)
        if path.exists():
            os.rename(path, before)
        os.rename(beside, path)
        sync(path.parent)
        shutil.rmtree(before, ignore_errors=True)


def recover_directory(path: Path) -> None:
    """After a crash: the directory as it was before or after the interrupted write, nothing beside it."""
    beside, before = path.with_name(path.name + _NEW), path.with_name(path.name + _OLD)
    shutil.rmtree(beside, ignore_errors=True)
    if before.exists() and not path.exists():
        os.rename(before, path)
    shutil.rmtree(before, ignore_errors=True)


def read_directory(path: Path) -> dict[str, bytes]:
    """The plain files of a directory."""
    return {file.name: file.read_bytes() for file in sorted(path.iterdir()) if file.is_file()}


def numbered(folder: Path, prefix: str) -> dict[int, Path]:
    """The complete directories `prefix-N` of a folder by their number, in increasing order."""
    found = {}
    for path in folder.glob(f"{prefix}-*"):
        number = path.name.removeprefix(f"{prefix}-")
        if number.isdigit() and path.is_dir():
            found[int(number)] = path
    return dict(sorted(found.items()))


def lock(path: Path, seconds: float = 0.0) -> FileIO | None:
    """Hold a file's lock until the returned file is closed or the process ends; None if another has it."""
    with plainly(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = FileIO(path, "a")
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() >= end:
                file.close()
                return None
            time.sleep(0.05)
        else:
            return file


def sync(folder: Path) -> None:
    """Make names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def plainly(path: Path) -> Iterator[None]:
    """Tell what a person can mend about a disk in a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise RunError(
                f"The disk is full: {path} could not be written. Nothing that was saved before is harmed; "
                "free some space and run the same command again."
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR):
            raise RunError(
                f"{path} can't be written ({os.strerror(error.errno)}): choose another directory with run.dir=..., "
                "or change its permissions."
            ) from error
        raise


def _write_through(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
