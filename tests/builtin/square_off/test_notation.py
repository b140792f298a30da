"""Moves and positions of Square Off as text: what is read and what is refused."""

import pytest

import fourcorners as fc


def get_error_code(text: object, **options: object) -> str:
    """Return the code of the NotationError that playing `text`, of any type, as the first move must raise."""
    with pytest.raises(fc.NotationError) as caught:
        fc.game("square-off", **options).start().play(text)  # type: ignore[arg-type]  # anything at all
    assert caught.value.message
    return caught.value.code


def get_error_message(text: str, **options: object) -> str:
    """Return the message of the NotationError that reading `text` as a position must raise."""
    with pytest.raises(fc.NotationError) as caught:
        fc.game("square-off", **options).position(text)
    return caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "c",
        "5",
        "c05",
        "C5",
        "c5 ",
        " c5",
        "c5  d6",
        "c5d6",
        "c5 d6 e7",
        "c5 swap",
        "swap ",
        "SWAP",
        "c5\n",
        "c\u0665",
        "é5",
    ],
)
def test_texts_that_are_not_written_as_a_move_are_unreadable(text: str) -> None:
    assert get_error_code(text) == "unreadable"


@pytest.mark.parametrize("text", ["i1", "a9", "z99", "c5 i5", "a16", "a1 a99"])
def test_cells_beyond_the_board_are_refused(text: str) -> None:
    assert get_error_code(text) == "off-board"
    assert get_error_code("e1", size=4) == "off-board"


def test_the_text_shows_men_marks_turn_seat_and_right() -> None:
    game = fc.game("square-off")
    assert game.start().text == "8/8/8/8/8/8/8/8 w 0 -"
    assert game.replay(["c3", "swap", "f6"]).text == "8/8/5b2/8/8/2w5/8/8 w 1 f6"
    assert game.replay(["b2", "g7", "b4", "f5", "d4", "c6", "d2"]).text == "8/6b1/2b5/5b2/1W1W4/8/1W1W4/8 b 0 -"
    once = fc.game("square-off", symmetry="once").replay(["c3", "f6", "f6 a1"])
    assert once.text == "8/8/5w2/8/8/2w5/8/b7 b 0 - used"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a position is rows"),
        ("8/8/8/8/8/8/8/8 w 0 -\n", "a position is rows"),
        ("8/8/8/8/8/8/8/8  w 0 -", "a position is rows"),
        ("8/8/8/8/8/8/8/8 w 2 -", "a position is rows"),
        ("8/8/8/8/8/8/8 w 0 -", "there are 7 rows"),
        ("9/8/8/8/8/8/8/8 w 0 -", "row 8 must have 8 cells"),
        ("7/8/8/8/8/8/8/8 w 0 -", "row 8 must have 8 cells"),
        ("0w7/8/8/8/8/8/8/8 b 0 -", "'0' is not a number of free cells"),
        ("08/8/8/8/8/8/8/8 w 0 -", "'08' is not a number"),
        ("999999999999/8/8/8/8/8/8/8 w 0 -", "is not a number"),
        ("wwwwwwwww/8/8/8/8/8/8/8 w 0 -", "row 8 must have 8 cells"),
        ("8/8/8/8/8/8/8/w6w b 0 -", "White has 2 men and Black 0"),
        ("8/8/8/8/8/8/8/b7 b 0 -", "White has 0 men and Black 1"),
        ("8/8/8/8/8/8/8/w7 w 0 -", "it is Black’s turn"),
        ("8/8/8/8/8/8/8/w6b b 0 -", "it is White’s turn"),
        ("8/8/8/8/8/8/8/8 w 1 -", "there is no man to take over yet"),
        ("8/8/8/8/8/8/8/w6b w 0 -", "the text must name Black’s last man"),
        ("8/8/8/8/8/8/8/w6b w 0 a1", "no black man stands on a1"),
        ("8/8/8/8/8/8/8/w6b w 0 c1", "no black man stands on c1"),
        ("8/8/8/8/8/8/8/w6b w 0 p16", "not on the board"),
        ("8/8/8/8/8/8/8/w5b1 w 0 g1", "White may not use the symmetry right"),
        ("8/8/8/8/8/8/8/w7 b 0 a1", "White may not use the symmetry right"),
        ("8/8/8/8/8/8/8/w5b1 w 0 - used", "only with the option symmetry=once"),
        ("8/8/8/8/8/8/8/W7 b 0 -", "a1 cannot be marked"),
        ("8/8/8/8/8/8/8/W5B1 w 0 -", "a1 cannot be marked"),
        ("8/6b1/2b5/5b2/1W1w4/8/1W1W4/8 b 0 -", "d4 stands on a complete square"),
        ("8/6b1/2b5/5B2/1W1W4/8/1W1W4/8 b 0 -", "f5 cannot be marked"),
    ],
)
def test_texts_that_are_no_possible_position_are_refused_with_a_reason(text: str, words: str) -> None:
    assert words in get_error_message(text)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("8/8/8/8/8/8/8/w6b w 1 h1", {"swap": False}, "the option swap is off"),
        ("8/8/8/8/8/8/8/w6b w 0 h1", {"symmetry": "none"}, "may not use"),
        ("8/8/8/8/8/8/8/w6b w 0 - used", {"symmetry": "once"}, "fewer than three men"),
        ("8/1B6/8/8/8/1WW2wB1/1WW2BB1/8 b 0 -", {"marks": "current"}, "f2 cannot be marked"),
        ("8/1B6/8/8/8/1WW2wB1/1WW2BB1/8 b 0 -", {"symmetry": "none"}, "f2 cannot be marked"),
        ("8/1B6/8/8/8/1WW2wB1/1WW2BB1/8 b 0 -", {"symmetry": "once"}, "f2 cannot be marked"),
    ],
)
def test_positions_that_the_options_exclude_are_refused(text: str, options: dict[str, object], words: str) -> None:
    assert words in get_error_message(text, **options)
    # The default options allow the same text, unless it says that a right which exists once is used up.
    if not text.endswith("used"):
        assert fc.game("square-off").position(text).text == text


def test_very_long_texts_are_refused_as_positions() -> None:
    for text in ("8/" * 600, "w" * 10**6, "9" * 1400):
        assert get_error_message(text)
