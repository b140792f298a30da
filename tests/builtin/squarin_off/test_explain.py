"""The reasons and the sentences for illegal moves of Squarin' Off."""

from typing import Any

import pytest

import fourcorners as fc
from fourcorners.builtin.squarin_off import explain
from tests.require import require


def replay(*moves: str, **options: Any) -> fc.Position:
    """Return the position after moves on a board of 3 x 3 boxes with one blocker each, unless `options` differ."""
    return fc.game("squarin-off", **({"cols": 3, "rows": 3, "blockers": 1} | options)).replay(moves)


COMPLETED = ("a1b1", "b1b2", "a2b2", "a1a2")


@pytest.mark.parametrize(
    ("position", "move", "code", "sentence"),
    [
        (replay("c3d3"), "c3d3", "edge-drawn", "edge c3d3 is already drawn"),
        (replay("c3d3"), "#c3 c3d3", "edge-drawn", "edge c3d3 is already drawn"),
        (replay(blockers=0), "#a1 a1b1", "no-blockers", "this game is played without blockers"),
        (replay("#a1 a1b1", "c3c4"), "#c3 c3d3", "no-blockers", "you have no blockers left"),
        (replay("#a1 a1b1"), "#a1 a2b2", "box-blocked", "there is already a blocker on box a1"),
        (replay(*COMPLETED), "#a1 a1b1", "box-completed", "box a1 is completed: a blocker goes on an open box"),
        (
            replay("#a1 a1b1"),
            "#b2 b2c2",
            "near-blocker",
            "box b2 touches box a1, which has a blocker: blockers must not touch",
        ),
        (
            replay(),
            "#b2 a1b1",
            "not-beside",
            "after a blocker on box b2 you draw one of that box’s four edges, and a1b1 is not one of them",
        ),
    ],
)
def test_illegal_moves_are_refused_with_a_code_and_a_sentence(
    position: fc.Position, move: str, code: str, sentence: str
) -> None:
    assert position.why(move) == fc.Reason(code, sentence)
    with pytest.raises(fc.IllegalMoveError) as caught:
        position.play(move)
    assert (caught.value.code, caught.value.reason) == (code, sentence)


@pytest.mark.parametrize(
    ("position", "token", "code"),
    [
        (replay("#a1 a1b1"), "#a1", "box-blocked"),
        (replay("#a1 a1b1"), "#b1", "near-blocker"),
        (replay(*COMPLETED), "#a1", "box-completed"),
        (replay(blockers=0), "#", "no-blockers"),
        (replay("#b2 b2c2"), "#", "no-room"),
        (replay("#b2 b2c2"), "#c3", "near-blocker"),
    ],
)
def test_a_token_that_begins_no_legal_move_has_a_reason_with_a_code(
    position: fc.Position, token: str, code: str
) -> None:
    assert require(position.why(token)).code == code


def test_only_a_second_token_that_ends_no_legal_move_has_a_reason() -> None:
    s = replay("a1b1").record
    assert (explain.explain_tokens(s, ("#a1", "a1b1")) or ("",))[0] == "edge-drawn"
    assert (explain.explain_tokens(s, ("#b2", "a1b1")) or ("",))[0] == "not-beside"
    assert explain.explain_tokens(s, ("#a1", "a1a2")) is None


@pytest.mark.parametrize(
    "tokens", [(), ("x",), ("a1b1", "a1b1"), ("#z9",), ("#a1", "x"), ("#a1", "a1a2", "b1b2"), ("b2c2",)]
)
def test_tokens_that_begin_a_legal_move_or_belong_to_no_move_have_no_explanation(tokens: tuple[str, ...]) -> None:
    assert explain.explain_tokens(replay("a1b1").record, tokens) is None


@pytest.mark.parametrize(
    ("token", "label"),
    [
        ("c4d4", "edge from c4 to d4"),
        ("a10a11", "edge from a10 to a11"),
        ("#c4", "blocker on box c4"),
        ("#", "blocker"),
    ],
)
def test_tokens_have_labels(token: str, label: str) -> None:
    assert explain.label(token) == label


def test_first_string_of_three_boxes_explains_blockers_where_there_are_any() -> None:
    moves = ("a1b1", "b1c1", "c1d1", "a2b2", "b2c2", "c2d2")

    def list_ids(count: int, **options: Any) -> list[str]:
        before, after = replay(*moves[: count - 1], **options).view(), replay(*moves[:count], **options).view()
        return [each.id for each in explain.list_explanations(before, after)]

    assert [list_ids(count) for count in range(1, 7)] == [[], [], [], [], [], ["string"]]
    assert list_ids(6, blockers=0) == []
    before, after = replay(*moves[:5]).view(), replay(*moves).view()
    [explanation] = explain.list_explanations(before, after)
    assert explanation.sentence.startswith("Three boxes form a string: the player who opens it gives them all away.")
