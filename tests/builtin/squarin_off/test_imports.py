"""Games of Dots and Boxes from trmph.com and Little Golem."""

import pytest

import fourcorners as fc

# From the source of a public program; all 60 edges of 5 x 5 boxes.
WHOLE_GAME = (
    "http://www.trmph.com/dnb/board#5,b11d9g6c10b9a10c6e8e6d5c8f9h7d7g8g4e4f3f5f7e2g2h3h1j1j3i2j5k2c2f1b3b5g10h11j11k10"
    "k8j7k6i6i4h5a2b1k4b7a8a6e10d11f11i10h9c4i8d1d3j9a4"
)
GAME = fc.game("dots-and-boxes")


def list_moves(text: str, game: fc.Game | None = None) -> list[str]:
    """Return the events of the record that a text is imported as."""
    return [line.text for line in fc.import_record(text, game).lines]


def test_whole_game_of_a_link_is_legal_and_draws_every_edge() -> None:
    record = fc.import_record(WHOLE_GAME)
    assert record.game == GAME
    assert record.result == "seat 0 wins 17-8: all edges are drawn"
    assert sorted(line.text for line in record.lines) == GAME.start().moves()


def test_points_name_the_edges_around_dots_and_boxes_from_the_lower_left() -> None:
    assert list_moves("trmph.com/dnb/board#1,b1a2c2b3") == ["a1b1", "a1a2", "b1b2", "a2b2"]
    assert list_moves("https://www.trmph.com/dnb/board#3") == []
    assert list_moves("https://trmph.com/dnb/board#3,G6", fc.game("dots-and-boxes", cols=3, rows=3)) == ["d3d4"]


@pytest.mark.parametrize(
    "text",
    ["1.b11 2.d9 3.g6", "b11d9 g6", "B11, d9, g6", "1. a6-b6 2. b5–c5\n3. d3-d4", "b6a6 c5-b5 d4d3", "a6b6 b5c5 d3d4"],
)
def test_move_lists_of_little_golem_name_edges_by_points_or_by_two_dots(text: str) -> None:
    assert list_moves(text, GAME) == ["a6b6", "b5c5", "d3d4"]
    assert list_moves(f"{text} resign", GAME)[-1] == "!resign"


def test_example_of_the_forum_is_legal() -> None:
    text = "1. b5-c5 2. c4-c5\n3. b4-c4 4. b4-b5, d3-e3\n5. f1-f2"
    assert [line.seat for line in fc.import_record(text, GAME).lines] == [0, 1, 0, 1, 1, 0]


def test_blockers_are_read_as_plain_moves() -> None:
    assert list_moves("1. #c4 c4d4 2. e2f2", fc.game("squarin-off")) == ["#c4 c4d4", "e2f2"]


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("https://trmph.com/dnb/board#3,a2b2", (1, 33, 2), "'b2' is a box, not an edge"),
        ("https://trmph.com/dnb/board#3,a2c3", (1, 33, 2), "'c3' is a dot, not an edge"),
        ("https://trmph.com/dnb/board#3,a2h1", (1, 33, 2), "points go from a1 to g7"),
        ("https://trmph.com/dnb/board#3,a2a2", (1, 33, 2), "edge a1a2 is already drawn"),
        ("https://trmph.com/dnb/board#3,a2?", (1, 33, 2), "'?' is not a point"),
        ("https://trmph.com/dnb/board#13,a2", (1, 29, 0), "a number of boxes from 1 to 12"),
        ("https://trmph.com/dnb/board#", (1, 29, 0), "a number of boxes from 1 to 12"),
        ("\nhttps://trmph.com/hex/board#13,a2", (2, 19, 0), "'hex' is not allowed"),
    ],
)
def test_wrong_link_is_refused_with_the_place_and_the_reason(
    text: str, place: tuple[int, int, int], reason: str
) -> None:
    with pytest.raises(fc.MoveListError) as caught:
        fc.import_record(text)
    assert (caught.value.line, caught.value.column, caught.value.number) == place
    assert reason in str(caught.value)


def test_wrong_point_of_a_list_is_refused_with_the_place_and_the_reason() -> None:
    with pytest.raises(fc.MoveListError, match="line 2, column 5, move 3: 'h8' is a box, not an edge"):
        fc.import_record("1.g6\n2.h7h8", GAME)
