"""Actors that die, raise, or never come up."""

import os
import signal
import time

import numpy as np
import pytest

from rayzero.cluster import supervision
from rayzero.cluster.supervision import Calls, Member
from rayzero.errors import RunError

pytestmark = pytest.mark.usefixtures("ray_here")


class Worker:
    def __init__(self, start=0):
        if start == "user":
            raise RunError("The disk is full: free some space.")
        if start == "bug":
            raise KeyError("a bug in a constructor")
        self.count = start

    def pid(self):
        return os.getpid()

    def double(self, value):
        return [value] * 2, 2 * value

    def fail(self):
        raise ZeroDivisionError("a bug in a method")

    def refuse(self):
        raise RunError("The disk is full: free some space.")

    def sleep(self):
        time.sleep(60)


@pytest.fixture
def make(ray_here):
    members = []

    def member(start=0, **options):
        remote = ray_here.remote(Worker).options(num_cpus=0, max_restarts=0, **options)
        members.append(Member("worker", lambda incarnation: remote.remote(start)))
        return members[-1]

    yield member
    for one in members:
        one.stop()


def drain(calls, seconds=30):
    end = time.monotonic() + seconds
    while len(calls) and time.monotonic() < end:
        calls.wait(0.5)
    assert not len(calls)


def test_answers_arrive_and_large_parts_stay_references(make, ray_here):
    calls, answers = Calls(), []
    member = make()
    for value in range(5):
        large, _ = calls.issue(member, "double", value, done=answers.append, returns=2)
    assert calls.to(member) == 5
    drain(calls)
    assert sorted(answers) == [0, 2, 4, 6, 8] and ray_here.get(large) == [4, 4]


def test_a_killed_actor_is_replaced_and_its_calls_are_told(make):
    calls, answers, lost = Calls(), [], []
    member = make()
    calls.issue(member, "pid", done=answers.append)
    drain(calls)
    calls.issue(member, "sleep", done=answers.append, lost=lambda: lost.append("first"))
    calls.issue(member, "pid", done=answers.append, lost=lambda: lost.append("second"))
    os.kill(answers[0], signal.SIGKILL)
    drain(calls)
    assert sorted(lost) == ["first", "second"] and member.incarnation == 1
    calls.issue(member, "pid", done=answers.append)
    drain(calls)
    assert len(answers) == 2 and answers[1] != answers[0]


@pytest.mark.parametrize(
    ("start", "method", "text"), [(0, "fail", "a bug in a method"), ("bug", "pid", "a constructor")]
)
def test_a_bug_ends_the_run_with_its_own_error(make, start, method, text):
    calls = Calls()
    member = make(start)

    def again_and_again():
        for _ in range(supervision.RAISED_LIMIT):
            calls.issue(member, method)
            drain(calls)

    with pytest.raises(RunError, match=text) as caught:
        again_and_again()
    assert "worker failed 3 times in a row" in str(caught.value)
    assert member.incarnation == supervision.RAISED_LIMIT - 1


@pytest.mark.parametrize(("start", "method"), [("user", "pid"), (0, "refuse")])
def test_a_mistake_of_the_person_is_told_at_once(make, start, method):
    calls = Calls()
    calls.issue(make(start), method)
    with pytest.raises(RunError, match="^The disk is full: free some space.$"):
        drain(calls)


def test_accidents_with_work_in_between_never_end_the_run(make, monkeypatch):
    monkeypatch.setattr(supervision, "DIED_LIMIT", 2)
    calls, pids = Calls(), []
    member = make()
    for _ in range(4):
        calls.issue(member, "pid", done=pids.append)
        drain(calls)
        os.kill(pids[-1], signal.SIGKILL)
        calls.issue(member, "sleep")
        drain(calls)
    assert member.incarnation == 4


def test_a_lost_argument_is_no_fault_of_the_actor(make, ray_here):
    """What an actor put itself dies with it: whoever waits for it is told, and is not started anew."""

    class Owner:
        def put(self):
            return [ray_here.put(np.zeros(1 << 20))]

    owner = ray_here.remote(Owner).options(num_cpus=0).remote()
    (reference,) = ray_here.get(owner.put.remote())
    ray_here.kill(owner)
    calls, told = Calls(), []
    member = make()
    time.sleep(1)
    calls.issue(member, "double", reference, lost=lambda: told.append("lost"), gone=lambda: told.append("gone"))
    drain(calls)
    assert told == ["gone"] and member.incarnation == 0
