"""Square Off in words: every reason for an illegal move, and the labels of tokens."""

import pytest

import fourcorners as fc
from fourcorners.builtin.square_off import explain


def explain_move(moves: str, text: str, **options: object) -> tuple[str, str]:
    """Assert that the move `text` is illegal after `moves` (with commas between); return the reason: code, sentence."""
    position = fc.game("square-off", **options).replay([move.strip() for move in moves.split(",") if move])
    reason = position.why(text)
    assert reason is not None
    assert text not in position.moves()
    return reason.code, reason.sentence


@pytest.mark.parametrize(
    ("moves", "text", "options", "code", "words"),
    [
        ("c3", "c3", {}, "not-free", "c3 is not free: a white man stands there"),
        ("c3,g6", "g6", {}, "not-free", "g6 is not free: a black man stands there"),
        ("c3,f6", "f6", {}, "incomplete", "also name the free cell it goes to"),
        ("", "swap", {}, "swap-early", "no white man"),
        ("c3,swap", "swap", {}, "swapped", "already been taken over"),
        ("c3,g6", "swap", {}, "swap-late", "only as the answer to White’s first man"),
        ("c3", "swap", {"swap": False}, "swap-off", "without the swap"),
        ("c3,f6", "f6 c3", {}, "not-free", "c3 is not free: a white man stands there"),
        ("c3,f6", "f6 f6", {}, "same-cell", "must go to another cell"),
        ("c3,f6,d2,e7", "f6 a1", {}, "not-last", "that is e7, not f6"),
        ("c3,f6", "a1 b2", {}, "not-last", "that is f6, not a1"),
        ("c3,g6", "g6 a1", {}, "not-symmetric", "mirror"),
        ("c3,f6,d2", "f6 a1", {}, "not-white", "Black’s turn"),
        ("", "a1 b2", {}, "no-black-man", "no black man"),
        ("c3,f6", "f6 a1", {"symmetry": "none"}, "right-off", "without the symmetry right"),
        ("b3,g6,g6 b6,g3", "g3 a1", {"symmetry": "once"}, "right-used", "has used"),
    ],
)
def test_every_reason_has_its_code_and_words(
    moves: str, text: str, options: dict[str, object], code: str, words: str
) -> None:
    found = explain_move(moves, text, **options)
    assert found[0] == code
    assert words in found[1]


def test_an_illegal_move_raises_its_code_and_reason() -> None:
    with pytest.raises(fc.IllegalMoveError, match="c3 is not free") as caught:
        fc.game("square-off").replay(["c3", "c3"])
    assert caught.value.code == "not-free"


def find_reason_code(moves: str, *tokens: str) -> str | None:
    """Return the code of the reason why no move begins with tokens after `moves`, separated by commas, or None."""
    position = fc.game("square-off").replay([move.strip() for move in moves.split(",") if move])
    reason = explain.explain_tokens(position.record, tokens)
    return reason and reason.code


@pytest.mark.parametrize(
    ("moves", "tokens", "code"),
    [
        ("c3", ("c3",), "not-free"),
        ("c3,g6", ("swap",), "swap-late"),
        ("c3", ("swap", "c3"), "too-long"),
        ("c3,f6", ("a1", "b2"), "too-long"),
        ("c3,g6", ("g6", "b2"), "not-symmetric"),
        ("c3,f6", ("f6", "c3"), "not-free"),
        ("c3,f6", ("f6", "swap"), "too-long"),
        ("c3,f6", ("f6", "a1", "b2"), "too-long"),
        ("c3,f6", ("f6", "f6"), "same-cell"),
    ],
)
def test_tokens_that_begin_no_legal_move_are_explained(moves: str, tokens: tuple[str, ...], code: str) -> None:
    assert find_reason_code(moves, *tokens) == code


@pytest.mark.parametrize("tokens", [("x1",), ("",), (), ("a1",), ("a\u0663",)])
def test_a_free_cell_and_tokens_that_belong_to_no_move_have_no_explanation(tokens: tuple[str, ...]) -> None:
    assert find_reason_code("c3,f6", *tokens) is None


def test_cells_and_the_swap_have_labels() -> None:
    assert explain.label("c5") == "cell c5"
    assert explain.label("swap") == "Swap: take over the white man"


def test_invalid_options_are_refused_with_what_is_allowed() -> None:
    for name, value, words in (
        ("size", 7, "a whole number from 4 to 16, a multiple of 2"),
        ("size", 18, "from 4 to 16"),
        ("symmetry", "twice", "each or once or none"),
        ("marks", "some", "kept or current"),
        ("swap", "maybe", "true or false"),
        ("players", 3, "there is no such option"),
    ):
        with pytest.raises(fc.OptionError, match=words):
            fc.game("square-off", **{name: value})


def test_options_that_differ_from_their_defaults_are_given_back() -> None:
    options = {"size": 6, "swap": False, "symmetry": "once", "marks": "current"}
    assert fc.game("square-off", **options).given_options() == options
