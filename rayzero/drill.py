"""Nothing is lost: python -m rayzero.drill kills actors of a small run again and again, and then counts.

Every few seconds one actor process, of every kind in turn, is ended with SIGKILL. At last the driver itself is,
and the run is resumed. Then: games counted = games on disk = different ids; every game that was acknowledged is
there; steps, ladder and loss went on.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from rayzero.cli import run
from rayzero.config import Options, load_config
from rayzero.errors import RunError
from rayzero.gamelog import read_games
from rayzero.monitor import Monitor
from rayzero.reports import ReplayStatus

KINDS = ("SelfPlayWorker", "ReplayService", "LearnerService", "EvaluatorService", "InferenceServer")
ACKNOWLEDGED = "acknowledged"
PATIENCE = 240.0  # seconds for the run to come to something: kernels may have to be compiled first
SETTINGS = (
    "net.channels=8",
    "net.blocks=1",
    "selfplay.workers=2",
    "selfplay.games_per_worker=16",
    "search.simulations=16",
    "learner.batch=64",
    "learner.min_positions=200",
    "inference.place=server",
    "evaluation.every_minutes=0.05",
    "evaluation.games=4",
    "evaluation.simulations=8",
    "evaluation.ladder_start=16",
    "run.minutes=null",
    "run.checkpoint_minutes=0.1",
    "monitor.interval_seconds=2",
    "cluster.address=local",
)


class Recorder(Monitor):
    """Also writes down which games were acknowledged, and when: what the run must never lose."""

    def added(self, status: ReplayStatus) -> None:
        """Games are on disk."""
        super().added(status)
        with (self.path / ACKNOWLEDGED).open("a") as file:
            file.writelines(f"{name}\n" for name in status.new)


@dataclass
class Drill:
    """One run that is attacked."""

    folder: Path
    settings: Sequence[str]
    random: random.Random
    killed: Counter[str] = field(default_factory=Counter)

    @property
    def run_path(self) -> Path:
        """Where the run is."""
        return self.folder / "tictactoe"

    def start(self) -> subprocess.Popen[bytes]:
        """A driver of its own."""
        command = [sys.executable, "-m", "rayzero.drill", "--run", f"run.dir={self.folder}", *self.settings]
        output = (self.folder / "output").open("ab")
        return subprocess.Popen(command, stdout=output, stderr=output)

    def attack(self, driver: subprocess.Popen[bytes], kills: int, pause: float) -> None:
        """Kill actors, the kinds that were killed least first."""
        while self.killed.total() < kills:
            time.sleep(self.random.uniform(0.5, 1.5) * pause)
            if driver.poll() is not None:
                raise RunError(f"The driver ended by itself; see {self.folder / 'output'}.")
            victims = list(_actors(driver.pid))
            if not victims:
                continue
            self.random.shuffle(victims)
            kind, process = min(victims, key=lambda victim: self.killed[victim[0]])
            process.kill()
            self.killed[kind] += 1
            games = len(self.acknowledged())
            print(f"killed {kind:17} ({self.killed.total()} of {kills}), {games:,} games so far", flush=True)

    def wait_for(self, driver: subprocess.Popen[bytes], games: int, steps: int, matches: int = 0) -> None:
        """Until the run has come so far: it lives."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if driver.poll() is not None:
                raise RunError(f"The driver ended by itself; see {self.folder / 'output'}.")
            reached = (len(self.acknowledged()), self.steps(), len(self.log("match")))
            if all(have >= wanted for have, wanted in zip(reached, (games, steps, matches), strict=True)):
                return
            time.sleep(0.5)
        raise RunError(f"The run stands still at {reached} games, steps, matches; {(games, steps, matches)} awaited.")

    def acknowledged(self) -> list[str]:
        """The games that the driver was told are safe; a last line cut off by a kill is left out."""
        path = self.run_path / ACKNOWLEDGED
        return path.read_text().split("\n")[:-1] if path.exists() else []

    def steps(self) -> int:
        """The newest step that the log knows."""
        return max((int(entry["step"]) for entry in self.log("interval")), default=0)

    def log(self, event: str) -> list[dict[str, Any]]:
        """Entries of the run's log."""
        path = self.run_path / "log.jsonl"
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [entry for entry in map(json.loads, lines) if entry["event"] == event]


