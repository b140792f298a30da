"""The indices and planes of Squendo mean what their names say."""

import re
from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squendo import encode
from fourcorners.core import compiled_api, compiled_encoding
from fourcorners.core.arrays import Planes
from fourcorners.core.encoding import name_planes
from tests.builtin.squendo.drawn_tables import build_table

MIDDLE = 12
"""The row and the column of the first tile in the window."""
TEXT = re.compile(r"tile ([1-4]) of the hand at (\S+) (r[0-3])(?:, leave the (\w+) tile)?(?:, take the (\w+) tile)?")


def draw_planes(position: fc.Position, seat: int, *, passed: int = 0) -> dict[str, Planes]:
    """Return the planes of a position for a seat by their names; `passed` is a mask of seats that have passed."""
    options: Any = position.game.options
    states = position.states.copy()
    states["passed"] = passed
    names = name_planes(encode, options)
    planes = np.zeros((len(names), *encode.plane_shape(options)), np.float32)
    compiled_encoding.write_planes(states, 0, seat, planes.reshape(len(names), -1))
    return dict(zip(names, planes, strict=True))


def list_places(plane: Planes) -> dict[tuple[int, int], float]:
    """Return the entries of a plane that are not 0 by column and row from the first tile."""
    return {(int(x) - MIDDLE, int(y) - MIDDLE): float(plane[y, x]) for y, x in np.argwhere(plane)}


def start_with(*tiles: str, **options: Any) -> fc.Position:
    """Return the start of a game in which these tiles are drawn first."""
    game = fc.game("squendo", **options)
    return game.start(deck=(*tiles, *(tile for tile in game.deck(seed=1) if tile not in tiles)))


def start_stack(**options: Any) -> fc.Position:
    """Return a position of two or three seats with B2ox on R1x at 0,0, and R0x, R2ax, R2ox and R4x in seat 0's hand."""
    third = ("G0o", "G1o", "G3o", "G4o")[: 4 * options.get("players", 2) - 8]
    hands = ("R1x", "R0x", "R2ox", "R4x", "B3x", "B2ox", "B0o", "B0x", *third)
    position = start_with(*hands, "R2ax", **options)
    return position.play_line(["R1x 0,0 r1", "B2ox 0,0 r1"])


def test_planes_show_tiles_by_colour_symbol_and_black_edges_and_stacks_with_what_they_cover() -> None:
    position = start_stack().play_line(["R2ox 1,0 r1", "B3x 1,0 r1", "R4x 2,0 r0"])
    blue = draw_planes(position, 1)
    stacks = {(0, 0): 1.0, (1, 0): 1.0}
    assert list_places(blue["my tiles"]) == list_places(blue["stacks of two"]) == stacks
    assert list_places(blue["the next seat's tiles"]) == {(2, 0): 1.0}
    assert list_places(blue["crosses"]) == {**stacks, (2, 0): 1.0}
    assert list_places(blue["black north edges"]) == {(2, 0): 1.0}
    assert list_places(blue["black east edges"]) == list_places(blue["black west edges"]) == {**stacks, (2, 0): 1.0}
    assert list_places(blue["black south edges"]) == {(1, 0): 1.0, (2, 0): 1.0}
    assert list_places(blue["the next seat's covered tiles"]) == stacks
    assert list_places(blue["black edges of covered tiles / 4"]) == {(0, 0): 0.25, (1, 0): 0.5}
    assert list_places(blue["covered tiles with two opposite black edges"]) == {(1, 0): 1.0}
    red = draw_planes(position, 0)
    assert list_places(red["my tiles"]) == {(2, 0): 1.0}
    assert list_places(red["the next seat's tiles"]) == list_places(red["my covered tiles"]) == stacks
    assert not red["neutral tiles"].any()


def test_planes_show_only_the_own_hand_and_the_numbers_of_each_seat() -> None:
    position = start_stack(players=3)
    red, green = draw_planes(position, 0), draw_planes(position, 2, passed=0b010)
    hand = red["my hand"]
    # Columns: red, blue, green, cross, black edges / 4, opposite ones; the tiles are R0x, R2ax, R2ox and R4x.
    rows: list[list[float]] = [[1, 0, 0, 1, 0, 0], [1, 0, 0, 1, 0.5, 0], [1, 0, 0, 1, 0.5, 1], [1, 0, 0, 1, 1, 0]]
    assert hand[:4, :6].tolist() == rows
    assert hand.sum() == np.sum(rows)
    points = [red["the next seat's points / 200"], green["the second next seat's points / 200"]]
    assert [float(plane.min()) for plane in points] == [np.float32(2 / 200)] * 2
    assert (red["my hand size / 4"].min(), red["pile size / 48"].min()) == (1.0, np.float32(22 / 48))
    passes = [green[f"{seat} pass"].max() for seat in ("my", "the next seat's", "the second next seat's")]
    assert passes == [0.0, 0.0, 1.0]
    assert (red["my turn"].max(), green["my turn"].min()) == (0.0, 1.0)


def test_text_of_every_index_says_what_the_move_does() -> None:
    position = start_stack(take="any")
    options: Any = position.game.options
    hand = ("R0x", "R2ax", "R2ox", "R4x")
    actions, indices = np.zeros(999, np.int64), np.zeros(999, np.int64)
    n = compiled_encoding.list_actions(position.states, 0, actions, indices)
    takes = 0
    for action, index in zip(actions[:n].tolist(), indices[:n].tolist(), strict=True):
        found = TEXT.fullmatch(encode.describe_action(options, index))
        assert found is not None
        slot, place, rotation, leave, take = found.groups()
        names = {"laid": hand[int(slot) - 1], "top": "B2ox", "covered": "R1x"}
        left = f"leave:{names[leave or 'laid']} " if place == "0,0" else ""
        taken = f" take:{names[take]}" if take else ""
        written = f"{names['laid']} {place} {left}{rotation}{taken}"
        assert written == position.game.spec.notation.format(position.record, action)
        takes += bool(take)
    assert takes > 20
    assert encode.describe_action(options, encode.count_actions(options) - 1) == "pass"


@pytest.mark.parametrize(
    ("row", "tile", "all_indexed"),
    [(13 * "R", "B0o", False), (12 * "R", "B0o", True), (13 * "R", "B4x", True)],
)
def test_legal_action_beyond_the_window_has_no_index(row: str, tile: str, *, all_indexed: bool) -> None:
    states = build_table(row, tile)
    actions, indices = (np.zeros(compiled_api.bound(states, 0), np.int64) for _ in range(2))
    n = compiled_encoding.list_actions(states, 0, actions, indices)
    assert (-1 not in indices[:n]) == all_indexed
    assert compiled_encoding.can_index_all(states, 0) == all_indexed
