"""A transposition table: bounds of the values of positions, found by a key of two words.

A bucket is one cache line: four entries of two words each, the check word and the data. The high half of a key's first
word chooses the bucket and is kept with the data, so that a table can be copied into a larger one; the second word is
compared. The check word is stored XORed with the data (Hyatt's lockless table): an entry that two threads write at the
same time matches no key. When a bucket is full, the entry that took the least work is replaced.
"""

import contextlib
import mmap

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ZERO
from fourcorners.core.jit import jitable_no_alloc, kernel_no_alloc
from fourcorners.core.prefetch import prefetch

Table = NDArray[np.uint64]  # (buckets, 8): check word and data of four entries, one after the other
UNKNOWN = 1 << 40  # the bounds of an unknown position: -UNKNOWN and UNKNOWN
MAX_WORK = 63
_ENTRIES = 4
_BUCKET_BYTES = 64
# Data, from the low bit: the lower and upper bound (13 bits each), the work (6), the high half of the key's first word.
_FAR = 4095
_NO_LOWER, _NO_UPPER = 0, 2 * _FAR + 1
_LOW = np.uint64(0x1FFF)
_13, _26, _32, _WORK = np.uint64(13), np.uint64(26), np.uint64(32), np.uint64(MAX_WORK)


def create_table(memory: int) -> Table:
    """Return an empty table of at most `memory` bytes, but at least one bucket; raise MemoryError."""
    buckets = max(1, memory // _BUCKET_BYTES)
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_ANONYMOUS") else {}
    try:
        words = mmap.mmap(-1, buckets * _BUCKET_BYTES, **private)
    except OSError as error:
        raise MemoryError(str(error)) from error
    # Lookups are scattered, so with small pages most of them also miss the TLB. Not every system has large pages.
    with contextlib.suppress(AttributeError, OSError):
        words.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(words, np.uint64).reshape(buckets, 2 * _ENTRIES)


@jitable_no_alloc
def _find_bucket(table: Table, half: np.uint64) -> int:
    """Return the index of the bucket for the high half of a key's first word; any number of buckets is used evenly."""
    return np.int64((half * np.uint64(len(table))) >> _32)


@jitable_no_alloc
def prefetch_bucket(table: Table, first: np.uint64) -> None:
    """Prefetch the cache line for the lookup of a key with this first word."""
    prefetch(table, 2 * _ENTRIES * _find_bucket(table, first >> _32))


@jitable_no_alloc
def look_up(table: Table, first: np.uint64, second: np.uint64) -> tuple[int, int]:
    """Return the lower and upper bound stored for a key, or -UNKNOWN and UNKNOWN."""
    half = first >> _32
    bucket = _find_bucket(table, half)
    for entry in range(_ENTRIES):
        data = table[bucket, 2 * entry + 1]
        if table[bucket, 2 * entry] ^ data == second and data >> _32 == half and data != ZERO:
            low, high = np.int64(data & _LOW), np.int64((data >> _13) & _LOW)
            lower = -UNKNOWN if low == _NO_LOWER else low - _FAR - 1
            return lower, UNKNOWN if high == _NO_UPPER else high - _FAR - 1
    return -UNKNOWN, UNKNOWN


@jitable_no_alloc
def store(table: Table, first: np.uint64, second: np.uint64, lower: int, upper: int, work: int) -> int:
    """Store bounds for a key, found with `work` (0 to MAX_WORK); return 1 if an empty entry was filled, else 0.

    This replaces older bounds for the key or, in a full bucket, the cheapest entry. Bounds beyond ±4094 may be
    weakened.
    """
    low = _NO_LOWER if lower < -_FAR else min(lower, _FAR - 1) + _FAR + 1
    high = _NO_UPPER if upper >= _FAR else max(upper, -_FAR) + _FAR + 1
    data = np.uint64(low) | np.uint64(high) << _13 | np.uint64(work) << _26 | (first >> _32) << _32
    return _write_entry(table, second, data)


@jitable_no_alloc
def _write_entry(table: Table, second: np.uint64, data: np.uint64) -> int:
    """Write `data` for a key over its own entry, an empty one, or the cheapest; return 1 if it was empty, else 0."""
    bucket = _find_bucket(table, data >> _32)
    slot, least = 0, MAX_WORK + 1
    for entry in range(_ENTRIES):
        stored = table[bucket, 2 * entry + 1]
        if stored == ZERO or table[bucket, 2 * entry] ^ stored == second:
            slot = entry
            break
        cost = np.int64((stored >> _26) & _WORK)
        if cost < least:
            slot, least = entry, cost
    filled = 1 if table[bucket, 2 * slot + 1] == ZERO else 0
    table[bucket, 2 * slot + 1] = data
    table[bucket, 2 * slot] = second ^ data
    return filled


@kernel_no_alloc
def store_values(table: Table, keys: Table, values: NDArray[np.int64], work: int) -> int:
    """Store exact `values`, (n,), under `keys`, (n, 2), all with `work`; return the number of empty entries filled."""
    filled = 0
    for i in range(len(keys)):
        filled += store(table, keys[i, 0], keys[i, 1], values[i], values[i], work)
    return filled


@kernel_no_alloc
def copy_entries(source: Table, target: Table) -> int:
    """Copy a table's entries into an empty one; in a full bucket, replace the cheapest. Return the number kept."""
    filled = 0
    for bucket in range(len(source)):
        for entry in range(_ENTRIES):
            data = source[bucket, 2 * entry + 1]
            if data != ZERO:
                filled += _write_entry(target, source[bucket, 2 * entry] ^ data, data)
    return filled
