"""The pictures in the README are the ones that the project draws today."""

from __future__ import annotations

from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.core.catalogue import specs

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"


@pytest.mark.parametrize("name", specs())
def test_the_picture_is_what_the_cover_draws(name: str) -> None:
    position = fc.Record.parse(specs()[name].cover).match().position
    drawn = position.svg(position.seat)
    shown = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    draw = f"fourcorners show src/fourcorners/games/…/cover.record --svg docs/pictures/{name}.svg"
    assert shown.strip() == drawn.strip(), f"draw it again: {draw}"
