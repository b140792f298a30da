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
    assert stored.strip() == drawn.strip(), f"write position.svg(position.seat) to docs/pictures/{name}.svg"


def test_review_in_the_readme_is_of_a_finished_game_that_the_current_rules_replay() -> None:
    text = (PICTURES.parents[1] / "README.md").read_text(encoding="utf-8")
    for name in ("review.png", "review.record"):
        assert f"(docs/pictures/{name})" in text
    assert fc.Record.parse((PICTURES / "review.record").read_text(encoding="utf-8")).match().is_over
    assert (PICTURES / "review.png").read_bytes().startswith(b"\x89PNG")
