"""What crosses borders between the parts.

Values are always from the view of the player to move, in [-1, 1]. Moves left are plies. Arrays that come
out of Ray's object store are read-only: copy before writing.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Evaluation:
    """What a net says of B positions."""

    priors: np.ndarray  # float32 [B, A]: probabilities over all actions, illegal ones included
    value: np.ndarray  # float32 [B]
    wdl: np.ndarray  # float32 [B, 3]: win, draw, loss; a net without that head gives the split of its value
    moves_left: np.ndarray  # float32 [B]: 0 where the net has no such head


@dataclass(frozen=True)
class Weights:
    """All weights of a net in one flat array, in the order of its state dict."""

    version: int  # optimizer steps that made them
    flat: np.ndarray  # float32 [P]


@dataclass(frozen=True)
class GameRecord:
    """One finished game with its training targets; positions are rebuilt from the moves."""

    id: str  # unique: a game seen twice counts once
    versions: tuple[int, int]  # oldest and newest weights that played in it
    moves: np.ndarray  # int16 [plies]
    outcome: int  # 1, 0 or -1 for the *first player*
    target_plies: np.ndarray  # int16 [T]: the plies that are training targets, increasing
    policy_ends: np.ndarray  # int32 [T]: target t's policy is [policy_ends[t-1] or 0 : policy_ends[t]] of:
    policy_actions: np.ndarray  # int16 [K]
    policy_probabilities: np.ndarray  # float16 [K]
    search_values: np.ndarray  # float16 [T]: the search's value of the position, for its mover

    @property
    def plies(self) -> int:
        """The length of the game."""
        return len(self.moves)


@dataclass(frozen=True)
class Batch:
    """n training samples, symmetries already applied."""

    planes: np.ndarray  # uint8 [n, C, H, W]
    policies: np.ndarray  # float32 [n, A]
    outcomes: np.ndarray  # int8 [n]: for the player to move
    search_values: np.ndarray  # float32 [n]
    moves_left: np.ndarray  # int16 [n]: true plies to the end of the game
    replies: np.ndarray  # float32 [n, A]: the policy of the next position, all zero where it is no target
    legal: np.ndarray  # bool [n, A]
    age: float  # mean steps between the weights that made the samples and the newest


@dataclass(frozen=True)
class MatchResult:
    """Games between two players, counted for the first one."""

    player: str
    opponent: str
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, int, int, int, int]  # pairs of games that gave 0, 1/2, 1, 3/2, 2 points
    wins_first: int  # of the games in which the player moved first
    draws_first: int
    losses_first: int
    plies: float  # mean length
    duplicates: int  # games that repeat another move for move
    seconds: float
    forfeits: tuple[str, ...] = ()  # a sentence for each game that ended by an illegal move, a crash, a time-out

    @property
    def games(self) -> int:
        """How many were played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Share of the points: a win counts 1, a draw 1/2."""
        return (self.wins + self.draws / 2) / max(self.games, 1)
