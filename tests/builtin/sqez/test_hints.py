"""Hints of Sqez: what they say, and that all of it can be verified."""

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.sqez.hints import hint
from fourcorners.builtin.sqez.notation import parse
from fourcorners.players.hint_claims import Hint, find_unproven


def get_hint(position: fc.Position, move: str) -> Hint:
    """Return the hint for a move, after asserting that all its claims hold; the game must not be over."""
    assert position.seat is not None
    found = hint(position.view(position.seat), parse(position.record, move))
    assert find_unproven(found, np.array(position.states)) == []
    return found


def replay(*moves: str, **options: object) -> fc.Position:
    """Return the position after these moves, which must be legal, under these options."""
    return fc.game("sqez", **options).replay(moves)


@pytest.mark.parametrize(
    ("moves", "move", "options", "words"),
    [
        (["d1 f3", "a1 c3"], "g1 i3", {"cols": 9, "rows": 3}, "is the last rectangle: it wins the game"),
        (["d1 f3"], "a1 c3", {"cols": 9, "rows": 3}, "lets the next player draw the last rectangle, g1 i3"),
        ([], "d1 f3", {"cols": 10, "rows": 3}, "wins: it leaves 4 rectangles, and after any of them you can draw the"),
        ([], "d1 f3", {"cols": 9, "rows": 3}, "leaves a left and a right half that mirror each other"),
        ([], "a1 d4", {"cols": 4, "rows": 4}, "is the last rectangle"),
        ([], "b1 d3", {"cols": 4, "rows": 3, "strict": True}, "is the last rectangle"),
        ([], "b1 c3", {"cols": 5, "rows": 4, "strict": True}, "is not a legal rectangle"),
    ],
)
def test_a_hint_says_what_is_most_important(
    moves: list[str], move: str, options: dict[str, object], words: str
) -> None:
    assert words in get_hint(replay(*moves, **options), move).text


@pytest.mark.compiled
def test_a_hint_names_the_mirrored_halves_that_a_move_leaves() -> None:
    # A rectangle from edge to edge, three dots wide, cuts the field in two equal halves.
    assert "a left and a right half that mirror each other" in get_hint(replay(cols=13, rows=3), "f1 h3").text
    assert "an upper and a lower half that mirror each other" in get_hint(replay(cols=3, rows=13), "a6 c8").text


@pytest.mark.compiled
def test_an_undecided_move_is_described_by_how_much_it_leaves() -> None:
    start = replay()
    assert "of 441 legal rectangles" in get_hint(start, "a1 c3").text
    assert "keeps the field open" in get_hint(replay(cols=12, rows=12), "a1 c3").text
    assert "shrinks the field" in get_hint(replay(cols=12, rows=12), "c3 j10").text
