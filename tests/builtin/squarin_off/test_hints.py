"""Hints for Squarin' Off: the wording for each kind of move, with numbers that play confirms."""

import numpy as np

import fourcorners as fc
from fourcorners.builtin.squarin_off.facts import QUANTITIES
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.hint_claims import Hint, find_unproven
from tests.builtin.squarin_off.positions import list_chain_moves, set_up_board, set_up_chains
from tests.require import require


def explain_move(position: fc.Position, move: str) -> str:
    """Return the text of the hint for a legal move; assert that play proves all its numbers."""
    hint = create_hint(position, move)
    assert find_unproven(hint, np.array(position.states), QUANTITIES) == []
    return hint.text


def create_hint(position: fc.Position, move: str) -> Hint:
    """Return the hint for a legal move of the seat to move; raise NotationError for a text that is no move."""
    spec = position.game.spec
    hints = require(spec.part(ComputerPlay).hints)
    return hints.hint(position.view(require(position.seat)), int(spec.notation.parse(position.record, move)))


def test_hints_for_openings_name_the_chain_or_loop_and_the_points_given_away() -> None:
    position = set_up_chains(4, 3)
    assert explain_move(position, "a2a3") == "opens the cheapest chain and gives away 3 points"
    assert explain_move(position, "a1a2") == "opens a chain and gives away 4 points"
    assert (
        explain_move(set_up_chains(4, 1), "a2a3")
        == "opens the cheapest chain and gives away 1 point; then the next player must go on"
    )
    assert (
        explain_move(set_up_chains(2), "b1b2")
        == "opens the last chain and gives away 2 points, none of which can be handed back"
    )
    loop = set_up_board("-- |_._| .. |_._| --")
    assert explain_move(loop, "b1b2") == "opens the last loop and gives away 4 points"


def test_hints_for_captures_and_handouts_name_their_points() -> None:
    position = set_up_chains(3, 4).play("a1a2")
    assert explain_move(position, "b1b2") == "takes 1 of the 3 points that can be captured"
    position = position.play("b1b2")
    assert explain_move(position, "c1c2") == "takes 1 of the 2 points that can be captured"
    assert explain_move(position, "c1d1") == "gives back 2 points so that the other side must open the next chain"
    assert explain_move(position, "a2a3") == "leaves 6 points for the next player to take"
    position = set_up_chains(3, 4).play("a1a2").play("b1b2").play("c1c2")
    assert (
        explain_move(position, "c1d1")
        == "takes 1 point, the last that can be captured; then you must open what is left"
    )


def test_the_hint_for_a_safe_edge_says_whether_it_is_the_last_one() -> None:
    game = fc.game("dots-and-boxes", cols=1, rows=2)
    assert explain_move(game.start(), "a1b1") == "gives nothing away: no box beside it has three sides"
    position = game.replay(["a1b1", "a3b3", "a1a2"])
    assert explain_move(position, "a2a3") == "is the last safe edge: the next player must give something away"


def test_hints_for_safe_edges_say_how_many_are_left_while_there_are_many() -> None:
    position = fc.game("dots-and-boxes").start()
    texts = []
    for move in ("a1b1", "c3d3", "e5e6"):
        texts.append(explain_move(position, move))
        position = position.play(move)
    safe = "gives nothing away: no box beside it has three sides, and {} more edges are safe"
    assert texts == [safe.format(count) for count in (59, 58, 57)]


def test_the_hint_for_an_opening_says_that_there_is_still_a_safe_edge() -> None:
    position = fc.game("dots-and-boxes", cols=1, rows=2).replay(["a1b1", "a3b3", "a1a2"])
    assert explain_move(position, "b1b2") == "opens a chain and gives away 1 point although there is still a safe edge"


def test_the_hint_for_a_safe_edge_mentions_the_third_side_of_a_box_worth_nothing() -> None:
    game = fc.game("squarin-off", cols=3, rows=1, values=["011"], blockers=0)
    text = explain_move(game.replay(["a1b1", "a2b2"]), "a1a2")
    assert text == "gives nothing away: a box beside it has three sides but is worth nothing"


def test_the_hint_for_a_blocker_says_what_it_gives_away() -> None:
    moves, options = list_chain_moves(3)
    position = fc.game("squarin-off", **options, blockers=1).replay(moves)
    assert explain_move(position, "#a1 a1a2").startswith("lays a blocker and gives nothing away")
    # The edge c1c2 leads on into the chain, so it opens the other two boxes.
    assert explain_move(position, "#c1 c1c2") == "cuts a chain with a blocker, giving away 2 points"


def test_the_hint_for_a_blocker_says_that_there_are_safe_edges_left() -> None:
    start = fc.game("squarin-off", cols=3, rows=1, blockers=1).start()
    assert explain_move(start, "#a1 a1a2") == "lays a blocker although there are safe edges left"


def test_the_hint_for_an_opening_says_when_its_boxes_can_be_handed_back() -> None:
    # All horizontal edges are drawn: two chains of two boxes.
    position = fc.game("dots-and-boxes", cols=2, rows=2).replay(["a1b1", "a2b2", "a3b3", "b1c1", "b2c2", "b3c3"])
    text = explain_move(position, "a1a2")
    assert "must go on" not in text
    assert text.endswith("gives away 2 points, which the next player may hand back to you")


def test_the_hint_for_the_last_safe_edge_mentions_a_blocker_that_can_be_laid() -> None:
    position = fc.game("squarin-off", cols=3, rows=1, blockers=2).replay(["c1c2", "c1d1", "a1a2"])
    expected = "is the last safe edge: the next player must give something away or lay a blocker"
    assert explain_move(position, "b1b2") == expected
