"""`python -m rayzero.bench NAME [--json FILE]`: one benchmark, printed as a table.

A benchmark is a module beside this file with `add_arguments(parser)` and `run(args) -> list[Row]`. Only
the one that is asked for is imported.
"""

import argparse
import ast
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from rayzero import cli
from rayzero.bench.report import save, table

_NOT_BENCHMARKS = {"__init__", "__main__", "report"}


def benchmarks() -> dict[str, str]:
    """Every benchmark and its first line of documentation, read without importing it."""
    files = sorted(path for path in Path(__file__).parent.glob("*.py") if path.stem not in _NOT_BENCHMARKS)
    documents = {path.stem: ast.get_docstring(ast.parse(path.read_text())) for path in files}
    return {name: (text or "").split("\n")[0] for name, text in documents.items()}


def main(arguments: Sequence[str]) -> None:
    """Run what the command line asks for."""
    known = benchmarks()
    parser = argparse.ArgumentParser(
        prog="python -m rayzero.bench",
        description="Measure one part of rayzero on this machine.",
        epilog="\n".join(f"  {name:<10} {text}" for name, text in known.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=known, metavar="NAME", help="the benchmark; those below")
    if not arguments or arguments[0] not in known:
        parser.parse_args(arguments)
    module = importlib.import_module(f"rayzero.bench.{arguments[0]}")
    own = argparse.ArgumentParser(prog=f"python -m rayzero.bench {arguments[0]}", description=known[arguments[0]])
    own.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    module.add_arguments(own)
    options = own.parse_args(arguments[1:])
    rows = module.run(options)
    print(table(rows))
    if options.json:
        save(options.json, rows)


if __name__ == "__main__":
    sys.exit(cli.run(main))
