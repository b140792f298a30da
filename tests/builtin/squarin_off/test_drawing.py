"""Pictures of Squarin' Off: tokens, labels, sizes, patches, themes, and the outlines of chains."""

import json
import random
import re
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.scene import Element, add_overlay, diff_scenes
from tests.builtin.squarin_off.positions import play_random_game, set_up_board
from tests.require import require


def play_random_moves(plies: int = 120, **options: Any) -> fc.Position:
    """Return the position after that many random moves, or at the end; every 15th move may use a blocker.

    Every free edge may be drawn, so the moves are taken from a shuffled list of the edges: listing all legal moves, of
    which there are a thousand with blockers, at every ply would take a hundred times as long.
    """
    rng = random.Random(1)
    position = fc.game("squarin-off", **options).start()
    edges = [move for move in position.moves() if "#" not in move]
    rng.shuffle(edges)
    while edges and len(position.history) < plies:
        move = rng.choice(position.moves()) if len(position.history) % 15 == 14 else edges[-1]
        position = position.play(move)
        edges.remove(move.rpartition(" ")[2])
    assert position.is_over == (not edges)
    return position


def list_elements(position: fc.Position) -> dict[str, Element]:
    """Return the elements of a position's picture, board and tray, by token, or by id where they have none."""
    scene = position.view().scene()
    parts = [scene.board, *([scene.tray] if scene.tray else [])]
    return {element.token or element.id: element for part in parts for element in part.elements}


@pytest.mark.parametrize(
    "options", [{}, {"cols": 1, "rows": 1}, {"cols": 3, "rows": 5, "players": 3}, {"blockers": 0, "cols": 4, "rows": 4}]
)
def test_every_token_of_a_first_move_has_a_gesture_and_a_label(options: dict[str, Any]) -> None:
    position = fc.game("squarin-off", **options).start()
    shown = list_elements(position)
    for move in position.moves():
        for token in move.split(" "):
            assert shown[token].gesture == ("drop" if token.startswith("#") else "pick")
            assert shown[token].label


def test_the_tray_has_a_blocker_to_carry_only_in_games_with_blockers() -> None:
    assert list_elements(fc.game("squarin-off").start())["#"].gesture == "carry"
    assert "#" not in list_elements(fc.game("dots-and-boxes").start())


@pytest.mark.parametrize("blockers", [1, 3, 6])
def test_a_full_pile_of_blockers_stands_as_high_as_the_chip_beside_it(blockers: int) -> None:
    shown = list_elements(fc.game("squarin-off", blockers=blockers).start())
    tops = [
        int(y) for y in re.findall(r'href="#so-[kl]" x="\d+" y="(-?\d+)"', shown["#"].markup + shown["so-pile"].markup)
    ]
    assert len(tops) == blockers
    # The chip is drawn 9 units below the upper edge, and is as high as a blocker.
    assert abs((min(tops) + max(tops)) / 2 - 9) <= 0.5


def test_labels_describe_the_state_of_edges_boxes_and_blockers() -> None:
    shown = list_elements(fc.game("squarin-off", cols=3, rows=3).replay(["a1b1", "b1b2", "a2b2", "a1a2", "#c3 c3d3"]))
    assert shown["a1b1"].label == "edge from a1 to b1, drawn"
    assert shown["b1c1"].label == "edge from b1 to c1, free"
    assert shown["#a1"].label == "box a1, 1 point, White"
    assert shown["#c3"].label == "box c3, 1 point, blocked"
    assert shown["#b1"].label == "box b1, 1 point, 1 edge drawn"
    # White, which is to move, has used none.
    assert shown["#"].label == "blocker, 6 left"


def test_the_last_move_and_the_box_that_it_completed_or_blocked_are_marked() -> None:
    position = fc.game("squarin-off", cols=3, rows=3).replay(["a1b1", "b1b2", "a2b2", "a1a2"])
    assert {token for token, element in list_elements(position).items() if "last" in element.classes} == {"a1a2", "#a1"}
    position = position.play("#c3 c3d3")
    assert {token for token, element in list_elements(position).items() if "last" in element.classes} == {"c3d3", "#c3"}
    # A blocker of an earlier move beside the edge of the last one is not marked again.
    position = position.play("c3c4")
    assert {token for token, element in list_elements(position).items() if "last" in element.classes} == {"c3c4"}


def test_a_chip_has_the_colour_and_the_pips_of_its_seat() -> None:
    # Seat 1 completes box a1; in the classic edition it is Green.
    position = fc.game("squarin-off", cols=2, rows=1, edition="classic").replay(["a1b1", "b1b2", "a2b2", "a1a2"])
    box = list_elements(position)["#a1"]
    assert "so-o1 so-green" in box.classes
    assert "#so-s1" in box.markup


