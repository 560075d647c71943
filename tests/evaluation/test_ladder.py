"""The ladder as a state machine."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rayzero.evaluation.ladder import Ladder, Verdict

SCORES = st.lists(st.integers(0, 20).map(lambda points: points / 20), max_size=30)


def test_first_points_promote_and_no_points_do_not():
    ladder = Ladder()
    assert ladder.record(0.0) == Verdict(False, False)
    assert ladder.record(0.05) == Verdict(True, False)


def test_only_a_higher_score_promotes():
    ladder = Ladder()
    verdicts = [ladder.record(score).promoted for score in (0.4, 0.4, 0.35, 0.45, 0.45)]
    assert verdicts == [True, False, False, True, False]
    assert ladder.best_score == 0.45


def test_draws_alone_promote_once():
    ladder = Ladder()
    assert [ladder.record(0.5).promoted for _ in range(3)] == [True, False, False]


def test_full_score_climbs_and_starts_the_score_over():
    ladder = Ladder()
    assert ladder.record(0.9) == Verdict(True, False)
    assert ladder.record(1.0) == Verdict(True, True)
    assert (ladder.rung, ladder.best_score) == (2000, 0.0)
    assert ladder.record(0.3) == Verdict(True, False)


def test_doubling_has_no_end():
    ladder = Ladder()
    for _ in range(10):
        assert ladder.record(1.0).climbed
    assert ladder.rung == 1_024_000


def test_steps_up_to_a_last_rung():
    ladder = Ladder(kind="add", step=1000, max=5000)
    rungs = []
    for _ in range(6):
        ladder.record(1.0)
        rungs.append(ladder.rung)
    assert rungs == [2000, 3000, 4000, 5000, 5000, 5000]


def test_last_rung_keeps_its_best():
    ladder = Ladder(max=1000)
    assert ladder.record(1.0) == Verdict(True, False)
    assert ladder.record(1.0) == Verdict(False, False)


@pytest.mark.parametrize("kind", ["double", "add"])
@given(scores=SCORES, cut=st.integers(0, 30))
def test_restart_anywhere_changes_nothing(kind, scores, cut):
    straight = Ladder(kind=kind, max=8000)
    restarted = replace(straight)
    expected = [straight.record(score) for score in scores]
    verdicts = [restarted.record(score) for score in scores[:cut]]
    restarted = Ladder(kind=kind, max=8000, **restarted.state())
    verdicts += [restarted.record(score) for score in scores[cut:]]
    assert verdicts == expected
    assert restarted == straight


@given(SCORES)
def test_rung_never_falls_and_climbs_only_by_full_scores(scores):
    ladder = Ladder()
    for score in scores:
        before = ladder.rung
        verdict = ladder.record(score)
        assert verdict.climbed == (score == 1.0) == (ladder.rung > before)
        assert 0 <= ladder.best_score < 1
