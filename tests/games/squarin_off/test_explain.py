"""Why a move of Squarin' Off is refused, in words."""

from __future__ import annotations

from typing import Any

import pytest

import fourcorners as fc
from fourcorners.games.squarin_off import explain


def after(*moves: str, **options: Any) -> fc.Position:
    return fc.game("squarin-off", **({"cols": 3, "rows": 3, "blockers": 1} | options)).replay(moves)


COMPLETED = ("a1b1", "b1b2", "a2b2", "a1a2")


@pytest.mark.parametrize(
    ("position", "move", "code", "sentence"),
    [
        (after("c3d3"), "c3d3", "edge-drawn", "edge c3d3 is already drawn"),
        (after("c3d3"), "#c3 c3d3", "edge-drawn", "edge c3d3 is already drawn"),
        (after(blockers=0), "#a1 a1b1", "no-blockers", "this game is played without blockers"),
        (after("#a1 a1b1", "c3c4"), "#c3 c3d3", "no-blockers", "you have no blockers left"),
        (after("#a1 a1b1"), "#a1 a2b2", "box-blocked", "there already is a blocker on box a1"),
        (after(*COMPLETED), "#a1 a1b1", "box-completed", "box a1 is completed: a blocker goes on an open box"),
        (
            after("#a1 a1b1"),
            "#b2 b2c2",
            "near-blocker",
            "box b2 touches box a1, which has a blocker: blockers keep apart",
        ),
        (
            after(),
            "#b2 a1b1",
            "not-beside",
            "with a blocker on box b2 you draw an edge of that box, and a1b1 is not one of its four",
        ),
    ],
)
def test_refusals(position: fc.Position, move: str, code: str, sentence: str) -> None:
    assert position.why(move) == fc.Reason(code, sentence)
    with pytest.raises(fc.IllegalMoveError) as caught:
        position.play(move)
    assert (caught.value.code, caught.value.reason) == (code, sentence)


@pytest.mark.parametrize(
    ("position", "token", "code"),
    [
        (after("#a1 a1b1"), "#a1", "box-blocked"),
        (after("#a1 a1b1"), "#b1", "near-blocker"),
        (after(*COMPLETED), "#a1", "box-completed"),
        (after(blockers=0), "#", "no-blockers"),
        (after("#b2 b2c2"), "#", "no-room"),
        (after("#b2 b2c2"), "#c3", "near-blocker"),
    ],
)
def test_pointing_at_what_cannot_begin_a_move(position: fc.Position, token: str, code: str) -> None:
    reason = position.why(token)
    assert reason is not None
    assert reason.code == code


def test_pointing_at_the_second_token() -> None:
    s = after("a1b1").record
    assert (explain.explain_tokens(s, ("#a1", "a1b1")) or ("",))[0] == "edge-drawn"
    assert (explain.explain_tokens(s, ("#b2", "a1b1")) or ("",))[0] == "not-beside"
    assert explain.explain_tokens(s, ("#a1", "a1a2")) is None


@pytest.mark.parametrize(
    "tokens", [(), ("x",), ("a1b1", "a1b1"), ("#z9",), ("#a1", "x"), ("#a1", "a1a2", "b1b2"), ("b2c2",)]
)
def test_nothing_to_say(tokens: tuple[str, ...]) -> None:
    assert explain.explain_tokens(after("a1b1").record, tokens) is None


@pytest.mark.parametrize(
    ("token", "label"),
    [
        ("c4d4", "edge from c4 to d4"),
        ("a10a11", "edge from a10 to a11"),
        ("#c4", "blocker on box c4"),
        ("#", "blocker"),
    ],
)
def test_labels(token: str, label: str) -> None:
    assert explain.label(token) == label
