"""The pictures in the README are those that the current code draws."""

from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.core.catalogue import specs

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"


@pytest.mark.parametrize("name", specs())
def test_picture_in_the_readme_is_up_to_date(name: str) -> None:
    position = fc.Record.parse(specs()[name].cover).match().position
    drawn = position.svg(position.seat)
    stored = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    command = f"fourcorners show src/fourcorners/games/…/cover.record --svg docs/pictures/{name}.svg"
    assert stored.strip() == drawn.strip(), f"run: {command}"