def _actors(driver: int) -> Iterator[tuple[str, psutil.Process]]:
    """Actor processes below a driver, by the class that Ray shows in their names."""
    for process in psutil.Process(driver).children(recursive=True):
        try:
            title = " ".join(process.cmdline())
        except psutil.Error:
            continue
        for kind in KINDS:
            if title.startswith(f"ray::{kind}"):
                yield kind, process


def drill(folder: Path, kills: int, pause: float, seed: int, settings: Sequence[str] = ()) -> list[str]:
    """Attack a new run; returns what was found wrong, which should be nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    one = Drill(folder, (*SETTINGS, *settings), random.Random(seed))
    driver = one.start()
    try:
        one.wait_for(driver, games=50, steps=1)
        one.attack(driver, kills, pause)
        games, steps = len(one.acknowledged()), one.steps()
        one.wait_for(driver, games + 100, steps, matches=1)
        driver.kill()
        driver.wait()
        print("killed the driver; the same command goes on", flush=True)
        games, steps = len(one.acknowledged()), one.steps()
        matches = len(one.log("match"))
        driver = one.start()
        one.wait_for(driver, games + 200, steps + 20, matches + 1)
        driver.send_signal(signal.SIGTERM)
        start = time.monotonic()
        driver.wait(60)
        left = time.monotonic() - start
    finally:
        driver.kill()
    return list(_findings(one, games, steps, matches, left, kills))


def _findings(one: Drill, games: int, steps: int, matches: int, left: float, kills: int) -> Iterator[str]:
    on_disk = [record.id for record in read_games(one.run_path / "games")]
    counted = one.log("end")[-1]["progress"]["games"]
    acknowledged = one.acknowledged()
    missing = set(acknowledged) - set(on_disk)
    losses = [entry["loss/total"] for entry in one.log("interval") if "loss/total" in entry]
    print(
        f"kills: {dict(one.killed)}; games: {counted:,} counted, {len(on_disk):,} on disk, {len(set(on_disk)):,} ids, "
        f"{len(acknowledged):,} acknowledged, {len(missing)} missing; steps: {steps} -> {one.steps()}; "
        f"matches: {matches} -> {len(one.log('match'))}; loss: {losses[0]:.3f} -> {losses[-1]:.3f}; "
        f"left {left:.1f} s after SIGTERM"
    )
    if not counted == len(on_disk) == len(set(on_disk)):
        yield f"games counted {counted}, on disk {len(on_disk)}, different ids {len(set(on_disk))}"
    if missing:
        yield f"{len(missing)} acknowledged games are not on disk"
    if len(set(acknowledged)) != len(acknowledged):
        yield "a game was acknowledged twice as new"
    if kills >= len(KINDS) * 2 and set(one.killed) != set(KINDS):
        yield f"not every kind was killed: {dict(one.killed)}"
    if len(one.log("match")) <= matches:
        yield "no match was played after the driver's death"
    if losses[-1] > losses[0]:
        yield f"the loss did not go on from where it was: {losses[0]:.3f} -> {losses[-1]:.3f}"
    if left > 10:
        yield f"leaving took {left:.0f} seconds after SIGTERM"


def main(argv: Sequence[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m rayzero.drill", description=__doc__.split("\n")[0])
    parser.add_argument("settings", nargs="*", metavar="key=value", help="settings of the run")
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--pause", type=float, default=4.0, help="mean seconds between two of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dir", type=Path, default=Path("runs") / f"drill-{os.getpid()}")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_intermixed_args(argv)
    if given.run:
        from rayzero.cluster.driver import train

        return train(load_config("tictactoe", given.settings), Options(), Recorder)
    wrong = drill(given.dir, given.kills, given.pause, given.seed, given.settings)
    for finding in wrong:
        print(f"WRONG: {finding}", file=sys.stderr)
    print("Nothing was lost." if not wrong else f"{len(wrong)} findings.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(run(main))
