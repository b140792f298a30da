"""Pictures of moves in reviews: the board after the move, with its places marked."""

import pytest

import fourcorners as fc
from fourcorners.study.pictures import describe_move, draw_move

MOVES = [
    ("squendo", "B1o 0,0 r0", "red laid a blue circle at 0,0", "column 0, row 0, blue circle, black north"),
    ("sqez", "a1 c3", "graphite drew the rectangle a1–c3", "dot a1, on a line; dot c3, on a line"),
    ("square-off", "b2", "White placed a white man on b2", "cell b2, white man"),
    ("dots-and-boxes", "a1b1", "Black drew a1–b1", "edge from a1 to b1, drawn"),
]


@pytest.mark.parametrize(("game", "move", "words", "place"), MOVES)
def test_picture_of_a_move_shows_the_board_after_it_with_its_places_marked(
    game: str, move: str, words: str, place: str
) -> None:
    position = fc.game(game).start(seed=0)
    description = describe_move(position, move)
    assert f"Last move: {words}." in description
    assert description.endswith(f"Marked: {place}.")
    picture = draw_move(position, move, "light")
    assert " marked" in picture


def test_picture_of_a_move_is_the_same_whatever_tile_is_drawn_after_it() -> None:
    game = fc.game("squendo")
    deck = game.deck(seed=4)
    hands = 2 * len(deck) // 9  # eight of 36 tiles
    pictures = {
        draw_move(position, position.moves()[0], "light")
        for tiles in (deck, (*deck[:hands], *reversed(deck[hands:])))
        for position in [game.start(deck=tiles)]
    }
    assert len(pictures) == 1
