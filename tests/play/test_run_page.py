import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rayzero.errors import ModelError
from rayzero.play.models import ModelBook
from rayzero.play.service import make_app


def test_the_run_as_its_page_sees_it(run: Path) -> None:
    book = ModelBook(str(run), shipped=False)
    client = TestClient(make_app(book, hosts=None))
    info = client.get("/api/run").json()
    assert (info["name"], info["game"], info["steps"]) == ("ttt", "tictactoe", 7)
    assert [rating["model"] for rating in info["ratings"]] == ["step-7", None]
    assert info["newest"][0]["id"] == "game-29" and info["newest"][0]["text"].startswith("B2A3C3")
    assert [curve["tag"] for curve in info["curves"]] == ["loss/policy"] and len(info["curves"][0]["points"]) == 50
    archive = zipfile.ZipFile(io.BytesIO(client.get("/api/run/models/step-7").content))
    assert sorted(archive.namelist()) == ["step-7/card.json", "step-7/model.safetensors"]
    for wrong in ("..%2F..%2Fetc", "mcts", "step-8"):
        assert client.get(f"/api/run/models/{wrong}").status_code == 404
    # A line that was half written is read when it is whole, and nothing twice.
    with (run / "log.jsonl").open("a") as file:
        file.write('val", "seconds": 500, "loss/policy": 1}\n')
    assert len(client.get("/api/run").json()["curves"][0]["points"]) == 51
    book.close()


def test_newest_follows_the_training(run: Path) -> None:
    book = ModelBook(str(run), shipped=False)
    assert [entry.id for entry in book.entries()] == ["newest", "step-7", "mcts"]
    first = book.thinker(book.find("newest", "tictactoe"), "tictactoe")
    place = run / "checkpoints" / "step-9"
    shutil.copytree(run / "checkpoints" / "step-7", place)
    card = json.loads((place / "card.json").read_text())
    (place / "card.json").write_text(json.dumps({**card, "steps": 9}))
    assert [entry.id for entry in book.entries()] == ["newest", "step-9", "step-7", "mcts"]
    assert book.thinker(book.find("newest", "tictactoe"), "tictactoe") is not first
    assert book.thinker(book.find("step-7", "tictactoe"), "tictactoe") is first
    shutil.rmtree(place)
    book.close()


def test_without_a_run_it_says_so(book: ModelBook, tmp_path: Path) -> None:
    response = TestClient(make_app(book, hosts=None)).get("/api/run")
    assert response.status_code == 404 and "No run is open here" in response.json()["detail"]
    (tmp_path / "empty" / "checkpoints").mkdir(parents=True)
    with pytest.raises(ModelError, match="holds no model yet"):
        ModelBook(str(tmp_path / "empty"))
