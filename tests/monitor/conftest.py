"""Reports as the parts of a run would send them."""

from types import SimpleNamespace

import numpy as np
import pytest

from rayzero.config import load_config
from rayzero.records import GameRecord, MatchResult
from rayzero.reports import InferenceStats, ReplayStatus, TrainingReport
from rayzero.selfplay import SelfPlayStats

STEP = {
    "step": 700,
    "loss": 2.5,
    "policy_loss": 1.5,
    "value_loss": 0.7,
    "moves_left_loss": 1.1,
    "reply_loss": 1.6,
    "entropy": 1.2,
    "target_entropy": 1.1,
    "value_error": 0.5,
    "outcome_variance": 0.9,
    "kl": 0.01,
    "grad_norm": 0.8,
    "learning_rate": 0.002,
    "multiplier": 1.0,
    "passes": 1,
    "age": 40.0,
    "seconds": 0.05,
}


@pytest.fixture
def config(tmp_path):
    return load_config("connect4", [f"run.dir={tmp_path}", "run.minutes=10"])


@pytest.fixture
def game_record():
    return GameRecord(
        id="a",
        versions=(1, 2),
        moves=np.array([3, 3, 2, 2, 4, 4, 1], np.int16),
        outcome=1,
        target_plies=np.array([0, 4], np.int16),
        policy_ends=np.array([2, 4], np.int32),
        policy_actions=np.array([3, 2, 4, 1], np.int16),
        policy_probabilities=np.array([0.75, 0.25, 0.5, 0.5], np.float16),
        search_values=np.array([0.1, 0.9], np.float16),
    )


@pytest.fixture
def reports(game_record):
    result = MatchResult("step-700@64", "mcts:1000", 6, 2, 2, (0, 1, 1, 2, 1), 4, 1, 0, 30.0, 0, 12.0)
    rating = SimpleNamespace(name="step-700@64", elo=120.0, low=10.0, high=230.0)
    return SimpleNamespace(
        played=SelfPlayStats(
            seconds=9.0,
            games=60,
            plies=1800,
            targets=450,
            simulations=80_000,
            evaluations=64_000,
            saved=9_000,
            cache_hits=800,
            first_player_points=33.0,
            draws=4,
        ),
        served=InferenceStats(
            requests=2000, batches=1000, positions=64_000, capacity=128_000, queued=1.0, computed=6.0
        ),
        added=ReplayStatus(["a"], 1000, 30_000, 7_500, 7_500, 0.01, game_record),
        trained=TrainingReport(700, [STEP, {**STEP, "loss": 1.5, "kl": float("nan")}], 0.1),
        judged=SimpleNamespace(
            version=700, result=result, rung=1000, promoted=True, climbed=False, rating=rating, solver={}
        ),
    )
