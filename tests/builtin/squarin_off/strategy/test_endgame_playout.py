"""Playouts from the last safe edge on: the chains that they list, and for how many blockers these have room."""

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squarin_off.strategy.endgame_playout import open_all_chains
from fourcorners.builtin.squarin_off.strategy.scratch_board import mark_ground
from fourcorners.core.dispatch import view_record
from tests.builtin.squarin_off.positions import list_chain_moves

RING = ["a1a2", "a2a3", "c1c2", "c2c3", "a1b1", "b1c1", "a3b3", "b3c3"]
"""Moves that leave a loop of four boxes on a board of 2 x 2."""


def count_spots(position: fc.Position, *, may_give_boxes: bool = False) -> list[int]:
    """Return for how many blockers each chain has room, the cheapest one first."""
    s = view_record(np.array(position.states))
    mark_ground(s)
    return [int(s.chain_spots[i]) for i in range(open_all_chains(s, may_give_boxes))]


def set_up_blockable_chains(*lengths: int) -> fc.Position:
    """Return a position of Squarin' Off, with two blockers each, of chains as `list_chain_moves` describes them."""
    moves, options = list_chain_moves(*lengths)
    return fc.game("squarin-off", **options, blockers=2).replay(moves)


@pytest.mark.parametrize(
    ("lengths", "giving_nothing", "giving_boxes"),
    [((1, 5), [0, 2], [0, 3]), ((2,), [1], [1]), ((3,), [2], [2])],
)
def test_a_chain_has_room_at_its_ends_and_for_blockers_that_give_boxes_away_in_every_other_box(
    lengths: tuple[int, ...], giving_nothing: list[int], giving_boxes: list[int]
) -> None:
    assert count_spots(set_up_blockable_chains(*lengths)) == giving_nothing
    assert count_spots(set_up_blockable_chains(*lengths), may_give_boxes=True) == giving_boxes


def test_blockers_must_not_touch() -> None:
    # The chains lie side by side: a blocker on the end of the cheaper one leaves no room on that of the other.
    assert count_spots(set_up_blockable_chains(4, 8)) == [2, 1]
    # The first of the four boxes that are left touches the blocker that was laid.
    assert count_spots(set_up_blockable_chains(5).play("#a1 a1a2")) == [1]


def test_a_blocker_opens_a_loop() -> None:
    assert count_spots(fc.game("squarin-off", cols=2, rows=2, blockers=1).replay(RING)) == [0]


def test_there_is_no_room_without_blockers() -> None:
    moves, options = list_chain_moves(3)
    position = fc.game("squarin-off", **options, blockers=0).replay(moves)
    assert count_spots(position) == count_spots(position, may_give_boxes=True) == [0]
