"""The memory of a nimber search: the knowledge of parts, in a fixed number of bytes.

A part is stored and compared as a whole, so two parts with the same hash are never confused. The knowledge of a part is
one word: its nimber, or 63 while that is unknown, and above these 6 bits a bit for each excluded nimber.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ONE, ZERO, mix
from fourcorners.core.jit import jitable_no_alloc, kernel
from fourcorners.solvers.nimber_protocol import SINGLE, Words, length_of

STORED, FILLED = 0, 1  # words of `PartTable.counts`
MAX_NIMBER = 57  # the largest nimber that a word of knowledge can represent
NOTHING_KNOWN = np.uint64(63)
_NIMBER, _NIMBER_BITS = np.uint64(63), np.uint64(6)
_PLACE_BITS, _PLACE = np.uint64(40), np.uint64((1 << 40) - 1)
_WORD = 8  # bytes
_LOAD = 0.8  # the share of the slots that may be filled
_FIRST_SLOTS, _GROWTH = 1 << 12, 2


class PartTable(NamedTuple):
    """A hash table of parts.

    - `slots`: (S,) uint64, S a power of two, open addressing. 0, or one more than a place in the store, with the high
      24 bits of the part's hash above it.
    - `store`: (W,) uint64. For each part its knowledge and then the part's words.
    - `counts`: (2,) int64. STORED words of the store and FILLED slots.
    """

    slots: NDArray[np.uint64]
    store: Words
    counts: NDArray[np.int64]


def compute_max_slots(memory: int) -> int:
    """Return the maximum number of slots of a table of `memory` bytes: a power of two, within a quarter of it, at least
    16.
    """
    return 1 << max(4, (memory // (4 * _WORD)).bit_length() - 1)


def create_table(memory: int) -> PartTable:
    """Return an empty table of at most about `memory` bytes, at least 640; raise MemoryError.

    The system provides the store's memory only as it is written; the slots start small and grow.
    """
    slots = compute_max_slots(memory)
    store = np.zeros(max(64, memory // _WORD - slots), np.uint64)
    return PartTable(np.zeros(min(slots, _FIRST_SLOTS), np.uint64), store, np.zeros(2, np.int64))


def grow_slots(table: PartTable) -> PartTable:
    """Return the table, with the same store and counts, and twice as many slots; check no limit."""
    slots = np.zeros(_GROWTH * len(table.slots), np.uint64)
    _enter_all(slots, table.store, int(table.counts[STORED]))
    return table._replace(slots=slots)


def compute_fill(table: PartTable, memory: int) -> float:
    """Return the fill, 0 to 1, of a table created with `memory` bytes: of its store, or of its slots if they are
    fuller.
    """
    stored, filled = (int(count) for count in table.counts)
    return max(stored / len(table.store), filled / (_LOAD * compute_max_slots(memory)))


def can_hold(table: PartTable, memory: int, stored: int, filled: int) -> bool:
    """Return whether a table created with `memory` bytes has room for a total of `stored` words in `filled` parts."""
    return stored <= len(table.store) and filled <= _LOAD * compute_max_slots(memory)


def restore(table: PartTable, memory: int, stored: int, filled: int) -> PartTable:
    """Index the `filled` parts in the first `stored` words of a table's store; return it with new slots and counts.

    `table` itself, created with `memory` bytes, is unchanged; the store is shared. `can_hold` must be true. `filled` is
    not checked: if it is too small, this may not end. Raise MemoryError as `create_table` does.
    """
    size = len(table.slots)
    while filled > size // 2 and size < compute_max_slots(memory):
        size *= _GROWTH
    slots = np.zeros(size, np.uint64)
    _enter_all(slots, table.store, stored)
    return table._replace(slots=slots, counts=np.array([stored, filled], np.int64))


@kernel
def _enter_all(slots: NDArray[np.uint64], store: Words, stored: int) -> None:
    """Enter all parts in the first `stored` words of a store into empty slots, which must outnumber them."""
    last, place = np.uint64(len(slots) - 1), 0
    while place < stored:
        code = _hash_part(store, place + 1)
        slot = code & last
        while slots[slot] != ZERO:
            slot = (slot + ONE) & last
        slots[slot] = (code >> _PLACE_BITS) << _PLACE_BITS | np.uint64(place + 1)
        place += 1 + length_of(store[place + 1])


@jitable_no_alloc
def _hash_part(words: Words, at: int) -> np.uint64:
    """Return a hash of the part at `words[at]`."""
    code = ZERO
    for i in range(at, at + length_of(words[at])):
        code = mix(code ^ words[i])
    return code


@jitable_no_alloc
def are_equal(words: Words, at: int, others: Words, at_other: int, length: int) -> bool:
    """Return whether the `length` words from `words[at]` on equal those from `others[at_other]` on."""
    for i in range(length):
        if words[at + i] != others[at_other + i]:
            return False
    return True


@jitable_no_alloc
def find_part(table: PartTable, words: Words, at: int) -> tuple[int, int]:
    """Return the place in the store of the part at `words[at]` and its slot; if it is missing, -1 and a slot for it."""
    slots, store = table.slots, table.store
    length, code = length_of(words[at]), _hash_part(words, at)
    tag, last = code >> _PLACE_BITS, np.uint64(len(slots) - 1)
    slot = code & last
    while slots[slot] != ZERO:
        entry = slots[slot]
        if entry >> _PLACE_BITS == tag:
            place = np.int64(entry & _PLACE) - 1
            if are_equal(store, place + 1, words, at, length):
                return place, np.int64(slot)
        slot = (slot + ONE) & last
    return -1, np.int64(slot)


@jitable_no_alloc
def look_up(table: PartTable, words: Words, at: int) -> np.uint64:
    """Return the knowledge of the part at `words[at]`: NOTHING_KNOWN if it is not stored. SINGLE has the nimber 1."""
    if words[at] == SINGLE:
        return ONE
    place, _ = find_part(table, words, at)
    return NOTHING_KNOWN if place < 0 else table.store[place]


@jitable_no_alloc
def store_part(table: PartTable, words: Words, at: int, knowledge: np.uint64) -> bool:
    """Store the knowledge of the part at `words[at]`, replacing older knowledge; return False, unchanged, without room.

    A new part must fit into the store and into 80 % of the current slots; `grow_slots` helps only with the latter.
    """
    place, slot = find_part(table, words, at)
    if place < 0:
        store, counts = table.store, table.counts
        length = length_of(words[at])
        place = np.int64(counts[STORED])
        if place + 1 + length > len(store) or counts[FILLED] + 1 > _LOAD * len(table.slots):
            return False
        for i in range(length):
            store[place + 1 + i] = words[at + i]
        table.slots[slot] = (_hash_part(words, at) >> _PLACE_BITS) << _PLACE_BITS | np.uint64(place + 1)
        counts[STORED] = place + 1 + length
        counts[FILLED] += 1
    table.store[place] = knowledge
    return True


@jitable_no_alloc
def encode_nimber(nimber: int) -> np.uint64:
    """Return the knowledge of a part with this nimber (0 to MAX_NIMBER)."""
    return np.uint64(nimber)


@jitable_no_alloc
def decode_nimber(knowledge: np.uint64) -> int:
    """Return the nimber of a part, -1 if it is not known."""
    value = knowledge & _NIMBER
    return -1 if value == NOTHING_KNOWN else np.int64(value)


@jitable_no_alloc
def is_excluded(knowledge: np.uint64, nimber: int) -> bool:
    """Return whether this nimber (0 to MAX_NIMBER) is excluded for a part of unknown nimber."""
    return bool((knowledge >> _NIMBER_BITS) & (ONE << np.uint64(nimber)) != ZERO)


@jitable_no_alloc
def exclude(knowledge: np.uint64, nimber: int) -> np.uint64:
    """Return the knowledge with one more nimber (0 to MAX_NIMBER) excluded."""
    return knowledge | (ONE << (np.uint64(nimber) + _NIMBER_BITS))
