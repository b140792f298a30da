"""Pictures of all games: what they use is in them, what they weigh, and what their style sheets define."""

import gzip
import json
import random
import re
import statistics
from functools import cache
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import fourcorners as fc
from fourcorners.core.scene import diff_scenes
from tests.reference import REFERENCES

LARGEST: dict[str, dict[str, Any]] = {
    "squarin-off": {"cols": 10, "rows": 10, "players": 4, "teams": True, "edition": "classic"},
    "square-off": {"size": 16},
    "squendo": {"players": 4},
    "sqez": {"cols": 20, "rows": 20, "players": 8},
}


@cache
def play_random_game(name: str, *, is_large: bool = False) -> list[fc.Position]:
    """Return the positions of a game of random moves, from the start to the end."""
    rng = random.Random(name)
    positions = [fc.game(name, **LARGEST[name] if is_large else {}).start(seed=1)]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(rng.choice(positions[-1].moves())))
    return positions


@pytest.mark.compiled
@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("name", REFERENCES)
def test_picture_in_any_colours_needs_nothing_from_elsewhere_and_uses_each_id_once(
    name: str, *, is_large: bool
) -> None:
    positions = play_random_game(name, is_large=is_large)
    style = positions[0].game.spec.drawing.STYLE
    for theme in style.themes:
        for palette in ("", *style.palettes):
            svg = positions[len(positions) // 2].svg(0, theme=theme, palette=palette)
            ET.fromstring(svg)
            # Some programs cannot resolve variables.
            assert "var(" not in svg and "style=" not in svg
            assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
            ids = re.findall(r'\bid="([^"]+)"', svg)
            assert len(ids) == len(set(ids))
            assert set(re.findall(r'href="([^"]*)"', svg) + re.findall(r"url\(([^)]*)\)", svg)) <= {
                f"#{i}" for i in ids
            }


@pytest.mark.parametrize("name", REFERENCES)
def test_themes_define_the_variables_of_the_style_sheet_and_palettes_change_some_of_them(name: str) -> None:
    style = fc.game(name).spec.drawing.STYLE
    names = set(style.themes["light"])
    assert set(re.findall(r"var\(--([a-z0-9-]+)\)", style.css)) <= names
    assert all(set(theme) == names for theme in style.themes.values())
    assert all(set(palette) <= names for palette in style.palettes.values())


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "median"), [("squarin-off", 500), ("square-off", 200), ("squendo", 1000), ("sqez", 1250)]
)
def test_pictures_of_large_games_take_at_most_12_kib_compressed_and_their_patches_about_1_kib(
    name: str, median: int
) -> None:
    positions = play_random_game(name, is_large=True)
    for position in (*positions[:: len(positions) // 10], positions[-1]):
        assert len(gzip.compress(position.svg(0).encode())) <= 12 * 1024
    for is_spectator in (False, True):
        sizes = []
        for before, after in pairwise(positions):
            viewer = None if is_spectator else before.seat
            patch = diff_scenes(before.view(viewer).scene(), after.view(viewer).scene())
            sizes.append(len(json.dumps(patch, separators=(",", ":"))))
        assert statistics.median(sizes) <= median
