"""Make and unmake: draw a rectangle on the record and take it back, since compiled searches do not copy records."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.sqez.rules import bit_range, draw_rectangle, unpack

DrawnSides = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""The edges of an outline that were drawn already: bottom and top by column, left and right by row."""


@jitable
def make(s: State, action: int) -> DrawnSides:
    """Draw a legal rectangle without passing the turn on; return what `unmake` needs to restore."""
    x1, y1, x2, y2 = unpack(action)
    across, along = bit_range(x1, x2), bit_range(y1, y2)
    bottom, top = np.uint64(s.across[y1]) & across, np.uint64(s.across[y2]) & across
    left, right = np.uint64(s.sides[x1]) & along, np.uint64(s.sides[x2]) & along
    draw_rectangle(s, x1, y1, x2, y2)
    return bottom, top, left, right


@jitable
def unmake(s: State, action: int, before: DrawnSides) -> None:
    """Undo `make`, which returned `before`, for the rectangle drawn last."""
    x1, y1, x2, y2 = unpack(action)
    across, along = ~bit_range(x1, x2), ~bit_range(y1, y2)
    s.across[y1] = np.uint64(s.across[y1]) & across | before[0]
    s.across[y2] = np.uint64(s.across[y2]) & across | before[1]
    s.sides[x1] = np.uint64(s.sides[x1]) & along | before[2]
    s.sides[x2] = np.uint64(s.sides[x2]) & along | before[3]
    for y in range(y1, y2):
        left, right = (before[2] >> np.uint64(y)) & ONE, (before[3] >> np.uint64(y)) & ONE
        kept = np.uint64(s.up[y]) & ~(bit(x1) | bit(x2))
        s.up[y] = kept | left << np.uint64(x1) | right << np.uint64(x2)
    field = bit_range(0, np.int64(s.cols))
    for y in range(y1, y2 + 1):
        row, column = np.uint64(s.across[y]), np.uint64(s.up[y])
        below = np.uint64(s.up[y - 1]) if y > 0 else ZERO
        s.free[y] = field & ~(row | row << ONE | column | below)
