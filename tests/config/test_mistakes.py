"""Every mistake becomes a sentence or two: what was wrong, where, what would be right; exit code 2."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from rayzero.cli import run
from rayzero.commands import train

ROOT = Path(__file__).parent.parent.parent

# What is typed after `launch.py conf/gomoku15.yaml`, and what the answer must say.
ON_THE_COMMAND_LINE = {
    "misspelt key": ("search.simulatons=3", ["search.simulatons", "command line", "Did you mean search.simulations?"]),
    "misspelt section": ("serch.kind=puct", ["serch.kind", "Did you mean search.kind?"]),
    "section left out": ("c_puct=3", ["c_puct", "Did you mean search.c_puct?"]),
    "key of another section": ("search.batch=3", ["search.batch", "Did you mean learner.batch?"]),
    "unlike any section": ("qqq.www=3", ["qqq.www", "The sections are: game, net, search,"]),
    "unlike any key": ("replay.zzzzz=3", ["replay.zzzzz", "In replay there are: window_min,"]),
    "below a value": ("search.simulations.full=3", ["search.simulations.full"]),
    "text for a whole number": ("search.simulations=many", ["search.simulations=many", "a whole number", "96"]),
    "fraction for a whole number": ("learner.batch=12.5", ["learner.batch=12.5", "a whole number"]),
    "true for a whole number": ("learner.batch=true", ["learner.batch=true", "a whole number"]),
    "list for a number": ("learner.clip=[1, 2]", ["learner.clip=[1, 2]", "a number"]),
    "text for a number": ("learner.learning_rate=2e-3x", ["learner.learning_rate=2e-3x", "a number", "0.002"]),
    "null where a value is needed": ("net.blocks=null", ["net.blocks=null", "a whole number"]),
    "neither true nor false": ("search.solver=maybe", ["search.solver=maybe", "true or false"]),
    "unknown word": ("search.kind=alphabeta", ["search.kind=alphabeta", "one of puct, gumbel"]),
    "truth for a text": ("run.name=off", ["run.name=false", "a text"]),
    "number for a section": ("search=3", ["search=3", "section", "search.kind=puct"]),
    "list for a mapping": ("game.options=[1]", ["game.options=[1]", "mapping"]),
    "no value": ("search.simulations", ["'search.simulations'", "key=value"]),
    "no key": ("=3", ["'=3'", "key=value"]),
    "with dashes": ("--search.simulations=3", ["--search.simulations=3", "no dashes: search.simulations=3"]),
    "unknown option": ("--fast", ["--fast", "--help"]),
    "broken value": ("game.options={width: 8", ["game.options={width: 8", "expected ',' or '}'"]),
    "reference to nothing": ("run.steps=${run.stepz}", ["run.steps", "run.stepz"]),
    "broken reference": ("run.steps=${run", ["run.steps=${run"]),
    "missing value": ("run.seed=???", ["run.seed", "missing"]),
    "negative": ("search.c_puct=-1", ["search.c_puct=-1", "at least 0"]),
    "zero": ("search.simulations=0", ["search.simulations=0", "at least 1"]),
    "not a number": ("learner.learning_rate=nan", ["learner.learning_rate=nan", "finite"]),
    "infinite": ("run.minutes=inf", ["run.minutes=inf", "finite"]),
    "above a share": ("selfplay.full_share=25", ["selfplay.full_share=25", "more than 0 and at most 1"]),
    "average that never moves": ("learner.ema=1", ["learner.ema=1", "below 1"]),
    "batch larger than the window": ("learner.batch=2e6", ["learner.batch=2000000", "replay.window_max=1000000"]),
    "window upside down": ("replay.window_min=2e6", ["replay.window_min=2000000", "replay.window_max=1000000"]),
    "ladder upside down": ("evaluation.ladder_max=9", ["evaluation.ladder_max=9", "evaluation.ladder_start=1000"]),
    "row longer than the board": ("game.options.in_a_row=16", ["game.options", "16", "15x15"]),
    "board too large": ("game.options.width=99", ["game.options", "99x15"]),
    "misspelt option of a game": ("game.options.widht=9", ["'widht'", "Did you mean width?"]),
    "text for an option of a game": ("game.options.width=wide", ["width", "'wide'", "int"]),
    "misspelt game": ("game.name=gomuko", ["gomuko", "Did you mean gomoku?"]),
    "module that is not there": ("game.name=no.such.module:Game", ["no.such.module"]),
    "file that is not there": ("game.name=no/such/file.py:Game", ["no/such/file.py"]),
    "opening longer than the game": ("evaluation.opening_plies=225", ["evaluation.opening_plies=225", "224"]),
    "no cache to share": ("search.cache_symmetry=true", ["search.cache=0", "search.cache=100000"]),
    "a path for a name": ("run.name=../mine", ["run.name=../mine", "run.dir"]),
    "more GPUs than there are": ("learner.gpus=999", ["learner.gpus=999", "this machine has"]),
}
# Several settings that contradict each other.
TOGETHER = {
    "head that is switched off": (
        ["search.moves_left_slope=0.1", "net.moves_left=false"],
        ["search.moves_left_slope=0.1", "net.moves_left=false"],
    ),
    "int8 in torch": (["inference.precision=int8", "inference.engine=torch"], ["inference.engine=torch", "OpenVINO"]),
    "OpenVINO on a GPU": (["inference.engine=openvino", "inference.device=cuda"], ["inference.device=cuda"]),
    "forced playouts without puct": (["search.forced_playouts=2", "search.kind=gumbel"], ["search.kind=gumbel"]),
    "start beyond the window": (
        ["learner.min_positions=3000", "replay.window_max=2000", "replay.window_min=1"],
        ["learner.min_positions=3000", "replay.window_max=2000"],
    ),
}
# What a config file holds, and what the answer must say.
IN_A_FILE = {
    "not YAML": (b"search: {simulations: 3\nnet: 5\n", ["not valid YAML", "line 2"]),
    "tabs": (b"search:\n\tsimulations: 3\n", ["not valid YAML", "line 2"]),
    "a key twice": (b"search: {leaves: 3}\nsearch: {leaves: 4}\n", ["not valid YAML", "duplicate key search"]),
    "a list": (b"- search\n- net\n", ["sections such as `search:`"]),
    "a text": (b"train a strong player, please", ["mine.yaml"]),
    "not text": (b"\xff\xfe\x00", ["mine.yaml", "can't be read"]),
    "misspelt key": (b"search: {simulatons: 3}\n", ["mine.yaml", "Did you mean search.simulations?"]),
    "wrong type": (b"search: {simulations: many}\n", ["search.simulations=many", "mine.yaml", "a whole number"]),
    "a section for a value": (b"search: {simulations: {full: 3}}\n", ["search.simulations", "mine.yaml"]),
}


@pytest.fixture
def answer(capsys):
    def answer(*argv):
        code = run(train, argv)
        out, err = capsys.readouterr()
        assert (code, out) == (2, "")
        assert "Traceback" not in err
        assert err.count("\n") == 1, "one line"
        assert len(err) < 500
        return err

    return answer


@pytest.mark.parametrize("kind", ON_THE_COMMAND_LINE)
def test_on_the_command_line(kind, answer):
    text, expected = ON_THE_COMMAND_LINE[kind]
    said = answer(str(ROOT / "conf/gomoku15.yaml"), text)
    assert [part for part in expected if part not in said] == [], said


@pytest.mark.parametrize("kind", TOGETHER)
def test_contradictions(kind, answer):
    texts, expected = TOGETHER[kind]
    said = answer(str(ROOT / "conf/gomoku15.yaml"), *texts)
    assert [part for part in expected if part not in said] == [], said


@pytest.mark.parametrize("kind", IN_A_FILE)
def test_in_a_file(kind, answer, tmp_path):
    content, expected = IN_A_FILE[kind]
    (tmp_path / "mine.yaml").write_bytes(content)
    said = answer(str(tmp_path / "mine.yaml"))
    assert [part for part in expected if part not in said] == [], said


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("conf/gomoku51.yaml", "Did you mean conf/gomoku15.yaml?"),
        ("nothing/like/it.yaml", "Shipped are: classic8,"),
        ("conf", "is a folder"),
        ("search.simulations=3", "The config file comes before settings"),
    ],
)
def test_files_that_are_not_there(path, expected, answer, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert expected in answer(path)


@pytest.mark.parametrize("program", [["launch.py"], ["-m", "rayzero.commands", "train"]])
def test_a_mistake_is_told_within_three_seconds(program):
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, *program, "conf/gomoku15.yaml", "search.simulatons=3"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    seconds = time.monotonic() - started
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "There is no setting search.simulatons (on the command line). Did you mean search.simulations?\n"
    )
    assert seconds < 3
