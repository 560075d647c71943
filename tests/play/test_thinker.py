import threading
import time
from concurrent.futures import CancelledError

import numpy as np
import pytest

from rayzero.evaluator import UniformEvaluator
from rayzero.play.catalogue import offer
from rayzero.play.formats import read_game
from rayzero.play.models import play_settings
from rayzero.play.report import Report, split
from rayzero.play.rollouts import RolloutThinker
from rayzero.play.thinker import NetThinker, Request, ask


@pytest.fixture
def thinker():
    thinker = NetThinker(offer("connect4").game, UniformEvaluator(7), play_settings(), slots=8)
    yield thinker
    thinker.close()


def state_of(text: str, name: str = "connect4") -> np.ndarray:
    return read_game(offer(name), text).state


def test_answers_what_was_asked(thinker: NetThinker) -> None:
    report = ask(thinker, state_of("112233"), 100)
    assert report.best == 3 and report.proven is not None
    assert (report.proven.result, report.proven.plies) == ("win", 1)
    assert report.value == 1 and report.wdl == (1, 0, 0)
    report = ask(thinker, state_of(""), 300)
    assert report.simulations >= 290 and abs(sum(report.wdl) - 1) < 1e-6
    assert sum(move.visits for move in report.moves) == report.simulations
    assert report.line and report.line[0] == report.best


def test_many_at_once_give_what_each_gives_alone(thinker: NetThinker) -> None:
    texts = ["", "4", "44", "444", "4444", "1", "12", "123", "1234", "12345", "4435", "443", "71", "717", "7171"]
    alone = [ask(thinker, state_of(text), 200) for text in texts]
    requests = [Request(state_of(text), 200) for text in texts]
    for request in requests:
        thinker.submit(request)
    together = [request.answer.result(30) for request in requests]
    assert [report.moves for report in together] == [report.moves for report in alone]


def test_a_long_request_does_not_hold_up_short_ones(thinker: NetThinker) -> None:
    ask(thinker, state_of(""), 10)
    long = Request(state_of(""), 200_000)
    thinker.submit(long)
    begun = time.monotonic()
    for _ in range(5):
        ask(thinker, state_of("4"), 50)
    assert time.monotonic() - begun < 2 and not long.answer.done()
    long.cancel()
    with pytest.raises(CancelledError):
        long.answer.result(5)


def test_seconds_are_kept_and_reports_come_on_the_way(thinker: NetThinker) -> None:
    ask(thinker, state_of(""), 10)
    seen: list[Report] = []
    request = Request(state_of(""), 100_000, seconds=0.5, watch=seen.append)
    begun = time.monotonic()
    thinker.submit(request)
    report = request.answer.result(10)
    assert 0.45 < time.monotonic() - begun < 1.5
    assert 1 <= len(seen) <= 6
    assert [one.simulations for one in seen] == sorted(one.simulations for one in seen)
    assert report.simulations >= seen[-1].simulations


def test_closing_tells_those_who_wait() -> None:
    thinker = NetThinker(offer("connect4").game, UniformEvaluator(7), play_settings(), slots=2)
    requests = [Request(state_of(""), 500_000) for _ in range(5)]
    for request in requests:
        thinker.submit(request)
    threading.Timer(0.2, thinker.close).start()
    for request in requests:
        with pytest.raises(Exception, match="put away"):
            request.answer.result(10)


def test_closing_pure_mcts_tells_them_too() -> None:
    thinker = RolloutThinker(offer("connect4").game)
    requests = [Request(state_of(""), 200_000) for _ in range(12)]
    for request in requests:
        thinker.submit(request)
    thinker.close()
    answered = [request.answer.exception(10) for request in requests]
    assert any(error is not None and "put away" in str(error) for error in answered) and not thinker.alive


def test_idle_threads_use_no_time(thinker: NetThinker) -> None:
    ask(thinker, state_of(""), 10)
    before = time.process_time()
    time.sleep(1.0)
    assert time.process_time() - before < 0.05


def test_pure_mcts_answers_too() -> None:
    thinker = RolloutThinker(offer("connect4").game)
    seen: list[Report] = []
    request = Request(state_of("112233"), 4000, watch=seen.append)
    thinker.submit(request)
    report = request.answer.result(60)
    assert report.best == 3 and report.value > 0.5 and 3900 <= report.simulations <= 4000
    assert seen and all(move.q is None for move in report.moves)
    thinker.close()


@pytest.mark.parametrize(("value", "draws"), [(0.0, 0.3), (0.9, 0.5), (-1.0, 0.2), (0.4, 0.0)])
def test_win_draw_loss_keeps_the_value(value: float, draws: float) -> None:
    wdl = split(value, draws)
    assert min(wdl) >= 0 and sum(wdl) == pytest.approx(1) and wdl[0] - wdl[2] == pytest.approx(value)
    assert wdl[1] <= draws
