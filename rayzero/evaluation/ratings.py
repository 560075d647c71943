"""Elo ratings of everyone who played in a run, by maximum likelihood over all games.

Bradley-Terry with draws (Davidson): wins, draws and losses of a against b are as likely as
    w : nu * sqrt(w) : 1        with w = 10 ** ((a - b) / 400)
and one draw parameter nu for all. Pure MCTS with 1000 playouts has the rating 0 by definition: it is the
same player in every run and on every machine, so ratings of different runs can be compared.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from rayzero.evaluation.elo import Z95
from rayzero.records import MatchResult
from rayzero.storage import write_file

ANCHOR_PLAYOUTS = 1000
ANCHOR = f"mcts:{ANCHOR_PLAYOUTS}"
# Half a game, shared by a win of each side, in every pairing: keeps the rating of an unbeaten player finite.
PRIOR = 0.25
NO_DRAWS = 1e-3  # keeps nu above 0 where no game was drawn
SCALE = np.log(10) / 400


@dataclass(frozen=True)
class Rating:
    """One player's rating with its 95 % interval."""

    name: str
    elo: float
    low: float
    high: float
    games: int
    score: float  # share of the points, against whomever it played


def fit_ratings(results: Iterable[MatchResult], anchor: str = ANCHOR) -> list[Rating]:
    """The ratings of all players that are linked to the anchor by matches, best first."""
    results = [result for result in results if result.games]
    linked = _linked(results, anchor)
    if len(linked) < 2:
        return []
    results = [result for result in results if result.player in linked]
    names = [anchor, *sorted(linked - {anchor})]
    place = {name: i for i, name in enumerate(names)}
    games = _Games(
        np.array([place[result.player] for result in results]),
        np.array([place[result.opponent] for result in results]),
        np.array([(result.wins + PRIOR, result.draws + NO_DRAWS, result.losses + PRIOR) for result in results], float),
    )
    # Concave in all parameters, so that Newton's method finds the one maximum; the anchor stays where it is.
    fitted = minimize(
        lambda x: games.loss(np.append(0.0, x)),
        np.zeros(len(names)),
        jac=lambda x: games.gradient(np.append(0.0, x))[1:],
        hess=lambda x: games.hessian(np.append(0.0, x))[1:, 1:],
        method="trust-exact",
        options={"gtol": 1e-5},
    ).x
    x = np.append(0.0, fitted)
    errors = np.append(0.0, np.sqrt(np.diag(np.linalg.inv(games.hessian(x)[1:, 1:]))))
    return sorted((_rating(name, x[i], errors[i], results) for name, i in place.items()), key=lambda r: -r.elo)


@dataclass(frozen=True)
class _Games:
    """The negative log-likelihood of all games; parameters are the ratings and, as the last one, log nu."""

    a: np.ndarray  # int [n]: who played in each match
    b: np.ndarray
    counts: np.ndarray  # float [n, 3]: wins, draws and losses of a

    def _chances(self, x: np.ndarray) -> np.ndarray:
        half = (x[self.a] - x[self.b]) / 2
        logs = np.stack([half, np.full(len(half), x[-1]), -half], axis=1)
        return np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))

    def loss(self, x: np.ndarray) -> float:
        return -float((self.counts * np.log(self._chances(x))).sum())

    def gradient(self, x: np.ndarray) -> np.ndarray:
        surplus = self.counts - self.counts.sum(axis=1, keepdims=True) * self._chances(x)
        pull = (surplus[:, 0] - surplus[:, 2]) / 2
        gradient = np.zeros(len(x))
        np.add.at(gradient, self.a, -pull)
        np.add.at(gradient, self.b, pull)
        gradient[-1] = -surplus[:, 1].sum()
        return gradient

    def hessian(self, x: np.ndarray) -> np.ndarray:
        win, draw, loss = self._chances(x).T
        games = self.counts.sum(axis=1)
        tilt = (win - loss) / 2
        curve, cross = games * ((win + loss) / 4 - tilt**2), games * tilt * draw
        hessian = np.zeros((len(x), len(x)))
        for i, j, sign in ((self.a, self.a, 1), (self.b, self.b, 1), (self.a, self.b, -1), (self.b, self.a, -1)):
            np.add.at(hessian, (i, j), sign * curve)
        np.add.at(hessian[-1], self.a, -cross)
        np.add.at(hessian[-1], self.b, cross)
        hessian[:, -1] = hessian[-1]
        hessian[-1, -1] = (games * draw * (1 - draw)).sum()
        return hessian


def _rating(name: str, rating: float, error: float, results: list[MatchResult]) -> Rating:
    games, points = 0, 0.0
    for result in results:
        if result.player == name:
            games, points = games + result.games, points + result.score * result.games
        elif result.opponent == name:
            games, points = games + result.games, points + (1 - result.score) * result.games
    elo, half = float(rating / SCALE), float(Z95 * error / SCALE)
    return Rating(name, elo, elo - half, elo + half, games, points / games)


def _linked(results: list[MatchResult], anchor: str) -> set[str]:
    linked = {anchor}
    while True:
        met = [{result.player, result.opponent} for result in results]
        more = linked.union(*(pair for pair in met if pair & linked))
        if more == linked:
            return linked
        linked = more


def write_ratings(path: Path, ratings: list[Rating], anchor: str = ANCHOR) -> None:
    """The table as JSON, replaced as a whole."""
    content = {"anchor": anchor, "players": [asdict(rating) for rating in ratings]}
    write_file(path, json.dumps(content, indent=1).encode())


def read_ratings(path: Path) -> list[Rating]:
    """The table as it was written; empty where there is none yet."""
    if not path.is_file():
        return []
    return [Rating(**row) for row in json.loads(path.read_text())["players"]]
