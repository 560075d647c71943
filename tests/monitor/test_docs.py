"""The list of tags in the docs is the list in the code."""

import re

from rayzero.monitor.tags import IMAGES, SCALARS, TEXTS


def test_the_docs_list_every_tag(root):
    text = (root / "docs" / "architecture.md").read_text()
    rows = dict(re.findall(r"^\| `([a-z]+/[a-z_]+)` \| (.+?) \|$", text, re.MULTILINE))
    assert rows == {**SCALARS, **IMAGES, **TEXTS}
