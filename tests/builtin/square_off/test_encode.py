"""The indices and planes of Square Off mean what their names say."""

from typing import Any

import numpy as np

import fourcorners as fc
from fourcorners.builtin.square_off import encode
from fourcorners.builtin.square_off.options import SquareOffOptions
from fourcorners.core import compiled_encoding
from fourcorners.core.arrays import Planes
from fourcorners.core.encoding import name_planes


def draw_planes(position: fc.Position, seat: int) -> dict[str, Planes]:
    """Return the planes of a position for a seat by their names."""
    options: Any = position.game.options
    names = name_planes(encode, options)
    planes = np.zeros((len(names), *encode.plane_shape(options)), np.float32)
    compiled_encoding.write_planes(position.states, 0, seat, planes.reshape(len(names), -1))
    return dict(zip(names, planes, strict=True))


def list_cells(plane: Planes) -> list[tuple[int, int]]:
    """List row and column of the entries of a plane that are 1."""
    return [(int(row), int(column)) for row, column in np.argwhere(plane == 1.0)]


def test_planes_show_men_marks_colours_and_rights_as_the_viewer_sees_them() -> None:
    position = fc.game("square-off", size=6, symmetry="once").replay(["b1", "swap", "e1"])
    white, black = draw_planes(position, 1), draw_planes(position, 0)
    assert list_cells(white["my men"]) == list_cells(black["others' men"]) == [(0, 1)]
    assert list_cells(white["others' men"]) == list_cells(black["my men"]) == [(0, 4)]
    assert list_cells(white["the man that White may replace"]) == [(0, 4)]
    constant = {
        name: white[name].min() for name in ("the symmetry right is left", "I have White", "the swap is possible")
    }
    assert constant == {"the symmetry right is left": 1.0, "I have White": 1.0, "the swap is possible": 0.0}
    assert (white["my turn"].min(), black["my turn"].max(), black["I have White"].max()) == (1.0, 0.0, 0.0)
    used = position.play("e1 e2")
    assert list_cells(draw_planes(used, 1)["my men"]) == [(0, 1), (0, 4)]
    assert draw_planes(used, 1)["the symmetry right is left"].max() == 0.0
    assert draw_planes(fc.game("square-off").replay(["b1"]), 1)["the swap is possible"].min() == 1.0
    marked = fc.game("square-off", size=4).replay(["a1", "c3", "b1", "c4", "a2", "d3", "b2"])
    assert list_cells(draw_planes(marked, 0)["my marked men"]) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert list_cells(draw_planes(marked, 1)["others' marked men"]) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_texts_of_the_indices_name_the_cells_of_the_moves() -> None:
    game = fc.game("square-off", size=6)
    options = SquareOffOptions(size=6)
    assert encode.count_actions(options) == 73
    texts = [encode.describe_action(options, index) for index in (0, 7, 36, 37, 72)]
    assert texts == ["man on a1", "man on b2", "swap", "symmetry right, man to a1", "symmetry right, man to f6"]
    position = game.replay(["b1", "e1"])
    moves = [
        game.spec.notation.format(position.record, compiled_encoding.action_at(position.states, 0, index))
        for index in (0, 7, 37, 72)
    ]
    assert moves == ["a1", "b2", "e1 a1", "e1 f6"]
