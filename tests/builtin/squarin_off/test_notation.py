"""Moves and positions of Squarin' Off as text, and texts that are refused."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fourcorners as fc
from fourcorners.builtin.squarin_off import notation, rules
from fourcorners.builtin.squarin_off.options import SquarinOffOptions
from fourcorners.core import dispatch

START = fc.game("squarin-off", cols=3, rows=3, blockers=1)


def start_record(**options: Any) -> Any:
    """Return a new record, which the caller may change, of the start of a game with these options."""
    states = np.zeros(1, rules.DTYPE)
    rules.start(dispatch.view_record(states), SquarinOffOptions.make(options), ())
    return dispatch.view_record(states)


@pytest.mark.parametrize(("cols", "rows"), [(1, 1), (3, 2), (10, 10), (20, 1), (20, 20)])
def test_legal_actions_have_distinct_texts_that_are_parsed_back(cols: int, rows: int) -> None:
    """At most 400 of them, drawn at random, are tried."""
    s = start_record(cols=cols, rows=rows)
    out = np.zeros(rules.bound(s), np.int64)
    actions = out[: rules.legal(s, out)].tolist()
    random.Random(1).shuffle(actions)
    texts = [notation.format(s, action) for action in actions[:400]]
    assert [notation.parse(s, text) for text in texts] == actions[:400]
    assert len(set(texts)) == len(texts)


def test_moves_at_the_corners_of_the_largest_board_survive_a_round_trip() -> None:
    s = start_record(cols=20, rows=20)
    for text in ("a1b1", "a1a2", "t21u21", "u20u21", "#t20 t20u20", "#t20 u20u21", "#a20 a21b21"):
        assert notation.format(s, notation.parse(s, text)) == text


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        ("", "incomplete", "an empty text is not a move"),
        ("#", "incomplete", "only the beginning of a move"),
        ("#b2", "incomplete", "after a blocker, draw a free edge of its box, such as #b2 b2c2"),
        ("#b2 ", "unreadable", "only the beginning"),
        ("d3c3", "unreadable", "write c3d3, with the lower or left dot first"),
        ("c4c3", "unreadable", "write c3c4"),
        ("C3D3", "unreadable", "write c3d3"),
        ("c3 d3", "unreadable", "write c3d3"),
        ("c3-d3", "unreadable", "write c3d3"),
        ("c03d3", "unreadable", "write c3d3"),
        ("a1c1", "unreadable", "its two dots must be neighbours"),
        ("a1b2", "unreadable", "its two dots must be neighbours"),
        ("c4", "unreadable", "a move is an edge such as c4d4"),
        ("c3d3 ", "unreadable", "write c3d3"),
        ("#b2  b2c2", "unreadable", "is not an edge"),
        ("#b2 #b2", "unreadable", "is not an edge"),
        ("#b2b2c2", "unreadable", "is not a blocker"),
        ("#B2 b2c2", "unreadable", "is not a blocker"),
        ("e1f1", "off-board", "e1 is not a dot of this board: its dots run from a1 to d4"),
        ("d4d5", "off-board", "d5 is not a dot of this board"),
        ("z1z2", "off-board", "z1 is not a dot"),
        ("#d3 d3d4", "off-board", "d3 is not a box of this board: its boxes run from a1 to c3"),
        ("#a4 a4b4", "off-board", "a4 is not a box"),
        ("#b2 b2f2", "off-board", "f2 is not a dot"),
        ("c3d3\n", "unreadable", "is not an edge"),
        ("\u04413d3", "unreadable", "is not an edge"),
        ("c\u0663d\u0663", "unreadable", "is not an edge"),
    ],
)
def test_texts_that_are_not_moves_are_refused_with_a_code_and_a_sentence(text: str, code: str, sentence: str) -> None:
    with pytest.raises(fc.NotationError) as caught:
        notation.parse(START.start().record, text)
    assert caught.value.code == code
    assert sentence in caught.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it must have 3 parts, not 1"),
        ("0 1,1", "it must have 3 parts, not 2"),
        ("2 1,1 ../._._./..", "the seat to move is '2', but must be 0 to 1"),
        ("00 1,1 ../._._./..", "the seat to move is '00'"),
        ("\u0660 1,1 ../._._./..", "the seat to move"),
        ("0 1 ../._._./..", "must be 2 numbers"),
        ("0 1,1,1 ../._._./..", "must be 2 numbers"),
        ("0 1,2 ../._._./..", "seat 1 has 2 blockers left, but began with 1"),
        ("0 1,1 ../._._.", "the board has 2 lines, not 3"),
        ("0 1,1 ../._._./...", "line '...' of the board must have 2 characters"),
        ("0 1,1 ../._._/..", "must have 5 characters"),
        ("0 1,1 |./._._./..", "must have 2 characters"),
        ("0 1,1 ../_._._/..", "must have 5 characters"),
        ("0 1,1 -./|_|_./-.", "box a1 has all four edges: it must be blocked or belong to a seat"),
        ("0 1,1 -./|2|_./-.", "box a1 belongs to seat 2, but must belong to 0 to 1"),
        ("0 1,1 -./|0._./-.", "box a1 belongs to seat 0, but not all of its edges are drawn"),
        ("0 1,1 -./|#._./-.", "the number of blocked boxes is 1, but that of used blockers is 0"),
        ("0 0,1 ../._._./..", "the number of blocked boxes is 0, but that of used blockers is 1"),
        ("0 0,0 -./|#.#|/-.", "box b1 is blocked, but beside another blocked box"),
        ("0 0,1 ../.#._./..", "box a1 is blocked, but none of its edges is drawn"),
    ],
)
def test_texts_that_are_not_positions_are_refused_with_a_message_that_says_why(text: str, message: str) -> None:
    game = fc.game("squarin-off", cols=2, rows=1, blockers=1)
    with pytest.raises(fc.NotationError) as caught:
        game.position(text)
    assert message in caught.value.message


@settings(max_examples=300)
@given(
    st.text(max_size=40)
    | st.from_regex(r"[0-2] [0-2],[0-2] [.-]{2}/[.|][_#0-2][.|][_#0-2][.|]/[.-]{2}", fullmatch=True)
)
def test_any_text_is_refused_or_is_a_position_that_can_be_played(text: str) -> None:
    game = fc.game("squarin-off", cols=2, rows=1, blockers=1)
    try:
        position = game.position(text)
    except fc.NotationError:
        return
    assert position.text == text
    while not position.is_over:
        position = position.play(position.moves()[-1])
    # Each of the two boxes is worth a point, unless it is blocked.
    assert sum(position.scores) <= 2


def test_the_start_of_the_largest_board_survives_a_round_trip() -> None:
    game = fc.game("squarin-off", cols=20, rows=20, players=4)
    assert game.position(game.start().text) == game.start()
