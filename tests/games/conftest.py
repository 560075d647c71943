import re
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def hex_file(root: Path, tmp_path_factory) -> Path:
    """The game that docs/your-own-game.md writes out."""
    page = (root / "docs" / "your-own-game.md").read_text()
    path = tmp_path_factory.mktemp("games") / "hex.py"
    path.write_text(re.search(r"```python\n(.*?)```", page, re.S).group(1))
    return path
