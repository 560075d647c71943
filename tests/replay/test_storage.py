"""Files and directories: complete or absent."""

import os

import pytest

from rayzero import storage
from rayzero.errors import RunError
from rayzero.storage import lock, numbered, read_directory, recover_directory, write_directory, write_file


def test_a_file_is_replaced_whole(tmp_path):
    write_file(tmp_path / "a.json", b"one")
    write_file(tmp_path / "a.json", b"two")
    assert read_directory(tmp_path) == {"a.json": b"two"}


@pytest.mark.parametrize("calls", range(1, 9))
def test_a_directory_is_old_or_new_wherever_the_writer_stops(tmp_path, monkeypatch, calls):
    """Stop at the n-th call that changes the disk; after recovery one whole version is there, alone."""
    path = tmp_path / "best"
    old, new = {"x": b"old", "y": b"old"}, {"x": b"new", "y": b"new"}
    write_directory(path, old)
    left = calls

    def stopping(function):
        def call(*arguments, **options):
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return function(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", stopping(os.rename))
        patch.setattr(os, "fsync", stopping(os.fsync))
        patch.setattr(storage, "_write_through", stopping(storage._write_through))
        try:
            write_directory(path, new)
        except KeyboardInterrupt:
            pass
    recover_directory(path)
    assert read_directory(path) in (old, new)
    assert os.listdir(tmp_path) == ["best"]
    write_directory(path, new)
    assert read_directory(path) == new


def test_only_complete_checkpoints_are_found(tmp_path):
    write_directory(tmp_path / "step-20", {"x": b""})
    write_directory(tmp_path / "step-3", {"x": b""})
    (tmp_path / "step-40.new").mkdir()
    assert list(numbered(tmp_path, "step")) == [3, 20]


def test_a_lock_is_held_by_one(tmp_path):
    held = lock(tmp_path / "lock")
    assert held is not None
    assert lock(tmp_path / "lock") is None
    held.close()
    assert lock(tmp_path / "lock") is not None


def test_an_unwritable_directory_is_told(tmp_path, monkeypatch):
    def refuse(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(storage, "_write_through", refuse)
    with pytest.raises(RunError, match="can't be written"):
        write_file(tmp_path / "a", b"")
