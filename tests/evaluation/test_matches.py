"""Matches: colours, counting, forfeits, and what an interrupted one is worth."""

import numpy as np
import pytest

from rayzero.evaluation.elo import elo_difference
from rayzero.evaluation.matches import PlayedGame, count_games, play_games, play_match
from rayzero.evaluation.openings import positions
from rayzero.evaluation.players import MctsPlayer, Player, RandomPlayer
from rayzero.games.registry import make_game
from rayzero.games.rules import NO_ACTION, PLY, init, legal, play

CONNECT4 = make_game("connect4")
TICTACTOE = make_game("tictactoe")


class Scripted(Player):
    """Plays the first legal move and remembers what it was shown."""

    def __init__(self, game, name="scripted", answer=None):
        self.game, self.name, self.answer, self.shown = game, name, answer, []

    def best(self, slots, states, histories):
        self.shown.append((slots.copy(), states[:, PLY].copy(), [tuple(history) for history in histories]))
        if self.answer is not None:
            return np.full(len(slots), self.answer, np.int16)
        found = np.empty(self.game.actions, np.int16)
        actions = []
        for state in states:
            legal(self.game, state, found)
            actions.append(found[0])
        return np.array(actions, np.int16)


def games_of(*args, **options):
    return [one for wave in play_games(*args, **options) for one in wave]


@pytest.mark.kernels
def test_kernels_play_as_the_rules_do():
    histories = [(), (0, 4), (0, 3, 1, 4)]
    states = positions(TICTACTOE, histories)
    for state, history in zip(states, histories, strict=True):
        expected = np.empty(TICTACTOE.state_size, np.int64)
        init(TICTACTOE, expected)
        for move in history:
            play(TICTACTOE, expected, move)
        assert state.tolist() == expected.tolist()
    player, opponent = Scripted(TICTACTOE), Scripted(TICTACTOE)
    played = games_of(TICTACTOE, player, opponent, 2, opening_plies=0)
    assert [one.moves for one in played] == [tuple(range(7))] * 2
    assert [one.points for one in played] == [1, 0]


def test_pairs_share_an_opening_and_swap_colours():
    played = games_of(CONNECT4, RandomPlayer(CONNECT4, 1), RandomPlayer(CONNECT4, 2), 20, opening_plies=3)
    assert len(played) == 20
    for one, other in zip(played[::2], played[1::2], strict=True):
        assert one.moves[:3] == other.moves[:3]
        assert (one.player_first, other.player_first) == (True, False)
    assert len({one.moves[:3] for one in played}) == 10


def test_players_are_asked_in_full_batches_for_their_own_turns():
    player, opponent = Scripted(CONNECT4), Scripted(CONNECT4)
    played = games_of(CONNECT4, player, opponent, 8, opening_plies=2)
    for who, first_parity in ((player, 0), (opponent, 1)):
        for slots, plies, histories in who.shown:
            assert [len(history) for history in histories] == plies.tolist()
            assert ((plies + slots) % 2 == first_parity).all()
    assert max(len(slots) for slots, _, _ in player.shown[1:]) == 8
    assert len(player.shown) <= max(len(one.moves) for one in played)


def test_points_agree_with_a_replay_of_the_moves():
    played = games_of(TICTACTOE, RandomPlayer(TICTACTOE, 1), RandomPlayer(TICTACTOE, 2), 40, opening_plies=1)
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    for one in played:
        owners = [{*one.moves[side::2]} for side in (0, 1)]
        rows = [any(owned.issuperset(line) for line in lines) for owned in owners]
        first_points = 0.5 + (rows[0] - rows[1]) / 2
        assert one.points == (first_points if one.player_first else 1 - first_points)


def test_counting_by_hand():
    def one(points, first, moves=(1, 2, 3)):
        return PlayedGame(moves, first, points)

    played = [
        one(1, True),
        one(1, False, (1, 2)),
        one(0.5, True, (1,)),
        one(0, False),
        one(0, True, (2,)),
        one(1, False, (3,)),
    ]
    result = count_games("a", "b", played, 2.0)
    assert (result.wins, result.draws, result.losses) == (3, 1, 2)
    assert result.pairs == (0, 1, 1, 0, 1)
    assert (result.wins_first, result.draws_first, result.losses_first) == (1, 1, 1)
    assert result.duplicates == 1
    assert result.plies == pytest.approx(11 / 6)
    assert result.score == pytest.approx(3.5 / 6)


def test_duplicates_of_players_without_chance_are_counted():
    result = play_match(CONNECT4, Scripted(CONNECT4), Scripted(CONNECT4), 6, opening_plies=0)
    assert result.duplicates == 5


@pytest.mark.parametrize(
    ("answer", "words"), [(NO_ACTION, "gave the game up"), (99, "answered 99, which is not legal")]
)
def test_illegal_moves_forfeit_by_name(answer, words):
    cheat = Scripted(CONNECT4, "cheat", answer)
    result = play_match(CONNECT4, RandomPlayer(CONNECT4), cheat, 6)
    assert result.wins == 6
    assert all(words in forfeit and forfeit.startswith("cheat") for forfeit in result.forfeits)
    assert play_match(CONNECT4, cheat, RandomPlayer(CONNECT4), 6).losses == 6


def test_player_against_itself_is_even():
    result = play_match(CONNECT4, MctsPlayer(CONNECT4, 30, 1), MctsPlayer(CONNECT4, 30, 2), 200)
    elo = elo_difference(result.pairs)
    assert elo.low < 0 < elo.high
    assert result.games == 200
    assert result.wins_first + result.draws_first + result.losses_first == 100
    assert result.wins_first > result.losses_first  # who moves first in Connect4 is better off


def test_more_playouts_are_stronger():
    result = play_match(CONNECT4, MctsPlayer(CONNECT4, 200, 1), MctsPlayer(CONNECT4, 20, 2), 40)
    assert elo_difference(result.pairs).low > 0


def test_same_seed_same_match():
    def play(seed):
        return games_of(CONNECT4, MctsPlayer(CONNECT4, 20, 1), MctsPlayer(CONNECT4, 20, 2), 6, seed=seed)

    assert play(4) == play(4)
    assert play(4) != play(5)


def test_odd_number_of_games_is_rounded_up_to_pairs():
    assert play_match(TICTACTOE, RandomPlayer(TICTACTOE, 1), RandomPlayer(TICTACTOE, 2), 5).games == 6


def test_interrupted_match_keeps_whole_waves_only():
    seen = []

    def stop():
        return bool(seen) and seen[-1].finished >= 6

    players = RandomPlayer(CONNECT4, 1), RandomPlayer(CONNECT4, 2)
    played = games_of(CONNECT4, *players, 40, at_once=4, progress=seen.append, stop=stop)
    assert len(played) == 4
    assert seen[-1].games == 40


def test_progress_counts_every_game_once():
    seen = []
    result = play_match(
        CONNECT4, RandomPlayer(CONNECT4, 1), RandomPlayer(CONNECT4, 2), 20, at_once=6, progress=seen.append
    )
    assert [at.finished for at in seen] == sorted(at.finished for at in seen)
    assert seen[-1].finished == 20
    assert seen[-1].points == result.wins + result.draws / 2


@pytest.mark.slow
def test_mcts_4000_beats_mcts_1000_on_gomoku8():
    game = make_game("gomoku", width=8, height=8)
    result = play_match(game, MctsPlayer(game, 4000, 1, threads=2), MctsPlayer(game, 1000, 2, threads=2), 100)
    assert elo_difference(result.pairs).low > 0
