"""From nothing to a perfect player, through the real command line."""

import subprocess
import sys
import time

import pytest

from rayzero.config import load_config
from rayzero.evaluation import net_player, play_match
from rayzero.evaluation.players import MctsPlayer
from rayzero.games import make_game


@pytest.mark.long
@pytest.mark.timeout(900)
def test_tictactoe_never_loses_after_three_minutes(tmp_path, root):
    start = time.monotonic()
    command = [sys.executable, "launch.py", "conf/tictactoe.yaml", f"run.dir={tmp_path}", "cluster.address=local"]
    subprocess.run(command, cwd=root, check=True, timeout=600)
    assert time.monotonic() - start < 180
    assert load_config("tictactoe").run.minutes < 3
    game = make_game("tictactoe")
    player = net_player(game, str(tmp_path / "tictactoe"), simulations=64)
    result = play_match(game, player, MctsPlayer(game, 1000, seed=3), 100, opening_plies=0)
    assert result.games == 100 and result.losses == 0
