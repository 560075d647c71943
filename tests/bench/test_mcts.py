"""The benchmark of pure MCTS, and the throw-away environments of peers."""

import argparse
import json

import pytest

from rayzero.bench import mcts
from rayzero.bench.__main__ import main
from rayzero.bench.peers import running_peer
from rayzero.errors import UserError


def test_every_board_is_measured(tmp_path, capsys):
    file = tmp_path / "mcts.json"
    main(["mcts", "--rounds", "1", "--json", str(file)])
    figures = json.loads(file.read_text())
    assert set(figures) == {f"{name}/mcts" for name in mcts.TASKS} | {"gomoku15/move"}
    assert all(figure > 0 for figure in figures.values())
    assert figures["connect4/mcts"] > figures["gomoku15/mcts"]
    assert "playouts/s" in capsys.readouterr().out


def test_what_can_not_be_installed_is_said():
    name = "rayzero-has-no-such-peer"
    with pytest.raises(UserError, match=f"{name} can't be installed"), running_peer("open_spiel_mcts", name):
        pass


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_many_times_as_fast_as_open_spiel():
    parser = argparse.ArgumentParser()
    mcts.add_arguments(parser)
    figures = {row.name: row.value for row in mcts.run(parser.parse_args(["--peers"]))}
    assert figures["gomoku15/ratio"] >= 25
    assert figures["connect4/ratio"] >= 15
