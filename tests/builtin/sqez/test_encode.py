"""The indices and planes of Sqez mean what their names say."""

from typing import Any

import numpy as np

import fourcorners as fc
from fourcorners.builtin.sqez import encode
from fourcorners.core import compiled_encoding


def test_planes_show_edges_at_their_left_or_lower_dot_and_free_dots() -> None:
    position = fc.game("sqez", cols=5, rows=4).replay(["a1 c3"])
    planes = np.zeros((4, 4, 5), np.float32)
    compiled_encoding.write_planes(position.states, 0, 1, planes.reshape(4, -1))
    drawn = [[(int(row), int(column)) for row, column in np.argwhere(plane == 1.0)] for plane in planes[:2]]
    assert drawn == [[(0, 0), (0, 1), (2, 0), (2, 1)], [(0, 0), (0, 2), (1, 0), (1, 2)]]
    free = ["".join("#."[int(dot)] for dot in row) for row in reversed(planes[2].tolist())]
    assert free == [".....", "###..", "#.#..", "###.."]
    assert planes[3].min() == 1.0


def test_text_of_every_index_names_the_move() -> None:
    game = fc.game("sqez", cols=6, rows=5)
    options: Any = game.options
    start = game.start()
    indices = range(encode.count_actions(options))
    actions = [compiled_encoding.action_at(start.states, 0, index) for index in indices]
    moves = [game.spec.notation.format(start.record, action) for action in actions]
    assert sorted(moves) == start.moves()
    assert [encode.describe_action(options, index) for index in indices] == [f"rectangle {m}" for m in moves]


def test_largest_field_has_29241_indices() -> None:
    options: Any = fc.game("sqez", cols=20, rows=20).options
    assert encode.count_actions(options) == 29241
