"""Games on disk: complete, unique, and readable after any interruption."""

import dataclasses
import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rayzero import gamelog
from rayzero.errors import RunError
from rayzero.gamelog import GameLog, decode, encode, read_games, segments
from rayzero.games import make_game
from rayzero.storage import lock

GAME = make_game("connect4")


def same(a, b):
    return all(np.array_equal(getattr(a, entry.name), getattr(b, entry.name)) for entry in dataclasses.fields(a))


@pytest.fixture
def records(make_record):
    return [make_record(GAME, seed, version=seed) for seed in range(12)]


def write(folder, records, **options):
    log = GameLog(folder, **options)
    for record in records:
        log.append([record])
    log.close()


def test_a_record_survives_bytes(make_record):
    for seed in range(50):
        record = make_record(GAME, seed, version=seed)
        assert same(decode(encode(record)), record)
        assert not any(
            array.dtype.hasobject for array in vars(decode(encode(record))).values() if hasattr(array, "dtype")
        )


def test_order_and_segments(tmp_path, records):
    write(tmp_path, records, segment_bytes=1000)
    assert len(segments(tmp_path)) > 2
    assert [record.id for record in read_games(tmp_path)] == [record.id for record in records]


@settings(max_examples=60, deadline=None)
@given(share=st.floats(0, 1), noise=st.binary(max_size=40))
def test_a_torn_tail_costs_only_the_torn_record(tmp_path_factory, make_record, share, noise):
    folder = tmp_path_factory.mktemp("log")
    games = [make_record(GAME, seed) for seed in range(4)]
    write(folder, games)
    path = segments(folder)[0]
    content = path.read_bytes()
    ends = np.cumsum([12 + len(encode(game)) for game in games])
    cut = int(share * len(content))
    path.write_bytes(content[:cut] + noise)
    whole = int((ends <= cut).sum())
    write(folder, [make_record(GAME, 100)])
    assert [game.id for game in read_games(folder)] == [f"game-{i}" for i in range(whole)] + ["game-100"]


def test_damage_in_the_middle_costs_one_record(tmp_path, records):
    write(tmp_path, records)
    path = segments(tmp_path)[0]
    content = bytearray(path.read_bytes())
    content[12 + len(encode(records[0])) + 40] ^= 0xFF
    path.write_bytes(content)
    assert [record.id for record in read_games(tmp_path)] == [record.id for record in records[:1] + records[2:]]


def test_a_full_disk_is_told_and_harms_nothing(tmp_path, records, monkeypatch):
    log = GameLog(tmp_path)
    log.append(records[:3])

    def half(file, data):
        file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(gamelog, "_write_all", half)
        with pytest.raises(RunError, match="disk is full"):
            log.append(records[3:6])
    log.append(records[6:])
    log.close()
    assert [record.id for record in read_games(tmp_path)] == [record.id for record in records[:3] + records[6:]]


def test_one_writer_at_a_time(tmp_path, monkeypatch):
    log = GameLog(tmp_path)
    monkeypatch.setattr(gamelog, "lock", lambda path, seconds: lock(path))
    with pytest.raises(RunError, match="Another process"):
        GameLog(tmp_path)
    log.close()
    GameLog(tmp_path).close()


WRITER = """
import sys, pathlib
sys.path.insert(0, {here!r})
from conftest import random_record
from rayzero.games import make_game
from rayzero.storage import lock
from rayzero.gamelog import GameLog
game = make_game("tictactoe")
log = GameLog(pathlib.Path({folder!r}))
for seed in range({first}, {first} + 100000):
    log.append([random_record(game, seed)])
    print(f"game-{{seed}}", flush=True)
"""


def test_killed_writers_lose_nothing_they_acknowledged(tmp_path):
    acknowledged = []
    for first in (0, 100_000, 200_000):
        code = WRITER.format(here=str(Path(__file__).parent), folder=str(tmp_path), first=first)
        writer = subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        )
        for _ in range(30):
            acknowledged.append(writer.stdout.readline().strip())
        writer.kill()
        acknowledged += writer.stdout.read().split("\n")[:-1]
        writer.wait()
    on_disk = [record.id for record in read_games(tmp_path)]
    assert len(on_disk) == len(set(on_disk))
    assert set(acknowledged) <= set(on_disk)
    assert len(on_disk) <= len(acknowledged) + 3
