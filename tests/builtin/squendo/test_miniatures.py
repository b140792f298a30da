"""The small pictures of moves: the tiles that their text names, and nothing else."""

import re

import pytest

from fourcorners.builtin.squendo.drawing import draw_move
from fourcorners.core.scene import render_miniature


def list_shapes(move: str) -> list[str]:
    """Return what the picture of a move refers to, in order: tiles' bodies, their faces and rotations."""
    part = draw_move(move)
    found = [] if part is None else re.finditer(r'href="#sq-(\w+)"|(rotate\(\d+\))', render_miniature(part))
    return [match[1] or match[2] for match in found]


@pytest.mark.parametrize(
    ("move", "shapes"),
    [
        ("R2ax", ["R", "2ax"]),
        ("leave:B1x", ["B", "1x"]),
        ("take:Y0o", ["Y", "0o"]),
        ("R2ax 1,-2 r3", ["R", "2ax", "rotate(270)"]),
        ("R2ax 1,-2 leave:B1x r1 take:?", ["R", "2ax", "B", "1x", "rotate(90)"]),
        ("pass", []),
        ("r1", []),
        ("1,-2", []),
        ("take:?", []),
        ("leave", []),
    ],
)
def test_a_miniature_shows_the_laid_tile_and_the_one_that_is_left(move: str, shapes: list[str]) -> None:
    assert list_shapes(move) == shapes


def test_the_tile_that_was_taken_back_is_not_drawn() -> None:
    masked, known = (draw_move(f"R2ax 1,-2 leave:B1x r1 take:{tile}") for tile in ("?", "R0x"))
    assert masked == known
