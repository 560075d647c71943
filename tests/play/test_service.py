import asyncio
import json
import time

import httpx
import numpy as np
import psutil
import pytest
import websockets
from starlette.websockets import WebSocketDisconnect

from rayzero.errors import ConfigError
from rayzero.play.catalogue import offer
from rayzero.play.cli import main
from rayzero.play.desk import Desk, NotFound
from rayzero.play.guard import LOCAL, MAX_BODY
from rayzero.play.models import ModelBook
from rayzero.play.session import Session


@pytest.fixture(scope="module")
def client(served):
    with httpx.Client(base_url=served.address, timeout=120) as client:
        yield client


def new_session(client: httpx.Client, game: str = "tictactoe", text: str = "") -> str:
    response = client.post("api/sessions", json={"game": game, "text": text})
    assert response.status_code == 201, response.text
    return response.json()["id"]


def test_a_game_over_the_interface(client: httpx.Client) -> None:
    models = client.get("api/models").json()
    model = next(model for model in models if model["games"] == ["tictactoe"])
    id = new_session(client)
    moves = 0
    while True:
        session = client.post(f"api/sessions/{id}/reply", json={"model": model["id"], "simulations": 400}).json()[
            "session"
        ]
        moves += 1
        assert len(session["moves"]) == moves
        if session["outcome"]:
            break
    assert session["outcome"]["winner"] is None  # The look-ahead of both sides is enough not to lose.
    assert client.post(f"api/sessions/{id}/reply", json={"model": model["id"], "level": 0}).status_code == 400
    undone = client.post(f"api/sessions/{id}/undo", json={"plies": 3}).json()
    assert len(undone["moves"]) == moves - 3
    assert client.get(f"api/sessions/{id}/text?format=sgf").json()["text"].startswith("(;GM[4]")
    assert client.delete(f"api/sessions/{id}").status_code == 204
    assert client.get(f"api/sessions/{id}").status_code == 404


def test_exact_scores_stand_beside_opinion(client: httpx.Client) -> None:
    id = new_session(client, "connect4", "4444")
    assert client.get(f"api/sessions/{id}/truth?ply=0").json()["scores"] == [-2, -1, 0, 1, 0, -1, -2]
    assert client.get(f"api/sessions/{new_session(client)}/truth?ply=0").status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "api/sessions", {"game": "chess"}, 400),
        ("POST", "api/sessions", {"game": "gomoku15", "text": "h8h8"}, 400),
        ("POST", "api/sessions", {"game": 3}, 422),
        ("POST", "api/sessions", {"game": "gomoku15", "more": 1}, 422),
        ("POST", "api/sessions", {}, 422),
        ("POST", "api/sessions", None, 422),
        ("POST", "api/sessions/none/moves", {"action": 0}, 404),
        ("POST", "api/sessions/ID/moves", {"action": 99}, 400),
        ("POST", "api/sessions/ID/moves", {"action": -1}, 422),
        ("POST", "api/sessions/ID/moves", {"action": "0"}, 422),
        ("POST", "api/sessions/ID/moves", {"action": 0, "text": "a1"}, 400),
        ("POST", "api/sessions/ID/moves", {}, 400),
        ("POST", "api/sessions/ID/moves", {"text": "z9"}, 400),
        ("POST", "api/sessions/ID/moves", {"action": 0, "ply": 50}, 400),
        ("POST", "api/sessions/ID/undo", {"plies": 1}, 400),
        ("POST", "api/sessions/ID/reply", {"model": "../../etc/passwd", "level": 0}, 404),
        ("POST", "api/sessions/ID/reply", {"model": "shipped-..", "level": 0}, 404),
        ("POST", "api/sessions/ID/reply", {"model": "mcts"}, 404),
        ("POST", "api/sessions/ID/reply", {"model": "mcts", "level": 50}, 404),
        ("POST", "api/sessions/ID/reply", {"model": "mcts", "simulations": 10**9}, 422),
        ("POST", "api/sessions/ID/reply", {"model": "mcts", "seconds": 1e300}, 422),
        ("POST", "api/sessions/ID/resign", {"player": 2}, 422),
        ("GET", "api/sessions/ID/text?format=pdf", None, 400),
        ("GET", "api/sessions/ID/truth?ply=x", None, 422),
        ("GET", "../../../etc/passwd", None, 404),
        ("GET", "%2e%2e/%2e%2e/pyproject.toml", None, 404),
        ("PUT", "api/sessions", {}, 405),
    ],
)
def test_bad_input_is_told_in_a_sentence(
    client: httpx.Client, method: str, path: str, body: object, status: int
) -> None:
    id = new_session(client)
    response = client.request(method, path.replace("ID", id), json=body)
    assert response.status_code == status, response.text
    detail = response.json()["detail"]
    assert isinstance(detail, str) and "Traceback" not in detail


