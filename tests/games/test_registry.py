"""Games by name, from modules and from files."""

import sys

import pytest

from rayzero.errors import GameError
from rayzero.games import game_names, make_game


def test_names():
    assert game_names() == ["tictactoe", "connect4", "gomoku", "othello"]
    assert make_game("connect4").max_plies == 42
    assert make_game("gomoku").actions == 225
    assert make_game("gomoku", width=8, height=9).actions == 72
    assert type(make_game("rayzero.games.othello:Othello")).__name__ == "Othello"


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("gomuko", {}, "There is no game 'gomuko'. Did you mean gomoku?"),
        ("chess", {}, "There are: tictactoe, connect4, gomoku, othello"),
        ("gomoku", {"widht": 8}, "gomoku has no option 'widht'. Did you mean width?"),
        ("gomoku", {"width": "8"}, "width can't be '8'"),
        ("gomoku", {"width": True}, "width can't be True"),
        ("gomoku", {"width": 32}, "1 to 31 columns and rows"),
        ("gomoku", {"in_a_row": 16}, "16 in a row does not fit on a board of 15x15"),
        ("othello", {"size": 7}, "a board of 4, 6 or 8 rows, not 7"),
        ("rayzero.games.othello:Otello", {}, "has no game called Otello"),
        ("rayzero.games.chess:Chess", {}, "There is no module 'rayzero.games.chess'"),
        ("rayzero.games.rules:Rules", {}, "has no game called Rules"),
    ],
)
def test_mistakes(name, options, said):
    with pytest.raises(GameError) as error:
        make_game(name, **options)
    assert said in str(error.value)


def test_files_with_any_name(hex_file, tmp_path, monkeypatch):
    """A file called like another module, or like another game's file, is no trouble; nor is an edited one."""
    text = hex_file.read_text()
    (tmp_path / "random.py").write_text(text)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "random.py").write_text(text.replace("size: int = 7", "size: int = 9"))
    monkeypatch.chdir(tmp_path)
    assert make_game("random.py:Hex").width == 7
    assert make_game("other/random.py:Hex").width == 9
    assert type(make_game("random.py:Hex")) is type(make_game(f"{tmp_path}/random.py:Hex"))
    (tmp_path / "random.py").write_text(text.replace("size: int = 7", "size: int = 5"))
    assert make_game("random.py:Hex").width == 5
    assert "rayzero" not in sys.modules["random"].__file__


def test_files_that_do_not_load(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text("def broken(:\n")
    with pytest.raises(GameError, match=r"bad\.py can't be loaded: SyntaxError"):
        make_game(f"{path}:Bad")
