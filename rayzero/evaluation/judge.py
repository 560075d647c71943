"""What the evaluator actor does: judge the newest weights, promote the best, keep the ratings of a run.

Everything it knows is in the run's directory, so that it can die at any moment: a match that was not
finished is repeated, one that was logged counts once. A promoted model is on disk before the log says so,
and the log before the pointer moves; a judge that starts sets the pointer right.
"""

import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from rayzero.config.schema import Config
from rayzero.evaluation.ladder import Ladder
from rayzero.evaluation.log import Entry, MatchLog
from rayzero.evaluation.matches import PlayedGame, count_games, pair_points, play_games, play_match
from rayzero.evaluation.players import MctsPlayer, NetPlayer, Player
from rayzero.evaluation.promotion import best_version, clear_leftovers, point_to, promoted_model, write_promoted
from rayzero.evaluation.ratings import ANCHOR, ANCHOR_PLAYOUTS, Rating, fit_ratings, write_ratings
from rayzero.evaluation.solver import SolvedPositions, SolverScore, policy_moves, solved_positions, solver_score
from rayzero.evaluation.sprt import Sprt
from rayzero.evaluator import Evaluator
from rayzero.games.registry import make_game
from rayzero.net import Card, load_model, make_evaluator, save_model
from rayzero.records import MatchResult, Weights
from rayzero.search import SearchSettings

GATE_GAMES = 1000  # a sequential test that is still undecided ends here, without a promotion


@dataclass(frozen=True)
class EvaluationReport:
    """What is known about one version of the weights."""

    version: int
    result: MatchResult  # against pure MCTS on the rung
    rung: int  # on which it was played
    promoted: bool
    climbed: bool
    rating: Rating | None  # None where no chain of matches links it to the anchor
    gate: MatchResult | None  # the sequential test against the best model, where there was one
    seconds: float
    # Connect4, where asked for: of the "policy" alone and with "search".
    solver: dict[str, SolverScore] = field(default_factory=dict)


