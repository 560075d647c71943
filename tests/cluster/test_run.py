"""The run directory: what survives, and which settings a run can go on with."""

import dataclasses
import os
import subprocess
import sys

import pytest

from rayzero.cluster.run import RunDirectory
from rayzero.config import load_config
from rayzero.errors import RunError
from rayzero.reports import Progress


def config(folder, *settings):
    return load_config("tictactoe", [f"run.dir={folder}", *settings])


def test_a_checkpoint_holds_files_and_progress(tmp_path):
    run = RunDirectory(config(tmp_path))
    assert run.newest() is None and not run.existed
    progress = Progress(
        seconds=12.5,
        steps=30,
        games=7,
        plies=60,
        positions=40,
        simulations=900,
        evaluations=800,
        budget={"earned": 31.5, "positions": 40},
        matched={"seconds": 10.0, "games": 5, "version": 20},
    )
    assert all(getattr(progress, entry.name) for entry in dataclasses.fields(progress))
    run.save({"learner.json": b"{}"}, progress)
    run.close()
    again = RunDirectory(config(tmp_path))
    found = again.newest()
    assert again.existed and again.starts == 1
    assert found.progress == progress and found.files == {"learner.json": b"{}"}


def test_the_last_few_checkpoints_are_kept(tmp_path):
    run = RunDirectory(config(tmp_path, "run.keep_checkpoints=2"))
    for steps in (5, 10, 100, 20):
        run.save({}, Progress(steps=steps))
    assert sorted(os.listdir(run.path / "checkpoints")) == ["step-100", "step-20"]


def test_a_half_written_checkpoint_is_not_there(tmp_path):
    run = RunDirectory(config(tmp_path))
    run.save({}, Progress(steps=5))
    (run.path / "checkpoints" / "step-9.new").mkdir()
    assert run.newest().progress.steps == 5


@pytest.mark.parametrize(
    ("setting", "key"), [("net.channels=8", "net.channels"), ("game.options={width: 4}", "game.options")]
)
def test_another_game_or_net_is_refused_by_its_keys(tmp_path, setting, key):
    RunDirectory(config(tmp_path)).close()
    with pytest.raises(RunError, match=key):
        RunDirectory(config(tmp_path, setting))


def test_other_settings_may_change(tmp_path):
    RunDirectory(config(tmp_path)).close()
    RunDirectory(config(tmp_path, "run.minutes=99", "search.simulations=7", "learner.batch=32")).close()
    assert load_config(tmp_path / "tictactoe" / "config.yaml").search.simulations == 7


def test_new_starts_beside(tmp_path):
    names = []
    for _ in range(3):
        run = RunDirectory(config(tmp_path), new=True)
        names.append(run.path.name)
        run.close()
    assert names == ["tictactoe", "tictactoe-2", "tictactoe-3"]


def test_one_driver_at_a_time(tmp_path):
    run = RunDirectory(config(tmp_path))
    with pytest.raises(RunError, match="another process"):
        RunDirectory(config(tmp_path))
    run.close()
    RunDirectory(config(tmp_path)).close()


def test_a_place_that_is_no_directory_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="run.dir"):
        RunDirectory(config(tmp_path / "file"))


def test_the_command_says_so_in_a_sentence(tmp_path):
    RunDirectory(config(tmp_path)).close()
    done = subprocess.run(
        [sys.executable, "launch.py", "conf/tictactoe.yaml", f"run.dir={tmp_path}", "net.blocks=9"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "net.blocks was 2 and is now 9" in done.stderr and "Traceback" not in done.stderr
