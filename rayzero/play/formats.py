"""Games as text: what people paste, open and save.

moves   coordinates in one word: h8h7i9 (rows count from below), Connect4 columns 4453
sgf     Smart Game Format, points as two letters from the top left or as coordinates
psq     Piskvork's files
"""

import re

from rayzero.errors import GameError
from rayzero.games.kinarow import KInARow
from rayzero.play.catalogue import Offer
from rayzero.play.session import Session
from rayzero.play.sgf import Node, format_sgf, parse_sgf

MAX_TEXT = 100_000
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_KINDS = {"gomoku": "4", "othello": "2"}  # the numbers that SGF gives to games; Connect4 has none


def formats_for(offer: Offer) -> list[str]:
    """The formats in which a game can be written."""
    plain = isinstance(offer.game, KInARow) and not offer.game.gravity
    return ["moves", "sgf", "psq"] if plain else ["moves", "sgf"]


def read_game(offer: Offer, text: str) -> Session:
    """The game that a text holds, in whichever of the formats it is."""
    if len(text) > MAX_TEXT:
        raise GameError(f"The text has {len(text)} characters; a game fits into {MAX_TEXT}.")
    text = text.strip().removeprefix("\ufeff")
    if text.startswith("("):
        return _from_sgf(offer, text)
    if text[:9].lower() == "piskvorky":
        return Session(offer, _from_psq(offer, text))
    return Session(offer, offer.parse_actions(text))


def write_game(session: Session, form: str) -> str:
    """A game in one of the formats of `formats_for`."""
    possible = formats_for(session.offer)
    if form not in possible:
        raise GameError(f"{session.offer.title} can't be written as {form!r}; it can as {', '.join(possible)}.")
    return {"moves": lambda s: s.text() + "\n", "sgf": _to_sgf, "psq": _to_psq}[form](session)


def _point_action(offer: Offer, column: int, row: int, what: str) -> int:
    if not (0 <= column < offer.game.width and 0 <= row < offer.game.height):
        raise GameError(f"{what} is not on a board of {offer.game.width}x{offer.game.height}.")
    return column if offer.drop else row * offer.game.width + column


def _from_sgf(offer: Offer, text: str) -> Session:
    nodes = parse_sgf(text)
    _check_size(offer, nodes[0].get("SZ", [""])[0])
    session = Session(offer)
    for node in nodes:
        if {"AB", "AW", "AE"} & node.keys():
            raise GameError("This SGF places stones by hand; only games that start from an empty board can be read.")
        for colour in ("B", "W"):
            for value in node.get(colour, []):
                _play_sgf(session, colour, value)
    result = nodes[0].get("RE", [""])[0].upper()
    if session.outcome is None and re.fullmatch(r"[BW]\+R(ESIGN)?", result):
        session.resign(1 if result[0] == "B" else 0)
    return session


def _play_sgf(session: Session, colour: str, value: str) -> None:
    offer = session.offer
    player = 0 if colour == "B" else 1
    passing = offer.pass_action
    if player != session.to_move and passing is not None and session.legal == [passing]:
        session.play(passing)  # Many writers leave forced passes out.
    if player != session.to_move:
        raise GameError(f"Move {session.plies + 1} of this SGF is {colour}'s; the players must alternate, B first.")
    session.play(_sgf_action(offer, value))


def _sgf_action(offer: Offer, value: str) -> int:
    value = value.strip()
    if not value:
        if offer.pass_action is None:
            raise GameError(f"This SGF holds a pass; {offer.title} has none.")
        return offer.pass_action
    if re.fullmatch(r"[a-zA-Z]{2}", value):
        return _point_action(offer, _LETTERS.index(value[0]), _LETTERS.index(value[1]), f"The point {value!r}")
    return offer.parse_action(value)


def _check_size(offer: Offer, size: str) -> None:
    if not size.strip():
        return
    match = re.fullmatch(r"\s*(\d{1,3})\s*(?::\s*(\d{1,3}))?\s*", size)
    if not match:
        raise GameError(f"The board size {size!r} of this SGF is none; a number such as 15 is needed, or 7:6.")
    width = int(match[1])
    _check_board(offer, width, int(match[2] or width))


def _check_board(offer: Offer, width: int, height: int) -> None:
    if (width, height) != (offer.game.width, offer.game.height):
        raise GameError(
            f"This game is on a board of {width}x{height}; {offer.title} is {offer.game.width}x{offer.game.height}."
        )


def _to_sgf(session: Session) -> str:
    offer = session.offer
    size = f"{offer.game.width}" if offer.game.width == offer.game.height else f"{offer.game.width}:{offer.game.height}"
    root: Node = {"FF": ["4"], "CA": ["UTF-8"], "AP": ["rayzero"], "SZ": [size], "GN": [offer.title]}
    kind = "gomoku" if isinstance(offer.game, KInARow) and not offer.drop else offer.name
    if kind in _KINDS:
        root = {"GM": [_KINDS[kind]], **root}
    outcome = session.outcome
    if outcome is not None:
        side = {0: "B+", 1: "W+"}.get(outcome.winner if outcome.winner is not None else -1)
        root["RE"] = ["Draw" if side is None else side + ("R" if outcome.reason == "resigned" else "")]
    nodes = [root]
    for ply in range(session.plies):
        changes = session.changes(ply)
        row, column = divmod(changes[0][0], offer.game.width) if changes else (0, 0)
        nodes.append({"BW"[ply % 2]: [_LETTERS[column] + _LETTERS[row] if changes else ""]})
    return format_sgf(nodes)


def _from_psq(offer: Offer, text: str) -> list[int]:
    if "psq" not in formats_for(offer):
        raise GameError(f"Piskvork files hold boards without gravity or flips; {offer.title} is not one.")
    head, *lines = text.splitlines()
    match = re.match(r"piskvorky\s+(\d{1,3})\s*x\s*(\d{1,3})", head, re.IGNORECASE)
    if not match:
        raise GameError(f"The first line {head[:60]!r} should be like 'Piskvorky 15x15, 11:11, 0'.")
    _check_board(offer, int(match[1]), int(match[2]))
    moves = []
    for line in lines:
        numbers = re.fullmatch(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*(,.*)?", line)
        if not numbers:
            break  # The names of the players follow the moves.
        moves.append(_point_action(offer, int(numbers[1]) - 1, int(numbers[2]) - 1, f"The move {line.strip()!r}"))
    return moves


def _to_psq(session: Session) -> str:
    game = session.offer.game
    lines = [f"Piskvorky {game.width}x{game.height}, 11:11, 0"]
    lines += [f"{move % game.width + 1},{move // game.width + 1},0" for move in session.moves]
    return "\r\n".join([*lines, "player 1", "player 2", "0", ""])
