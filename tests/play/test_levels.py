import json
from pathlib import Path

import pytest

from rayzero.errors import ModelError
from rayzero.evaluation.ratings import Rating
from rayzero.net.find import find_model, shipped_models
from rayzero.play.levels import Level, read_levels
from rayzero.play.measure import STEP, main, rising
from tests.play.conftest import make_model


def rated(*elos: float) -> list[tuple[Level, Rating]]:
    return [(Level(i + 1), Rating(str(i), elo, elo - 30, elo + 30, 10, 0.5)) for i, elo in enumerate(elos)]


def test_levels_rise_and_the_strongest_stays() -> None:
    levels = rising(rated(0, 50, 45, 60, 300, 290))
    assert [level.elo for level in levels] == [0, 60, 300]
    assert [level.simulations for level in levels] == [1, 4, 5]
    assert all(level.margin == 30 for level in levels)


def test_measuring_writes_what_the_page_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = make_model(tmp_path / "net", "connect4")
    older = make_model(tmp_path / "step-1", "connect4")
    arguments = ["--simulations", "1,60", "--games", "8", "--older", str(older)]
    assert main([str(model), *arguments]) == 0
    levels, note = read_levels(model)
    assert note == "" and all(level.elo is not None for level in levels)
    elos = [level.elo or 0.0 for level in levels]
    assert all(b - a >= STEP - 0.2 for a, b in zip(elos, elos[1:], strict=False))
    assert levels[-1].simulations == 60
    assert (model / "step-1" / "card.json").is_file()
    assert "Level 1:" in capsys.readouterr().out


def test_without_measurements_it_says_so(tmp_path: Path) -> None:
    levels, note = read_levels(tmp_path)
    assert "not been measured" in note and [level.elo for level in levels] == [None] * len(levels)
    (tmp_path / "levels.json").write_text(json.dumps({"levels": [{"wrong": 1}]}))
    with pytest.raises(ModelError, match="measure them anew"):
        read_levels(tmp_path)


@pytest.mark.parametrize("name", shipped_models())
def test_shipped_levels_rise(name: str) -> None:
    levels, note = read_levels(find_model(name))
    elos = [level.elo for level in levels]
    assert note or elos == sorted(elos, key=lambda elo: elo or 0.0)
