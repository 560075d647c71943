"""A Ray that is there already is used."""

import json
import subprocess

import pytest

TINY = (
    "net.channels=8",
    "net.blocks=1",
    "selfplay.games_per_worker=8",
    "search.simulations=8",
    "evaluation.enabled=false",
)


@pytest.mark.slow
def test_a_running_ray_is_joined_and_left_running(tmp_path, launch, root, ray_here):
    address = ray_here.get_runtime_context().gcs_address
    settings = (*TINY, f"cluster.address={address}", f"run.dir={tmp_path}", "run.games=50", "evaluation.enabled=false")
    done = subprocess.run(launch(*settings), cwd=root, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "on the Ray that runs here: 4 CPUs" in done.stdout and "4 self-play workers" in done.stdout
    assert json.loads((tmp_path / "tictactoe/log.jsonl").read_text().splitlines()[-1])["progress"]["games"] >= 50
    assert ray_here.cluster_resources()["CPU"] == 4


def test_what_is_missing_is_told(tmp_path, launch, root, ray_here):
    address = ray_here.get_runtime_context().gcs_address
    settings = (*TINY, f"cluster.address={address}", f"run.dir={tmp_path}", "selfplay.workers=30")
    done = subprocess.run(launch(*settings), cwd=root, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "30 self-play workers with 1 CPUs each need 30 CPUs, and this Ray has 4 free of 4" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_address_without_a_ray_is_told(tmp_path, launch, root):
    settings = (*TINY, "cluster.address=127.0.0.1:1", f"run.dir={tmp_path}")
    done = subprocess.run(launch(*settings), cwd=root, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "There is no Ray at 127.0.0.1:1" in done.stderr
