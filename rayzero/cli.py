"""The commands: what `launch.py`, `evaluate.py` and the `rayzero` script share."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rayzero import __version__
from rayzero.config import Options, config_diff, config_names, dump, load_config
from rayzero.errors import ConfigError, UserError

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


def train(argv: Sequence[str]) -> int | None:
    """Train as a config file and `key=value` texts say; settings are checked before anything heavy is imported."""
    parser = _parser(
        "Train an AlphaZero player. An existing run of the same name is resumed.",
        epilog=f"Shipped configs: {', '.join(config_names())}. conf/default.yaml lists every setting with its reason.",
        command="train",
    )
    parser.add_argument("config", help="a config file such as conf/gomoku15.yaml, or the name of a shipped one")
    parser.add_argument("settings", nargs="*", metavar="key=value", help="settings, such as search.simulations=200")
    parser.add_argument("--cfg", choices=("job", "diff"), help="print all settings, or those that differ, and exit")
    parser.add_argument("--new", action="store_true", help="start over where the run exists already")
    parser.add_argument("--quiet", action="store_true", help="print warnings and errors only")
    given, unknown = parser.parse_known_intermixed_args(argv)
    for text in unknown:
        advice = f"settings have no dashes: {text.lstrip('-')}" if "=" in text else "see --help"
        raise ConfigError(f"There is no option {text}; {advice}")
    config = load_config(given.config, given.settings)
    if given.cfg:
        print({"job": dump, "diff": config_diff}[given.cfg](config), end="")
        return 0
    from rayzero.cluster.driver import train  # Ray takes a second to import.

    return train(config, Options(new=given.new, quiet=given.quiet))


def evaluate(argv: Sequence[str]) -> int | None:
    """Measure a model in matches."""
    from rayzero.evaluation.cli import main

    return main(argv)


def play(argv: Sequence[str]) -> int | None:
    """Play against a model."""
    from rayzero.play.cli import main

    return main(argv)


COMMANDS: dict[str, Main] = {"train": train, "evaluate": evaluate, "play": play}


def script(argv: Sequence[str]) -> int | None:
    """`rayzero train|evaluate|play ...`."""
    parser = _parser("AlphaZero for board games on Ray.")
    parser.add_argument("command", choices=COMMANDS, help="; ".join(f"{c}: {f.__doc__}" for c, f in COMMANDS.items()))
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="see `rayzero COMMAND --help`")
    given = parser.parse_args(argv)
    return COMMANDS[given.command](given.arguments)


def main() -> int:
    """The console script."""
    return run(script)


def _parser(description: str, epilog: str | None = None, command: str = "") -> argparse.ArgumentParser:
    name = Path(sys.argv[0]).name
    prog = name if name.endswith(".py") else f"rayzero {command}".strip()
    parser = argparse.ArgumentParser(prog=prog, description=description, epilog=epilog)
    parser.add_argument("--version", action="version", version=f"rayzero {__version__}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
