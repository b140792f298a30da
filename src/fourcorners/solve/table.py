"""A transposition table of a fixed size: bounds of the values of positions, found by two words.

A bucket is one line of the processor's cache: four entries of two words, the check word and the data. The first word of
a key chooses the bucket, the second is compared. The check is stored mixed with the data (Hyatt's lockless table): an
entry that two threads wrote at the same time matches no key. When a bucket is full the entry that cost least work goes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ZERO
from fourcorners.core.jit import jitable

Table = NDArray[np.uint64]
UNKNOWN = 32767
"""The bounds of a position that is not in the table: -UNKNOWN and UNKNOWN."""
_ENTRIES = 4
_BUCKET_BYTES = 64
_16, _32, _LOW, _BYTE = np.uint64(16), np.uint64(32), np.uint64(0xFFFF), np.uint64(0xFF)
_MARK = np.uint64(1 << 40)  # no data is ever 0


def new_table(memory: int) -> Table:
    """Return an empty table of at most so many bytes; pages of it that are never touched cost nothing."""
    return np.zeros((max(1, memory // _BUCKET_BYTES), 2 * _ENTRIES), np.uint64)


@jitable
def _bucket(table: Table, first: np.uint64) -> int:
    # The high half of a product spreads any number of buckets evenly; 32 bits of the word suffice for it.
    return np.int64(((first >> _32) * np.uint64(len(table))) >> _32)


@jitable
def look_up(table: Table, first: np.uint64, second: np.uint64) -> tuple[int, int]:
    """Return the bounds stored for a key."""
    bucket = _bucket(table, first)
    for entry in range(_ENTRIES):
        data = table[bucket, 2 * entry + 1]
        if table[bucket, 2 * entry] ^ data == second and data != ZERO:
            return np.int64(data & _LOW) - UNKNOWN, np.int64((data >> _16) & _LOW) - UNKNOWN
    return -UNKNOWN, UNKNOWN


@jitable
def store(table: Table, first: np.uint64, second: np.uint64, lower: int, upper: int, work: int) -> int:
    """Store bounds, found by so much work (0 to 255), more being worth more; return 1 if an empty entry was filled."""
    bucket = _bucket(table, first)
    place, least = 0, 256
    for entry in range(_ENTRIES):
        data = table[bucket, 2 * entry + 1]
        if data == ZERO or table[bucket, 2 * entry] ^ data == second:
            place, least = entry, 0 if data == ZERO else -1
            break
        cost = np.int64((data >> _32) & _BYTE)
        if cost < least:
            place, least = entry, cost
    filled = 1 if table[bucket, 2 * place + 1] == ZERO else 0
    data = np.uint64(lower + UNKNOWN) | (np.uint64(upper + UNKNOWN) << _16) | (np.uint64(work) << _32) | _MARK
    table[bucket, 2 * place + 1] = data
    table[bucket, 2 * place] = second ^ data
    return filled
