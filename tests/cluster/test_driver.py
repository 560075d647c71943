"""Whole runs: exact resume, signals, limits, monitoring, through the driver or the real command line."""

import dataclasses
import json
import re
import signal
import subprocess
import time

import pytest

from rayzero.cluster.driver import train
from rayzero.cluster.workers import LocalEvaluator
from rayzero.config import Options, load_config
from rayzero.evaluator import UniformEvaluator
from rayzero.gamelog import GameLog, read_games
from rayzero.games import make_game
from rayzero.monitor.tags import IMAGES, SCALARS, TEXTS
from rayzero.selfplay import SelfPlay

TINY = (
    "net.channels=8",
    "net.blocks=1",
    "selfplay.games_per_worker=16",
    "search.simulations=16",
    "learner.batch=64",
    "learner.min_positions=200",
    "evaluation.games=4",
    "evaluation.simulations=8",
    "evaluation.ladder_start=1000",
    "evaluation.every_minutes=0.02",
    "run.checkpoint_minutes=0.1",
    "monitor.interval_seconds=1",
)


def tiny(folder, *settings):
    return load_config(
        "tictactoe", [*TINY, "cluster.address=local", "selfplay.workers=1", f"run.dir={folder}", *settings]
    )


def some_games(config, count):
    game = make_game("tictactoe")
    selfplay = SelfPlay(game, config.search, config.selfplay, LocalEvaluator(UniformEvaluator(9)), 5)
    records = []
    while len(records) < count:
        records += selfplay.advance(0.1).records
    return records[:count]


def with_games(folder, records):
    log = GameLog(folder / "tictactoe" / "games")
    log.append(records)
    log.close()


def paused(folder, steps):
    """Training only: so many games are there already that self-play has to wait all the time."""
    settings = ("evaluation.enabled=false", "learner.precision=float32", "replay.max_lead=1")
    return tiny(folder, f"run.steps={steps}", *settings)


def test_a_resumed_run_takes_the_same_next_steps(tmp_path):
    """Interrupted after 7 of 12 steps or not: the same weights, moments and averages to the last bit."""
    records = some_games(tiny(tmp_path), 500)
    for name, stops in (("straight", [12]), ("interrupted", [7, 12])):
        with_games(tmp_path / name, records)
        for steps in stops:
            assert train(paused(tmp_path / name, steps), Options(quiet=True)) == 0
    found = [
        (tmp_path / name / "tictactoe/checkpoints/step-12/learner.safetensors").read_bytes()
        for name in ("straight", "interrupted")
    ]
    assert found[0] == found[1]
    assert (tmp_path / "interrupted/tictactoe/checkpoints/step-7").is_dir()
    assert len(list(read_games(tmp_path / "interrupted/tictactoe/games"))) == 500


def read_tags(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    tags = events.Tags()
    return set(tags["scalars"]), set(tags["images"]), set(tags["tensors"])


@pytest.mark.slow
def test_the_command_trains_shows_stops_and_goes_on(tmp_path, launch, root):
    command = launch(*TINY, f"run.dir={tmp_path}", "run.minutes=null", "learner.schedule=kl")
    path = tmp_path / "tictactoe"

    def entries(event):
        lines = (path / "log.jsonl").read_text().splitlines() if (path / "log.jsonl").exists() else []
        return [entry for entry in map(json.loads, lines) if entry["event"] == event]

    def run_for_a_match():
        matches = len(entries("match")) + 1
        process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 240
        while len(entries("match")) < matches and time.monotonic() < end and process.poll() is None:
            time.sleep(0.5)
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 130, errors
        assert time.monotonic() - start < 20  # 10 on an idle machine
        return output, errors

    output, errors = run_for_a_match()
    assert "A new run in" in output and "Stopped after" in output
    assert not re.search(r"\(raylet|\(pid=|core_worker|INFO worker", output + errors)
    lines = [line for line in output.splitlines() if line.startswith("0:")]
    assert lines and all(len(re.findall(r"(?<![\w:.])[-+]?\d[\d,.:%]*", line)) <= 8 for line in lines)
    scalars, images, texts = read_tags(path / "tensorboard")
    assert not set(SCALARS) - scalars
    assert images == set(IMAGES) and not set(TEXTS) - {tag.removesuffix("/text_summary") for tag in texts}
    before = entries("end")[-1]["progress"]
    assert before["games"] == len(list(read_games(path / "games")))

    output, _ = run_for_a_match()
    after = entries("end")[-1]["progress"]
    assert f"goes on from step {before['steps']:,}" in output
    assert after["steps"] >= before["steps"] and after["games"] > before["games"]
    assert after["seconds"] > before["seconds"]
    ids = [record.id for record in read_games(path / "games")]
    assert len(ids) == len(set(ids)) == after["games"]
    assert json.loads((path / "ratings.json").read_text())["players"]


@pytest.mark.slow
def test_limits_end_a_run_and_can_be_extended(tmp_path, launch, root):
    def run(*settings):
        command = launch(*TINY, f"run.dir={tmp_path}", "evaluation.enabled=false", *settings)
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=240)
        assert done.returncode == 0, done.stderr
        return json.loads((tmp_path / "tictactoe/log.jsonl").read_text().splitlines()[-1])["progress"]

    first = run("run.games=300")
    assert first["games"] >= 300
    again = run("run.games=300")  # The limit is reached already.
    assert again["games"] == first["games"]
    more = first["games"] + 200
    longer = run(f"run.games={more}")
    assert longer["games"] >= more
    assert longer["simulations"] > first["simulations"]


def test_a_signal_while_starting_leaves_at_once(tmp_path, launch, root):
    process = subprocess.Popen(launch(*TINY, f"run.dir={tmp_path}"), cwd=root, stdout=subprocess.PIPE, text=True)
    assert "tictactoe" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    process.communicate(timeout=60)
    assert process.returncode == 130 and time.monotonic() - start < 20


def test_too_few_cpus_are_told(tmp_path, ray_here, monkeypatch):
    from rayzero.cluster.machine import make_plan
    from rayzero.errors import RunError

    with pytest.raises(RunError, match="9 self-play workers with 1 CPUs each need 9 CPUs.*4 free of 4"):
        make_plan(tiny(tmp_path, "selfplay.workers=9"), joined=True)
    with pytest.raises(RunError, match="learner.gpus"):
        make_plan(
            dataclasses.replace(config := tiny(tmp_path), learner=dataclasses.replace(config.learner, gpus=1)), True
        )
    assert make_plan(tiny(tmp_path, "selfplay.workers=null"), joined=True).workers == 4
