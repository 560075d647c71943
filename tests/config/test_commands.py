"""The command line: what is printed, what is started, and how a command ends."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import rayzero.cluster.driver
from rayzero import __version__
from rayzero.cli import make_parser, run
from rayzero.commands import script, train
from rayzero.config import Options, config_diff, dump, load_config
from rayzero.errors import RunError

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def started(monkeypatch):
    """What the driver was called with, instead of a training."""
    calls = []
    monkeypatch.setattr(rayzero.cluster.driver, "train", lambda *given: calls.append(given))
    return calls


def test_training_is_started_with_the_settings_and_the_options(started):
    assert run(train, ["gomoku6", "search.simulations=3", "--quiet", "run.seed=9"]) == 0
    assert run(train, ["--new", "gomoku6"]) == 0
    assert started == [
        (load_config("gomoku6", ["search.simulations=3", "run.seed=9"]), Options(quiet=True)),
        (load_config("gomoku6"), Options(new=True)),
    ]


def test_the_script_is_the_same_as_the_files_at_the_top(started, capsys):
    assert run(script, ["train", "gomoku6", "--new"]) == 0
    assert started == [(load_config("gomoku6"), Options(new=True))]
    assert run(script, ["train", "gomoku6", "serch.x=1"]) == 2
    assert "serch.x" in capsys.readouterr().err


@pytest.mark.parametrize(("which", "write"), [("job", dump), ("diff", config_diff)])
def test_settings_are_printed_and_nothing_is_started(which, write, started, capsys):
    assert run(train, ["gomoku8", "--cfg", which, "run.steps=1e6"]) == 0
    printed = capsys.readouterr().out
    assert printed == write(load_config("gomoku8", ["run.steps=1e6"]))
    assert yaml.safe_load(printed)["run"]["steps"] == 1_000_000
    assert started == []


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["gomoku15", "--cfg", "job"], ["gomoku15", "--cfg=diff"]]
)
def test_looking_around_imports_neither_ray_nor_torch(arguments):
    code = (
        "import sys; from rayzero.cli import run; from rayzero.commands import train\n"
        "try: run(train, sys.argv[1:])\n"
        "finally: sys.exit(repr({'ray', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stderr.strip() == "set()"
    assert done.stdout


def test_help_names_the_shipped_configs(capsys):
    with pytest.raises(SystemExit) as exit:
        run(train, ["--help"])
    assert exit.value.code == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "gomoku15, gomoku6, gomoku8" in said
    assert "--cfg {job,diff}" in said


def test_no_arguments_show_the_usage(capsys):
    with pytest.raises(SystemExit) as exit:
        run(train, [])
    assert exit.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize("file", ["launch.py", "evaluate.py"])
def test_the_files_at_the_top_say_their_version_and_name(file):
    for option, expected in (("--version", f"rayzero {__version__}"), ("--help", f"usage: {file}")):
        done = subprocess.run([sys.executable, file, option], cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0
        assert done.stdout.startswith(expected)


def test_programs_are_called_as_they_were_started(monkeypatch):
    for path, name in (
        ("/a/launch.py", "launch.py"),
        ("/bin/rayzero", "rayzero train"),
        ("x/__main__.py", "rayzero train"),
    ):
        monkeypatch.setattr(sys, "argv", [path])
        assert make_parser("train", "").prog == name


def test_how_commands_end(capsys):
    def fail(error):
        def main(argv):
            raise error

        return main

    assert run(lambda argv: None, []) == 0
    assert run(lambda argv: 7, []) == 7
    assert run(fail(RunError("The disk is full.")), []) == 2
    assert capsys.readouterr().err == "The disk is full.\n"
    assert run(fail(KeyboardInterrupt()), []) == 130
    with pytest.raises(ZeroDivisionError):
        run(fail(ZeroDivisionError()), [])


def test_a_reader_that_leaves_early_is_no_error():
    done = subprocess.run(
        f"{sys.executable} launch.py gomoku15 --cfg job | head -n 1",
        shell=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("game:\n", "")
