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
