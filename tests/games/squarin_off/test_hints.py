"""Hints for Squarin' Off: what is said of each kind of move, with numbers that are played out."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core.hint_claims import Hint, find_unproven
from fourcorners.players.computer import Computer
from tests.games.squarin_off.test_evaluate import chains, lines


def said(position: fc.Position, move: str) -> str:
    hint = hinted(position, move)
    assert find_unproven(hint, np.array(position.states)) == []
    return hint.text


def hinted(position: fc.Position, move: str) -> Hint:
    spec = position.game.spec
    assert spec.hints is not None
    seat = position.seat
    assert seat is not None
    return spec.hints.hint(position.view(seat), int(spec.notation.parse(position.record, move)))


def test_opening_names_what_it_gives() -> None:
    position = chains(4, 3)
    assert said(position, "a2a3") == "opens the cheapest chain: it gives 3 points"
    assert said(position, "a1a2") == "opens a chain: it gives 4 points"
    assert (
        said(chains(4, 1), "a2a3")
        == "opens the cheapest chain: it gives 1 point, and then the next player must move on"
    )
    assert said(chains(2), "b1b2") == "opens the last chain: it gives 2 points and nothing of it can be handed back"


def test_taking_and_handing_out() -> None:
    position = chains(3, 4).play("a1a2")
    assert said(position, "b1b2") == "takes 1 point, of 3 that are free"
    position = position.play("b1b2")
    assert said(position, "c1c2") == "takes 1 point, of 2 that are free"
    assert said(position, "c1d1") == "hands out 2 points, so that the other side must open the next chain"
    assert said(position, "a2a3") == "leaves 6 points to the next player, who takes and moves on"
    position = chains(3, 4).play("a1a2").play("b1b2").play("c1c2")
    assert said(position, "c1d1") == "takes 1 point, the last that is free; then you must open what is left"


def test_safe_edges_and_the_last_of_them() -> None:
    game = fc.game("dots-and-boxes", cols=1, rows=2)
    assert said(game.start(), "a1b1") == "gives nothing away: no box beside it has three sides"
    position = game.replay(["a1b1", "a3b3", "a1a2"])
    assert said(position, "a2a3") == "is the last safe edge: whoever moves next must give something away"
    assert said(position, "b1b2") == "opens a chain and gives 1 point, though there is still a safe edge"


def test_a_third_side_of_a_box_worth_nothing_is_not_denied() -> None:
    game = fc.game("squarin-off", cols=3, rows=1, values=["011"], blockers=0)
    text = said(game.replay(["a1b1", "a2b2"]), "a1a2")
    assert text == "gives nothing away: a box beside it has three sides, but is worth nothing"


def test_blockers() -> None:
    moves, options = lines(3)
    position = fc.game("squarin-off", **options, blockers=1).replay(moves)
    assert said(position, "#a1 a1a2").startswith("lays a blocker that gives nothing away")
    assert said(position, "#c1 c1c2") == "cuts a chain with a blocker; it gives 2 points"
    start = fc.game("squarin-off", **options, blockers=1).start()
    assert said(start, "#a1 a1a2") == "lays a blocker, though there are safe edges left"


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("dots-and-boxes", {"cols": 4, "rows": 4}),
        ("squarin-off", {"cols": 4, "rows": 3, "players": 3, "edition": "classic"}),
        ("squarin-off", {"cols": 3, "rows": 3, "players": 4, "teams": True}),
        ("squarin-off", {"cols": 3, "rows": 2, "values": "103 020"}),
    ],
)
def test_every_number_holds(name: str, options: dict[str, Any]) -> None:
    game = fc.game(name, **options)
    rng = random.Random(name)
    for seed in range(2):
        position = game.start()
        while not position.is_over:
            move = rng.choice(position.moves())
            if rng.random() < 0.6:
                move = Computer.from_level(game.spec.levels[rng.choice([3, 4])], None, None, seed).choose(position).move
            hint = hinted(position, move)
            assert find_unproven(hint, np.array(position.states)) == [], (position.text, move, hint)
            position = position.play(move)


def test_two_boxes_that_can_be_handed_back_are_not_called_the_end_of_it() -> None:
    # All lying edges are drawn: two chains of two boxes, one above the other's end.
    position = fc.game("dots-and-boxes", cols=2, rows=2).replay(["a1b1", "a2b2", "a3b3", "b1c1", "b2c2", "b3c3"])
    text = said(position, "a1a2")
    assert "must move on" not in text
    assert text.endswith("it gives 2 points, which the next player may hand back to you")


def test_a_blocker_may_be_laid_where_no_edge_is_safe() -> None:
    position = fc.game("squarin-off", cols=3, rows=1, blockers=2).replay(["c1c2", "c1d1", "a1a2"])
    expected = "is the last safe edge: whoever moves next must give something away, or lay a blocker"
    assert said(position, "b1b2") == expected
