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
    names = sorted(_linked(results, anchor))
    if len(names) < 2:
        return []
    results = [result for result in results if result.player in names]
    place = {name: i for i, name in enumerate(names)}
    a = np.array([place[result.player] for result in results])
    b = np.array([place[result.opponent] for result in results])
    counts = np.array([(result.wins + PRIOR, result.draws, result.losses + PRIOR) for result in results], float)
    free = np.array([i for i, name in enumerate(names) if name != anchor])

    def unpack(x: np.ndarray) -> np.ndarray:
        ratings = np.zeros(len(names))
        ratings[free] = x[:-1]
        return ratings

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        chances, slopes = _outcomes(unpack(x), x[-1], a, b)
        gradient = np.zeros(len(names))
        pull = (counts[:, 0] - counts[:, 2]) / 2 - counts.sum(axis=1) * slopes[:, 0]
        np.add.at(gradient, a, -pull)
        np.add.at(gradient, b, pull)
        draw = counts[:, 1].sum() - (counts.sum(axis=1) * slopes[:, 1]).sum()
        return -float((counts * np.log(chances)).sum()), np.append(gradient[free], -draw)

    start = np.zeros(len(free) + 1)
    if counts[:, 1].sum() == 0:  # nu runs to 0 without a draw in sight: as good as 0 from the start
        start[-1] = -20.0
    fitted = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-6, "maxiter": 10_000}).x
    ratings = unpack(fitted)
    errors = np.zeros(len(names))
    errors[free] = np.sqrt(np.diag(np.linalg.inv(_information(ratings, fitted[-1], a, b, counts)[np.ix_(free, free)])))
    return sorted((_rating(name, ratings[i], errors[i], results) for name, i in place.items()), key=lambda r: -r.elo)


def _outcomes(ratings: np.ndarray, log_nu: float, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Chances [n, 3] of win, draw, loss; and the slopes [n, 2] of the log of their sum by rating and by log nu."""
    half = (ratings[a] - ratings[b]) / 2
    logs = np.stack([half, np.full(len(half), log_nu), -half], axis=1)
    logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
    chances = np.exp(logs)
    return chances, np.stack([(chances[:, 0] - chances[:, 2]) / 2, chances[:, 1]], axis=1)


def _information(ratings: np.ndarray, log_nu: float, a: np.ndarray, b: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The Hessian of the negative log-likelihood by the ratings, at a given nu (nearly independent of them)."""
    chances, slopes = _outcomes(ratings, log_nu, a, b)
    curve = counts.sum(axis=1) * ((chances[:, 0] + chances[:, 2]) / 4 - slopes[:, 0] ** 2)
    hessian = np.zeros((len(ratings), len(ratings)))
    np.add.at(hessian, (a, a), curve)
    np.add.at(hessian, (b, b), curve)
    np.add.at(hessian, (a, b), -curve)
    np.add.at(hessian, (b, a), -curve)
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
