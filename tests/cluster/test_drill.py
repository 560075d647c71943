"""Nothing is lost, whoever dies."""

import pytest

from rayzero.drill import KINDS, drill


@pytest.mark.slow
def test_a_short_drill(tmp_path, root, monkeypatch):
    """Two deaths of every kind, then the driver's."""
    monkeypatch.chdir(root)
    assert drill(tmp_path, kills=2 * len(KINDS), pause=1.5, seed=1) == []


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_forty_deaths(tmp_path, root, monkeypatch):
    monkeypatch.chdir(root)
    assert drill(tmp_path, kills=40, pause=4.0, seed=2) == []
