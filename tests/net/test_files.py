"""Model files: what is written comes back, and whatever else is refused in a sentence."""

import json
import os
import pickle
import re
import resource
import shutil
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rayzero.config.schema import Game as GameConfig
from rayzero.config.schema import Net as NetConfig
from rayzero.errors import ModelError
from rayzero.net import Blueprint, Card, find_model, load_model, save_model
from rayzero.net.files import load_weights
from rayzero.records import Weights

GAME = GameConfig("gomoku", {"width": 8, "height": 8})


@pytest.fixture(scope="module")
def model(tmp_path_factory, gomoku8, weights_for):
    net = NetConfig(channels=16, blocks=2)
    path = tmp_path_factory.mktemp("models") / "good"
    card = Card(GAME, net, ratings={"elo": 120, "against": "mcts:1000"}, config_hash="abc", notes="a test")
    save_model(path, weights_for(Blueprint.create(gomoku8, net)), card)
    return path


@pytest.fixture
def copy(model, tmp_path):
    return shutil.copytree(model, tmp_path / "copy")


def test_a_model_comes_back(model, gomoku8, weights_for):
    loaded = load_model(model, GAME)
    assert np.array_equal(loaded.weights.flat, weights_for(Blueprint.create(gomoku8, loaded.net)).flat)
    assert loaded.weights.version == loaded.card.steps == 7
    assert loaded.card.game == GAME and loaded.net == NetConfig(channels=16, blocks=2)
    assert loaded.card.ratings["elo"] == 120 and loaded.card.config_hash == "abc"
    assert (loaded.game.width, loaded.game.height) == (8, 8)
    assert np.array_equal(load_model(model / "model.safetensors").weights.flat, loaded.weights.flat)


def test_the_card_is_readable(model):
    card = json.loads((model / "card.json").read_text())
    assert card["game"] == {"name": "gomoku", "options": {"width": 8, "height": 8}}
    assert card["net"]["channels"] == 16 and card["steps"] == 7 and card["rayzero"]
    assert (os.stat(model / "model.safetensors").st_mode & 0o444) == os.stat(model / "card.json").st_mode & 0o444


@pytest.mark.parametrize(
    ("expected", "sentence"),
    [
        (GameConfig("connect4"), "model for gomoku; one for connect4 is needed"),
        (GameConfig("gomoku"), "board of 8x8; one for 15x15 is needed"),
        (GameConfig("gomoku", {"width": 8, "height": 8, "in_a_row": 4}), "other rules of gomoku"),
    ],
)
def test_a_model_for_something_else_is_refused(model, expected, sentence):
    with pytest.raises(ModelError, match=sentence):
        load_model(model, expected)


