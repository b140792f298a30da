"""Moves and positions of Sqez as text: round trips and hostile input."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fourcorners as fc
from fourcorners.builtin.sqez import notation
from fourcorners.core import dispatch

SHAPES = [
    {},
    {"cols": 5, "rows": 7},
    {"sides": "shared", "players": 4},
    {"enclose": "any", "cols": 20, "rows": 3},
    {"strict": True, "players": 8},
    {"sides": "shared", "enclose": "any", "strict": True, "players": 3, "cols": 4, "rows": 20},
]
dots = st.tuples(st.integers(0, 19), st.integers(0, 19)).map(lambda at: notation.format_dot(*at))


def get_error_code(text: object, **options: object) -> str:
    """Return the code of the NotationError that playing `text`, of any type, as the first move must raise."""
    with pytest.raises(fc.NotationError) as caught:
        fc.game("sqez", **options).start().play(text)  # type: ignore[arg-type]  # anything at all
    assert caught.value.message
    return caught.value.code


@given(st.tuples(st.integers(0, 18), st.integers(0, 18)), st.tuples(st.integers(1, 19), st.integers(1, 19)))
def test_moves_survive_a_round_trip(low: tuple[int, int], size: tuple[int, int]) -> None:
    # `low` is the lower-left dot; the upper-right one lies `size` further, but on the field of 20 x 20.
    high = min(low[0] + size[0], 19), min(low[1] + size[1], 19)
    text = f"{notation.format_dot(*low)} {notation.format_dot(*high)}"
    s = fc.game("sqez", cols=20, rows=20).start().record
    assert notation.format(s, notation.parse(s, text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "b",
        "b2e5",
        "b2-e5",
        "B2 E5",
        "b2  e5",
        " b2 e5",
        "b2 e5 ",
        "b02 e5",
        "b2 e5 g7",
        "b2 e5\n",
        "٢b e5",
        "b² e5",
        "é2 e5",
    ],
)
def test_only_the_canonical_text_of_a_move_can_be_parsed(text: str) -> None:
    assert get_error_code(text) == "unreadable"


@pytest.mark.parametrize("text", ["b2 i5", "b2 e9", "z1 e5", "b2 e99", "i1 j2", "i9"])
def test_dots_beyond_the_field_are_refused(text: str) -> None:
    assert get_error_code(text) == "off-board"


@pytest.mark.parametrize("text", ["e5 b2", "b2 b5", "b2 e2", "b2 b2", "b5 e2"])
def test_the_second_dot_must_be_above_the_first_and_to_its_right(text: str) -> None:
    assert get_error_code(text) == "corners"


def test_a_single_dot_is_an_incomplete_move_that_can_be_completed() -> None:
    assert get_error_code("b2") == "incomplete"
    assert fc.game("sqez").start().complete(["f6"]) == ["h8"]


def test_the_text_of_a_position_has_the_turn_forfeits_and_lines() -> None:
    position = fc.game("sqez").replay(["b2 e5"])
    assert position.text == "1 - 2:b-e 5:b-e b:2-5 e:2-5"
    assert fc.game("sqez").start().text == "0 - -"
    forfeit = fc.game("sqez", strict=True, players=3).replay(["a1 b2"])
    assert forfeit.text == "1 0 -"


def test_lines_in_the_wrong_order_or_in_parts_are_not_canonical() -> None:
    game = fc.game("sqez")
    for lines, usual in (
        ("5:b-e 2:b-e b:2-5 e:2-5", "2:b-e"),
        ("2:b-e 5:b-e b:2-3,3-5 e:2-5", "b:2-5"),
        ("2:b-d 2:d-e 5:b-e b:2-5 e:2-5", "2:b-e"),
    ):
        with pytest.raises(fc.NotationError, match=f"canonical form: .* should be '{usual}'"):
            game.position(f"1 - {lines}")


def test_in_the_text_of_a_finished_position_the_turn_is_the_winner() -> None:
    position = fc.game("sqez", cols=4, rows=4).position("1 - 1:a-c 3:a-c a:1-3 c:1-3")
    assert position.is_over
    assert position.scores == (0, 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a position is"),
        ("0 -", "a position is"),
        ("2 - -", "it must be 0 to 1"),
        ("00 - -", "it must be 0 to 1"),
        ("0 1 -", "only in a strict game"),
        ("0 - 2:b-e", "not part of a complete rectangle"),
        ("0 - 2:b-c 3:b-c b:2-3 c:2-3", "not part of a complete rectangle"),
        ("0 - 2:b-e 5:b-e b:2-5 e:2-5 2:c-d", "for a second time"),
        ("0 - 2:e-b", "not on this field"),
        ("0 - 2:b-i", "not on this field"),
        ("0 - 9:a-c", "not on this field"),
        ("0 - i:1-3", "not on this field"),
        ("0 - a:1-99", "not on this field"),
        ("0 - a:0-2", "not a line"),
        ("0 - x", "not a line"),
        ("0 - - -", "not a line"),
        ("0 - 2:b-e,", "not a line"),
        ("0 - " + "2:a-b," * 900, "must be text|a position is|not a line"),
        ("0 - 1:a-e 3:a-e a:1-3 c:1-3 e:1-3", "sides=shared"),
    ],
)
def test_errors_in_positions_say_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(fc.NotationError, match=words):
        fc.game("sqez").position(text)


@pytest.mark.parametrize("text", ["0 0 -", "0 21 -", "0 11 -", "0 3 -", "0 x -", "0  -", "1 012 -"])
def test_impossible_forfeits_are_refused(text: str) -> None:
    with pytest.raises(fc.NotationError, match="forfeited"):
        fc.game("sqez", strict=True, players=3).position(text)


def test_a_position_with_all_seats_but_one_forfeited_is_won_by_that_seat() -> None:
    position = fc.game("sqez", strict=True, players=3).position("1 02 -")
    assert position.is_over
    assert position.scores == (0, 1, 0)


@given(st.text(alphabet="0123456789-:,abcdht ", max_size=60), st.sampled_from(SHAPES))
def test_any_lines_are_a_playable_position_or_an_error_of_less_than_400_characters(
    text: str, options: dict[str, object]
) -> None:
    try:
        position = fc.game("sqez", **options).position("0 - " + text)
    except fc.NotationError as error:
        assert len(error.message) < 400
    else:
        assert position.is_over or position.play(position.moves()[0]).text != position.text


@given(st.lists(st.tuples(dots, dots), max_size=5), st.booleans())
def test_accepted_lines_are_written_as_they_were_read(pairs: list[tuple[str, str]], shared: bool) -> None:
    across = [f"{a[1:]}:{a[0]}-{b[0]}" for a, b in sorted(pairs, key=lambda pair: int(pair[0][1:]))]
    words = [*across, *(f"{a[0]}:{a[1:]}-{b[1:]}" for a, b in sorted(pairs))]
    game = fc.game("sqez", cols=20, rows=20, sides="shared" if shared else "own")
    try:
        position = game.position("0 - " + " ".join(words))
    except fc.NotationError:
        return
    assert position.text == "0 - " + " ".join(words)


def test_all_rectangles_sorted_are_offered_in_strict_games_only() -> None:
    plain, strict = fc.game("sqez").start(), fc.game("sqez", cols=20, rows=20, strict=True).start()
    assert notation.list_offered_moves(plain.record) is None
    offered = notation.list_offered_moves(strict.record)
    assert offered is not None
    assert len(offered) == 190 * 190  # pairs of columns times pairs of rows
    assert list(offered) == sorted(offered)


@pytest.mark.compiled
def test_a_position_of_the_largest_field_survives_a_round_trip_and_is_not_too_long() -> None:
    chance = random.Random(4)
    position = fc.game("sqez", cols=20, rows=20, sides="shared").start()
    for _ in range(60):
        position = position.play(chance.choice(position.moves()))
    s = dispatch.view_record(position.states.copy())
    text = notation.write(s)
    again = position.game.position(text)
    assert again == position
    assert len(text) <= position.game.longest_text  # beyond which no text is read


@pytest.mark.compiled
def test_a_field_with_all_lines_drawn_can_be_read_and_is_over() -> None:
    columns = "abcdefghijklmnopqrst"
    lines = [*(f"{row}:a-t" for row in range(1, 21)), *(f"{column}:1-20" for column in columns)]
    game = fc.game("sqez", cols=20, rows=20, sides="shared", enclose="any")
    assert not game.position("0 - -").is_over
    assert game.position(f"1 - {' '.join(lines)}").is_over
