"""Looking inside from Python and from the command line."""

import numpy as np
import pytest

from rayzero.evaluator import UniformEvaluator
from rayzero.games import make_game
from rayzero.games.rules import LOSS, WIN
from rayzero.search import Search, SearchSettings, read_tree, tree_text
from rayzero.search.__main__ import main
from tests.search.positions import after

TICTACTOE = make_game("tictactoe")
ONE = np.array([0])


def test_tree_and_line_of_a_won_position() -> None:
    search = Search(TICTACTOE, SearchSettings(lookahead=0, simulations=2000))
    search.reset(ONE, after(TICTACTOE, [0, 1, 4, 8])[None])  # X: a1 and the centre; a fork wins
    search.begin(ONE, 2000)
    search.run(UniformEvaluator(9))
    root = read_tree(search)
    assert root.proven == WIN
    assert root.moves_left == 3
    best = int(search.result(ONE).best[0])
    line = search.principal_variation()
    assert line[0] == best
    assert len(line) == 3
    after(TICTACTOE, [0, 1, 4, 8, *line])  # the moves are legal
    assert all(child.proven != LOSS for child in root.children if child.action == best)
    text = tree_text(search, depth=2, width=3)
    assert "proven win" in text
    assert len({len(row.split()) for row in text.splitlines()}) >= 1
    assert text.splitlines()[1].split()[0] == "root"


def test_children_are_ordered_by_visits_and_add_up() -> None:
    search = Search(TICTACTOE, SearchSettings(solver=False, lookahead=0))
    search.begin(ONE, 90)
    search.run(UniformEvaluator(9))
    root = read_tree(search)
    visits = [child.visits for child in root.children]
    assert visits == sorted(visits, reverse=True)
    assert sum(visits) == 90 == root.visits - 1
    for child in root.children:
        assert sum(grandchild.visits for grandchild in child.children) == child.visits - 1


def test_command_shows_the_tree_of_a_position(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["connect4", "4", "1", "4", "1", "4", "1", "--simulations", "20"]) == 0
    shown = capsys.readouterr().out
    assert "best 4, value +1.000, a proven win" in shown
    assert main(["connect4", "4", "--simulations", "50", "--set", "c_puct=2", "lookahead=0", "kind=gumbel"]) == 0
    assert "50 simulations" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], "There is no game 'chess'"),
        (["connect4", "--set", "speed=9"], "There is no search setting 'speed'"),
        (["connect4", "--set", "c_puct=much"], "it must be a float"),
    ],
)
def test_mistakes_are_told(arguments: list[str], message: str) -> None:
    from rayzero.errors import UserError

    with pytest.raises(UserError, match=message):
        main(arguments)
