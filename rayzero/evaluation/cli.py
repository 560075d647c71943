"""`evaluate.py`: how strong is a model, in a table, in JSON and in a sentence."""

import itertools
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from rayzero.cli import make_parser
from rayzero.errors import ConfigError
from rayzero.evaluation.engine import Limits
from rayzero.evaluation.matches import play_match
from rayzero.evaluation.players import NetPlayer, Player
from rayzero.evaluation.ratings import ANCHOR, fit_ratings
from rayzero.evaluation.report import show, write_json
from rayzero.evaluation.solver import SolverScore, policy_moves, solved_positions, solver_score
from rayzero.evaluation.specs import KNOWN, Setting, load_player_model, model_player, parse_player
from rayzero.records import MatchResult

EPILOG = f"Players: {KNOWN}. A model is a run's directory (its best), a checkpoint, a model file or a shipped name."


def main(argv: Sequence[str]) -> int:
    """Play the matches that the arguments ask for; Ctrl-C shows what is finished."""
    parser = make_parser("evaluate", "Measure a model in matches; several models play each other.", EPILOG)
    parser.add_argument("models", nargs="+", metavar="MODEL", help="who is measured; MODEL@800 sets its simulations")
    parser.add_argument("--opponent", action="append", default=[], metavar="SPEC", help="mcts:1000 unless given")
    parser.add_argument("--games", type=int, default=40, help="of each match; half with each colour (40)")
    parser.add_argument("--simulations", type=int, default=200, help="of each net's search for a move (200)")
    parser.add_argument("--opening-plies", type=int, default=2, help="random balanced moves that start a pair (2)")
    parser.add_argument("--temperature-plies", type=int, default=0, help="in which nets draw moves by visits (0)")
    parser.add_argument("--seed", type=int, default=1, help="of the openings and players")
    parser.add_argument("--json", metavar="FILE", help="write the results there too")
    parser.add_argument("--turn-seconds", type=float, default=5.0, help="an engine's time for a move (5)")
    parser.add_argument("--nodes", type=int, help="an engine's nodes for a move, where it knows max_node")
    parser.add_argument("--positions", type=int, default=0, help="Connect4: also measure on so many solved positions")
    parser.add_argument("--game", help="the module:Class of a model whose game is not built in")
    given = parser.parse_args(argv)
    for name, least in (("games", 2), ("simulations", 1), ("opening_plies", 0), ("turn_seconds", 0.001)):
        if getattr(given, name) < least:
            raise ConfigError(f"--{name.replace('_', '-')} is {getattr(given, name)}; it must be at least {least}.")
    console = Console(stderr=given.json == "-", emoji=False)  # mcts:100: is no emoji
    limits = Limits(seconds=given.turn_seconds, nodes=given.nodes)
    setting = Setting(given.simulations, given.seed, given.temperature_plies, limits=limits)
    with ExitStack() as cleanup:
        game, models, opponents = _players(given.models, given.opponent, given.game, setting)
        for player in (*models, *opponents):
            cleanup.callback(player.close)
        stopped = cleanup.enter_context(_interruptible())
        pairings = [*itertools.combinations(models, 2), *itertools.product(models, opponents)]
        options = {"opening_plies": given.opening_plies, "seed": given.seed, "stop": stopped}
        results = _play_all(game, pairings, given.games, options)
        solved = {} if stopped() else _solve(game, models, given.positions, given.seed)
    ratings = fit_ratings(results, _anchor(results)) if len(models) > 1 else []
    show(console, results, ratings, solved)
    if stopped():
        console.print("Interrupted: games under way do not count, as those that end first favour who wins fast.")
    if given.json:
        write_json(given.json, {"simulations": given.simulations, "seed": given.seed}, results, ratings, solved)
    return 130 if stopped() else 0


def _players(
    models: list[str], opponents: list[str], game_name: str | None, setting: Setting
) -> tuple[Any, list[NetPlayer], list[Player]]:
    """The game, and everyone; two who can't meet are refused before the first game."""
    first = load_player_model(models[0], own_game=game_name)
    players = [model_player(models[0], first, setting)]
    for text in models[1:]:
        players.append(model_player(text, load_player_model(text, first.card.game), setting))
    specs = opponents or ([ANCHOR] if len(models) == 1 else [])
    # A player of the same word on both sides must not draw the same random numbers.
    other = replace(setting, seed=setting.seed + 1)
    others = [parse_player(text, first.game, first.card.game, other) for text in specs]
    names: set[str] = set()
    for player in (*players, *others):
        while player.name in names:
            player.name += "'"
        names.add(player.name)
    return first.game, players, others


def _play_all(
    game: Any, pairings: Sequence[tuple[Player, Player]], games: int, options: dict[str, Any]
) -> list[MatchResult]:
    console = Console(stderr=True, emoji=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    results = []
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        for player, opponent in pairings:
            if options["stop"]():
                break
            task = bar.add_task(f"{player.name} - {opponent.name}", total=games)

            def update(at: Any, task: Any = task, title: str = f"{player.name} - {opponent.name}") -> None:
                score = f" {at.points:g} of {at.finished}" if at.finished else ""
                bar.update(task, completed=at.finished, total=at.games, description=f"{title}{score}")

            result = play_match(game, player, opponent, games, progress=update, **options)
            bar.remove_task(task)
            if result.games:
                results.append(result)
    return results


def _solve(game: Any, models: list[NetPlayer], count: int, seed: int) -> dict[str, SolverScore]:
    """Connect4: what each net does alone and with search, on positions whose truth is known."""
    if not count:
        return {}
    solved = solved_positions(game, count, seed)
    scores = {}
    for player in models:
        alone = policy_moves(game, player.evaluator, solved.states)
        searched = player.best(np.arange(len(solved.states)), solved.states, solved.histories)
        scores[f"{player.name}, no search"] = solver_score(solved, alone)
        scores[player.name] = solver_score(solved, searched)
    return scores


def _anchor(results: list[MatchResult]) -> str:
    names = [name for result in results for name in (result.player, result.opponent)]
    return ANCHOR if ANCHOR in names else names[0] if names else ANCHOR


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """The first Ctrl-C ends the matches in good order, the second one at once."""
    interrupted = []

    def interrupt(number: int, frame: Any) -> None:
        interrupted.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield lambda: bool(interrupted)
    finally:
        signal.signal(signal.SIGINT, before)
