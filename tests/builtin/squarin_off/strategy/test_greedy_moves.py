"""The moves of a player who does not look ahead."""

import numpy as np

from fourcorners.builtin.squarin_off.strategy.greedy_moves import is_handout_better_than_capturing
from fourcorners.builtin.squarin_off.strategy.scratch_board import mark_ground
from fourcorners.core.dispatch import view_record
from tests.builtin.squarin_off.positions import set_up_chains


def test_comparing_a_handout_with_captures_leaves_the_record_unchanged() -> None:
    s = view_record(np.array(set_up_chains(3, 4).play("a1a2").play("b1b2").states))
    mark_ground(s)
    before = s.tobytes()
    # A True result shows that all was captured and the chains were opened: only then can a handout be better.
    assert is_handout_better_than_capturing(s, 1.0)
    assert s.tobytes() == before
