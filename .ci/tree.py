"""The tree of files, with what each says about itself: python .ci/tree.py writes it into README.md."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START, END = "<!-- tree: python .ci/tree.py -->\n```\n", "```\n<!-- end of tree -->"
WIDTH = 26


def tree() -> str:
    """One line per file: its name, and the first line of what it says about itself."""
    lines = [_line(ROOT / name, 0) for name in ("launch.py", "evaluate.py")]
    for folder, pattern in (("conf", "*.yaml"), ("rayzero", "*.py"), ("docs", "*.md")):
        lines += _folder(ROOT / folder, pattern, 0)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _folder(folder: Path, pattern: str, depth: int) -> list[str]:
    about = _about(folder / "__init__.py") if (folder / "__init__.py").is_file() else ""
    lines = [f"{'  ' * depth}{folder.name + '/':{WIDTH - 2 * depth}}{about}"]
    lines += [_line(file, depth + 1) for file in sorted(folder.glob(pattern)) if file.name != "__init__.py"]
    for inner in sorted(folder.iterdir()):
        if inner.is_dir() and any(inner.rglob(pattern)):
            lines += _folder(inner, pattern, depth + 1)
    return lines


def _line(file: Path, depth: int) -> str:
    return f"{'  ' * depth}{file.name:{WIDTH - 2 * depth}}{_about(file)}"


def _about(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        text = ast.get_docstring(ast.parse(text)) or ""
    return next((line.lstrip("# ").rstrip(".") for line in text.splitlines()), "")


def placed(readme: str) -> str:
    """A README with the tree as it is now."""
    before, _, rest = readme.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}{tree()}{END}{after}"


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(placed(path.read_text(encoding="utf-8")), encoding="utf-8")
