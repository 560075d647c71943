"""Ask which settings learn more in the same time: python -m rayzero.experiment conf/gomoku8.yaml --minutes 5 ...

Every variant is a list of `key=value` overrides, trained for equally many minutes from each seed, one run
after another on the whole machine. Then all nets play the same opponents and the plain config's net,
and one fit over all games rates them. What is done is kept on disk: the same command goes on where it
was interrupted.
"""

import argparse
import hashlib
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from rayzero.cli import run
from rayzero.config import load_config
from rayzero.errors import RunError
from rayzero.evaluation.matches import play_match
from rayzero.evaluation.ratings import Rating, fit_ratings
from rayzero.evaluation.specs import Setting, load_player_model, model_player, parse_player
from rayzero.records import MatchResult
from rayzero.storage import numbered, write_file


@dataclass(frozen=True)
class Variant:
    """Overrides, and the runs they gave."""

    overrides: tuple[str, ...]

    @property
    def name(self) -> str:
        """As people wrote it."""
        return " ".join(self.overrides) or "(as shipped)"


@dataclass(frozen=True)
class Trial:
    """One training run of a variant."""

    variant: Variant
    seed: int
    path: Path  # its run directory

    @property
    def name(self) -> str:
        """Unique within an experiment."""
        return f"{self.variant.name} seed {self.seed}"

    @property
    def model(self) -> Path:
        """The newest checkpoint."""
        found = numbered(self.path / "checkpoints", "step")
        if not found:
            raise RunError(f"{self.path} holds no checkpoint: the run of {self.name} was too short or failed.")
        return found[max(found)]


def main(argv: Sequence[str]) -> int:
    """Train, play, rate, print."""
    parser = argparse.ArgumentParser(prog="python -m rayzero.experiment", description=__doc__)
    parser.add_argument("config", help="the task, such as conf/gomoku8.yaml")
    parser.add_argument("variants", nargs="*", help='overrides to try, such as "search.kind=gumbel learner.ema=0"')
    parser.add_argument("--minutes", type=float, default=5.0, help="training time of each run")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each variant")
    parser.add_argument("--opponent", action="append", help="whom every net plays (default: mcts:1000 and mcts:5000)")
    parser.add_argument("--games", type=int, default=40, help="in each match")
    parser.add_argument("--simulations", type=int, default=200, help="of the nets in matches")
    parser.add_argument("--dir", type=Path, default=Path("runs/experiments"), help="where runs and results are kept")
    arguments = parser.parse_args(argv)
    variants = [Variant(()), *(Variant(tuple(shlex.split(text))) for text in arguments.variants)]
    for variant in variants:
        load_config(arguments.config, variant.overrides)  # says what is wrong before an hour is spent
    trials = [_trial(arguments, variant, seed) for seed in range(1, arguments.seeds + 1) for variant in variants]
    for number, trial in enumerate(trials, 1):
        print(f"[{number}/{len(trials)}] {trial.name}: {trial.path}", flush=True)
        _train(arguments, trial)
    results = _play_all(arguments, trials)
    _report(arguments, variants, trials, results)
    return 0


def _trial(arguments: argparse.Namespace, variant: Variant, seed: int) -> Trial:
    task = Path(arguments.config).stem
    key = hashlib.sha256(repr((task, arguments.minutes, variant.overrides, seed)).encode()).hexdigest()[:10]
    return Trial(variant, seed, arguments.dir / f"{task}-{key}")


def _train(arguments: argparse.Namespace, trial: Trial) -> None:
    """A run of its own in a process of its own; one that is over returns at once."""
    done = trial.path / "trained"
    if done.exists():
        return
    limits = [f"run.minutes={arguments.minutes}", f"run.seed={trial.seed}", "evaluation.enabled=false"]
    place = [f"run.dir={trial.path.parent}", f"run.name={trial.path.name}"]
    command = [
        sys.executable,
        "-m",
        "rayzero.commands",
        "train",
        arguments.config,
        *trial.variant.overrides,
        *limits,
        *place,
    ]
    if subprocess.run([*command, "--quiet"]).returncode:
        raise RunError(f"The run of {trial.name} ended with an error: {shlex.join(command)}")
    done.touch()


def _play_all(arguments: argparse.Namespace, trials: list[Trial]) -> list[MatchResult]:
    results = []
    for trial in trials:
        for opponent in arguments.opponent or ["mcts:1000", "mcts:5000"]:
            results.append(_match(arguments, trial, opponent, None))
        plain = _trial(arguments, Variant(()), trial.seed)
        if trial.variant.overrides:
            results.append(_match(arguments, trial, plain.name, plain))
    return results


def _match(arguments: argparse.Namespace, trial: Trial, opponent: str, other: Trial | None) -> MatchResult:
    """Play it, or read the result of it from the trial's directory."""
    file = trial.path / "experiment.json"
    known: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    key = f"{opponent}, {arguments.games} games, {arguments.simulations} simulations"
    if key not in known:
        setting = Setting(arguments.simulations, trial.seed)
        model = load_player_model(str(trial.model))
        text = str(other.model) if other else opponent
        player = model_player(str(trial.model), model, setting)
        rival = parse_player(text, model.game, model.card.game, setting)
        player.name, rival.name = trial.name, opponent
        known[key] = asdict(play_match(model.game, player, rival, games=arguments.games, seed=trial.seed))
        write_file(file, json.dumps(known, indent=1).encode())
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in known[key].items()
    }
    return MatchResult(**fields)


def _report(
    arguments: argparse.Namespace, variants: list[Variant], trials: list[Trial], results: list[MatchResult]
) -> None:
    ratings = {rating.name: rating for rating in fit_ratings(results)}
    opponents = list(dict.fromkeys(result.opponent for result in results if " seed " not in result.opponent))
    table = Table(title=f"{arguments.config}, {arguments.minutes:g} minutes a run, {arguments.seeds} seed(s)")
    for heading in ("variant", "Elo", "95 %", *opponents, "games", "positions", "steps"):
        table.add_column(heading, overflow="fold")
    for variant in variants:
        mine = [trial for trial in trials if trial.variant == variant]
        rated = [ratings[trial.name] for trial in mine if trial.name in ratings]
        scores = [_score(results, mine, opponent) for opponent in opponents]
        table.add_row(variant.name, *_elo(rated), *scores, *_progress(mine))
    Console(width=160, emoji=False).print(table)


def _elo(rated: list[Rating]) -> tuple[str, str]:
    if not rated:
        return "", ""
    elo = sum(rating.elo for rating in rated) / len(rated)
    half = sum((rating.high - rating.low) ** 2 for rating in rated) ** 0.5 / 2 / len(rated)
    return f"{elo:.0f}", f"± {half:.0f}"


def _score(results: list[MatchResult], trials: list[Trial], opponent: str) -> str:
    names = {trial.name for trial in trials}
    found = [result for result in results if result.player in names and result.opponent == opponent]
    return f"{100 * sum(result.score for result in found) / len(found):.0f} %" if found else ""


def _progress(trials: list[Trial]) -> list[str]:
    found = [json.loads((trial.model / "progress.json").read_text()) for trial in trials]
    return [f"{sum(one[key] for one in found) / len(found):.0f}" for key in ("games", "positions", "steps")]


if __name__ == "__main__":
    sys.exit(run(main))
