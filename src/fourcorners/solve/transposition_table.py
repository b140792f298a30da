"""A transposition table: bounds of the values of positions, found by two words.

A bucket is one line of the processor's cache: four entries of two words, the check word and the data. The high half of
a key's first word chooses the bucket and is kept with the data, so that a table can be poured into a larger one; the
second word is compared. The check is stored mixed with the data (Hyatt's lockless table): an entry that two threads
wrote at the same time matches no key. When a bucket is full the entry that cost least work goes.
"""

from __future__ import annotations

import contextlib
import mmap

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ZERO
from fourcorners.core.jit import jitable_no_alloc, kernel_no_alloc
from fourcorners.core.prefetch import prefetch

Table = NDArray[np.uint64]
UNKNOWN = 1 << 40
"""The bounds of a position of which nothing is known: -UNKNOWN and UNKNOWN."""
MOST_WORK = 63
_ENTRIES = 4
_BUCKET_BYTES = 64
# Data: both bounds with 13 bits each, the work with 6, and the high half of the key's first word.
_FAR = 4095
_NO_LOWER, _NO_UPPER = 0, 2 * _FAR + 1
_LOW = np.uint64(0x1FFF)
_13, _26, _32, _WORK = np.uint64(13), np.uint64(26), np.uint64(32), np.uint64(MOST_WORK)


def new_table(memory: int) -> Table:
    """Return an empty table of at most so many bytes; raise MemoryError if they are not to be had."""
    buckets = max(1, memory // _BUCKET_BYTES)
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_ANONYMOUS") else {}
    try:
        words = mmap.mmap(-1, buckets * _BUCKET_BYTES, **private)
    except OSError as error:
        raise MemoryError(str(error)) from error
    # Looks are all over the table: with small pages the processor waits for their addresses, too. Not all systems can.
    with contextlib.suppress(AttributeError, OSError):
        words.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(words, np.uint64).reshape(buckets, 2 * _ENTRIES)


@jitable_no_alloc
def _bucket(table: Table, half: np.uint64) -> int:
    # The high half of a product spreads any number of buckets evenly.
    return np.int64((half * np.uint64(len(table))) >> _32)


@jitable_no_alloc
def fetch(table: Table, first: np.uint64) -> None:
    """Have on its way what a look for a key will need."""
    prefetch(table, 2 * _ENTRIES * _bucket(table, first >> _32))


@jitable_no_alloc
def look_up(table: Table, first: np.uint64, second: np.uint64) -> tuple[int, int]:
    """Return the bounds stored for a key."""
    half = first >> _32
    bucket = _bucket(table, half)
    for entry in range(_ENTRIES):
        data = table[bucket, 2 * entry + 1]
        if table[bucket, 2 * entry] ^ data == second and data >> _32 == half and data != ZERO:
            lower, upper = np.int64(data & _LOW), np.int64((data >> _13) & _LOW)
            return (
                -UNKNOWN if lower == _NO_LOWER else lower - _FAR - 1,
                UNKNOWN if upper == _NO_UPPER else upper - _FAR - 1,
            )
    return -UNKNOWN, UNKNOWN


@jitable_no_alloc
def store(table: Table, first: np.uint64, second: np.uint64, lower: int, upper: int, work: int) -> int:
    """Store bounds, found by so much work (0 to MOST_WORK); return 1 if an empty entry was filled.

    Bounds too far from 0 for the entry are stored as weaker ones.
    """
    low = _NO_LOWER if lower < -_FAR else min(lower, _FAR - 1) + _FAR + 1
    high = _NO_UPPER if upper >= _FAR else max(upper, -_FAR) + _FAR + 1
    data = np.uint64(low) | np.uint64(high) << _13 | np.uint64(work) << _26 | (first >> _32) << _32
    return _put(table, second, data)


@jitable_no_alloc
def _put(table: Table, second: np.uint64, data: np.uint64) -> int:
    bucket = _bucket(table, data >> _32)
    place, least = 0, MOST_WORK + 1
    for entry in range(_ENTRIES):
        other = table[bucket, 2 * entry + 1]
        if other == ZERO or table[bucket, 2 * entry] ^ other == second:
            place = entry
            break
        cost = np.int64((other >> _26) & _WORK)
        if cost < least:
            place, least = entry, cost
    filled = 1 if table[bucket, 2 * place + 1] == ZERO else 0
    table[bucket, 2 * place + 1] = data
    table[bucket, 2 * place] = second ^ data
    return filled


@kernel_no_alloc
def note(table: Table, keys: Table, values: NDArray[np.int64], work: int) -> int:
    """Store values, each as if found by so much work; return how many empty entries were filled."""
    filled = 0
    for i in range(len(keys)):
        filled += store(table, keys[i, 0], keys[i, 1], values[i], values[i], work)
    return filled


@kernel_no_alloc
def pour(old: Table, new: Table) -> int:
    """Put the entries of a table into an empty one; return how many are there then."""
    filled = 0
    for bucket in range(len(old)):
        for entry in range(_ENTRIES):
            data = old[bucket, 2 * entry + 1]
            if data != ZERO:
                filled += _put(new, old[bucket, 2 * entry] ^ data, data)
    return filled
