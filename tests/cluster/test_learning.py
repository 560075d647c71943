"""From nothing to a perfect player, through the real commands."""

import json
import subprocess
import sys
import time

import pytest


@pytest.mark.long
@pytest.mark.timeout(900)
def test_tictactoe_never_loses_after_three_minutes(tmp_path, root):
    def command(script, *arguments):
        subprocess.run([sys.executable, script, *arguments], cwd=root, check=True, timeout=600)

    start = time.monotonic()
    command("launch.py", "conf/tictactoe.yaml", f"run.dir={tmp_path}", "cluster.address=local")
    assert time.monotonic() - start < 180
    run, result = str(tmp_path / "tictactoe"), tmp_path / "result.json"
    options = ("--opponent", "mcts:1000", "--games", "100", "--simulations", "64", "--opening-plies", "0")
    command("evaluate.py", run, *options, "--json", str(result))
    (match,) = json.loads(result.read_text())["matches"]
    assert match["wins"] + match["draws"] == 100
