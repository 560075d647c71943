"""The log of matches: nothing twice, nothing half."""

import pytest

from rayzero.evaluation.log import Entry, MatchLog
from rayzero.records import MatchResult

RESULT = MatchResult("net", "mcts:1000", 3, 1, 2, (0, 1, 1, 0, 1), 2, 0, 1, 31.5, 0, 2.5, ("net gave up",))


def entry(number, **changes):
    return Entry(f"match {number}", "ladder", number, RESULT, ladder={"rung": 1000, "best_score": 0.5}, **changes)


def test_entries_come_back_as_they_were(tmp_path):
    log = MatchLog(tmp_path / "matches.jsonl")
    log.append(entry(1, promoted=True))
    log.append(entry(2, climbed=True))
    assert (
        MatchLog(tmp_path / "matches.jsonl").entries == log.entries == [entry(1, promoted=True), entry(2, climbed=True)]
    )


def test_same_match_counts_once(tmp_path):
    log = MatchLog(tmp_path / "matches.jsonl")
    log.append(entry(1))
    log.append(entry(1, promoted=True))
    again = MatchLog(tmp_path / "matches.jsonl")
    again.append(entry(1, climbed=True))
    assert again.entries == [entry(1)]
    assert len(again.path.read_text().splitlines()) == 1
    assert again.find("match 1") == entry(1)
    assert again.find("match 2") is None


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_line_that_a_crash_cut_off_is_forgotten(tmp_path, kept):
    path = tmp_path / "matches.jsonl"
    log = MatchLog(path)
    for number in range(3):
        log.append(entry(number))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:kept]) + lines[kept][:25])
    log = MatchLog(path)
    assert [one.version for one in log.entries] == list(range(kept))
    log.append(entry(9))
    assert [one.version for one in MatchLog(path).entries] == [*range(kept), 9]


def test_last_of_a_kind(tmp_path):
    log = MatchLog(tmp_path / "matches.jsonl")
    assert log.last("ladder") is None
    log.append(entry(1))
    log.append(Entry("bridge", "bridge", 0, RESULT))
    assert log.last("ladder") == entry(1)