def test_the_patch_for_drawing_one_edge_has_at_most_1024_characters() -> None:
    position = play_random_moves(plies=60)
    for move in [move for move in position.moves() if not move.startswith("#")][:40]:
        patch = diff_scenes(position.view().scene(), position.play(move).view().scene())
        assert len(json.dumps(patch)) <= 1024


def test_partners_share_letter_and_points_in_the_text_of_a_team_game() -> None:
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


def test_facts_list_blockers_left_and_free_edges() -> None:
    position = fc.game("squarin-off", cols=2, rows=1, blockers=[1, 2]).replay(["#a1 a1b1"])
    facts = ((0, "blockers left", "0"), (1, "blockers left", "2"), (None, "free edges", "6"))
    assert position.view().facts() == facts


def test_facts_of_a_game_without_blockers_list_only_free_edges() -> None:
    assert fc.game("dots-and-boxes").start().view().facts() == ((None, "free edges", "60"),)


def list_outlines(position: fc.Position) -> dict[str, Element]:
    """Return the elements of the overlay, the outlines of chains, by id; assert that it exists and is named Chains."""
    overlay = require(position.view().overlay())
    assert overlay.name == "Chains"
    return {element.id: element for element in overlay.elements}


def test_outlines_are_labelled_with_length_and_with_points_where_boxes_differ() -> None:
    shown = list_outlines(set_up_board("-- |_._| .. |_._| --"))
    assert [element.label for element in shown.values()] == ["loop of 4 boxes: a1 b1 b2 a2"]
    assert ">4</text>" in shown["so-ra1"].markup
    valued = list_outlines(set_up_board("--- ._._._. ---", values=["123"]))
    assert [element.label for element in valued.values()] == ["chain of 3 boxes worth 6: c1 b1 a1"]
    assert ">3·6</text>" in valued["so-ra1"].markup


def test_the_outline_of_a_chain_that_ends_at_a_junction_says_so() -> None:
    joined = list_outlines(set_up_board("--- ._._._. -.- |_|_|_| ..."))
    assert "joined to others" in joined["so-ra2"].label
    assert "so-joined" in joined["so-ra2"].classes


def test_the_outline_of_a_chain_is_an_overlay_of_one_closed_path_and_that_of_a_loop_of_two() -> None:
    rng = random.Random(6)
    # Random games on small boards hardly ever have a loop.
    loops = [set_up_board("-- |_._| .. |_._| --"), set_up_board("--- |_._._| .-. |_._._| ---")]
    kinds = set()
    for position in [*(play_random_game(rng) for _ in range(25)), *loops]:
        for element in list_outlines(position).values():
            kinds.add(element.label.split()[0])
            assert element.classes.startswith("overlay ")
            path = re.findall(r'd="([^"]*)"', element.markup)[0]
            assert path.count("M") == path.count("Z") == (2 if element.label.startswith("loop") else 1)
    assert kinds == {"chain", "loop"}


def test_a_patch_redraws_the_outline_of_a_chain_that_grows_and_keeps_ids_unique() -> None:
    before = fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1b1", "b1c1", "c1d1", "a2b2", "b2c2"])
    after = before.play("c2d2")
    scenes = [add_overlay(view.scene(), require(view.overlay())) for view in (before.view(), after.view())]
    assert {"so-ra1"} <= require(diff_scenes(*scenes))["board"]["set"].keys()
    ids = [element.id for element in scenes[1].board.elements]
    assert len(ids) == len(set(ids))


def test_areas_are_the_completed_boxes_with_their_place_value_and_party() -> None:
    options: dict[str, Any] = {
        "cols": 3,
        "rows": 2,
        "values": ["213", "120"],
        "players": 4,
        "teams": True,
        "chips": "own",
    }
    final = play_random_moves(**options)
    assert final.is_over
    areas = {area.name: area for area in final.game.spec.presentation.list_areas(final.view(None))}
    assert {area.seat for area in areas.values()} <= {0, 1}
    completed = {name for name, element in list_elements(final).items() if re.search(r" so-o\d", element.classes)}
    assert {f"#{name.removeprefix('box ')}" for name in areas} == {name for name in completed if name[0] == "#"}
    values = {"box a1": 1, "box b1": 2, "box c1": 0, "box a2": 2, "box b2": 1, "box c2": 3}
    assert {name: area.points for name, area in areas.items()} == {name: values[name] for name in areas}
    assert (areas["box b1"].box, areas["box b2"].box) == ((106, 106, 60, 60), (106, 46, 60, 60))
