"""No setting without effect: every key is read somewhere outside of rayzero/config."""

import ast
from pathlib import Path

from rayzero.config.describe import keys

PACKAGE = Path(__file__).parent.parent.parent / "rayzero"


def test_every_setting_is_read():
    read = {
        node.attr
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "config"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
    }
    assert [key for key in keys() if key.partition(".")[2] not in read] == []
