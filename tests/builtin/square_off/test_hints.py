"""Hints of Square Off: what they say about each kind of move, and that every number in them can be verified."""

import pytest

import fourcorners as fc
from fourcorners.builtin.square_off.hints import hint
from fourcorners.players.hint_claims import Hint, find_unproven


def get_hint(position: fc.Position, move: str) -> Hint:
    """Return the hint for a legal move, after asserting that all its claims hold."""
    action = int(position.game.spec.notation.parse(position.record, move))
    found = hint(position.view(position.seat), action)
    assert find_unproven(found, position.view(position.seat).states) == [], (position.text, move, found)
    return found


def replay(moves: str, **options: object) -> fc.Position:
    """Return the position after moves with spaces between them; uses of the symmetry right cannot be given."""
    return fc.game("square-off", **options).replay(moves.split())


@pytest.mark.parametrize(
    ("moves", "move", "text"),
    [
        ("a1 h8 b1 f7 a2 g5", "b2", "completes a square and marks 4 men"),
        (
            "h8 a1 f7 b1 g5 a2",
            "b2",
            "keeps the opponent from completing a square there, which would mark 4 men",
        ),
        ("a1 h8 b1 f7", "b2", "threatens to complete a square on a2 and mark 4 men"),
        ("b2", "swap", "takes over a first man that is on many squares"),
        ("d1", "swap", "takes over the white man, although it is on few squares and the opponent moves next"),
        ("b2 g2", "g2 d1", "puts a white man on g2 and sends the black one to d1"),
        ("", "b2", "is on as many squares that can still be completed as any other cell"),
        ("", "d1", "builds as many squares as it breaks up"),
    ],
)
def test_a_hint_says_what_the_move_does(moves: str, move: str, text: str) -> None:
    assert get_hint(replay(moves), move).text == text


def test_a_move_may_both_complete_and_block_a_square() -> None:
    position = fc.game("square-off").position("8/8/8/8/8/1bb5/w1b5/ww6 w 0 -")
    assert get_hint(position, "b2").text == (
        "completes a square and marks 4 men; keeps the opponent from completing a square there, which would mark 4 men"
    )


def test_a_fork_is_explained_with_what_remains_after_a_block() -> None:
    position = fc.game("square-off").position("7b/5b2/8/6b1/4b3/2w5/2w5/ww6 w 0 -")
    found = get_hint(position, "b2")
    assert found.text == "makes two threats at once, on a2 and c1: if c1 is blocked, a2 still marks 4 men"


def test_a_move_to_the_cell_where_the_opponent_would_make_a_fork_prevents_it() -> None:
    position = fc.game("square-off").position("7b/5b2/8/6b1/4b3/2w5/2w5/ww1w4 b 0 -")
    assert get_hint(position, "b2").text == "keeps the opponent from threatening two squares at once there"


def test_a_move_is_as_good_as_any_when_no_square_can_be_completed() -> None:
    position = fc.game("square-off", size=4).position("wwbb/bbww/bbww/wwb1 b 0 -")
    assert get_hint(position, "d1").text == "is as good as any other: no square can be completed any more"
