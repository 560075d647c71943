"""The best model is always a complete one, whatever happens when."""

import os
import threading

import pytest

from rayzero.evaluation import promotion
from rayzero.evaluation.promotion import best_version, clear_leftovers, point_to, promoted_model, write_promoted


def save(text):
    return lambda path: (path / "model.safetensors").write_text(text)


def promote(run, version):
    write_promoted(run, version, save(f"model {version}"))
    point_to(run, version)


def best(run):
    return (run / "best" / "model.safetensors").read_text()


def test_promotions_follow_each_other(tmp_path):
    assert best_version(tmp_path) is None
    for version in (10, 20, 30):
        promote(tmp_path, version)
        assert best(tmp_path) == f"model {version}"
        assert best_version(tmp_path) == version


def test_old_models_go(tmp_path):
    for version in range(10, 100, 10):
        promote(tmp_path, version)
    assert sorted(path.name for path in (tmp_path / "promoted").iterdir()) == [
        "step-60",
        "step-70",
        "step-80",
        "step-90",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best", "promoted"]


def test_crash_while_writing_leaves_the_old_best_and_nothing_else(tmp_path):
    promote(tmp_path, 10)

    def crash(path):
        save("half a mo")(path)
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        write_promoted(tmp_path, 20, crash)
    assert best(tmp_path) == "model 10"
    assert not promoted_model(tmp_path, 20).exists()
    assert [path.name for path in (tmp_path / "promoted").iterdir()] == ["step-10"]


def test_crash_between_writing_and_pointing_leaves_the_old_best(tmp_path):
    promote(tmp_path, 10)
    write_promoted(tmp_path, 20, save("model 20"))
    assert best(tmp_path) == "model 10"
    promote(tmp_path, 30)
    assert best(tmp_path) == "model 30"


def test_crash_while_pointing_leaves_the_old_best(tmp_path, monkeypatch):
    promote(tmp_path, 10)
    write_promoted(tmp_path, 20, save("model 20"))

    def crash(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(promotion.os, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        point_to(tmp_path, 20)
    monkeypatch.undo()
    assert best(tmp_path) == "model 10"
    point_to(tmp_path, 20)
    assert best(tmp_path) == "model 20"


def test_leftovers_of_a_killed_promotion_go(tmp_path):
    promote(tmp_path, 10)
    half = tmp_path / "promoted" / ".step-20-0a1b2c3d"
    half.mkdir()
    save("half a mo")(half)
    (tmp_path / ".best-0a1b2c3d").symlink_to("promoted/step-20")
    clear_leftovers(tmp_path)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.glob("*/*")) == [
        "best/model.safetensors",
        "promoted/step-10",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best", "promoted"]
    clear_leftovers(tmp_path / "new")


def test_pointer_never_goes_to_what_is_not_there(tmp_path):
    promote(tmp_path, 10)
    with pytest.raises(FileNotFoundError):
        point_to(tmp_path, 20)
    assert best(tmp_path) == "model 10"


def test_same_version_twice_is_fine(tmp_path):
    promote(tmp_path, 10)
    promote(tmp_path, 10)
    assert best(tmp_path) == "model 10"


def test_two_promotions_at_once_while_a_reader_reads(tmp_path):
    promote(tmp_path, 1)
    wrong = []
    done = threading.Event()

    def read():
        while not done.is_set():
            try:
                assert best(tmp_path).startswith("model ")
            except (AssertionError, OSError) as error:
                wrong.append(error)

    def write(versions):
        for version in versions:
            try:
                promote(tmp_path, version)
            except OSError as error:
                wrong.append(error)

    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=write, args=(range(start, 60, 2),)) for start in (2, 3)]
    reader.start()
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    done.set()
    reader.join()
    assert wrong == []
    assert best_version(tmp_path) in (58, 59)
    assert best(tmp_path) == f"model {best_version(tmp_path)}"
    assert os.readlink(tmp_path / "best").startswith("promoted/")
