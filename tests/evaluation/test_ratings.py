"""Ratings: closed forms, recovered truths, honest intervals."""

import json
from dataclasses import replace

import numpy as np
import pytest

from rayzero.evaluation.elo import elo_of, score_of
from rayzero.evaluation.ratings import ANCHOR, PRIOR, fit_ratings, read_ratings, write_ratings
from rayzero.records import MatchResult


def match(player, opponent, wins, draws, losses):
    return MatchResult(player, opponent, wins, draws, losses, (0, 0, 0, 0, 0), 0, 0, 0, 30.0, 0, 1.0)


def by_name(results, **options):
    return {rating.name: rating for rating in fit_ratings(results, **options)}


def test_two_players_without_draws_have_the_elo_of_their_score():
    ratings = by_name([match("net", ANCHOR, 30, 0, 10)])
    assert ratings[ANCHOR].elo == 0
    assert ratings["net"].elo == pytest.approx(elo_of((30 + PRIOR) / (40 + 2 * PRIOR)), abs=0.1)
    error = 1 / np.sqrt((40 + 2 * PRIOR) * 0.747 * 0.253) / (np.log(10) / 400)
    assert (ratings["net"].high - ratings["net"].low) / 2 == pytest.approx(1.96 * error, rel=0.02)


def test_draws_count_for_both_sides():
    assert by_name([match("net", ANCHOR, 0, 40, 0)])["net"].elo == pytest.approx(0, abs=0.1)
    drawish = by_name([match("net", ANCHOR, 10, 30, 0)])["net"]
    assert drawish.elo > 50
    assert drawish.score == 0.625


def test_match_counts_the_same_from_either_side():
    one = by_name([match("net", ANCHOR, 12, 5, 3), match("new", "net", 9, 2, 9)])
    other = by_name([match(ANCHOR, "net", 3, 5, 12), match("net", "new", 9, 2, 9)])
    assert one["new"].elo == pytest.approx(other["new"].elo, abs=1e-2)


def test_chain_of_matches_adds_up():
    links = [match(f"p{i + 1}", f"p{i}" if i else ANCHOR, 300, 0, 100) for i in range(5)]
    ratings = by_name(links)
    step = ratings["p1"].elo
    assert ratings["p5"].elo == pytest.approx(5 * step, rel=0.01)
    assert ratings["p5"].high - ratings["p5"].low > 2 * (ratings["p1"].high - ratings["p1"].low)


def test_unbeaten_player_has_a_finite_rating():
    unbeaten = by_name([match("net", ANCHOR, 40, 0, 0)])["net"]
    assert 400 < unbeaten.elo < 1500
    assert unbeaten.low > 0


def test_players_without_a_link_to_the_anchor_are_left_out():
    assert set(by_name([match("net", ANCHOR, 3, 1, 2), match("x", "y", 5, 0, 5)])) == {"net", ANCHOR}
    assert fit_ratings([match("x", "y", 5, 0, 5)]) == []
    assert set(by_name([match("x", "y", 5, 0, 5)], anchor="y")) == {"x", "y"}
    assert fit_ratings([]) == []


def test_simulated_truth_is_within_the_intervals():
    random = np.random.default_rng(3)
    truth = {ANCHOR: 0.0, "a": 150.0, "b": -100.0, "c": 300.0, "d": 420.0}
    held = total = 0
    for _ in range(60):
        results = []
        for player, opponent in (("a", ANCHOR), ("b", ANCHOR), ("c", "a"), ("c", "b"), ("d", "c"), ("d", "a")):
            win = score_of(truth[player] - truth[opponent])
            wins = int(random.binomial(60, win))
            results.append(match(player, opponent, wins, 0, 60 - wins))
        for rating in fit_ratings(results):
            if rating.name != ANCHOR:
                held += rating.low <= truth[rating.name] <= rating.high
                total += 1
    assert 0.91 <= held / total <= 0.985


def test_order_and_splitting_of_matches_do_not_matter():
    whole = [match("a", ANCHOR, 20, 4, 16), match("b", "a", 30, 0, 10)]
    split = [match("b", "a", 30, 0, 10), match("a", ANCHOR, 20, 4, 16)]
    assert by_name(whole)["b"].elo == pytest.approx(by_name(split)["b"].elo, abs=0.05)


def test_table_is_sorted_and_survives_the_disk(tmp_path):
    ratings = fit_ratings([match("net", ANCHOR, 30, 0, 10), match("weak", ANCHOR, 1, 0, 39)])
    assert [rating.name for rating in ratings] == ["net", ANCHOR, "weak"]
    write_ratings(tmp_path / "ratings.json", ratings)
    assert read_ratings(tmp_path / "ratings.json") == ratings
    assert json.loads((tmp_path / "ratings.json").read_text())["anchor"] == ANCHOR
    assert read_ratings(tmp_path / "nothing.json") == []


def test_empty_matches_are_no_news():
    played = match("net", ANCHOR, 30, 0, 10)
    assert fit_ratings([played, replace(played, wins=0, losses=0)]) == fit_ratings([played])
