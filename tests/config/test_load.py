"""Files, overrides, and what is written back."""

import dataclasses
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rayzero.config import Config, config_diff, config_names, dump, load_config
from rayzero.config.checks import LIMITS, get
from rayzero.config.describe import keys
from rayzero.errors import UserError

ROOT = Path(__file__).parent.parent.parent
TASKS = {"classic8", "connect4", "gomoku15", "gomoku6", "gomoku8", "othello", "tictactoe"}


def test_default_yaml_lists_every_key_with_the_default_of_the_schema():
    listed = yaml.safe_load((ROOT / "conf/default.yaml").read_text())
    assert listed == dataclasses.asdict(Config())
    assert [(s, list(keys)) for s, keys in listed.items()] == [
        (s, list(keys)) for s, keys in dataclasses.asdict(Config()).items()
    ], "in the same order"


def test_default_yaml_gives_every_key_a_reason():
    lines = (ROOT / "conf/default.yaml").read_text().splitlines()
    assert [line for line in lines if line.startswith("  ") and "  # " not in line] == []


@pytest.mark.parametrize("name", sorted(TASKS))
def test_task_files_load_and_hold_differences_only(name):
    config = load_config(ROOT / f"conf/{name}.yaml")
    assert config.run.name == name
    defaults = dataclasses.asdict(Config())
    for section, values in yaml.safe_load((ROOT / f"conf/{name}.yaml").read_text()).items():
        for key, value in values.items():
            if (name, section) != ("classic8", section):  # It spells out the settings that it is there to keep.
                assert value != defaults[section][key] or section == "game", f"{section}.{key} is the default anyway"
            assert getattr(getattr(config, section), key) == value


def test_shipped_names():
    assert set(config_names()) == TASKS


def test_plain_dataclasses_come_out():
    config = load_config("gomoku8")
    assert type(config) is Config
    assert type(config.game.options) is dict
    assert all(dataclasses.is_dataclass(getattr(config, field.name)) for field in dataclasses.fields(config))


def test_later_overrides_win_over_earlier_ones_and_over_the_file():
    config = load_config("gomoku8", ["search.simulations=3", "search.simulations=5", "game.options.width=9"])
    assert config.search.simulations == 5
    assert config.game.options == {"width": 9, "height": 8, "in_a_row": 5}


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("run.steps=1e6", "run.steps", 1_000_000),
        ("run.steps=2.0", "run.steps", 2),
        ("run.steps=1_000", "run.steps", 1000),
        ("run.minutes=3", "run.minutes", 3.0),
        ("search.c_puct=1e-3", "search.c_puct", 0.001),
        ("search.solver=off", "search.solver", False),
        ("run.name=7", "run.name", "7"),
        ("run.dir=s3://bucket/runs", "run.dir", "s3://bucket/runs"),
        ("selfplay.workers=null", "selfplay.workers", None),
        ("search={simulations: 7, kind: gumbel}", "search.simulations", 7),
        ("game.options={width: 9, height: 1e1}", "game.options", {"width": 9, "height": 10}),
        ("game.options.height=1e1", "game.options", {"height": 10}),
        ("run.games=${run.seed}", "run.games", 1),
    ],
)
def test_overrides_are_read_as_people_mean_them(text, key, value):
    got = get(load_config(None, [text]), key)
    assert got == value
    assert type(got) is type(value)


def test_a_file_may_leave_a_section_empty_and_use_dots(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("search:\n  # simulations: 3\nlearner:\nrun.steps: 1e3\n")
    assert load_config(file).run.steps == 1000
    file.write_text("")
    assert load_config(file).run.name == "mine"


def test_names_work_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_config("tictactoe") == load_config("conf/tictactoe.yaml") == load_config("tictactoe.yaml")
    Path("tictactoe").mkdir()
    Path("tictactoe.yaml").write_text("run: {seed: 7}")
    assert load_config("tictactoe.yaml").run.seed == 7, "a file that is there goes first"


@pytest.mark.parametrize("name", sorted(TASKS))
def test_what_is_dumped_is_read_back(name, tmp_path):
    config = load_config(name, ["search.c_puct=0.1", "net.init_from='null'", "run.name='1e3'"])
    for write in (dump, config_diff):
        (tmp_path / "config.yaml").write_text(write(config))
        assert load_config(tmp_path / "config.yaml") == config


def test_diff_holds_what_differs_and_nothing_else():
    assert config_diff(Config()) == ""
    assert yaml.safe_load(config_diff(load_config("gomoku15", ["search.simulations=3"]))) == {
        **yaml.safe_load((ROOT / "conf/gomoku15.yaml").read_text()),
        "game": {"options": {"width": 15, "height": 15, "in_a_row": 5}},
        "search": {**load_file("gomoku15").get("search", {}), "simulations": 3},
        "run": {**load_file("gomoku15").get("run", {}), "name": "gomoku15"},
    }


def load_file(name):
    return yaml.safe_load((ROOT / f"conf/{name}.yaml").read_text())


def test_limits_are_given_for_keys_that_exist():
    assert set(LIMITS) <= set(keys())


@settings(max_examples=40)
@given(st.sampled_from(sorted(keys())), st.text(max_size=12))
def test_no_text_breaks_the_loader(key, value):
    loads_or_says_why(None, [f"{key}={value}"])


@settings(max_examples=40)
@given(st.dictionaries(st.text(max_size=5), st.recursive(st.none() | st.floats() | st.text(max_size=3), st.lists)))
def test_no_file_breaks_the_loader(tmp_path_factory, content):
    file = tmp_path_factory.mktemp("any") / "any.yaml"
    file.write_text(yaml.safe_dump({"search": content, "game": content}))
    loads_or_says_why(file, [])


def loads_or_says_why(file, overrides):
    said = "."
    try:
        load_config(file, overrides)
    except UserError as error:
        said = str(error)
    assert said.endswith((".", "?"))
