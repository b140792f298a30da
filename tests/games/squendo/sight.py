"""Tables drawn as rows of colours, for tests of what is seen at sight."""

from __future__ import annotations

from typing import Any

import numpy as np

from fourcorners.core import dispatch
from fourcorners.core.bits import bit
from fourcorners.games.squendo import rules
from fourcorners.games.squendo.options import HAND_SIZE, TILE_CODES
from fourcorners.games.squendo.placements import encode_key, set_stack

State = Any


def table(rows: str, *hand: str, players: int = 2) -> np.ndarray[Any, np.dtype[np.void]]:
    """Return a record with seat 0 to move: small letters are double stacks on a yellow tile, `.` is a free place.

    All tiles are white circles, the same one again and again: rules and points of a move do not mind.
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
                    TILE_CODES[f"{sign.upper()}0o"],
                    0,
                    TILE_CODES["Y0o"] + 1 if sign.islower() else 0,
                )
    for tile in hand:
        s.hand[0] |= bit(TILE_CODES[tile])
    s.hand_size[0] = len(hand)
    s.hand_size[1] = HAND_SIZE
    return states


def place_of(action: int) -> tuple[int, int]:
    """Return column and row of an action's place."""
    key = rules.decode_action(int(action))[1]
    return key % 128 - 48, key // 128 - 48
