"""`evaluate.py` as people use it."""

import json
import os
import signal

import numpy as np
import pytest

from rayzero.cli import run
from rayzero.commands import evaluate
from rayzero.config.schema import Game, Net
from rayzero.evaluation.players import MctsPlayer
from rayzero.evaluation.report import sentence
from rayzero.games.registry import make_game
from rayzero.net import Blueprint, Card, save_model
from rayzero.records import MatchResult, Weights

NET = Net(channels=4, blocks=1)


def make_model(path, name="tictactoe", **options):
    game = make_game(name, **options)
    size = Blueprint.create(game, NET).size
    flat = np.random.default_rng(1).uniform(0, 0.1, size).astype(np.float32)
    save_model(path, Weights(3, flat), Card(Game(name, options), NET))
    return str(path)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "small")


def test_json_and_sentence(model, tmp_path, capsys):
    file = tmp_path / "out.json"
    words = [model, "--opponent", "random", "--opponent", "mcts:20", "--games", "10", "--simulations", "16"]
    assert run(evaluate, [*words, "--json", str(file)]) == 0
    content = json.loads(file.read_text())
    assert [match["opponent"] for match in content["matches"]] == ["random", "mcts:20"]
    for match in content["matches"]:
        assert match["wins"] + match["draws"] + match["losses"] == match["games"] == 10
        assert match["score"] == (match["wins"] + match["draws"] / 2) / 10
        assert match["elo_low"] <= match["elo"] <= match["elo_high"]
        assert match["seconds"] > 0
    text = capsys.readouterr().out
    assert "random" in text
    assert content["matches"][0]["meaning"] in text.replace("\n", " ")


def test_json_to_the_output_is_nothing_but_json(model, capsys):
    assert run(evaluate, [model, "--opponent", "random", "--games", "2", "--simulations", "4", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["seed"] == 1


def test_several_models_play_a_round_robin(model, tmp_path):
    other = make_model(tmp_path / "other")
    file = tmp_path / "out.json"
    words = [model, other, f"{model}@4", "--games", "4", "--simulations", "8", "--json", str(file)]
    assert run(evaluate, words) == 0
    content = json.loads(file.read_text())
    assert len(content["matches"]) == 3
    assert {rating["name"] for rating in content["ratings"]} == {f"{model}@8", f"{other}@8", f"{model}@4"}


def test_model_against_itself_has_two_names(model, tmp_path):
    file = tmp_path / "out.json"
    assert run(evaluate, [model, "--opponent", model, "--games", "2", "--simulations", "4", "--json", str(file)]) == 0
    match = json.loads(file.read_text())["matches"][0]
    assert match["player"] != match["opponent"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--opponent", "OTHER"], "is a model for connect4; one for tictactoe is needed"),
        (["--opponent", "solver"], "Connect4 on 7x6 only"),
        (["--opponent", "gomocup:true"], "five in a row"),
        (["--opponent", "mcts:lots"], "is no player"),
        (["--opponent", "runs/nothing"], "There is no model runs/nothing"),
        (["--games", "0"], "--games is 0"),
        (["--simulations", "0"], "--simulations is 0"),
    ],
)
def test_mistakes_are_told_in_a_sentence(model, tmp_path, capsys, words, message):
    other = make_model(tmp_path / "other", "connect4")
    assert run(evaluate, [model, *(other if word == "OTHER" else word for word in words)]) == 2
    assert message in capsys.readouterr().err


def test_boards_of_other_sizes_do_not_meet(tmp_path, capsys):
    small, large = make_model(tmp_path / "a", "gomoku", width=6, height=6), make_model(tmp_path / "b", "gomoku")
    assert run(evaluate, [small, large]) == 2
    assert "board of 15x15; one for 6x6 is needed" in capsys.readouterr().err


def result(pairs):
    games = 2 * sum(pairs)
    points = sum(i * count for i, count in enumerate(pairs)) // 2
    return MatchResult("net", "mcts:4000", points, 0, games - points, pairs, 0, 0, 0, 9.0, 0, 1.0)


def test_sentences():
    assert sentence(result((0, 0, 2, 0, 18))) == "net is stronger than mcts:4000 with more than 99.9 % confidence."
    assert sentence(result((4, 0, 4, 0, 12))).startswith("net is stronger than mcts:4000 with 98.")
    assert "weaker" in sentence(result((18, 0, 2, 0, 0)))
    assert "do not tell" in sentence(result((5, 0, 10, 0, 5)))
    assert "do not tell" in sentence(result((4, 0, 10, 0, 6)))
    assert "do not tell" in sentence(result((6, 0, 10, 0, 4)))


def test_interruption_shows_finished_matches(model, capsys, monkeypatch):
    best = MctsPlayer.best

    def interrupted(self, *arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return best(self, *arguments)

    monkeypatch.setattr(MctsPlayer, "best", interrupted)
    words = [model, "--opponent", "random", "--opponent", "mcts:10", "--opponent", "random"]
    assert run(evaluate, [*words, "--games", "4", "--simulations", "4", "--json", "-"]) == 130
    shown = capsys.readouterr()
    assert [match["opponent"] for match in json.loads(shown.out)["matches"]] == ["random"]
    assert "Interrupted" in shown.err
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
