"""Margins of positions in which only chains and loops are left, with and without blockers."""

from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squarin_off.strategy.chain_values import compute_margin, compute_margin_with_blockers
from fourcorners.builtin.squarin_off.strategy.endgame_playout import NO_HANDOUT
from fourcorners.core.dispatch import view_record


def build_record(chains: list[tuple[int, int, int]]) -> Any:
    """Return a new record that lists chains in this order, each given by T, its handout and its spots for blockers."""
    s = view_record(np.array(fc.game("squarin-off", cols=1, rows=1).start().states))
    for i, chain in enumerate(chains):
        s.chain_value[i], s.chain_handout[i], s.chain_spots[i] = chain
    return s


@pytest.mark.parametrize(
    ("chains", "margin"),
    [
        ([], 0),
        ([(1, NO_HANDOUT)], -1),
        ([(1, NO_HANDOUT), (2, NO_HANDOUT)], 1),
        ([(3, 2)], -3),
        ([(3, 2), (5, 2)], -4),
        ([(4, 4), (8, 4)], -4),
        ([(1, NO_HANDOUT), (3, 2), (5, 2)], 3),
    ],
)
def test_margins_of_chains_are_as_worked_out_by_hand_and_blockers_without_spots_change_nothing(
    chains: list[tuple[int, int]], margin: int
) -> None:
    s = build_record([(value, handout, 0) for value, handout in chains])
    assert compute_margin(s, len(chains)) == margin
    assert compute_margin_with_blockers(s, len(chains), 0, 0) == margin
    assert compute_margin_with_blockers(s, len(chains), 3, 2) == margin


@pytest.mark.parametrize(("own", "others", "margin"), [(1, 0, 5), (1, 1, -5), (0, 1, -5), (2, 1, 5)])
def test_only_the_side_with_more_blockers_need_not_open_a_chain(own: int, others: int, margin: int) -> None:
    # A chain worth 5 points with three spots for blockers: enough for both sides.
    assert compute_margin_with_blockers(build_record([(5, 2, 3)]), 1, own, others) == margin
