"""Each sentence is said when it should be, once, and never about a healthy run."""

import re
from pathlib import Path

import pytest

from rayzero.games import make_game
from rayzero.monitor import health
from rayzero.monitor.health import SIGNS, Health

HEALTHY = {
    "learner/step": 5000.0,
    "learner/entropy": 1.5,
    "learner/target_entropy": 1.3,
    "learner/multiplier": 1.0,
    "learner/learning_rate": 0.002,
    "loss/value_error": 0.5,
    "loss/outcome_variance": 0.95,
    "selfplay/first_player_score": 0.6,
    "selfplay/games": 100.0,
    "selfplay/busy": 0.95,
    "replay/repeated": 0.02,
    "inference/queue_ms": 1.0,
    "inference/batch": 120.0,
    "health/unspent_steps": 2.0,
    "health/seconds_without_games": 5.0,
    "health/restarts_now": 0.0,
    "health/memory_mb": 1500.0,
    "health/disk_free_gb": 50.0,
}
ILL = {
    "policy-collapsed": {"learner/entropy": 0.02, "learner/target_entropy": 0.5},
    "one-colour-wins": {"selfplay/first_player_score": 0.99},
    "games-repeat": {"replay/repeated": 0.6},
    "selfplay-waits": {"selfplay/busy": 0.2, "health/unspent_steps": 30.0},
    "learner-starves": {"health/seconds_without_games": 400.0},
    "multiplier-at-bound": {"learner/multiplier": 0.1},
    "value-knows-nothing": {"loss/value_error": 0.95},
    "batch-fill-low": {"inference/batch": 3.0},
    "actors-die": {"health/restarts_now": 9.0},
    "disk-nearly-full": {"health/disk_free_gb": 0.3},
}
GAME = make_game("connect4")


def test_a_healthy_run_hears_nothing():
    assert Health(GAME).check(HEALTHY) == ([], [])


def test_a_run_that_has_just_begun_hears_nothing():
    assert Health(GAME).check({}) == ([], [])


@pytest.mark.parametrize("name", ILL)
def test_each_illness_is_told_with_what_to_turn(name):
    patience = next(sign.patience for sign in SIGNS if sign.name == name)
    one = Health(GAME)
    for _ in range(patience - 1):
        assert one.check(HEALTHY | ILL[name]) == ([], [])
    held, news = one.check(HEALTHY | ILL[name])
    assert len(held) == len(news) == 1
    assert f"docs/tuning.md#{name}" in news[0]
    assert "{" not in news[0]


def test_all_signs_are_tried_and_documented(root: Path):
    names = {sign.name for sign in SIGNS}
    assert names == set(ILL)
    headings = set(re.findall(r"^## (\S+)$", (root / "docs" / "tuning.md").read_text(), re.MULTILINE))
    assert names <= headings


def test_a_sentence_is_repeated_only_after_a_while(monkeypatch):
    one = Health(GAME)
    ill = HEALTHY | ILL["disk-nearly-full"]
    assert len(one.check(ill)[1]) == 1
    held, news = one.check(ill)
    assert len(held) == 1 and news == []
    monkeypatch.setattr(health, "REPEAT_AFTER", -1.0)
    assert len(one.check(ill)[1]) == 1


def test_small_games_may_repeat():
    one = Health(make_game("tictactoe"))
    assert [one.check(HEALTHY | ILL["games-repeat"]) for _ in range(4)] == [([], [])] * 4


def test_a_short_illness_is_not_worth_a_sentence():
    one = Health(GAME)
    for _ in range(5):
        for numbers in (HEALTHY | ILL["selfplay-waits"], HEALTHY | ILL["selfplay-waits"], HEALTHY):
            assert one.check(numbers) == ([], [])
