"""docs/config.md from the schema and the reasons in conf/default.yaml: python -m rayzero.config.reference"""

import re
import sys
import typing
from pathlib import Path

from rayzero.config.describe import choices_of, default_of, keys, say_type
from rayzero.config.load import find_config
from rayzero.config.schema import Config

_INTRODUCTION = """# Settings

Every setting with its type, its default and the reason for it. A config file holds only what differs; `key=value`
on the command line goes last:

```sh
python launch.py conf/gomoku15.yaml search.simulations=200 run.steps=1e6
```

`--cfg job` prints all settings as a run would have them, `--cfg diff` those that differ from the defaults; neither
starts anything. A value may refer to another one: `evaluation.simulations=${search.simulations}`.

This page is written by `python -m rayzero.config.reference` from `rayzero/config/schema.py` and `conf/default.yaml`.
"""


def reference() -> str:
    """The whole page."""
    because = reasons()
    parts = [_INTRODUCTION]
    for section, kind in typing.get_type_hints(Config).items():
        rows = [
            f"| `{key}` | {_cell(_type(key))} | `{default_of(key)}` | {_cell(because.get(key, ''))} |"
            for key in keys()
            if key.startswith(f"{section}.")
        ]
        parts.append(f"## {section}\n\n{kind.__doc__}\n\n| key | type | default | reason |\n|---|---|---|---|")
        parts[-1] += "\n" + "\n".join(rows) + "\n"
    return "\n".join(parts)


def reasons() -> dict[str, str]:
    """The comment beside each key of conf/default.yaml."""
    found: dict[str, str] = {}
    section = ""
    for line in find_config("conf/default.yaml").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"(\w+):", line):
            section = heading[1]
        elif entry := re.match(r"  (\w+): .*?  # (.+)", line):
            found[f"{section}.{entry[1]}"] = entry[2]
    return found


def _type(key: str) -> str:
    return ", ".join(f"`{choice}`" for choice in choices_of(key)) or say_type(key)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main(argv: list[str]) -> None:
    """Write the page, to docs/config.md unless another file is named."""
    target = Path(argv[0] if argv else "docs/config.md")
    target.write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
