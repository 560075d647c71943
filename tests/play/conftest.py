import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import uvicorn

from rayzero.config.schema import Game, Net
from rayzero.games.registry import make_game
from rayzero.net import Blueprint
from rayzero.net.files import Card, save_model
from rayzero.net.find import shipped_models
from rayzero.play.models import ModelBook
from rayzero.play.service import make_app
from rayzero.records import Weights


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
