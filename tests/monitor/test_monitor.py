"""What a run tells, on the console, in TensorBoard and in its log."""

import json
import re

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from rayzero.monitor import Monitor
from rayzero.monitor.monitor import clock, limit_share
from rayzero.monitor.tags import IMAGES, SCALARS, TEXTS
from rayzero.reports import Progress


@pytest.fixture
def told(tmp_path, config, reports):
    """A monitor that was told one of everything."""
    best = tmp_path / "best"
    best.mkdir()
    (best / "card.json").write_text('{"game": "connect4"}')

    def tell(quiet=False):
        progress = Progress(seconds=150.0, steps=700, games=1000, positions=7500)
        with Monitor(config, tmp_path, quiet) as monitor:
            monitor.start(["A banner."], progress, workers=2)
            monitor.played(reports.played)
            monitor.served(reports.served)
            monitor.added(reports.added)
            monitor.trained(reports.trained)
            monitor.judged(reports.judged, progress)
            monitor._since -= 10.0  # the interval lasted so long
            numbers = monitor.tick(progress, version=690, unspent=3, restarts=1)
            monitor.end(["The end."], progress)
        return numbers

    return tell


def test_every_tag_of_the_list_is_written_and_no_other(told, tmp_path):
    told()
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    tags = events.Tags()
    assert set(tags["scalars"]) == set(SCALARS)
    assert set(tags["images"]) == set(IMAGES)
    assert set(tags["tensors"]) == set(TEXTS)
    assert events.Scalars("loss/total")[0].step == 700
    assert events.Scalars("evaluation/rating")[0].value == 120.0
    image = events.Images("selfplay/game")[0]
    assert image.encoded_image_string.startswith(b"\x89PNG") and image.height == 6 * 12


def test_numbers_are_those_of_the_interval(told):
    numbers = told()
    expected = {
        "selfplay/games_per_second": 6.0,
        "selfplay/positions_per_second": 45.0,
        "selfplay/simulations_per_second": 8000.0,
        "selfplay/evaluations_per_second": 6400.0,
        "selfplay/game_length": 30.0,
        "selfplay/first_player_score": 0.55,
        "selfplay/draws": 4 / 60,
        "selfplay/cache_hits": 0.01,
        "selfplay/busy": 0.45,
        "selfplay/version_lag": 10.0,
        "inference/batch": 64.0,
        "inference/batch_fill": 0.5,
        "inference/queue_ms": 0.5,
        "inference/compute_ms": 6.0,
        "loss/total": 2.0,
        "learner/kl": 0.01,
        "replay/samples_per_position": 700 * 256 / 7500,
        "health/restarts": 1.0,
    }
    for tag, value in expected.items():
        assert numbers[tag] == pytest.approx(value, rel=0.01), tag


def test_what_is_not_known_is_not_written(config, tmp_path):
    with Monitor(config, tmp_path, quiet=True) as monitor:
        monitor.start([], Progress(), workers=1)
        numbers = monitor.tick(Progress(seconds=1.0), version=0, unspent=0, restarts=0)
    assert not [tag for tag in numbers if tag.startswith(("loss/", "inference/", "evaluation/", "replay/"))]
    assert "selfplay/game_length" not in numbers


def test_the_plain_line_has_at_most_eight_numbers(told, capsys):
    told()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "A banner." and lines[-1] == "The end."
    assert "Step 700 against mcts:1000: 6 won, 2 drawn, 2 lost, Elo +120 (+10 to +230). New best." in lines
    (line,) = [line for line in lines if line.startswith("0:02:30")]
    assert len(line.split("  ")) <= 8
    assert re.search(
        r"games 1,000  sims/s [78],\d{3}  evals/s 6,\d{3}  steps 700  loss 2.000  mcts:1000 70% .* left 0:07:30", line
    )


def test_quiet_says_nothing(told, capsys):
    told(quiet=True)
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err == ""


def test_the_log_is_lines_of_json(told, tmp_path):
    told(quiet=True)
    events = [json.loads(line)["event"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert events == ["start", "match", "interval", "end"]


def test_limits_and_clocks(config):
    config.run.games = 100
    assert limit_share(config, Progress(seconds=60.0, games=50)) == 0.5
    config.run.games = config.run.minutes = None
    assert limit_share(config, Progress(seconds=60.0)) is None
    assert clock(3725.9) == "1:02:05"
