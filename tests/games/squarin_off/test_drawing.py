"""Pictures of Squarin' Off: what can be pointed at, sizes, patches, themes."""

from __future__ import annotations

import gzip
import json
import random
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import fourcorners as fc
from fourcorners.core.scene import Element, diff_scenes, render_part
from fourcorners.games.squarin_off.drawing import STYLE


def middle(seed: int = 1, plies: int = 120, **options: Any) -> fc.Position:
    rng = random.Random(seed)
    position = fc.game("squarin-off", **options).start()
    for ply in range(plies):
        if position.is_over:
            break
        moves = position.moves()
        edges = [move for move in moves if not move.startswith("#")]
        position = position.play(rng.choice(moves if ply % 15 == 14 else edges))
    return position


def elements(position: fc.Position) -> dict[str, Element]:
    scene = position.view().scene()
    parts = [scene.board, *([scene.tray] if scene.tray else [])]
    return {element.token or element.id: element for part in parts for element in part.elements}


def page(position: fc.Position) -> str:
    scene = position.view().scene()
    tray = render_part(scene.tray, "tray") if scene.tray else ""
    return render_part(scene.board, "board", STYLE.defs) + tray


@pytest.mark.parametrize(
    "options", [{}, {"cols": 1, "rows": 1}, {"cols": 3, "rows": 5, "players": 3}, {"blockers": 0, "cols": 4, "rows": 4}]
)
def test_every_token_can_be_pointed_at(options: dict[str, Any]) -> None:
    position = fc.game("squarin-off", **options).start()
    shown = elements(position)
    for move in position.moves():
        for token in move.split(" "):
            assert shown[token].gesture == ("drop" if token.startswith("#") else "pick")
            assert shown[token].label
    assert ("#" in shown) == bool(any(move.startswith("#") for move in position.moves()))


def test_labels_tell_the_state() -> None:
    shown = elements(fc.game("squarin-off", cols=3, rows=3).replay(["a1b1", "b1b2", "a2b2", "a1a2", "#c3 c3d3"]))
    assert shown["a1b1"].label == "edge from a1 to b1, drawn"
    assert shown["b1c1"].label == "edge from b1 to c1, free"
    assert shown["#a1"].label == "box a1, 1 point, White"
    assert shown["#c3"].label == "box c3, 1 point, blocked"
    assert shown["#b1"].label == "box b1, 1 point, 1 edge drawn"
    assert shown["#"].label == "blocker, 6 left"
    assert shown["#"].gesture == "carry"


def test_what_the_last_move_did_is_marked() -> None:
    position = fc.game("squarin-off", cols=3, rows=3).replay(["a1b1", "b1b2", "a2b2", "a1a2"])
    assert {token for token, element in elements(position).items() if "last" in element.classes} == {"a1a2", "#a1"}
    position = position.play("#c3 c3d3")
    assert {token for token, element in elements(position).items() if "last" in element.classes} == {"c3d3", "#c3"}
    # A blocker of an earlier move beside the edge of the last one is not marked again.
    position = position.play("c3c4")
    assert {token for token, element in elements(position).items() if "last" in element.classes} == {"c3c4"}


def test_chips_carry_the_sign_of_their_seat() -> None:
    position = fc.game("squarin-off", cols=2, rows=1, edition="classic").replay(["a1b1", "b1b2", "a2b2", "a1a2"])
    box = elements(position)["#a1"]
    assert "so-o1 so-green" in box.classes
    assert "#so-s1" in box.markup


@pytest.mark.parametrize("plies", [0, 120, 215])
def test_size_of_the_standard_board(plies: int) -> None:
    assert len(gzip.compress(page(middle(plies=plies)).encode())) <= 12_000


def test_size_of_a_usual_patch() -> None:
    position = middle(plies=60)
    for move in [move for move in position.moves() if not move.startswith("#")][:40]:
        patch = diff_scenes(position.view().scene(), position.play(move).view().scene())
        assert len(json.dumps(patch)) <= 1024


def test_nothing_changes_without_a_move() -> None:
    position = middle()
    assert diff_scenes(position.view().scene(), position.game.replay(position.history).view().scene()) is None


@pytest.mark.parametrize(
    "options", [{}, {"players": 4, "teams": True, "edition": "classic"}, {"cols": 1, "rows": 20, "values": "7"}]
)
def test_no_id_twice(options: dict[str, Any]) -> None:
    for plies in (0, 80, 500):
        ids = re.findall(r' id="([^"]*)"', page(middle(plies=plies, **options)))
        assert len(ids) == len(set(ids))
        assert all(name.startswith("so-") for name in ids)


@pytest.mark.parametrize("theme", sorted(STYLE.themes))
@pytest.mark.parametrize("palette", ["", *sorted(STYLE.palettes)])
def test_every_theme_is_a_whole_picture(theme: str, palette: str) -> None:
    svg = middle(players=4, cols=6, rows=6, values="012345 678901 123123 111111 222222 333333").svg(
        theme=theme, palette=palette
    )
    ET.fromstring(svg)
    assert "var(" not in svg
    assert "style=" not in svg


def test_every_shape_that_is_used_is_defined() -> None:
    svg = page(middle(players=4, edition="classic"))
    used = set(re.findall(r'href="#([^"]*)"', svg)) | set(re.findall(r"url\(#([^)]*)\)", svg + STYLE.css))
    assert used <= set(re.findall(r' id="([^"]*)"', svg))


def test_palettes_override_known_names() -> None:
    for palette in STYLE.palettes.values():
        assert palette.keys() <= STYLE.themes["light"].keys()
    assert len({frozenset(theme) for theme in STYLE.themes.values()}) == 1


def test_text_board_of_a_team_game() -> None:
    position = fc.game("squarin-off", cols=2, rows=1, players=4, teams=True, values="23").replay(
        ["a1b1", "b1b2", "a2b2", "a1a2", "#b1 b1c1"]
    )
    assert str(position).splitlines() == [
        " 2 +---+   +",
        "   |B 2|###",
        " 1 +---+---+",
        "   a   b   c",
        "A Black: 0, blockers 3  to move",
        "B White: 2, blockers 3",
        "A Black: 0, blockers 3",
        "B White: 2, blockers 2",
    ]


def test_facts() -> None:
    position = fc.game("squarin-off", cols=2, rows=1, blockers=[1, 2]).replay(["#a1 a1b1"])
    facts = ((0, "blockers left", "0"), (1, "blockers left", "2"), (None, "free edges", "6"))
    assert position.view().facts() == facts
    assert fc.game("dots-and-boxes").start().view().facts() == ((None, "free edges", "60"),)
