"""Self-play makes legal, complete games with the targets that its settings ask for."""

import numpy as np
import pytest

from rayzero.config import schema
from rayzero.evaluator import UniformEvaluator
from rayzero.games import make_game
from rayzero.games.rules import LOSS, ONGOING, PLY, RESULT, init, legal, play
from rayzero.records import Weights
from rayzero.selfplay import SelfPlay, SelfPlayStats


class Direct(UniformEvaluator):
    """Answers at once and remembers how much it was asked."""

    asked = 0

    def submit(self, planes):
        self.asked += len(planes)
        evaluation = self.evaluate(planes)
        return type("Done", (), {"result": lambda self: evaluation})()


def make(name="tictactoe", games=8, seed=1, search=None, **settings):
    game = make_game(name)
    evaluator = Direct(game.actions)
    return (
        game,
        evaluator,
        SelfPlay(
            game,
            search or schema.Search(simulations=24),
            schema.SelfPlay(games_per_worker=games, fast_simulations=6, **settings),
            evaluator,
            seed,
        ),
    )


def advance_until(player, games):
    records, stats = [], SelfPlayStats()
    while len(records) < games:
        done = player.advance(0.05)
        records += done.records
        stats += done.stats
    return records, stats


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello"])
def test_games_are_legal_and_complete(name):
    game, evaluator, player = make(name)
    records, stats = advance_until(player, 12)
    actions = np.empty(game.actions, np.int16)
    for record in records:
        state = np.empty(game.state_size, np.int64)
        init(game, state)
        for move in record.moves:
            assert move in actions[: legal(game, state, actions)]
            play(game, state, move)
        assert state[RESULT] != ONGOING
        assert record.plies == state[PLY]
        # A lost player to move at an odd ply count means that the first player made the last, winning move.
        expected = int(state[RESULT]) if record.plies % 2 == 0 else -int(state[RESULT])
        assert record.outcome == expected
    assert len({record.id for record in records}) == len(records)
    assert stats.games == len(records)
    assert stats.plies == sum(record.plies for record in records)
    assert stats.evaluations == evaluator.asked
    assert stats.simulations > stats.plies


def test_targets_are_distributions_over_legal_actions():
    game, _, player = make(full_share=1.0)
    records, _ = advance_until(player, 20)
    actions = np.empty(game.actions, np.int16)
    for record in records:
        assert list(record.target_plies) == list(range(record.plies))
        start = 0
        state = np.empty(game.state_size, np.int64)
        init(game, state)
        for ply, end in zip(record.target_plies, record.policy_ends, strict=True):
            assert record.policy_probabilities[start:end].astype(float).sum() == pytest.approx(1, abs=2e-3)
            assert set(record.policy_actions[start:end]) <= set(actions[: legal(game, state, actions)].tolist())
            play(game, state, record.moves[ply])
            start = end
        assert start == len(record.policy_actions)
        assert len(record.search_values) == len(record.target_plies)
        assert np.all(np.abs(record.search_values) <= 1)


def test_share_of_full_searches():
    _, _, player = make("connect4", full_share=0.3)
    records, stats = advance_until(player, 60)
    assert stats.targets / stats.plies == pytest.approx(0.3, abs=0.06)
    assert stats.targets == sum(len(record.target_plies) for record in records)


def test_without_any_randomness_all_games_are_one():
    search = schema.Search(simulations=24)
    _, _, player = make(search=search, full_share=1.0, noise_epsilon=0.0, temperature=0.0)
    records, _ = advance_until(player, 10)
    assert len({tuple(record.moves) for record in records}) == 1


def test_random_plies_open_the_games():
    search = schema.Search(simulations=24)
    _, _, player = make("connect4", search=search, noise_epsilon=0.0, temperature=0.0, random_plies=3)
    records, _ = advance_until(player, 40)
    assert len({tuple(record.moves[:3]) for record in records}) > 10
    assert all((record.target_plies < record.plies).all() for record in records)


def test_move_noise_varies_greedy_play():
    search = schema.Search(simulations=24)
    _, _, player = make(search=search, temperature=1.0, temperature_plies=9, move_noise=True, noise_alpha=0.3)
    records, _ = advance_until(player, 30)
    assert len({tuple(record.moves) for record in records}) > 10


def test_records_carry_the_versions_that_played():
    _, _, player = make("connect4")
    early, _ = advance_until(player, 8)
    player.load(Weights(7, np.zeros(0, np.float32)))
    late, _ = advance_until(player, 40)
    assert all(record.versions == (0, 0) for record in early)
    assert late[-1].versions[1] == 7
    assert {record.versions for record in late} >= {(0, 7), (7, 7)}


def test_won_positions_are_played_out_shortest():
    """With look-ahead and solver no self-play game passes by a win in one."""
    game, _, player = make("connect4", temperature=1.0, temperature_plies=42)
    records, _ = advance_until(player, 10)
    for record in records:
        state = np.empty(game.state_size, np.int64)
        init(game, state)
        for move in record.moves:
            wins = []
            actions = np.empty(game.actions, np.int16)
            for action in actions[: legal(game, state, actions)].tolist():
                after = state.copy()
                play(game, after, action)
                if after[RESULT] == LOSS:
                    wins.append(action)
            assert not wins or move in wins
            play(game, state, move)


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
def test_moves_are_drawn_from_the_policy_not_from_the_visits(kind):
    """A proven loss keeps its visits, and the policy leaves it out; a Gumbel search has drawn already."""
    _, _, player = make(search=schema.Search(simulations=24, kind=kind), temperature=1.0, temperature_plies=9)
    group = player._groups[0]
    slots = np.zeros(200, np.int64)
    visits = np.tile(np.array([50, 10, 10, 0, 0, 0, 0, 0, 0], np.int32), (200, 1))
    policy = np.tile(np.array([0, 0.5, 0.5, 0, 0, 0, 0, 0, 0], np.float32), (200, 1))
    found = group.search.result(slots)._replace(
        visits=visits, policy=policy, proven=np.full(200, ONGOING, np.int8), best=np.full(200, 2, np.int16)
    )
    chosen = set(group._choose(slots, np.zeros(200, np.int64), found).tolist())
    assert chosen == ({1, 2} if kind == "puct" else {2})
