"""The engine under a scripted manager with strict timing, and under nonsense."""

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rayzero.play.catalogue import offer_for
from rayzero.play.clock import UNLIMITED, Clock
from rayzero.play.session import Session
from tests.play.conftest import make_model


class Manager:
    """Talks to one engine process; counts the time of every answer."""

    def __init__(self, model: str | None = None) -> None:
        command = [sys.executable, "-m", "rayzero.gomocup", *([model] if model else [])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def send(self, *lines: str) -> None:
        assert self.process.stdin
        self.process.stdin.write("".join(line + "\r\n" for line in lines))
        self.process.stdin.flush()

    def answer(self, seconds: float = 240) -> str:
        """The next line that is no message; a silent engine is ended."""
        assert self.process.stdout
        watchdog = threading.Timer(seconds, self.process.kill)
        watchdog.start()
        try:
            while (line := self.process.stdout.readline()).startswith(("MESSAGE", "DEBUG")):
                pass
        finally:
            watchdog.cancel()
        assert line, "the engine died or said nothing in time"
        return line.strip()

    def ask(self, *lines: str) -> str:
        self.send(*lines)
        return self.answer()

    def held_up(self) -> dict[str, float]:
        """Milliseconds for which each thread of the engine wanted to run and got no CPU."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return {thread.parent.name: int(thread.read_text().split()[1]) / 1e6 for thread in threads}

    def close(self) -> int:
        self.send("END")
        return self.process.wait(5)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_model(tmp_path_factory.mktemp("gomocup") / "net", "gomoku"))


@pytest.fixture
def manager(model: str) -> Iterator[Manager]:
    manager = Manager(model)
    yield manager
    manager.process.kill()
    manager.process.wait()


def cell(answer: str) -> tuple[int, int]:
    x, _, y = answer.partition(",")
    return int(x), int(y)


def test_the_protocol_line_by_line(manager: Manager) -> None:
    assert 'name="rayzero"' in manager.ask("ABOUT")
    assert manager.ask("TURN 7,7").startswith("ERROR")
    assert manager.ask("START 4").startswith("ERROR")
    assert manager.ask("START fifteen").startswith("ERROR")
    assert manager.ask("start 15") == "OK"
    manager.send("INFO timeout_turn 100", "INFO something new", "INFO time_left", "INFO rule 0", "")
    x, y = cell(manager.ask("BEGIN"))
    assert 0 <= x < 15 and 0 <= y < 15
    assert manager.ask("BEGIN").startswith("ERROR")
    assert manager.ask(f"TURN {x},{y}").startswith("ERROR")
    assert manager.ask("TURN 15,0").startswith("ERROR")
    assert manager.ask("TURN what").startswith("ERROR")
    free = (0, 0) if (x, y) != (0, 0) else (1, 1)
    answer = cell(manager.ask(f"TURN {free[0]},{free[1]}"))
    assert answer not in {(x, y), free}
    assert manager.ask("TAKEBACK 14,14").startswith("ERROR") or answer == (14, 14)
    assert manager.ask(f"TAKEBACK {answer[0]},{answer[1]}") == "OK"
    assert manager.ask(f"TAKEBACK {free[0]},{free[1]}") == "OK"
    assert manager.ask("WHAT IS THIS").startswith("UNKNOWN")
    assert manager.ask("DONE").startswith("ERROR")
    assert manager.ask("RESTART") == "OK"
    manager.send("BOARD", "7,7,2", "DONE")
    assert cell(manager.answer()) != (7, 7)
    manager.send("INFO rule 4")
    assert manager.ask("RESTART").startswith("ERROR")
    assert manager.close() == 0


def test_it_wins_and_blocks_from_a_board(manager: Manager) -> None:
    manager.ask("START 15")
    manager.send("INFO timeout_turn 300")
    own, other = [f"{x},7,1" for x in range(3, 7)], [f"{x},2,2" for x in (1, 5, 9, 13)]
    assert manager.ask("BOARD", *own, *other, "DONE") in ("2,7", "7,7")
    own, other = [f"{x},7,1" for x in (0, 4, 8)], [f"{x},2,2" for x in (0, 1, 2, 3)]
    assert manager.ask("BOARD", *own, *other, "DONE") == "4,2"
    assert manager.ask("BOARD", "1,1,1", "1,1,2", "DONE").startswith("ERROR")
    assert manager.ask("BOARD", "1,1,3", "DONE").startswith("ERROR")
    assert manager.ask("BOARD", "1,1,1", "DONE").startswith("ERROR")
    assert manager.ask("BOARD", "one", "DONE").startswith("ERROR")
    assert cell(manager.ask("BOARD", "DONE"))
    assert manager.ask("RESTART") == "OK"


def test_exactly_five_is_another_game(manager: Manager) -> None:
    """Six in a row neither wins nor has to be stopped; five does."""
    manager.send("INFO rule 1")
    assert manager.ask("START 15") == "OK"
    manager.send("INFO timeout_turn 300")
    own = [f"{x},7,1" for x in (2, 3, 4, 6, 7)]  # 5,7 would make six.
    other = [f"{x},2,2" for x in (0, 3, 6, 9, 12)]
    assert manager.ask("BOARD", *own, *other, "DONE") != "5,7"


def test_end_of_input_ends_it(model: str) -> None:
    manager = Manager(model)
    assert manager.ask("START 15") == "OK"
    manager.send("INFO timeout_turn 30000", "BEGIN")
    time.sleep(0.5)
    assert manager.process.stdin
    manager.process.stdin.close()
    assert manager.process.wait(5) == 0


def test_other_sizes_play_or_are_refused(model: str, tmp_path: Path) -> None:
    manager = Manager(model)
    manager.send("INFO timeout_turn 100")
    assert manager.ask("START 20") == "OK"  # Pooled heads have no weight per cell.
    assert max(cell(manager.ask("TURN 19,19"))) < 20
    assert manager.ask("RECTSTART 12,9") == "OK"
    x, y = cell(manager.ask("BEGIN"))
    assert x < 12 and y < 9
    manager.close()
    from rayzero.config.schema import Net

    flat = Manager(str(make_model(tmp_path / "flat", "gomoku", net=Net(channels=8, blocks=1, heads="flat"))))
    assert flat.ask("START 20").startswith("ERROR")
    assert flat.ask("START 15") == "OK"
    flat.close()


def test_without_a_model_for_gomoku(tictactoe: str) -> None:
    manager = Manager(tictactoe)
    assert manager.process.wait(60) == 2


def play_game(manager: Manager, size: int, seed: int) -> list[tuple[float, float]]:
    """A game against random moves near the last ones: for each answer its time, and that without waiting for a CPU."""
    chance = random.Random(seed)
    session = Session(offer_for("gomoku", {"width": size, "height": size}))
    times = []
    assert manager.ask("RESTART") == "OK"
    mine = seed % 2 == 0
    while session.outcome is None:
        if mine and not session.moves:
            line = "BEGIN"
        else:
            close = [
                a
                for a in session.legal
                if any(abs(a % size - b % size) < 2 and abs(a // size - b // size) < 2 for b in session.moves[-6:])
            ]
            move = chance.choice(close or session.legal)
            session.play(move)
            if session.outcome is not None:
                break
            line = f"TURN {move % size},{move // size}"
        begun, busy = time.perf_counter(), manager.held_up()
        answer = manager.ask(line)
        passed = 1000 * (time.perf_counter() - begun)
        # Threads wait side by side: only the longest wait surely delayed the answer, a sum would excuse too much.
        waits = [held - busy.get(thread, 0.0) for thread, held in manager.held_up().items()]
        times.append((passed, passed - max(waits)))
        x, y = cell(answer)
        session.play(y * size + x)
    return times


def tournament(model: str, size: int, games: int, milliseconds: int) -> np.ndarray:
    manager = Manager(model)
    assert manager.ask(f"START {size}") == "OK"
    manager.send(f"INFO timeout_turn {milliseconds}", "INFO timeout_match 0", f"INFO time_left {UNLIMITED}")
    times = [one for seed in range(games) for one in play_game(manager, size, seed)]
    assert manager.close() == 0
    return np.array(times)


def test_a_few_games_on_time(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    times = tournament(model, 15, 2, 100)
    with capsys.disabled():
        print(f"\ngomocup at 100 ms a move: median {np.median(times[:, 0]):.0f}, slowest {times[:, 0].max():.0f} ms")
    assert np.median(times[:, 0]) < 100  # A busy machine holds up single answers; the long test is strict.


@pytest.mark.long
@pytest.mark.parametrize("size", [15, 20])
def test_fifty_games_without_a_forfeit(model: str, size: int, capsys: pytest.CaptureFixture[str]) -> None:
    times = tournament(model, size, 50, 100)
    passed, own = times[:, 0], times[:, 1]
    with capsys.disabled():
        print(
            f"\n{size}x{size}: 50 games, {len(times)} moves at 100 ms: median {np.median(passed):.1f} ms,"
            f" slowest {passed.max():.1f} ms, {(passed > 120).sum()} over 120 ms;"
            f" without waiting for a CPU slowest {own.max():.1f} ms, {(own > 120).sum()} over 120 ms"
        )
    assert own.max() < 120


WORDS = [
    "START",
    "RECTSTART",
    "RESTART",
    "BEGIN",
    "TURN",
    "BOARD",
    "DONE",
    "TAKEBACK",
    "INFO",
    "ABOUT",
    "SWAP2BOARD",
    "x",
]
VALUES = ["15", "20", "7,7", "0,0", "1,2,1", "3,4,2", "-1,-1", "9" * 20, "timeout_turn 10", "rule 1", "rule 8",
          "rule 0", "time_left -5", "max_memory 1", "\x00\xff", "a" * 5000, "", ",", "NaN"]  # fmt: skip


def bombard(model: str, lines: int, seed: int) -> None:
    chance = random.Random(seed)
    manager = Manager(model)
    manager.ask("START 15")
    manager.send("INFO timeout_turn 10")
    reader = threading.Thread(target=lambda: [None for _ in manager.process.stdout or ()], daemon=True)
    reader.start()
    for _ in range(lines):
        manager.send(
            f"{chance.choice(WORDS)} {chance.choice(VALUES)}" if chance.random() < 0.7 else chance.choice(VALUES)
        )
    assert manager.process.poll() is None, "the engine died"
    assert manager.process.stdin
    manager.process.stdin.close()
    assert manager.process.wait(60) == 0


def test_nonsense_neither_breaks_nor_hangs_it(model: str) -> None:
    bombard(model, 300, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_much_nonsense(model: str, seed: int) -> None:
    bombard(model, 3000, seed)


def test_time_is_shared_out() -> None:
    assert Clock(timeout_turn=100).seconds() == 0.1
    assert Clock(timeout_turn=0).seconds() == 0
    assert Clock(timeout_turn=30_000, time_left=14_000).seconds() == 1
    assert Clock(timeout_turn=30_000, time_left=-5).seconds() == 0
    assert Clock(timeout_turn=0, timeout_match=28_000).seconds() == 2
    assert Clock(timeout_turn=1000, time_left=UNLIMITED).seconds() == 1
    assert 0.005 < Clock(timeout_turn=100).reserve() < 0.02
    assert Clock(max_memory=1).simulations(225) == 200
    assert Clock().simulations(225) > 100_000
