"""The value of a place, from the tiles around it."""

import random

import pytest

import fourcorners as fc
from fourcorners.builtin.squendo.placements import (
    EAST,
    NORTH,
    encode_key,
    find_or_add_place,
    unpack_key,
    unpack_top,
)
from fourcorners.builtin.squendo.strategy.local_value import (
    COMPLETED,
    LACKING_ONE,
    LACKING_TWO,
    count_gain,
    count_rectangles,
    draw_map,
    find_cell,
    read_neighbourhood,
)
from fourcorners.core import dispatch
from tests.builtin.squendo.drawn_tables import build_table

RED = 0


def parse_window(rows: str) -> int:
    """Return the window drawn as seven words of `#` and `.`, the topmost row first."""
    lines = rows.split()
    return sum(1 << (7 * row + col) for row, line in enumerate(reversed(lines)) for col in range(7) if line[col] == "#")


@pytest.mark.parametrize(
    ("bits", "made", "nearly", "begun"),
    [  # `bits` are the eight places around: those that have a stack of one colour
        (0b00000000, 0, 0, 0),
        (0b11010000, 1, 0, 2),
        (0b11111111, 4, 0, 0),
        (0b01010000, 0, 1, 2),
        (0b10000000, 0, 0, 1),
        (0b01011000, 0, 2, 2),
    ],
)
def test_squares_of_a_place_and_three_neighbours_are_counted_by_how_many_tiles_the_neighbours_lack(
    bits: int, made: int, nearly: int, begun: int
) -> None:
    assert (int(COMPLETED[bits]), int(LACKING_ONE[bits]), int(LACKING_TWO[bits])) == (made, nearly, begun)


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ("....... ....... ....... ...##.. ...##.. ....... .......", 1),
        ("....... ....... ...###. ...###. ....... ....... .......", 2),
        ("....... ....... ..###.. ..###.. ....... ....... .......", 3),
        ("....... ....... ..###.. ..###.. ..###.. ....... .......", 9),
        ("....... ....... ....... .#####. ....... ....... .......", 0),
        ("....... ....... ##.##.. ##.##.. ....... ....... .......", 1),
    ],
)
def test_rectangles_that_contain_the_middle_of_a_window_are_counted(rows: str, count: int) -> None:
    assert count_rectangles(parse_window(rows)) == count


@pytest.mark.parametrize(
    ("rows", "col", "row", "double", "points"),
    [
        ("R.", 1, 0, 0, 1),
        ("R.", 1, 0, 1, 2),
        # 10 for the square; the three singles no longer score.
        ("RR R.", 1, 0, 0, 7),
        ("Rr R.", 1, 0, 0, 8),
        ("Rr R.", 1, 0, 1, 10),
        # A second square and the rectangle of both, next to an existing square.
        ("RRR RR.", 2, 0, 0, 19),
        ("BB B.", 1, 0, 0, 1),
        # The tile that is there now does not matter.
        ("RR RB", 1, 0, 0, 7),
        ("RR RR", 1, 0, 0, 7),
    ],
)
def test_the_gain_of_a_place_is_its_tile_and_the_rectangles_that_contain_it(
    rows: str, col: int, row: int, double: int, points: int
) -> None:
    s = dispatch.view_record(build_table(rows))
    key = encode_key(col, row)
    find_or_add_place(s, key)
    cells, width, shift = draw_map(s)
    neighbourhood = read_neighbourhood(cells, width, find_cell(key, width, shift))
    assert count_gain(s, key, neighbourhood, RED, double) == points


_AROUND = (-NORTH - EAST, -NORTH, -NORTH + EAST, -EAST, EAST, NORTH - EAST, NORTH, NORTH + EAST)


@pytest.mark.parametrize("players", [2, 4])
def test_the_map_shows_the_colours_around_every_place_of_a_game(players: int) -> None:
    rng = random.Random(players)
    position = fc.game("squendo", players=players).start(seed=players)
    places = 0
    while not position.is_over:
        s = position.record
        shown = {unpack_key(int(place)): unpack_top(int(place)) for place in s.place[: int(s.place_count)]}
        cells, width, shift = draw_map(s)
        for key in shown:
            expected = 0
            for bit, step in enumerate(_AROUND):
                top = shown.get(key + step, 0)
                if top:
                    expected |= 1 << bit + 8 * ((top - 1) // 12)
            assert read_neighbourhood(cells, width, find_cell(key, width, shift)) == expected
            places += 1
        position = position.play(rng.choice(position.moves()))
    assert places > 500
