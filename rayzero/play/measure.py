"""Measure levels: neighbours play each other, one fit rates them all, and those too close to the last one go."""

import itertools
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rayzero.cli import make_parser
from rayzero.errors import ConfigError, ModelError
from rayzero.evaluation.matches import play_match
from rayzero.evaluation.players import MctsPlayer, NetPlayer, Player
from rayzero.evaluation.ratings import ANCHOR, ANCHOR_PLAYOUTS, Rating, fit_ratings
from rayzero.net.files import CARD_FILE, WEIGHTS_FILE, load_model
from rayzero.net.find import find_model
from rayzero.play.levels import LEVELS_FILE, Level
from rayzero.play.models import open_evaluator, play_settings
from rayzero.records import MatchResult
from rayzero.storage import write_file

SIMULATIONS = "1,2,4,8,16,32,64,128,256,512"
STEP = 40.0  # Elo between two levels, at least: less is not felt

Match = Callable[[Player, Player], MatchResult]


def main(argv: Sequence[str]) -> int:
    """Write levels.json beside a model."""
    parser = make_parser("levels", "Measure the levels of strength of a model and write them beside it.")
    parser.add_argument("model", help="a model; its directory gets levels.json")
    parser.add_argument(
        "--older", action="append", default=[], help="an older net for weaker levels; copied to the model"
    )
    parser.add_argument("--simulations", default=SIMULATIONS, help=f"budgets to try (default: {SIMULATIONS})")
    parser.add_argument("--games", type=int, default=60, help="in each match")
    parser.add_argument("--opening-plies", type=int, default=2, help="random plies at the start of a game")
    given = parser.parse_args(argv)
    path = find_model(given.model)
    budgets = _numbers(given.simulations)
    older = [_keep_beside(path, find_model(text)) for text in given.older]
    # Older nets only look a little: their deeper searches would cross the new net's shallow ones.
    candidates = [Level(n, checkpoint=name) for name in older for n in budgets[:3]] + [Level(n) for n in budgets]
    game = load_model(path).game
    options = {"games": given.games, "opening_plies": given.opening_plies}

    def match(player: Player, opponent: Player) -> MatchResult:
        result = play_match(game, player, opponent, **options)
        print(f"{result.player} - {result.opponent}: +{result.wins} ={result.draws} -{result.losses}", flush=True)
        return result

    levels = measure(game, path, candidates, match)
    content = {"anchor": ANCHOR, "games_a_match": given.games, "levels": [asdict(level) for level in levels]}
    write_file(path / LEVELS_FILE, (json.dumps(content, indent=1) + "\n").encode())
    for number, level in enumerate(levels, 1):
        where = f", {level.checkpoint}" if level.checkpoint else ""
        print(f"Level {number}: {level.elo:.0f} ± {level.margin:.0f} Elo, {level.simulations} simulations{where}")
    return 0


def measure(game: Any, path: Path, candidates: list[Level], match: Match) -> list[Level]:
    """Rate the candidates and keep a rising sequence of them."""
    players = {_name(level): _player(game, path, level) for level in candidates}
    names = list(players)
    anchor = MctsPlayer(game, ANCHOR_PLAYOUTS)
    results = [match(players[b], players[a]) for a, b in itertools.pairwise(names)]
    # The anchor meets the weakest, the middle and the strongest: one of them is a fair match.
    results += [match(players[name], anchor) for name in dict.fromkeys((names[0], names[len(names) // 2], names[-1]))]
    ratings = {rating.name: rating for rating in fit_ratings(results)}
    return rising([(level, ratings[_name(level)]) for level in candidates])


def rising(rated: list[tuple[Level, Rating]]) -> list[Level]:
    """The strongest candidate and, downwards from it, every one that is clearly weaker than the last one kept."""
    kept: list[Level] = []
    for level, rating in sorted(rated, key=lambda one: -one[1].elo):
        if not kept or rating.elo <= (kept[-1].elo or 0.0) - STEP:
            kept.append(replace(level, elo=round(rating.elo, 1), margin=round((rating.high - rating.low) / 2, 1)))
    return kept[::-1]


def _player(game: Any, path: Path, level: Level) -> NetPlayer:
    model = load_model(path / level.checkpoint if level.checkpoint else path)
    return NetPlayer(_name(level), game, open_evaluator(model, game), play_settings(), level.simulations)


def _name(level: Level) -> str:
    return f"{level.checkpoint or 'net'}@{level.simulations}"


def _keep_beside(path: Path, older: Path) -> str:
    if older.resolve() == path.resolve():
        raise ModelError(f"{older} is the model itself, not an older one.")
    place = path / older.name
    place.mkdir(exist_ok=True)
    for name in (CARD_FILE, WEIGHTS_FILE):
        shutil.copyfile(older / name, place / name)
    return place.name


def _numbers(text: str) -> list[int]:
    words = text.split(",")
    if not all(word.strip().isdigit() and int(word) > 0 for word in words):
        raise ConfigError(f"--simulations {text!r} should be numbers with commas, such as {SIMULATIONS}.")
    return sorted({int(word) for word in words})
