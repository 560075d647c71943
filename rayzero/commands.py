"""The commands `rayzero train | evaluate | play`, of which launch.py and evaluate.py are the first two."""

import argparse
import sys
from collections.abc import Sequence

from rayzero.cli import Main, make_parser, run
from rayzero.config import Options, config_diff, config_names, dump, load_config
from rayzero.errors import ConfigError


def train(argv: Sequence[str]) -> int | None:
    """Train as a config file and key=value settings say."""
    parser = make_parser(
        "train",
        "Train an AlphaZero player. An existing run of the same name is resumed.",
        f"Shipped configs: {', '.join(config_names())}. conf/default.yaml lists every setting with its reason.",
    )
    parser.add_argument("config", help="a config file such as conf/gomoku15.yaml, or the name of a shipped one")
    parser.add_argument("settings", nargs="*", metavar="key=value", help="settings, such as search.simulations=200")
    parser.add_argument("--cfg", choices=("job", "diff"), help="print all settings, or those that differ, and exit")
    parser.add_argument("--new", action="store_true", help="start another run beside one that exists already")
    parser.add_argument("--quiet", action="store_true", help="print warnings and errors only")
    given, unknown = parser.parse_known_intermixed_args(argv)
    for text in unknown:
        advice = f"settings have no dashes: {text.lstrip('-')}" if "=" in text else "see --help"
        raise ConfigError(f"There is no option {text}; {advice}")
    config = load_config(given.config, given.settings)
    if given.cfg:
        print({"job": dump, "diff": config_diff}[given.cfg](config), end="")
        return 0
    from rayzero.cluster.driver import train  # Ray takes a second to import: mistakes are told before.

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
    """Hand over to one of the commands."""
    parser = make_parser("", "AlphaZero for board games on Ray.", "`rayzero COMMAND --help` says more.")
    what = " ".join(f"{name}: {command.__doc__}" for name, command in COMMANDS.items())
    parser.add_argument("command", choices=COMMANDS, help=what)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the command takes")
    given = parser.parse_args(argv)
    return COMMANDS[given.command](given.arguments)


def main() -> int:
    """The `rayzero` script."""
    return run(script)


if __name__ == "__main__":
    sys.exit(main())
