import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import uvicorn

from rayzero.config.schema import Game, Net
from rayzero.evaluation.ratings import Rating, write_ratings
from rayzero.gamelog import GameLog
from rayzero.games.registry import make_game
from rayzero.net import Blueprint
from rayzero.net.files import Card, save_model
from rayzero.net.find import shipped_models
from rayzero.play.models import ModelBook
from rayzero.play.service import make_app
from rayzero.records import GameRecord, Weights


def make_model(path: Path, name: str, net: Net | None = None) -> Path:
    """A net that was never trained."""
    game_config, net = Game(name), net or Net(channels=8, blocks=1)
    blueprint = Blueprint.create(make_game(name, **game_config.options), net)
    flat = np.random.default_rng(5).normal(0, 0.02, blueprint.size).astype(np.float32)
    arrays = blueprint.split(flat)
    for key, array in arrays.items():
        if "var" in key:
            array[:] = 1.0
    save_model(path, Weights(7, np.concatenate([array.ravel() for array in arrays.values()])), Card(game_config, net))
    return path


@pytest.fixture(scope="session")
def tictactoe(tmp_path_factory: pytest.TempPathFactory) -> str:
    if "tictactoe" in shipped_models():
        return "tictactoe"
    return str(make_model(tmp_path_factory.mktemp("models") / "tictactoe", "tictactoe"))


@pytest.fixture(scope="session")
def book(tictactoe: str) -> Iterator[ModelBook]:
    book = ModelBook(tictactoe)
    yield book
    book.close()


def record(number: int, moves: list[int]) -> GameRecord:
    return GameRecord(
        id=f"game-{number}",
        versions=(1, 7),
        moves=np.array(moves, np.int16),
        outcome=1,
        target_plies=np.array([0], np.int16),
        policy_ends=np.array([1], np.int32),
        policy_actions=np.array([4], np.int16),
        policy_probabilities=np.array([1], np.float16),
        search_values=np.array([0], np.float16),
    )


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "ttt"
    make_model(run / "checkpoints" / "step-7", "tictactoe")
    log = GameLog(run / "games")
    log.append([record(number, [4, 0, 2, 6, 3, 5, 1, 7, 8][: 5 + number % 4]) for number in range(30)])
    log.close()
    rating = Rating("step-7@200", 120.0, 80.0, 160.0, 40, 0.66)
    write_ratings(run / "ratings.json", [rating, Rating("mcts:1000", 0.0, 0.0, 0.0, 40, 0.34)])
    lines = [{"event": "start"}]
    lines += [{"event": "interval", "seconds": 10.0 * i, "loss/policy": 2.0 - i / 100} for i in range(50)]
    (run / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"event": "inter')
    return run


class Served:
    """The service in a thread of its own."""

    def __init__(self, book: ModelBook, **options: object) -> None:
        config = uvicorn.Config(make_app(book, **options), port=0, log_level="error", lifespan="off")  # type: ignore[arg-type]
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        port = self.server.servers[0].sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{port}/"

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(5)


@pytest.fixture(scope="session")
def served(book: ModelBook) -> Iterator[Served]:
    served = Served(book)
    yield served
    served.stop()
