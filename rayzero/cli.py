"""What all commands share: a parser that knows the version, and mistakes told in a sentence."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rayzero import __version__
from rayzero.errors import UserError

Main = Callable[[Sequence[str]], int | None]


def run(main: Main, argv: Sequence[str] | None = None) -> int:
    """Run a command; a mistake of the person becomes a sentence on stderr and exit code 2."""
    try:
        return main(sys.argv[1:] if argv is None else argv) or 0
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # The reader, such as `head`, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def make_parser(command: str, description: str, epilog: str | None = None) -> argparse.ArgumentParser:
    """A parser called `file.py` or `rayzero command`, as it was started."""
    name = Path(sys.argv[0]).name
    prog = name if name.endswith(".py") and name != "__main__.py" else f"rayzero {command}".strip()
    parser = argparse.ArgumentParser(prog=prog, description=description, epilog=epilog)
    parser.add_argument("--version", action="version", version=f"rayzero {__version__}")
    return parser
