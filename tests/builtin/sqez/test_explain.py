"""Why a rectangle of Sqez is illegal: every code, in words that name the dots and lines."""

import pytest

import fourcorners as fc
from fourcorners.builtin.sqez import explain
from fourcorners.core.termination import Termination
from tests.require import require


def explain_move(move: str, *moves: str, **options: object) -> tuple[str, str]:
    """Return code and sentence of the reason why a move is refused after the legal `moves`; it must be refused."""
    reason = require(fc.game("sqez", **options).replay(moves).why(move))
    return reason.code, reason.sentence


@pytest.mark.parametrize(
    ("move", "moves", "options", "code", "words"),
    [
        (
            "d3 f5",
            ["b2 d5"],
            {},
            "side-drawn",
            "the line from d4 to d5 is already drawn, and so is 1 more of its edges",
        ),
        ("b1 d4", ["b2 d6"], {}, "side-drawn", "and so are 3 more of its edges"),
        ("d4 g7", ["b2 d5"], {}, "side-drawn", "the line from d4 to d5 is already drawn"),
        ("a1 c3", ["b2 d4"], {}, "no-free-dot", "dot b2 is not free: a line turns there"),
        ("a3 c5", ["b2 e6"], {}, "no-free-dot", "dot b4 is not free: a line passes through it"),
        ("b2 d4", ["c1 g6", "a3 e7"], {}, "no-free-dot", "dot c3 is not free: two lines pass through it"),
        ("a1 d3", ["b2 e5"], {}, "no-free-dot", "no dot inside is free: b2 and c2 are both on lines"),
        ("b3 e6", ["c1 g7", "d2 f8"], {}, "no-free-dot", "none of the 4 dots inside is free"),
        ("a1 b5", [], {}, "no-inside", "at least two steps wide and two steps high"),
        ("d3 f5", ["b2 d5", "d3 f5"], {"sides": "shared"}, "nothing-new", "a move adds at least one new line"),
        ("b2 e5", ["a1 c3", "d2 f5"], {"sides": "shared"}, "not-connected", "form 2 separate pieces"),
    ],
)
def test_every_reason_has_its_code_and_words(
    move: str, moves: list[str], options: dict[str, object], code: str, words: str
) -> None:
    found = explain_move(move, *moves, **options)
    assert found[0] == code
    assert words in found[1]


def test_playing_an_illegal_move_raises_the_reason_that_why_gives() -> None:
    position = fc.game("sqez").replay(["b2 d4"])
    with pytest.raises(fc.IllegalMoveError) as caught:
        position.play("a1 c3")
    assert (caught.value.code, caught.value.reason) == position.why("a1 c3")


@pytest.mark.parametrize(
    ("dot", "moves", "code", "words"),
    [
        ("h8", [], "no-corner", "h8 is too near the edge to be the lower-left corner"),
        ("b2", ["b2 d4"], "side-drawn", "the line from b2 to c2 is already drawn"),
        ("a2", ["a3 c5"], "side-drawn", "the line from a3 to a4 is already drawn"),
        ("f6", ["a1 c3", "e5 h8", "a4 d8"], "no-corner", "no legal rectangle has its lower-left corner at f6"),
    ],
)
def test_choosing_a_dot_where_no_rectangle_begins_is_explained(
    dot: str, moves: list[str], code: str, words: str
) -> None:
    found = explain_move(dot, *moves)
    assert found[0] == code
    assert words in found[1]


def test_choosing_a_dot_where_a_rectangle_begins_needs_no_explanation() -> None:
    # As a move it is refused only because the second dot is missing.
    assert explain_move("a1")[0] == "incomplete"
    s = fc.game("sqez").start().record
    assert explain.explain_tokens(s, ("a1",)) is None


def test_two_corners_of_an_illegal_rectangle_are_explained_in_any_order() -> None:
    s = fc.game("sqez").replay(["b2 d4"]).record
    forward, backward = explain.explain_tokens(s, ("a1", "c3")), explain.explain_tokens(s, ("c3", "a1"))
    assert forward == backward == ("no-free-dot", "dot b2 is not free: a line turns there")
    # The two other corners of the same rectangle.
    assert explain.explain_tokens(s, ("a3", "c1")) == forward


def test_two_corners_of_a_legal_rectangle_need_no_explanation() -> None:
    s = fc.game("sqez").replay(["b2 d4"]).record
    assert explain.explain_tokens(s, ("e5", "g7")) is None


def test_two_dots_on_one_line_are_explained_as_no_opposite_corners() -> None:
    s = fc.game("sqez").replay(["b2 d4"]).record
    on_one_line = require(explain.explain_tokens(s, ("e5", "e7")))
    assert on_one_line.sentence == "e5 and e7 are on one line: they are not opposite corners of a rectangle"


def test_other_tokens_are_not_explained() -> None:
    s = fc.game("sqez").start().record
    for tokens in ((), ("c4d4",), ("i9",), ("a1", "b2", "c3"), ("", "a1"), ("pass",)):
        assert explain.explain_tokens(s, tokens) is None


def test_a_strict_game_does_not_reveal_what_is_legal() -> None:
    position = fc.game("sqez", strict=True).replay(["b2 d4"])
    assert explain.explain_tokens(position.record, ("b2",)) is None
    assert explain.explain_tokens(position.record, ("c3", "a1")) is None
    # Only the form of a move is explained: its corners are in the wrong order. "a1 c3" may be tried, at one's own risk.
    assert require(position.why("c3 a1")).code == "corners"


def test_an_ending_is_a_lack_of_moves_or_a_forfeit() -> None:
    s = fc.game("sqez", cols=4, rows=4).replay(["a1 c3"]).record
    assert explain.classify_ending(s) is Termination.NO_MOVES
    s = fc.game("sqez", strict=True).replay(["a1 b2"]).record
    assert explain.classify_ending(s) is Termination.FORFEIT


def test_a_dot_is_labelled_with_its_name() -> None:
    assert explain.label("b2") == "dot b2"


def test_moves_and_dots_of_the_largest_field_are_explained() -> None:
    position = fc.game("sqez", cols=20, rows=20).replay(["b2 s19"])
    codes = [(position.why(move) or fc.Reason("", "")).code for move in ("a1", "c3", "a1 c3", "b2 t20", "t20")]
    assert codes == ["incomplete", "incomplete", "no-free-dot", "side-drawn", "no-corner"]
