"""Moves and positions of Squarin' Off as text, and texts that are neither."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fourcorners as fc
from fourcorners.core import dispatch
from fourcorners.games.squarin_off import notation, rules
from fourcorners.games.squarin_off.options import SquarinOffOptions

START = fc.game("squarin-off", cols=3, rows=3, blockers=1)


def fresh(**options: Any) -> Any:
    fc.games()
    states = np.zeros(1, rules.DTYPE)
    rules.start(dispatch.view_record(states), SquarinOffOptions.make(options), ())
    return dispatch.view_record(states)


@pytest.mark.parametrize(("cols", "rows"), [(1, 1), (3, 2), (10, 10), (20, 1), (20, 20)])
def test_every_action_is_written_and_read_back(cols: int, rows: int) -> None:
    s = fresh(cols=cols, rows=rows)
    out = np.zeros(rules.bound(s), np.int64)
    actions = out[: rules.legal(s, out)].tolist()
    random.Random(1).shuffle(actions)
    texts = [notation.format(s, action) for action in actions[:400]]
    assert [notation.parse(s, text) for text in texts] == actions[:400]
    assert len(set(texts)) == len(texts)


def test_the_corners_of_the_largest_board() -> None:
    s = fresh(cols=20, rows=20)
    for text in ("a1b1", "a1a2", "t21u21", "u20u21", "#t20 t20u20", "#t20 u20u21", "#a20 a21b21"):
        assert notation.format(s, notation.parse(s, text)) == text


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        ("", "incomplete", "an empty text is no move"),
        ("#", "incomplete", "only the beginning of a move"),
        ("#b2", "incomplete", "after a blocker, draw a free edge of its box, such as #b2 b2c2"),
        ("#b2 ", "unreadable", "only the beginning"),
        ("d3c3", "unreadable", "it is written c3d3, the lower or left dot first"),
        ("c4c3", "unreadable", "it is written c3c4"),
        ("C3D3", "unreadable", "it is written c3d3"),
        ("c3 d3", "unreadable", "it is written c3d3"),
        ("c3-d3", "unreadable", "it is written c3d3"),
        ("c03d3", "unreadable", "it is written c3d3"),
        ("a1c1", "unreadable", "its two dots must be neighbours"),
        ("a1b2", "unreadable", "its two dots must be neighbours"),
        ("c4", "unreadable", "a move is an edge such as c4d4"),
        ("c3d3 ", "unreadable", "it is written c3d3"),
        ("#b2  b2c2", "unreadable", "is no edge"),
        ("#b2 #b2", "unreadable", "is no edge"),
        ("#b2b2c2", "unreadable", "is no blocker"),
        ("#B2 b2c2", "unreadable", "is no blocker"),
        ("e1f1", "off-board", "e1 is no dot of this board: its dots run from a1 to d4"),
        ("d4d5", "off-board", "d5 is no dot of this board"),
        ("z1z2", "off-board", "z1 is no dot"),
        ("#d3 d3d4", "off-board", "d3 is no box of this board: its boxes run from a1 to c3"),
        ("#a4 a4b4", "off-board", "a4 is no box"),
        ("#b2 b2f2", "off-board", "f2 is no dot"),
        ("c3d3\n", "unreadable", "is no edge"),
        ("\u04413d3", "unreadable", "is no edge"),
        ("c\u0663d\u0663", "unreadable", "is no edge"),
    ],
)
def test_what_is_no_move(text: str, code: str, sentence: str) -> None:
    with pytest.raises(fc.NotationError) as caught:
        notation.parse(START.start().record, text)
    assert caught.value.code == code
    assert sentence in caught.value.message


@settings(max_examples=300)
@given(st.text(max_size=12) | st.from_regex(r"#?[a-e][0-5]{1,2}[ a-e][a-e0-5 ]{0,6}", fullmatch=True))
def test_only_the_canonical_text_is_read(text: str) -> None:
    s = START.start().record
    try:
        action = notation.parse(s, text)
    except fc.NotationError as error:
        assert "\n" not in error.message
    else:
        assert notation.format(s, action) == text


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(1, 4), st.integers(1, 4), st.sampled_from([2, 3, 4]))
def test_positions_round_trip(rng: random.Random, cols: int, rows: int, players: int) -> None:
    teams = players == 4 and rng.random() < 0.5
    blockers = [rng.randint(0, 3) for _ in range(players)]
    values = ["".join(rng.choice("0123456789") for _ in range(cols)) for _ in range(rows)]
    game = fc.game("squarin-off", cols=cols, rows=rows, players=players, blockers=blockers, values=values, teams=teams)
    position = game.start()
    for _ in range(rng.randint(0, 40)):
        if not position.is_over:
            position = position.play(rng.choice(position.moves()))
    assert "\n" not in position.text
    again = game.position(position.text)
    assert again == position
    assert (again.text, again.scores, again.moves()) == (position.text, position.scores, position.moves())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it has 1 parts, not 3"),
        ("0 1,1", "it has 2 parts"),
        ("2 1,1 ../._._./..", "the seat to move is '2', but may be 0 to 1"),
        ("00 1,1 ../._._./..", "the seat to move is '00'"),
        ("\u0660 1,1 ../._._./..", "the seat to move"),
        ("0 1 ../._._./..", "must be 2 numbers"),
        ("0 1,1,1 ../._._./..", "must be 2 numbers"),
        ("0 1,2 ../._._./..", "seat 1 has 2 blockers left, but began with 1"),
        ("0 1,1 ../._._.", "the board has 2 lines, not 3"),
        ("0 1,1 ../._._./...", "line '...' of the board must be 2 signs"),
        ("0 1,1 ../._._/..", "must be 5 signs"),
        ("0 1,1 |./._._./..", "must be 2 signs"),
        ("0 1,1 ../_._._/..", "must be 5 signs"),
        ("0 1,1 -./|_|_./-.", "all edges of box a1 are drawn: it must be blocked or belong to a seat"),
        ("0 1,1 -./|2|_./-.", "box a1 belongs to 2, but boxes may belong to 0 to 1"),
        ("0 1,1 -./|0._./-.", "box a1 belongs to seat 0, but not all of its edges are drawn"),
        ("0 1,1 -./|#._./-.", "1 boxes are blocked, but 0 blockers have been used"),
        ("0 0,1 ../._._./..", "0 boxes are blocked, but 1 blockers have been used"),
        ("0 0,0 -./|#.#|/-.", "box b1 is blocked, but beside another blocked box"),
        ("0 0,1 ../.#._./..", "box a1 is blocked, but none of its edges is drawn"),
    ],
)
def test_what_is_no_position(text: str, message: str) -> None:
    game = fc.game("squarin-off", cols=2, rows=1, blockers=1)
    with pytest.raises(fc.NotationError) as caught:
        game.position(text)
    assert message in caught.value.message


@settings(max_examples=300)
@given(
    st.text(max_size=40)
    | st.from_regex(r"[0-2] [0-2],[0-2] [.-]{2}/[.|][_#0-2][.|][_#0-2][.|]/[.-]{2}", fullmatch=True)
)
def test_any_text_is_a_position_that_can_be_played_or_refused(text: str) -> None:
    game = fc.game("squarin-off", cols=2, rows=1, blockers=1)
    try:
        position = game.position(text)
    except fc.NotationError:
        return
    assert position.text == text
    while not position.is_over:
        position = position.play(position.moves()[-1])
    assert sum(position.scores) <= 2


def test_the_longest_text_is_short_enough() -> None:
    game = fc.game("squarin-off", cols=20, rows=20, players=4)
    assert game.position(game.start().text) == game.start()
