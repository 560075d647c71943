"""The borders of the parts: imports go downwards only, and heavy libraries stay where they belong."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "rayzero"
MODULES = sorted(PACKAGE.rglob("*.py"))

# From the bottom to the top; parts of one layer may use each other.
LAYERS = [
    {"__init__", "errors"},
    {"jit", "chance", "storage", "cli"},
    {"games"},
    {"records", "evaluator", "reports"},
    {"config"},
    {"search", "gamelog"},
    {"net", "selfplay", "replay", "learner"},
    {"evaluation"},
    {"monitor"},
    {"cluster"},
    {"play", "bench", "experiment", "export", "drill", "gomocup", "commands"},
]
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
HOMES = {"ray": {"cluster"}, "omegaconf": {"config"}, "yaml": {"config"}}
WITHOUT_TORCH = {
    "errors",
    "jit",
    "chance",
    "storage",
    "cli",
    "games",
    "records",
    "evaluator",
    "reports",
    "search",
    "gamelog",
}
WITHOUT_TORCH |= {"selfplay", "replay"}


def part_of(path):
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(path):
    """Every module that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module
            if node.module == "rayzero":
                yield from (f"rayzero.{alias.name}" for alias in node.names if alias.name != "__version__")


def test_every_part_has_its_layer():
    assert {part_of(path) for path in MODULES} <= set(LEVEL)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_downwards(path):
    parts = [name.split(".")[1] for name in imports(path) if name.startswith("rayzero.")]
    level = len(LAYERS) if path.name == "__main__.py" else LEVEL[part_of(path)]  # Programs may use anything.
    assert [part for part in parts if LEVEL[part] > level] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_libraries_stay_at_home(path):
    used = {name.split(".")[0] for name in imports(path)}
    assert [name for name, homes in HOMES.items() if name in used and part_of(path) not in homes] == []
    assert not ("torch" in used and part_of(path) in WITHOUT_TORCH)


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("rayzero.selfplay", {"torch", "ray"}),
        ("rayzero.replay", {"torch", "ray"}),
        ("rayzero.search", {"torch", "ray", "omegaconf"}),
        ("rayzero.cluster.workers", {"torch"}),
        ("rayzero.cluster.driver", {"torch"}),
        ("rayzero.commands", {"torch", "ray", "numba"}),
    ],
)
def test_what_a_process_gets_with_a_part(module, unwanted):
    code = f"import sys, {module}; print(*(set(sys.modules) & {unwanted!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    assert done.stdout.split() == []
