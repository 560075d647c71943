import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sgfmill import sgf as sgfmill

from rayzero.errors import GameError
from rayzero.play.catalogue import offer, offered
from rayzero.play.formats import formats_for, read_game, write_game
from rayzero.play.session import Session
from rayzero.play.sgf import parse_sgf


def random_session(name: str, seed: int, plies: int) -> Session:
    random = np.random.default_rng(seed)
    session = Session(offer(name))
    while session.plies < plies and session.legal:
        session.play(int(random.choice(session.legal)))
    return session


@pytest.mark.parametrize("name", offered())
@pytest.mark.parametrize("seed", range(4))
def test_every_format_gives_the_game_back(name: str, seed: int) -> None:
    session = random_session(name, seed, plies=5 + 40 * seed)
    for form in formats_for(session.offer):
        assert read_game(session.offer, write_game(session, form)).moves == session.moves, form


def test_links_of_games_known_elsewhere() -> None:
    gomoku, connect4 = offer("gomoku15"), offer("connect4")
    assert read_game(gomoku, "h8h7").moves == [7 * 15 + 7, 8 * 15 + 7]  # Row 8 of 15 is the middle, row 7 is below it.
    assert read_game(gomoku, "A15 o1").moves == [0, 224]
    assert read_game(connect4, "44531").moves == [3, 3, 4, 2, 0]


@pytest.mark.parametrize("seed", range(5))
def test_sgf_as_sgfmill_reads_it(seed: int) -> None:
    session = random_session("gomoku15", seed, plies=60)
    game = sgfmill.Sgf_game.from_string(write_game(session, "sgf"))
    assert game.get_size() == 15
    moves = [node.get_move() for node in game.get_main_sequence()[1:]]
    # sgfmill counts rows from below.
    assert [(14 - row) * 15 + column for _, (row, column) in moves] == session.moves
    assert [colour for colour, _ in moves[:2]] == ["b", "w"]


@given(
    moves=st.permutations(list(range(36))).map(lambda cells: cells[:20]),
    comment=st.text(alphabet=st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), max_size=40),
)
def test_sgf_that_sgfmill_wrote(moves: list[int], comment: str) -> None:
    game = sgfmill.Sgf_game(size=6)
    game.get_root().set("C", comment or "-")
    session = Session(offer("gomoku6"))
    for cell in moves:
        if session.outcome is not None:
            break
        session.play(cell)
        node = game.extend_main_sequence()
        node.set_move("bw"[(session.plies - 1) % 2], (5 - cell // 6, cell % 6))
    variation = game.get_root().new_child()
    variation.set_move("b", (0, 0))
    assert read_game(offer("gomoku6"), game.serialise().decode()).moves == session.moves


def test_sgf_main_line_is_the_first_variation() -> None:
    text = "(;SZ[15](;B[aa](;W[bb];B[cc])(;W[dd]))(;B[ee](;W[ff])(;W[gg])))(;B[hh])"
    assert [node.get("B", node.get("W")) for node in parse_sgf(text)[1:]] == [["aa"], ["bb"], ["cc"]]


def test_sgf_resignation_and_forced_passes() -> None:
    session = Session(offer("gomoku15"), [112])
    session.resign(1)
    assert read_game(session.offer, write_game(session, "sgf")).outcome == session.outcome
    othello = random_session("othello", 3, 200)
    passing = othello.offer.pass_action
    if passing in othello.moves:
        text = write_game(othello, "sgf").replace(";B[]\n", "").replace(";W[]\n", "")
        assert read_game(othello.offer, text).moves == othello.moves


def test_psq_with_times_and_names() -> None:
    text = "Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n9,8,1234\r\nengine.exe\r\nother.exe\r\n-1\r\n0,Freestyle\r\n"
    assert read_game(offer("gomoku15"), text).moves == [7 * 15 + 7, 7 * 15 + 8]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("gomoku15", "h8h8", "Move 2 can't be H8"),
        ("gomoku15", "h8z9", "is no move on this board"),
        ("gomoku15", "h8 and so on", "is no move on this board"),
        ("gomoku15", "4453", "is no move on this board"),
        ("connect4", "4444444", "Move 7 can't be 4"),
        ("connect4", "8", "is no move on this board"),
        ("gomoku15", "(;SZ[19];B[aa])", "19x19"),
        ("gomoku15", "(;SZ[x];B[aa])", "board size"),
        ("gomoku15", "(;SZ[15];B[aa]", "closing bracket"),
        ("gomoku15", "(;SZ[15];B[aa", "not closed"),
        ("gomoku15", "(;SZ[15];B[pp])", "not on a board"),
        ("gomoku15", "(;SZ[15];AB[aa])", "by hand"),
        ("gomoku15", "(;SZ[15];B[aa];B[bb])", "alternate"),
        ("gomoku15", "(;SZ[15];B[])", "pass"),
        ("gomoku15", "(;B)", "no value"),
        ("gomoku15", "(]", "no SGF"),
        ("gomoku15", "()", "no nodes"),
        ("gomoku15", "Piskvorky 20x20, 11:11, 0\n1,1,0\n", "20x20"),
        ("gomoku15", "Piskvorky what", "first line"),
        ("gomoku15", "Piskvorky 15x15, 0:0, 0\n16,1,0\n", "not on a board"),
        ("connect4", "Piskvorky 7x6, 0:0, 0\n1,1,0\n", "without gravity"),
        ("gomoku15", "x" * 200_000, "characters"),
        ("tictactoe", "a1b1c1a2b2c2a3b3c3a1", "too many"),
    ],
)
def test_a_sentence_for_what_is_wrong(name: str, text: str, words: str) -> None:
    with pytest.raises(GameError, match=words):
        read_game(offer(name), text)


@given(st.text(max_size=200) | st.text(alphabet="(;)[]BWSZaeh15\\ ", max_size=200))
def test_nonsense_is_refused_or_read_but_never_breaks(text: str) -> None:
    try:
        session = read_game(offer("gomoku15"), text)
    except GameError as error:
        assert str(error)
    else:
        assert read_game(session.offer, session.text()).moves == session.moves


def test_deeply_nested_sgf_takes_no_time() -> None:
    with pytest.raises(GameError):
        read_game(offer("gomoku15"), "(;" * 40_000)
