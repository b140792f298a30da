"""The indices and planes of Squarin' Off mean what their names say."""

from typing import Any

import numpy as np

import fourcorners as fc
from fourcorners.builtin.squarin_off import encode
from fourcorners.core import compiled_encoding
from fourcorners.core.encoding import name_planes

Entries = dict[tuple[int, int], float]


def draw_planes(position: fc.Position, seat: int) -> dict[str, Entries]:
    """Return the entries of each plane for a seat that are not 0, by row and column, rounded to two digits."""
    options: Any = position.game.options
    names = name_planes(encode, options)
    planes = np.zeros((len(names), *encode.plane_shape(options)), np.float32)
    compiled_encoding.write_planes(position.states, 0, seat, planes.reshape(len(names), -1))
    return {
        name: {(int(y), int(x)): round(float(plane[y, x]), 2) for y, x in np.argwhere(plane)}
        for name, plane in zip(names, planes, strict=True)
    }


def test_planes_show_edges_sides_values_and_boxes_by_party_in_turn_order() -> None:
    game = fc.game("squarin-off", cols=2, rows=1, players=3, blockers=0, values=["39"])
    first = draw_planes(game.replay(["a1b1"]), 1)
    assert first["free horizontal edges"] == {(0, 1): 1.0, (1, 0): 1.0, (1, 1): 1.0}
    assert first["free vertical edges"] == {(0, 0): 1.0, (0, 1): 1.0, (0, 2): 1.0}
    assert first["drawn sides / 4"] == {(0, 0): 0.25}
    assert first["value / 9"] == {(0, 0): 0.33, (0, 1): 1.0}
    assert len(first["my turn"]) == 6
    # Seat 0 completes box a1, and seat 2 box b1, with which the game ends.
    last = game.replay(["a1b1", "a2b2", "a1a2", "b1b2", "b1c1", "b2c2", "c1c2"])
    boxes = [
        [draw_planes(last, seat)[name] for name in ("my boxes", "boxes of opponent 1", "boxes of opponent 2")]
        for seat in range(3)
    ]
    left, right = {(0, 0): 1.0}, {(0, 1): 1.0}
    assert boxes == [[left, {}, right], [{}, right, left], [right, left, {}]]
    assert not any(draw_planes(last, seat)["my turn"] for seat in range(3))


def test_planes_of_teams_show_the_boxes_of_both_partners_as_mine() -> None:
    game = fc.game("squarin-off", cols=2, rows=1, players=4, teams=True, blockers=0)
    # Seat 0 completes box a1, and seat 1 box b1.
    last = game.replay(["c1c2", "a1b1", "a2b2", "a1a2", "b1b2", "b1c1", "b2c2"])
    boxes = [[draw_planes(last, seat)[name] for name in ("my boxes", "others' boxes")] for seat in range(4)]
    left, right = {(0, 0): 1.0}, {(0, 1): 1.0}
    assert boxes == [[left, right], [right, left]] * 2


def test_planes_show_blockers_on_the_board_and_those_left() -> None:
    position = fc.game("squarin-off", cols=4, rows=1, players=3, blockers=[1, 3, 0]).start()
    planes = draw_planes(position.play("#a1 a1b1"), 1)
    assert planes["blocked boxes"] == {(0, 0): 1.0}
    assert planes["boxes that take no blocker"] == {(0, 0): 1.0, (0, 1): 1.0}
    whose = ("my", "the next seat's", "the second next seat's")
    assert [planes[f"{seat} blockers / 6"].get((0, 0), 0.0) for seat in whose] == [0.5, 0.0, 0.0]


def test_texts_of_the_indices_name_edges_and_blockers() -> None:
    position = fc.game("squarin-off", cols=2, rows=1, blockers=1).start()
    options: Any = position.game.options
    texts = [encode.describe_action(options, index) for index in (0, 3, 4, 7, 14)]
    assert encode.count_actions(options) == 15
    assert texts == [
        "edge a1b1",
        "edge b2c2",
        "edge a1a2",
        "blocker on box a1 and its bottom edge",
        "blocker on box b1 and its left edge",
    ]
    actions = [compiled_encoding.action_at(position.states, 0, index) for index in (0, 7, 14)]
    moves = [position.game.spec.notation.format(position.record, action) for action in actions]
    assert moves == ["a1b1", "#a1 a1b1", "#b1 b1b2"]
