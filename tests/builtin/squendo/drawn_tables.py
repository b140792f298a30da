"""Tables drawn as rows of colours, for tests of what computer players see without search."""

from typing import Any

import numpy as np

from fourcorners.builtin.squendo import rules
from fourcorners.builtin.squendo.options import HAND_SIZE, TILES
from fourcorners.builtin.squendo.placements import decode_key, encode_key, set_stack
from fourcorners.core import dispatch
from fourcorners.core.bits import bit

State = Any


def build_table(rows: str, *hand: str, players: int = 2) -> np.ndarray[Any, np.dtype[np.void]]:
    """Return the states, (1,), of one position with seat 0 to move and these tiles in its hand; the pile is empty.

    Seat 1 is recorded as holding four tiles, none of which is known, and further seats as holding none.
    Each row is a word, the topmost first: a capital is a single tile, a small letter a double stack on a yellow tile,
    `.` a free place. All tiles are the same white circle, repeated, since the rules and the points do not mind.
    """
    states = np.zeros(1, rules.DTYPE)
    s = dispatch.view_record(states)
    s.players = players
    for row, line in enumerate(reversed(rows.split())):
        for col, sign in enumerate(line):
            if sign != ".":
                set_stack(
                    s,
                    encode_key(col, row),
                    TILES.index(f"{sign.upper()}0o"),
                    0,
                    TILES.index("Y0o") + 1 if sign.islower() else 0,
                )
    for tile in hand:
        s.hand[0] |= bit(TILES.index(tile))
    s.hand_size[0] = len(hand)
    s.hand_size[1] = HAND_SIZE
    return states


def decode_place(action: int) -> tuple[int, int]:
    """Return the column and row of an action's place."""
    return decode_key(rules.decode_action(int(action))[1])