def test_huge_bodies_are_refused(client: httpx.Client) -> None:
    assert client.post("api/sessions", content=b"x" * (MAX_BODY + 1)).status_code == 413

    def chunks():
        for _ in range(40):
            yield b" " * 10_000

    assert client.post("api/sessions", content=chunks()).status_code == 413
    assert client.post("api/sessions", content=b"{" * 1000).status_code == 422


def test_other_hosts_and_sites_are_refused(client: httpx.Client) -> None:
    assert client.get("api/games", headers={"host": "evil.example"}).status_code == 421
    assert client.get("api/games", headers={"origin": "http://evil.example"}).status_code == 403
    assert client.get("api/games", headers={"host": "a]b[c"}).status_code in (400, 421)


def test_a_token_is_asked_for(book: ModelBook) -> None:
    from starlette.testclient import TestClient

    from rayzero.play.service import make_app

    client = TestClient(make_app(book, token="secret", hosts=None))
    assert client.get("/api/games").status_code == 401
    assert client.get("/api/games", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert client.get("/api/games", headers={"authorization": "Bearer secret"}).status_code == 200
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/think"):
        pass
    assert client.get("/?token=secret", follow_redirects=False).status_code == 307
    assert client.get("/api/games").status_code == 200  # By the cookie.


def test_elsewhere_needs_a_token() -> None:
    with pytest.raises(ConfigError, match="--token"):
        main(["--host", "0.0.0.0"])


def test_sessions_are_bounded(book: ModelBook) -> None:
    desk = Desk(book, capacity=10)
    names = [desk.add(Session(offer("tictactoe"))) for _ in range(11)]
    with pytest.raises(NotFound):
        desk.get(names[0])
    assert desk.get(names[1])


def test_the_newest_request_wins(served) -> None:
    async def run() -> None:
        base = {"kind": "position", "game": "tictactoe", "model": "given", "moves": []}
        async with websockets.connect(served.address.replace("http", "ws") + "api/think") as socket:

            async def ask(number: int, **changes: object) -> None:
                await socket.send(json.dumps({**base, "number": number, **changes}))

            async def answer(kind: str) -> dict:
                while (message := json.loads(await asyncio.wait_for(socket.recv(), 240)))["kind"] != kind:
                    assert message["kind"] == "report"
                return message

            await ask(1, simulations=100_000, game="gomoku15", model="mcts")
            await ask(2, simulations=50)
            done = await answer("done")
            assert done["number"] == 2 and done["report"]["done"]
            await ask(3, kind="game", moves=[0, 3, 1, 4, 8, 5], simulations=60)
            done = await answer("done")
            assert len(done["values"]) == 7 and done["values"][4:] == [1, -1, -1]
            worst = done["mistakes"][0]  # A win was there, and the other's was not stopped.
            assert (worst["ply"], worst["best"], worst["loss"], worst["severe"]) == (4, 2, 1, True)
            await ask(4, kind="move", moves=[0, 3, 1, 4, 8], simulations=60)
            assert (await answer("done"))["value"] == -1
            illegal = json.dumps({**base, "number": 5, "moves": [0, 0]})
            for wrong in ("nonsense", "{}", illegal, "[" * 5000, "x" * 100_000):
                await socket.send(wrong)
                await answer("error")

    asyncio.run(run())


def test_fifty_sessions_at_once(served, capsys: pytest.CaptureFixture[str]) -> None:
    """All are answered, none waits much longer than the others, and memory stays where it was."""

    async def one(client: httpx.AsyncClient, plies: int, times: list[float]) -> None:
        id = (await client.post("api/sessions", json={"game": "tictactoe"})).json()["id"]
        for _ in range(plies):
            begun = time.perf_counter()
            response = await client.post(f"api/sessions/{id}/reply", json={"model": "given", "simulations": 200})
            assert response.status_code == 200, response.text
            times.append(time.perf_counter() - begun)

    async def run() -> list[list[float]]:
        times: list[list[float]] = [[] for _ in range(50)]
        limits = httpx.Limits(max_connections=60)
        async with httpx.AsyncClient(base_url=served.address, timeout=120, limits=limits) as client:
            await one(client, 2, [])
            before = psutil.Process().memory_info().rss
            await asyncio.gather(*(one(client, 5, mine) for mine in times))
        assert psutil.Process().memory_info().rss - before < 200e6
        return times

    times = asyncio.run(run())
    every = np.concatenate(times)
    means = np.array([np.mean(mine) for mine in times])
    assert len(every) == 250
    with capsys.disabled():
        print(
            f"\n50 sessions x 5 moves x 200 simulations: median {np.median(every):.3f} s,"
            f" p99 {np.quantile(every, 0.99):.3f} s,"
            f" slowest session's mean {means.max() / np.median(means):.2f} times the median session's"
        )
    assert means.max() < 2 * np.median(means)


def test_only_this_machine_by_default() -> None:
    assert "localhost" in LOCAL and "0.0.0.0" not in LOCAL
