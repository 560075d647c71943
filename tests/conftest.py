"""What all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent

# Compiling a kernel in the middle of a test says nothing about the test.
settings.register_profile("rayzero", deadline=None)
settings.load_profile("rayzero")

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the checkout."""
    return ROOT


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests have an hour, where the others have the limit in pyproject.toml."""
    for item in items:
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(3600))
