"""The judge of a run: ladder, promotion and ratings survive anything."""

from dataclasses import replace

import numpy as np
import pytest

from rayzero.config.schema import Config, Evaluation, Game, Net, Search
from rayzero.evaluation import judge as judge_module
from rayzero.evaluation.judge import Judge
from rayzero.evaluation.log import MatchLog
from rayzero.evaluation.matches import play_games
from rayzero.evaluation.promotion import best_version
from rayzero.evaluation.ratings import read_ratings
from rayzero.evaluator import UniformEvaluator
from rayzero.games.registry import make_game
from rayzero.net import Blueprint, load_model
from rayzero.records import MatchResult, Weights

CONFIG = Config(
    game=Game("tictactoe"),
    net=Net(channels=4, blocks=1),
    search=Search(lookahead=0, solver=False),
    evaluation=Evaluation(games=4, simulations=4, ladder_start=1000),
)
SIZE = Blueprint.create(make_game("tictactoe"), CONFIG.net).size


def weights(version):
    return Weights(version, np.zeros(SIZE, np.float32))


def make_judge(run, config=CONFIG):
    return Judge(config, run, evaluator=UniformEvaluator(9))


def result_of(player, opponent, score, games=4):
    points = round(score * games)
    pairs = [0] * 5
    pairs[4], pairs[0] = points // 2, (games - points) // 2
    pairs[2] = games // 2 - pairs[4] - pairs[0]
    return MatchResult(player, opponent, points, 0, games - points, tuple(pairs), points // 2, 0, 0, 7.0, 0, 0.1)


@pytest.fixture
def scores(monkeypatch):
    """Scores of the ladder matches to come; other matches are even."""
    waiting = []

    def play(game, player, opponent, games, **_):
        score = waiting.pop(0) if player.name.startswith("step") else 0.5
        return result_of(player.name, opponent.name, score)

    monkeypatch.setattr(judge_module, "play_match", play)
    return waiting


def test_real_match_is_played_and_rated(tmp_path):
    report = make_judge(tmp_path).evaluate(weights(5), games=123)
    assert report.result.games == 4
    assert report.result.opponent == "mcts:1000"
    assert (report.version, report.rung) == (5, 1000)
    assert report.rating is not None
    assert {rating.name for rating in read_ratings(tmp_path / "ratings.json")} == {"step-5@4", "mcts:1000"}
    if report.promoted:
        assert load_model(tmp_path / "best").card.games == 123


def test_promotes_climbs_and_links_the_new_rung(tmp_path, scores):
    judge = make_judge(tmp_path)
    scores += [0.5, 0.25, 1.0, 0.25]
    reports = [judge.evaluate(weights(version)) for version in (10, 20, 30, 40)]
    assert [report.promoted for report in reports] == [True, False, True, True]
    assert [report.climbed for report in reports] == [False, False, True, False]
    assert [report.rung for report in reports] == [1000, 1000, 1000, 2000]
    assert best_version(tmp_path) == 40
    model = load_model(tmp_path / "best")
    assert model.weights.version == 40
    assert model.card.ratings["match"]["opponent"] == "mcts:2000"
    bridges = [entry.result for entry in judge.log.entries if entry.kind == "bridge"]
    assert [(bridge.player, bridge.opponent) for bridge in bridges] == [("mcts:2000", "mcts:1000")]
    assert all(report.rating for report in reports)


def test_ladder_that_starts_elsewhere_is_linked_to_the_anchor(tmp_path, scores):
    config = replace(CONFIG, evaluation=replace(CONFIG.evaluation, ladder_start=50))
    scores += [0.5, 1.0, 0.5]
    judge = make_judge(tmp_path, config)
    for version in (1, 2, 3):
        assert judge.evaluate(weights(version)).rating is not None
    bridges = [(e.result.player, e.result.opponent) for e in judge.log.entries if e.kind == "bridge"]
    assert bridges == [("mcts:50", "mcts:1000"), ("mcts:100", "mcts:50")]


def test_restart_goes_on_where_it_was(tmp_path, scores):
    scores += [0.75, 1.0, 0.5, 0.5]
    for version in (10, 20, 30, 40):
        report = make_judge(tmp_path).evaluate(weights(version))
    assert report.rung == 2000
    assert not report.promoted
    assert best_version(tmp_path) == 30


def test_repeated_match_counts_once(tmp_path, scores):
    scores += [0.75]
    first = make_judge(tmp_path).evaluate(weights(10))
    again = make_judge(tmp_path).evaluate(weights(10))
    assert again.result == first.result
    assert again.promoted
    assert len(MatchLog(tmp_path / "matches.jsonl").entries) == 1


def test_crash_in_a_match_leaves_no_trace(tmp_path, scores, monkeypatch):
    scores += [0.5]
    make_judge(tmp_path).evaluate(weights(10))
    with pytest.raises(IndexError):
        make_judge(tmp_path).evaluate(weights(20))
    assert best_version(tmp_path) == 10
    scores += [0.75]
    assert make_judge(tmp_path).evaluate(weights(20)).promoted
    assert best_version(tmp_path) == 20


@pytest.mark.parametrize("where", ["write_promoted", "MatchLog.append", "point_to"])
def test_crash_at_every_step_of_a_promotion(tmp_path, scores, monkeypatch, where):
    scores += [0.5]
    make_judge(tmp_path).evaluate(weights(10))
    owner, _, name = where.rpartition(".")
    target = getattr(judge_module, owner) if owner else judge_module

    def crash(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(target, name, crash)
        scores += [0.75]
        with pytest.raises(KeyboardInterrupt):
            make_judge(tmp_path).evaluate(weights(20))
    assert best_version(tmp_path) == 10
    assert load_model(tmp_path / "best").weights.version == 10
    restarted = make_judge(tmp_path)
    assert best_version(tmp_path) == (20 if where == "point_to" else 10)
    scores[:] = [0.75]
    assert restarted.evaluate(weights(20)).promoted
    assert load_model(tmp_path / "best").weights.version == 20
    assert restarted.ladder.best_score == 0.75


def test_gate_promotes_what_the_test_accepts(tmp_path, scores, monkeypatch):
    config = replace(CONFIG, evaluation=replace(CONFIG.evaluation, sprt=True, sprt_elo=100.0))
    outcomes = {}

    def play(game, player, opponent, games, *_):
        better = outcomes[player.name, opponent.name]
        template = next(iter(play_games(game, player, opponent, 2, 0)))
        for _ in range(games // 20):
            yield [replace(one, points=float(better)) for one in template for _ in range(10)]

    monkeypatch.setattr(judge_module, "play_games", play)
    monkeypatch.setattr(judge_module.Judge, "_make_evaluator", lambda self: UniformEvaluator(9))
    judge = make_judge(tmp_path, config)
    scores += [0.5, 0.75, 0.75]
    assert judge.evaluate(weights(10)).promoted  # the first model of a run needs no gate
    outcomes["step-20@4", "step-10@4"] = False
    report = judge.evaluate(weights(20))
    assert not report.promoted
    assert report.gate is not None
    assert report.gate.score == 0
    outcomes["step-30@4", "step-10@4"] = True
    report = judge.evaluate(weights(30))
    assert report.promoted
    assert best_version(tmp_path) == 30
    assert judge.evaluate(weights(30)).gate is None


def test_exact_truth_is_part_of_the_report(tmp_path):
    pytest.importorskip("bitbully")
    config = replace(CONFIG, game=Game("connect4"), evaluation=replace(CONFIG.evaluation, solver_positions=6))
    size = Blueprint.create(make_game("connect4"), config.net).size
    judge = Judge(config, tmp_path, evaluator=UniformEvaluator(7))
    report = judge.evaluate(Weights(1, np.zeros(size, np.float32)))
    assert set(report.solver) == {"policy", "search"}
    assert all(0 <= score.kept <= 1 for score in report.solver.values())
    assert judge.evaluate(Weights(1, np.zeros(size, np.float32))).solver == report.solver
