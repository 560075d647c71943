"""`python -m rayzero.games.check path/to/file.py:Game [option=value ...]`: does a game keep to the contract?"""

import argparse
import ast
import sys
import time
from collections.abc import Sequence
from typing import Any

from rayzero import cli
from rayzero.errors import GameError
from rayzero.games.conformance import checks
from rayzero.games.registry import make_game


def main(argv: Sequence[str]) -> None:
    """Check one game and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m rayzero.games.check", description="Check a game of your own.")
    parser.add_argument("game", help="a name, module:Class or path/to/file.py:Class")
    parser.add_argument("options", nargs="*", metavar="option=value", help="options of the game, such as width=8")
    parser.add_argument("--games", type=int, default=20, help="random games to play (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random games (default: %(default)s)")
    arguments = parser.parse_args(argv)
    game = make_game(arguments.game, **dict(_option(text) for text in arguments.options))
    start = time.perf_counter()
    for shown in checks(game, arguments.games, arguments.seed):
        print(f"ok  {shown}")
    print(f"{arguments.game} keeps to the contract: {arguments.games} games, {time.perf_counter() - start:.1f} s")


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise GameError(f"{text!r} is not an option; options are given as name=value, such as width=8.")
    words = {"true": True, "false": False}
    try:
        return name, words[value.lower()] if value.lower() in words else ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


if __name__ == "__main__":
    sys.exit(cli.run(main))
