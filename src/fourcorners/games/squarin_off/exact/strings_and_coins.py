"""Squarin' Off as strings and coins: boxes are coins, free edges are strings that hold them.

A string joins two coins, or a coin and the ground: the border, or a box that is blocked. Cutting the last string of a
coin wins it. While blockers can still be laid a node holds all strings. Otherwise it is *settled*: nothing is left to
be captured, and chains and loops that stand alone are no strings any more but *gifts*, which whoever must move hands
out.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.core.margin_protocol import BOARD_FIELDS

MOST_STRINGS = 64
MOST_COINS = 62
MOST_GIFTS = 64
MOST_MARKS = 1024
GROUND, NOTHING = 63, 62  # in place of a coin; beyond a string that is cut there is nothing
GROUND_BOX = -1
_MOST_IMAGES = 7

BOARD = np.dtype(
    [
        *BOARD_FIELDS,
        ("ends", np.int64, (MOST_STRINGS, 2)),  # the coins that a string joins
        ("strings", np.uint64, 64),  # of a coin
        ("value", np.int64, 64),  # of a coin
        ("twins", np.uint64, MOST_STRINGS),  # the strings that join the same coin to the border as this one does
        ("near", np.uint64, 64),  # the coins that a blocker on this one closes to others
        ("coins", np.uint64),
        ("coin_count", np.int64),
        ("side", np.uint64, 256),  # the four strings of a coin, each a word; 0 where it has fewer
        ("beyond", np.uint64, 256),  # the coins at their other ends
        ("classic", np.int64),
        # While there are blockers, which care for places: the symmetries of the board, and what tells it from others.
        ("salt", np.uint64),
        ("images", np.int64),
        ("string_bytes", np.int64),
        ("string_image", np.uint64, (_MOST_IMAGES, 8, 256)),  # where a symmetry carries the strings of a byte
        ("coin_image", np.uint64, (_MOST_IMAGES, 8, 256)),
        # Room to work in, see `isomorphism.py`.
        ("neighbour", np.uint64, 256),
        ("label", np.uint64, 64),
        ("mixed", np.uint64, 64),
        ("marks", np.uint64, MOST_MARKS),
        ("calls", np.uint64),
    ]
)
NODE = np.dtype(
    [
        ("free", np.uint64),  # strings
        ("blocked", np.uint64),  # coins with a blocker that still have a string
        ("closed", np.uint64),  # while there are blockers: coins that can take none
        ("left", np.int16),  # the value of all coins not yet won
        ("taken", np.int16),  # what the party to move can capture at once
        ("hand", np.int16),  # and the least it can leave over of that, or ALL
        ("own", np.int8),  # blockers of the party to move
        ("others", np.int8),
        ("passes", np.int8),  # 1 if there is a string that holds nothing: cutting it passes the turn
        ("gifts", np.int8),
        ("squarin_pad", np.uint8, 4),
        ("gift", np.int16, MOST_GIFTS),  # T
        ("back", np.int16, MOST_GIFTS),  # r, or ALL where the opponent must take all and move on
    ]
)


@jitable
def across(b: State, n: State, string: int, coin: int) -> int:
    """Return the coin at the other end of a string, or GROUND."""
    other = b.ends[string, 0] + b.ends[string, 1] - coin
    return GROUND if n.blocked & bit(other) != ZERO else other


@jitable
def is_one(strings: np.uint64) -> bool:
    """Tell whether there is exactly one."""
    return strings != ZERO and strings & (strings - ONE) == ZERO


@jitable
def other_end(b: State, n: State, string: int) -> int:
    """Return the coin of a string that leads to the ground."""
    one = b.ends[string, 0]
    return b.ends[string, 1] if one == GROUND or n.blocked & bit(one) != ZERO else one


@jitable
def has_blockers(n: State) -> bool:
    """Tell whether blockers can still be laid."""
    return np.int64(n.own) + np.int64(n.others) > 0


@jitable
def is_coin(n: State, end: int) -> bool:
    """Tell whether an end of a string is a coin that can still be won."""
    return end != GROUND and n.blocked & bit(end) == ZERO
