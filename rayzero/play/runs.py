"""A training run as its page shows it: ratings, curves, newest games."""

import io
import json
import threading
import zipfile
from pathlib import Path
from typing import Any

from rayzero.errors import RunError
from rayzero.evaluation.ratings import read_ratings
from rayzero.gamelog import newest_games
from rayzero.net.files import CARD_FILE, WEIGHTS_FILE
from rayzero.play.catalogue import Offer, offer
from rayzero.play.messages import Curve, NewGame, RatingInfo, RunInfo
from rayzero.play.models import ModelBook

POINTS = 200  # of a curve, at most
NEWEST = 12
CURVES = {
    "loss/policy": "Policy loss",
    "loss/value": "Value loss",
    "selfplay/game_length": "Plies a game",
    "selfplay/games_per_second": "Games a second",
    "selfplay/simulations_per_second": "Simulations a second",
    "learner/entropy": "Policy entropy",
}


class RunPage:
    """Reads a run directory; what has not changed is not read again."""

    def __init__(self, book: ModelBook) -> None:
        self._book = book
        self._log: list[dict[str, Any]] = []
        self._read_to = 0
        self._games: tuple[tuple[str, int] | None, list[NewGame]] = (None, [])
        self._lock = threading.Lock()

    def info(self) -> RunInfo:
        """The run as it is now."""
        run = self._book.run
        if run is None:
            raise RunError("No run is open here: start with python -m rayzero.play RUN-DIRECTORY.")
        with self._lock:
            log = self._read_log(run / "log.jsonl")
            entry = next(entry for entry in self._book.entries() if entry.kind == "net")
            table = offer(entry.games[0])
            ratings = read_ratings(run / "ratings.json")
            kept = {str(one.version): one.id for one in self._book.entries() if one.id.startswith("step-")}
            return RunInfo(
                name=run.resolve().name,
                game=table.name,
                steps=entry.version or 0,
                ratings=[
                    RatingInfo(**vars(rating), model=kept.get(rating.name.removeprefix("step-").partition("@")[0]))
                    for rating in ratings
                ],
                models=list(kept.values()),
                curves=_curves(log),
                newest=self._newest(run / "games", table),
            )

    def _read_log(self, path: Path) -> list[dict[str, Any]]:
        if not path.is_file():
            return []
        with path.open("rb") as file:
            file.seek(self._read_to)
            whole = file.read().rpartition(b"\n")[0]  # The last line may be half written.
        self._read_to += len(whole) + 1 if whole else 0
        entries = (json.loads(line) for line in whole.splitlines() if line.strip())
        self._log += [entry for entry in entries if entry.get("event") == "interval"]
        if len(self._log) > 8 * POINTS:
            self._log = self._log[:-POINTS:2] + self._log[-POINTS:]
        return self._log

    def _newest(self, folder: Path, table: Offer) -> list[NewGame]:
        segments = sorted(folder.glob("*.games"))
        mark = (segments[-1].name, segments[-1].stat().st_size) if segments else None
        if mark != self._games[0]:
            self._games = (
                mark,
                [
                    NewGame(
                        id=record.id,
                        version=record.versions[1],
                        plies=len(record.moves),
                        outcome=int(record.outcome),
                        text="".join(table.action_text(int(move)) for move in record.moves),
                    )
                    for record in newest_games(folder, NEWEST)
                ],
            )
        return self._games[1]


def _curves(log: list[dict[str, Any]]) -> list[Curve]:
    curves = []
    for tag, title in CURVES.items():
        points = [(entry["seconds"] / 60, float(entry[tag])) for entry in log if tag in entry]
        step = max(1, len(points) // POINTS)
        if len(points) > 1:
            curves.append(Curve(tag=tag, title=title, points=points[::step]))
    return curves


def zip_model(path: Path) -> bytes:
    """A model as one file to download."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in (CARD_FILE, WEIGHTS_FILE):
            archive.write(path / name, f"{path.name}/{name}")
    return buffer.getvalue()
