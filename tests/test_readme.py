"""The README, and the pictures of the documents, which are those that the current code draws."""

from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from PIL import Image

import fourcorners as fc
from fourcorners.core.catalogue import specs

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
README = (PICTURES.parents[1] / "README.md").read_text(encoding="utf-8")
MAX_BYTES = 150_000
"""The most that a picture of the README may have."""


@pytest.mark.parametrize("name", specs())
def test_picture_of_a_game_is_up_to_date(name: str) -> None:
    position = fc.Record.parse(specs()[name].cover).match().position
    drawn = position.svg(position.seat)
    stored = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    assert stored.strip() == drawn.strip(), f"write position.svg(position.seat) to docs/pictures/{name}.svg"


def test_review_in_the_documents_is_of_a_finished_game_that_the_current_rules_replay() -> None:
    text = (PICTURES.parent / "reviews.md").read_text(encoding="utf-8")
    for name in ("review.png", "review.record"):
        assert f"(pictures/{name})" in text
    assert fc.Record.parse((PICTURES / "review.record").read_text(encoding="utf-8")).match().is_over
    assert (PICTURES / "review.png").read_bytes().startswith(b"\x89PNG")


def test_readme_is_short_and_begins_with_two_pictures_and_the_commands_of_a_fresh_machine() -> None:
    assert len(README.split()) <= 700
    tokens = MarkdownIt("commonmark").parse(README)
    inline = [child for token in tokens for child in token.children or ()]
    pictures = [PICTURES.parents[1] / str(child.attrs["src"]) for child in inline if child.type == "image"]
    assert len(pictures) == 2
    for path in pictures:
        with Image.open(path) as picture:
            assert picture.width >= 800
        assert path.stat().st_size <= MAX_BYTES
    commands = [
        line.split()[:2] for token in tokens if token.type == "code_block" for line in token.content.splitlines()
    ]
    wanted = [["git", "clone"], ["scripts/play", "#"], ["scripts/test", "#"], ["pip", "install"], ["docker", "run"]]
    assert [command for command in commands if command in wanted] == [*wanted[:4], *wanted[3:]]
