"""The replay buffer against a slow reference, and what a restart keeps of it."""

import dataclasses

import numpy as np
import pytest

from rayzero.config import schema
from rayzero.games import make_game, rules
from rayzero.replay import Replay, Ring

GAMES = {name: make_game(name) for name in ("tictactoe", "connect4")} | {
    "gomoku6": make_game("gomoku", width=6, height=6, in_a_row=4),
    "rectangle": make_game("gomoku", width=5, height=3, in_a_row=3),
}
CONFIG = schema.Replay(window_min=100, window_max=2000, window_share=0.5)


def rebuilt(game, record, target, image):
    """One sample, the slow and obvious way."""
    state = np.zeros(game.state_size, np.int64)
    rules.init(game, state)
    ply = int(record.target_plies[target])
    for action in record.moves[:ply]:
        rules.play(game, state, action)
    planes = np.zeros((game.plane_count, game.height, game.width), np.uint8)
    rules.planes(game, state, planes)
    cells = planes.reshape(game.plane_count, -1)[:, game.cell_symmetries[image]].reshape(planes.shape)
    found = np.zeros(game.actions, np.int16)
    legal = np.zeros(game.actions, bool)
    legal[found[: rules.legal(game, state, found)]] = True

    def policy(of):
        start = record.policy_ends[of - 1] if of else 0
        dense = np.zeros(game.actions)
        dense[record.policy_actions[start : record.policy_ends[of]]] = record.policy_probabilities[
            start : record.policy_ends[of]
        ]
        return (dense / dense.sum())[game.action_symmetries[image]]

    follows = target + 1 < len(record.target_plies) and record.target_plies[target + 1] == ply + 1
    return {
        "planes": cells,
        "policies": policy(target),
        "outcomes": record.outcome if ply % 2 == 0 else -record.outcome,
        "search_values": record.search_values[target],
        "moves_left": record.plies - ply,
        "replies": policy(target + 1) if follows else np.zeros(game.actions),
        "legal": legal[game.action_symmetries[image]],
    }


@pytest.mark.parametrize("name", GAMES)
def test_samples_are_positions_of_the_games_under_a_symmetry(name, make_record):
    game = GAMES[name]
    records = [make_record(game, seed) for seed in range(60)]
    replay = Replay(game, CONFIG, seed=3)
    replay.add(records)
    window = [(record, t) for record in records for t in range(len(record.target_plies))][-replay.window :]
    images = {}
    for record, target in window:
        for image in range(len(game.action_symmetries)):
            sample = rebuilt(game, record, target, image)
            images.setdefault((sample["planes"].tobytes(), sample["moves_left"]), []).append(sample)
    batch = replay.sample(7, 200)
    replies = 0
    for i in range(200):
        candidates = images[batch.planes[i].tobytes(), batch.moves_left[i]]
        assert any(
            all(np.allclose(getattr(batch, key)[i], value, atol=2e-3) for key, value in sample.items())
            for sample in candidates
        )
        replies += batch.replies[i].sum() > 0
    assert 20 < replies < 180
    assert np.allclose(batch.policies.sum(1), 1, atol=1e-6)
    assert not batch.policies[~batch.legal].any()


def test_a_step_always_draws_the_same_batch(make_record):
    game = GAMES["connect4"]
    replay = Replay(game, CONFIG, seed=1)
    replay.add([make_record(game, seed) for seed in range(50)])
    a, b, c = replay.sample(5, 64), replay.sample(5, 64), replay.sample(6, 64)
    for entry in dataclasses.fields(a):
        assert np.array_equal(getattr(a, entry.name), getattr(b, entry.name))
    assert not np.array_equal(a.planes, c.planes)


def test_without_symmetries_positions_stay_as_played(make_record):
    game = GAMES["tictactoe"]
    replay = Replay(game, CONFIG, symmetries=False)
    record = make_record(game, 1)
    replay.add([record])
    plain = {rebuilt(game, record, t, 0)["planes"].tobytes() for t in range(len(record.target_plies))}
    assert {planes.tobytes() for planes in replay.sample(0, 64).planes} == plain


def test_the_window_grows_and_forgets(make_record):
    game = GAMES["connect4"]
    replay = Replay(game, schema.Replay(window_min=100, window_max=400, window_share=0.5))
    seen = []
    records = [make_record(game, seed, version=seed) for seed in range(300)]
    for record in records:
        replay.add([record])
        seen.append((replay.positions, replay.window))
    for positions, window in seen:
        assert window == min(positions, max(100, min(400, positions // 2)))
    newest = [(r.versions[1]) for r in records for _ in r.target_plies][-400:]
    assert len(replay._game_rows.rows) < 8192 and replay._targets.end - replay._targets.start < 450
    assert replay.sample(300, 4000).age == pytest.approx(300 - np.mean(newest), abs=1)


def test_games_count_once_and_survive_a_restart(tmp_path, make_record):
    game = GAMES["connect4"]
    records = [make_record(game, seed, version=seed) for seed in range(120)]
    replay = Replay(game, CONFIG, tmp_path, seed=9)
    assert replay.add(records[:50]) == [record.id for record in records[:50]]
    assert replay.add(records[40:60] + records[55:60]) == [record.id for record in records[50:60]]
    replay.close()
    again = Replay(game, CONFIG, tmp_path, seed=9)
    assert again.add(records[:60]) == []
    assert again.add(records[60:]) == [record.id for record in records[60:]]
    again.close()
    straight = Replay(game, CONFIG, seed=9)
    straight.add(records)
    resumed = Replay(game, CONFIG, tmp_path, seed=9)
    assert (resumed.games, resumed.plies, resumed.positions) == (120, straight.plies, straight.positions)
    a, b = straight.sample(11, 256), resumed.sample(11, 256)
    for entry in dataclasses.fields(a):
        assert np.array_equal(getattr(a, entry.name), getattr(b, entry.name)), entry.name


def test_read_only_records_are_taken(make_record):
    """Arrays out of an object store can't be written to."""
    game = GAMES["tictactoe"]
    record = make_record(game, 2)
    for entry in dataclasses.fields(record):
        if isinstance(value := getattr(record, entry.name), np.ndarray):
            value.flags.writeable = False
    replay = Replay(game, CONFIG)
    assert replay.add([record]) == ["game-2"]
    assert len(replay.sample(0, 8).planes) == 8


def test_a_ring_keeps_what_is_kept():
    ring = Ring(np.int64, capacity=4)
    for value in range(100):
        ring.extend(np.array([2 * value, 2 * value + 1]))
        ring.start = max(0, ring.end - 9)
        assert [ring[i] for i in range(ring.start, ring.end)] == list(range(ring.start, ring.end))
    assert len(ring.rows) == 16