class Judge:
    """Judges the weights of one run, one version after another."""

    def __init__(self, config: Config, run: Path, evaluator: Evaluator | None = None, threads: int = 1) -> None:
        self.game = make_game(config.game.name, **config.game.options)
        self.run = Path(run)
        self.log = MatchLog(self.run / "matches.jsonl")
        self._config = config
        self._threads = threads
        self._solved: SolvedPositions | None = None
        self._evaluator = evaluator or self._make_evaluator()
        settings = config.evaluation
        before = self.log.last("ladder")
        self.ladder = Ladder(
            settings.ladder_start,
            settings.ladder,
            settings.ladder_step,
            settings.ladder_max,
            **(before.ladder if before else {}),
        )
        clear_leftovers(self.run)
        self._repair_pointer()

    def evaluate(self, weights: Weights, games: int | None = None) -> EvaluationReport:
        """Play the newest weights on the current rung; promote, climb and rate by what comes out.

        `games` is how many games of self-play there were until now, for the card of a promoted model.
        """
        start = time.perf_counter()
        self._evaluator.load(weights)
        rung = self.ladder.rung
        self._bridge(rung)
        entry = self._ladder_match(weights, rung, games)
        gate = self._gate(weights, games) if self._config.evaluation.sprt and not entry.promoted else None
        ratings = fit_ratings(self.log.results())
        write_ratings(self.run / "ratings.json", ratings)
        name = self._net_name(weights.version)
        return EvaluationReport(
            version=weights.version,
            result=entry.result,
            rung=rung,
            promoted=entry.promoted or bool(gate and gate.promoted),
            climbed=entry.climbed,
            rating=next((rating for rating in ratings if rating.name == name), None),
            gate=gate.result if gate else None,
            solver=self._solver_scores(weights.version),
            seconds=time.perf_counter() - start,
        )

    def _ladder_match(self, weights: Weights, rung: int, games: int | None) -> Entry:
        player = self._net_player(weights.version, self._evaluator)
        opponent = self._mcts(rung, weights.version)
        known = self.log.find(id := self._id("ladder", player, opponent))
        if known:
            return known
        result = self._play(player, opponent)
        ladder = replace(self.ladder)
        verdict = ladder.record(result.score)
        # With a gate, only the first model of a run is promoted by its score.
        promoted = verdict.promoted and not (self._config.evaluation.sprt and best_version(self.run) is not None)
        entry = Entry(id, "ladder", weights.version, result, promoted, verdict.climbed, ladder.state())
        self._record(entry, weights, games)
        self.ladder = ladder
        return entry

    def _gate(self, weights: Weights, games: int | None) -> Entry | None:
        """Newest against best, pair by pair in the order of their start, until the test is decided."""
        best = best_version(self.run)
        if best is None or best >= weights.version:
            return None
        settings = self._config.evaluation
        evaluator = self._make_evaluator()
        evaluator.load(load_model(promoted_model(self.run, best), self._config.game).weights)
        player, opponent = self._net_player(weights.version, self._evaluator), self._net_player(best, evaluator)
        known = self.log.find(id := self._id("gate", player, opponent))
        if known:
            return known
        start = time.perf_counter()
        test = Sprt(0.0, settings.sprt_elo, settings.sprt_error)
        played: list[PlayedGame] = []
        better, used = None, 0
        for wave in play_games(self.game, player, opponent, GATE_GAMES, settings.opening_plies, self._config.run.seed):
            played += wave
            better, used = test.decide(pair_points(played))
            if better is not None:
                break
        result = count_games(player.name, opponent.name, played[: 2 * used], time.perf_counter() - start)
        entry = Entry(id, "gate", weights.version, result, promoted=bool(better))
        self._record(entry, weights, games)
        return entry

    def _bridge(self, rung: int) -> None:
        """Link a rung to the players below by a match of its own, so that ratings hang on more than one net."""
        if rung == ANCHOR_PLAYOUTS:
            return
        played = {entry.ladder["rung"] for entry in self.log.entries if entry.ladder} | {ANCHOR_PLAYOUTS}
        below = max((playouts for playouts in played if playouts < rung), default=ANCHOR_PLAYOUTS)
        player, opponent = self._mcts(rung, 1), self._mcts(below, 2)
        if not self.log.find(id := self._id("bridge", player, opponent)):
            self.log.append(Entry(id, "bridge", 0, self._play(player, opponent)))

    def _solver_scores(self, version: int) -> dict[str, SolverScore]:
        if not self._config.evaluation.solver_positions:
            return {}
        if self._solved is None:
            self._solved = solved_positions(self.game, self._config.evaluation.solver_positions, self._config.run.seed)
        solved = self._solved
        player = self._net_player(version, self._evaluator)
        moves = {
            "policy": policy_moves(self.game, self._evaluator, solved.states),
            "search": player.best(np.arange(len(solved.states)), solved.states, solved.histories),
        }
        return {name: solver_score(solved, chosen) for name, chosen in moves.items()}

    def _play(self, player: Player, opponent: Player) -> MatchResult:
        settings = self._config.evaluation
        options = {"opening_plies": settings.opening_plies, "seed": self._config.run.seed}
        return play_match(self.game, player, opponent, settings.games, **options)

    def _record(self, entry: Entry, weights: Weights, games: int | None) -> None:
        if entry.promoted:
            ratings = fit_ratings([*self.log.results(), entry.result])
            rating = next((rating for rating in ratings if rating.name == entry.result.player), None)
            measured = {"anchor": ANCHOR, "rating": asdict(rating) if rating else None, "match": asdict(entry.result)}
            card = Card(self._config.game, self._config.net, weights.version, games, measured)
            write_promoted(self.run, weights.version, lambda path: save_model(path, weights, card))
        self.log.append(entry)
        if entry.promoted:
            point_to(self.run, weights.version)

    def _repair_pointer(self) -> None:
        promoted = [entry.version for entry in self.log.entries if entry.promoted]
        if promoted and best_version(self.run) != promoted[-1] and promoted_model(self.run, promoted[-1]).is_dir():
            point_to(self.run, promoted[-1])

    def _make_evaluator(self) -> Evaluator:
        return make_evaluator(self.game, self._config.net, self._config.inference)

    def _net_name(self, version: int) -> str:
        return f"step-{version}@{self._config.evaluation.simulations}"

    def _net_player(self, version: int, evaluator: Evaluator) -> NetPlayer:
        settings = SearchSettings.from_config(self._config.search)
        simulations = self._config.evaluation.simulations
        return NetPlayer(self._net_name(version), self.game, evaluator, settings, simulations, self._config.run.seed)

    def _mcts(self, playouts: int, salt: int) -> MctsPlayer:
        return MctsPlayer(self.game, playouts, self._config.run.seed + salt, self._threads)

    def _id(self, kind: str, player: Player, opponent: Player) -> str:
        return f"{kind} {player.name} {opponent.name}"
