"""Moves and positions of Square Off as text: round trips and hostile input."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fourcorners as fc
from fourcorners.games.square_off import notation
from fourcorners.games.square_off.options import COLUMNS, format_cell

SHAPES: list[dict[str, object]] = [
    {},
    {"size": 4},
    {"size": 6, "symmetry": "once"},
    {"size": 4, "marks": "current"},
    {"size": 10, "swap": False, "symmetry": "none"},
    {"size": 16},
]


def play_symmetrically(options: dict[str, object], plies: int, seed: int) -> fc.Position:
    """Return the position after this many random moves, or fewer if the game ends.
    Mirror images, left to right, of the last man are preferred, and so are uses of the right and the swap.
    """
    rng = random.Random(seed)
    position = fc.game("square-off", **options).start()
    size = int(str(options.get("size", 8)))
    for _ in range(plies):
        if position.is_over:
            break
        moves = position.moves()
        preferred = [move for move in moves if " " in move or move == "swap"]
        if position.history and " " not in position.history[-1] and position.history[-1] != "swap":
            last = position.history[-1]
            image = COLUMNS[size - 1 - COLUMNS.index(last[0])] + last[1:]
            preferred += [image] if image in moves else []
        position = position.play(rng.choice(preferred) if preferred and rng.random() < 0.6 else rng.choice(moves))
    return position


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


@given(st.sampled_from(SHAPES), st.integers(0, 255), st.integers(0, 255))
def test_moves_survive_a_round_trip(options: dict[str, object], first: int, second: int) -> None:
    position = fc.game("square-off", **options).start()
    size = int(position.record.side)
    # Map the two numbers to cells of this board; a row has 8 numbers on boards up to 8 x 8, and 16 on larger ones.
    cells = [format_cell(((n // size) % size << (3 if size <= 8 else 4)) + n % size, size) for n in (first, second)]
    for text in (*cells, " ".join(cells), "swap"):
        assert notation.format(position.record, notation.parse(position.record, text)) == text


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


@given(st.text(max_size=100) | st.binary() | st.none() | st.integers() | st.lists(st.text()))
def test_any_object_is_a_legal_move_or_raises_an_error_with_a_message(thing: object) -> None:
    position = fc.game("square-off").start()
    try:
        position.play(thing)  # type: ignore[arg-type]  # anything at all
    except fc.GameError as error:
        assert error.message


@given(st.sampled_from(SHAPES), st.integers(0, 60), st.integers(0, 9999))
def test_positions_survive_a_round_trip(options: dict[str, object], plies: int, seed: int) -> None:
    position = play_symmetrically(options, plies, seed)
    again = position.game.position(position.text)
    assert again == position
    assert again.moves() == position.moves()
    assert again.scores == position.scores


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
        ("8/8/8/8/8/8/8/w7 w 0 -", "it is Black's turn"),
        ("8/8/8/8/8/8/8/w6b b 0 -", "it is White's turn"),
        ("8/8/8/8/8/8/8/8 w 1 -", "there is no man to take over yet"),
        ("8/8/8/8/8/8/8/w6b w 0 -", "the text must name Black's last man"),
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


@given(st.text("0123456789wWbB/ -aefh16used", max_size=60), st.sampled_from(SHAPES))
def test_any_text_is_a_position_that_is_written_back_or_an_error(text: str, options: dict[str, object]) -> None:
    game = fc.game("square-off", **options)
    try:
        position = game.position(text)
    except fc.NotationError as error:
        assert error.message
    else:
        assert position.text == text
        assert position.is_over == (not position.moves())


@given(
    st.sampled_from(SHAPES), st.integers(0, 20), st.integers(0, 99), st.integers(0, 400), st.sampled_from("wWbB18/- ")
)
def test_a_text_with_a_changed_character_is_refused_or_a_playable_position(
    options: dict[str, object], plies: int, seed: int, at: int, sign: str
) -> None:
    text = play_symmetrically(options, plies, seed).text
    changed = text[: at % len(text)] + sign + text[at % len(text) + 1 :]
    try:
        position = fc.game("square-off", **options).position(changed)
    except fc.NotationError as error:
        assert error.message
    else:
        assert position.text == changed
        assert all(position.play(move).text for move in position.moves()[:3])


def test_very_long_texts_are_refused_as_positions() -> None:
    for text in ("8/" * 600, "w" * 10**6, "9" * 1400):
        assert get_error_message(text)
