"""docs/config.md is what the schema says."""

from pathlib import Path

from rayzero.config.describe import keys
from rayzero.config.reference import main, reasons, reference

ROOT = Path(__file__).parent.parent.parent


def test_the_page_is_up_to_date():
    page = (ROOT / "docs/config.md").read_text()
    assert page == reference(), "write it anew: python -m rayzero.config.reference"


def test_the_page_has_every_key_with_its_reason():
    assert list(reasons()) == list(keys())
    page = reference()
    assert [key for key in keys() if f"| `{key}` |" not in page] == []
    assert [key for key, reason in reasons().items() if len(reason) < 8] == []


def test_writing_it(tmp_path):
    main([str(tmp_path / "page.md")])
    assert (tmp_path / "page.md").read_text() == reference()