def test_where_models_are_found(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = tmp_path / "runs" / "first"
    for step in (9, 10, 2):
        shutil.copytree(model, run / "checkpoints" / f"step-{step}")
    (run / "checkpoints" / "step-11").mkdir()
    assert find_model("first") == find_model("runs/first").relative_to("")
    assert find_model(run) == run / "checkpoints" / "step-10"
    (run / "best").symlink_to(run / "checkpoints" / "step-9")
    assert find_model(run) == run / "best"
    assert find_model(run / "checkpoints" / "step-2") == run / "checkpoints" / "step-2"
    assert find_model(model) == find_model(str(model / "model.safetensors")) == model
    load_model(find_model("first"))


def test_a_model_that_is_not_there_is_told(tmp_path, model):
    with pytest.raises(ModelError, match="There is no model nowhere"):
        find_model("nowhere")
    with pytest.raises(ModelError, match="holds no model yet"):
        find_model(tmp_path)
    with pytest.raises(ModelError, match="no model file"):
        find_model(model / "card.json")
    with pytest.raises(ModelError, match="is no model"):
        load_model(tmp_path)


class Bomb:
    """A pickle that would leave a trace if anything loaded it."""

    def __reduce__(self):
        return os.mkdir, ("pickle-was-executed",)


def header_of(data):
    return data[8 : 8 + int.from_bytes(data[:8], "little")]


def with_header(data, header):
    return len(header).to_bytes(8, "little") + header + data[8 + len(header_of(data)) :]


def edit_header(change):
    def edit(data):
        entries = json.loads(header_of(data))
        change(entries)
        return with_header(data, json.dumps(entries).encode())

    return edit


def swap_shapes(entries):
    first, second = "stem.weight", "block0_first.weight"
    entries[first]["shape"], entries[second]["shape"] = entries[second]["shape"], entries[first]["shape"]


def swap_offsets(entries):
    first, second = "block0_first.weight", "block0_second.weight"
    entries[first]["data_offsets"], entries[second]["data_offsets"] = (
        entries[second]["data_offsets"],
        entries[first]["data_offsets"],
    )


def million_entries(data):
    entry = b'"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    return with_header(data, b"{%s}" % b",".join(entry % i for i in range(1_000_000)))


BROKEN_WEIGHTS = {
    "empty": lambda data: b"",
    "one byte": lambda data: data[:1],
    "eight bytes": lambda data: data[:8],
    "half the header": lambda data: data[:300],
    "no data": lambda data: data[: 8 + len(header_of(data))],
    "one byte short": lambda data: data[:-1],
    "half the data": lambda data: data[: len(data) // 2],
    "one byte more": lambda data: data + b"\0",
    "a flipped bit": lambda data: data[:-50] + bytes([data[-50] ^ 1]) + data[-49:],
    "numbers that are not": lambda data: data[:-4] + np.float32(np.nan).tobytes(),
    "header of 2**63 bytes": lambda data: (1 << 63).to_bytes(8, "little") + data[8:],
    "header of 90 MB": lambda data: (90_000_000).to_bytes(8, "little") + data[8:],
    "header too long by a byte": lambda data: (len(header_of(data)) + 1).to_bytes(8, "little") + data[8:],
    "header of a million entries": million_entries,
    "header is a list": lambda data: with_header(data, b"[]" + b" " * 20),
    "header is noise": lambda data: with_header(data, b"{" + bytes(range(128, 228))),
    "header nested deep": lambda data: with_header(data, b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "a tensor of 2**60 numbers": lambda data: edit_header(lambda e: e["stem.weight"].update(shape=[1 << 60]))(data),
    "offsets beyond the end": lambda data: edit_header(lambda e: e["stem.weight"].update(data_offsets=[0, 1 << 40]))(
        data
    ),
    "other types": edit_header(lambda e: e["stem.weight"].update(dtype="I32")),
    "a tensor missing": edit_header(lambda e: e.pop("value.bias")),
    "a foreign tensor": edit_header(lambda e: e.update(extra={"dtype": "F32", "shape": [0], "data_offsets": [0, 0]})),
    "swapped shapes": edit_header(swap_shapes),
    "swapped offsets": edit_header(swap_offsets),
    "a pickle": lambda data: pickle.dumps(Bomb()),
    "a pickle after a header": lambda data: data[: 8 + len(header_of(data))] + pickle.dumps(Bomb()),
    "a zip": lambda data: b"PK\x03\x04" + data,
    "text": lambda data: b"not a model, only words " * 10,
}


def refuse(path, expected=None):
    """The sentence with which a model is refused, soon, in little memory, and without running anything."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    with pytest.raises(ModelError) as caught:
        load_model(path, expected)
    assert time.perf_counter() - start < 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1_000_000  # kB
    sentence = str(caught.value)
    assert str(path) in sentence and sentence.endswith((".", "?")) and len(sentence) < 600
    return sentence


@pytest.mark.parametrize("damage", BROKEN_WEIGHTS.values(), ids=BROKEN_WEIGHTS.keys())
def test_broken_weights_are_refused(damage, copy, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    file = copy / "model.safetensors"
    file.write_bytes(damage(file.read_bytes()))
    refuse(copy)
    assert not (tmp_path / "pickle-was-executed").exists()


def edit_card(**changes):
    def edit(data):
        entries = json.loads(data)
        for key, value in changes.items():
            section, _, name = key.partition("__")
            if name:
                entries[section][name] = value
            else:
                entries[section] = value
        return json.dumps(entries).encode()

    return edit


BROKEN_CARDS = {
    "empty": (lambda data: b"", "not JSON"),
    "cut off": (lambda data: data[: len(data) // 2], "not JSON"),
    "a list": (lambda data: b"[1, 2]", "no model card"),
    "nested deep": (lambda data: b"[" * 100_000 + b"]" * 100_000, "no model card|not JSON"),
    "huge": (lambda data: data + b" " * 2_000_000, "larger than"),
    "not UTF-8": (lambda data: b"\xff\xfe\xfa" + data, "not JSON"),
    "a pickle": (lambda data: pickle.dumps(Bomb()), "not JSON"),
    "another format": (edit_card(format=2), "format 1"),
    "game is text": (edit_card(game="gomoku"), "game should be"),
    "no checksum": (edit_card(sha256=None), "sha256 should be"),
    "unknown game": (edit_card(game__name="go"), "not built in"),
    "a game that is code": (edit_card(game__name="os:path"), "not built in"),
    "a game that is a file": (edit_card(game__name="/tmp/evil.py:Evil"), "not built in"),
    "unknown option": (edit_card(game__options={"depth": 3}), "no option"),
    "huge board": (edit_card(game__options={"width": 10**9, "height": 10**9}), "can't be made"),
    "option of another type": (edit_card(game__options={"width": "8", "height": [8]}), "can't be made"),
    "other sizes": (edit_card(sizes__plane_count=5), "stem.weight"),
    "another board": (edit_card(game__options={}), "sizes"),
    "negative sizes": (edit_card(sizes__height=-3), "sizes should"),
    "huge net": (edit_card(net__channels=10**9), "channels"),
    "huge but possible net": (edit_card(net__channels=4096, net__blocks=256), "another net"),
    "unknown architecture": (edit_card(net__architecture="transformer"), "net.architecture"),
    "another architecture": (edit_card(net__architecture="nested"), "another net"),
    "another width": (edit_card(net__channels=32), "another net"),
    "other heads": (edit_card(net__value_head="tanh"), "value.weight"),
    "channels as text": (edit_card(net__channels="16"), "type int"),
    "an unknown setting": (edit_card(net__dropout=0.1), "may be newer"),
}


@pytest.mark.parametrize(("damage", "sentence"), BROKEN_CARDS.values(), ids=BROKEN_CARDS.keys())
def test_broken_cards_are_refused(damage, sentence, copy, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    file = copy / "card.json"
    file.write_bytes(damage(file.read_bytes()))
    told = refuse(copy)
    assert re.search(sentence, told), told
    assert not (tmp_path / "pickle-was-executed").exists()


def test_missing_halves_are_refused(copy):
    (copy / "model.safetensors").unlink()
    assert "can't be read" in refuse(copy)


def test_weights_of_another_model_do_not_pass_for_its_own(copy, gomoku8, weights_for, tmp_path):
    """Same game, same net, other training: only the checksum can tell."""
    net = load_model(copy).net
    save_model(tmp_path / "other", weights_for(Blueprint.create(gomoku8, net), seed=5), Card(GAME, net))
    shutil.copy(tmp_path / "other" / "model.safetensors", copy)
    assert "checksum" in refuse(copy)


def test_a_game_from_outside_loads_only_where_it_is_named(copy):
    """The weights can be read; the code of the game is another matter."""
    file = copy / "card.json"
    file.write_bytes(edit_card(game__name="my_pkg.hex:Hex")(file.read_bytes()))
    load_weights(copy)
    assert "not built in" in refuse(copy)
    assert "no module" in refuse(copy, GameConfig("my_pkg.hex:Hex"))


@given(data=st.data())
def test_cut_anywhere_it_is_refused(data, model, tmp_path_factory):
    whole = (model / "model.safetensors").read_bytes()
    end = data.draw(st.integers(0, len(whole) - 1))
    path = tmp_path_factory.mktemp("cut")
    shutil.copy(model / "card.json", path)
    (path / "model.safetensors").write_bytes(whole[:end])
    refuse(path)


@given(data=st.data())
def test_noise_anywhere_it_is_refused(data, model, tmp_path_factory):
    whole = bytearray((model / "model.safetensors").read_bytes())
    start = data.draw(st.integers(0, len(whole) - 1))
    noise = data.draw(st.binary(min_size=1, max_size=64))
    changed = whole[:start] + noise + whole[start + len(noise) :]
    path = tmp_path_factory.mktemp("noise")
    shutil.copy(model / "card.json", path)
    (path / "model.safetensors").write_bytes(changed)
    try:
        flat = load_model(path).weights.flat
    except ModelError:
        return
    assert np.array_equal(flat, load_model(model).weights.flat)  # The noise said the same in other words.


def test_weights_that_are_not_finite_are_refused(tmp_path, gomoku8, weights_for):
    net = NetConfig(channels=8, blocks=1)
    weights = weights_for(Blueprint.create(gomoku8, net))
    weights.flat[3] = np.inf
    save_model(tmp_path / "bad", Weights(1, weights.flat), Card(GAME, net))
    assert "not finite" in refuse(tmp_path / "bad")
