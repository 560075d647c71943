"""Matches: many games at once, in pairs that share an opening with colours swapped.

Every game that was started counts. Where a match is cut short, what remains is whole waves of games,
never the games that happened to be over first: those would favour whoever wins fast.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rayzero.evaluation.openings import Openings, positions
from rayzero.evaluation.players import Player
from rayzero.games.rules import LOSS, NO_ACTION, ONGOING, PLY, RESULT, WIN, legal, play
from rayzero.jit import kernel
from rayzero.records import MatchResult

AT_ONCE = 128  # games in a wave: enough to fill batches, few enough for the trees of all of them


@dataclass(frozen=True)
class PlayedGame:
    """A game of a match: games 2i and 2i+1 are a pair, and the player moves first in the even ones."""

    moves: tuple[int, ...]  # the opening included
    player_first: bool
    points: float  # for the player: 1, 1/2 or 0
    forfeit: str | None = None  # why it ended early, naming who lost it


class Progress(NamedTuple):
    """How far a match is."""

    finished: int
    games: int
    points: float  # of the finished ones


def play_match(game: Any, player: Player, opponent: Player, games: int = 40, **options: Any) -> MatchResult:
    """Play a match and count it; options as those of `play_games`."""
    start = time.perf_counter()
    played = [one for wave in play_games(game, player, opponent, games, **options) for one in wave]
    return count_games(player.name, opponent.name, played, time.perf_counter() - start)


def play_games(
    game: Any,
    player: Player,
    opponent: Player,
    games: int,
    opening_plies: int = 2,
    seed: int = 1,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    at_once: int = AT_ONCE,
) -> Iterator[list[PlayedGame]]:
    """Play wave after wave of games, an even number in all; `stop` gives up the wave under way."""
    pairs = -(-games // 2)
    openings = Openings(game, opening_plies, seed)
    wave = max(1, at_once // 2)
    before = Progress(0, 2 * pairs, 0.0)
    for first in range(0, pairs, wave):
        table = _Table(game, openings.take(min(wave, pairs - first)))
        if not table.play(player, opponent, before, progress, stop):
            return
        yield table.played()
        before = table.progress(before)


def pair_points(played: list[PlayedGame]) -> list[float]:
    """The player's points in each pair, in the order in which they were started."""
    return [one.points + other.points for one, other in zip(played[::2], played[1::2], strict=True)]


def count_games(player: str, opponent: str, played: list[PlayedGame], seconds: float) -> MatchResult:
    """The result of complete pairs of games."""

    def count(points: float, games: list[PlayedGame]) -> int:
        return sum(one.points == points for one in games)

    pairs = [0] * 5
    for points in pair_points(played):
        pairs[round(2 * points)] += 1
    first = [one for one in played if one.player_first]
    return MatchResult(
        player=player,
        opponent=opponent,
        wins=count(1, played),
        draws=count(0.5, played),
        losses=count(0, played),
        pairs=(pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]),
        wins_first=count(1, first),
        draws_first=count(0.5, first),
        losses_first=count(0, first),
        plies=float(np.mean([len(one.moves) for one in played])) if played else 0.0,
        duplicates=len(played) - len({one.moves for one in played}),
        seconds=seconds,
        forfeits=tuple(one.forfeit for one in played if one.forfeit),
    )


@kernel
def _play_legal(game: Any, states: np.ndarray, actions: np.ndarray, played: np.ndarray) -> None:
    """Play one action on each state where it is legal, and say where it was in the bool array `played`."""
    found = np.empty(game.actions, np.int16)
    for i in range(len(states)):
        played[i] = False
        for j in range(legal(game, states[i], found)):
            if found[j] == actions[i]:
                played[i] = True
        if played[i]:
            play(game, states[i], actions[i])


class _Table:
    """One wave of games under way; slot i is game i of the wave."""

    def __init__(self, game: Any, openings: list[tuple[int, ...]]) -> None:
        self.game = game
        self.moves = [list(opening) for opening in openings for _ in range(2)]
        self.states = positions(game, [tuple(moves) for moves in self.moves])
        self.player_first = np.arange(len(self.moves)) % 2 == 0
        self.points = np.full(len(self.moves), np.nan)
        self.forfeits: dict[int, str] = {}

    def play(
        self,
        player: Player,
        opponent: Player,
        before: Progress,
        progress: Callable[[Progress], None] | None,
        stop: Callable[[], bool] | None,
    ) -> bool:
        """Play all games to their end; False where they were given up on the way."""
        turn = 0
        while (open_games := np.isnan(self.points)).any():
            if stop and stop():
                return False
            # After the first turn all open games wait for the same player: its batches are full ones.
            mine = (self.states[:, PLY] % 2 == 0) == self.player_first
            slots = np.flatnonzero(open_games & (mine if turn % 2 == 0 else ~mine))
            if len(slots):
                self._move(slots, player if turn % 2 == 0 else opponent, turn % 2 == 0)
                if progress:
                    progress(self.progress(before))
            turn += 1
        return True

    def _move(self, slots: np.ndarray, mover: Player, is_player: bool) -> None:
        states = self.states[slots]
        histories = [tuple(self.moves[slot]) for slot in slots]
        actions = np.asarray(mover.best(slots, states.copy(), histories), np.int16)
        played = np.zeros(len(slots), np.bool_)
        _play_legal(self.game, states, actions, played)
        self.states[slots] = states
        for slot, action, legal_move, state in zip(slots, actions, played, states, strict=True):
            if not legal_move:
                why = mover.excuse(int(slot)) if action == NO_ACTION else f"answered {action}, which is not legal"
                self.forfeits[int(slot)] = f"{mover.name} {why} at ply {len(self.moves[slot]) + 1}"
                self.points[slot] = 0.0 if is_player else 1.0
                continue
            self.moves[slot].append(int(action))
            if state[RESULT] != ONGOING:
                for_mover = {LOSS: 1.0, WIN: 0.0}.get(int(state[RESULT]), 0.5)
                self.points[slot] = for_mover if is_player else 1.0 - for_mover

    def progress(self, before: Progress) -> Progress:
        """With the games of earlier waves."""
        finished = ~np.isnan(self.points)
        return Progress(
            before.finished + int(finished.sum()), before.games, before.points + float(self.points[finished].sum())
        )

    def played(self) -> list[PlayedGame]:
        """All games, once they are over."""
        return [
            PlayedGame(tuple(moves), bool(first), float(points), self.forfeits.get(slot))
            for slot, (moves, first, points) in enumerate(zip(self.moves, self.player_first, self.points, strict=True))
        ]
