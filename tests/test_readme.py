"""README and docs say what is there."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.fixture(scope="module")
def tree_module():
    spec = importlib.util.spec_from_file_location("tree", ROOT / ".ci/tree.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tree_in_the_readme_is_the_tree(tree_module):
    readme = (ROOT / "README.md").read_text()
    assert tree_module.START in readme
    assert tree_module.placed(readme) == readme, "write it anew: python .ci/tree.py"


def test_every_file_in_the_tree_says_what_it_is(tree_module):
    lines = tree_module.tree().splitlines()
    assert len(lines) > 50
    assert [line for line in lines if len(line.split()) < 2 and line not in ("conf/", "docs/", "  cluster/")] == []


@pytest.mark.parametrize("end", ["&& python launch.py conf/gomoku15.yaml", "&& pytest"])
def test_the_two_commands_are_single_lines_that_start_from_nothing(end):
    lines = [line for line in (ROOT / "README.md").read_text().splitlines() if line.endswith(end)]
    assert len(lines) == 1
    assert lines[0].startswith("python3 -m venv ")
    assert "pip install -e" in lines[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    broken = []
    for link in links:
        if re.match(r"https?://|mailto:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_exist(page):
    named = re.findall(
        r"(?<![\w/.:-])((?:conf|rayzero|docs|tests)/[\w/.-]+\.(?:py|yaml|md|json|sh))\b", page.read_text()
    )
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_page_is_in_the_navigation_and_on_the_first_page():
    navigation, first = (ROOT / "mkdocs.yml").read_text(), (ROOT / "docs/index.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert f": {page.name}\n" in navigation
        assert f"({page.name})" in first or page.name == "index.md"
