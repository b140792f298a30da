"""The memory of a nimber search: every part of which something is known, in a fixed number of bytes.

A part is kept whole and compared whole: two parts with the same hash are never mistaken for each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ONE, ZERO, mix
from fourcorners.core.jit import jitable, kernel
from fourcorners.core.nimber_protocol import SINGLE, Words, header, length_of

Table = NDArray[np.uint64]
"""Open addressing: 0, or one more than the place of a part's knowledge, and above that some bits of the part's hash."""
Counts = NDArray[np.int64]
"""What is used: words of the store, places of the table."""

STORED, FILLED = 0, 1
NEVER = 1 << 28
"""A proof or disproof number that nothing reaches."""
LARGEST = 57
"""The largest nimber that can be told; no game here comes near."""
_VALUE, _UNKNOWN, _VALUE_BITS = np.uint64(63), np.uint64(63), np.uint64(6)
_PLACE_BITS, _PLACE = np.uint64(40), np.uint64((1 << 40) - 1)
_NUMBER, _NUMBER_BITS = np.uint64(0xFFFFFFFF), np.uint64(32)
QUESTION = 2  # words
_WORD = 8
_LOAD = 0.8
_FIRST_SLOTS, _GROWTH = 1 << 12, 2


class Pool(NamedTuple):
    """The arrays of a memory.

    The store holds for each part one word of knowledge and then the part. Knowledge is the nimber, 63 if that is not
    known, and above it a bit for each nimber that it is not.
    """

    table: Table
    store: Words
    counts: Counts


def most_slots(memory: int) -> int:
    """Return how large the table of a memory of so many bytes may become: a power of two."""
    return 1 << max(4, (memory // (4 * _WORD)).bit_length() - 1)


def new_pool(memory: int) -> Pool:
    """Return an empty memory of at most about so many bytes; the system hands out the store as it is written to."""
    slots = most_slots(memory)
    table = np.zeros(min(slots, _FIRST_SLOTS), np.uint64)
    return Pool(table, np.zeros(max(64, memory // _WORD - slots), np.uint64), np.zeros(2, np.int64))


def grown(pool: Pool) -> Pool:
    """Return the same memory with a larger table: a large one from the start would be slow to get from the system."""
    table = np.zeros(_GROWTH * len(pool.table), np.uint64)
    _enter_all(table, pool.store, int(pool.counts[STORED]))
    return pool._replace(table=table)


def fill(pool: Pool, memory: int) -> float:
    """Return how full a memory of so many bytes is, 0 to 1."""
    stored, filled = (int(count) for count in pool.counts)
    return max(stored / len(pool.store), filled / (_LOAD * most_slots(memory)))


def fits(pool: Pool, memory: int, stored: int, filled: int) -> bool:
    """Tell whether a memory of so many bytes holds so many words of parts, and so many parts."""
    return stored <= len(pool.store) and filled <= _LOAD * most_slots(memory)


def filled_with(pool: Pool, memory: int, stored: int, filled: int) -> Pool:
    """Return the memory with the parts whose words stand in its store already."""
    slots = len(pool.table)
    while filled > slots // 2 and slots < most_slots(memory):
        slots *= _GROWTH
    table = np.zeros(slots, np.uint64)
    _enter_all(table, pool.store, stored)
    return Pool(table, pool.store, np.array([stored, filled], np.int64))


@kernel
def _enter_all(table: Table, store: Words, stored: int) -> None:
    last = np.uint64(len(table) - 1)
    place = 0
    while place < stored:
        code = _hash(store, place + 1)
        slot = code & last
        while table[slot] != ZERO:
            slot = (slot + ONE) & last
        table[slot] = (code >> _PLACE_BITS) << _PLACE_BITS | np.uint64(place + 1)
        place += 1 + length_of(store[place + 1])


@jitable
def _hash(words: Words, at: int) -> np.uint64:
    code = ZERO
    for i in range(at, at + length_of(words[at])):
        code = mix(code ^ words[i])
    return code


@jitable
def find(table: Table, store: Words, words: Words, at: int) -> tuple[int, int]:
    """Return where the knowledge of a part is, -1 if nowhere, and where in the table it is or belongs."""
    length = length_of(words[at])
    code = _hash(words, at)
    tag = code >> _PLACE_BITS
    last = np.uint64(len(table) - 1)
    slot = code & last
    while table[slot] != ZERO:
        entry = table[slot]
        if entry >> _PLACE_BITS == tag:
            place = np.int64(entry & _PLACE) - 1
            same = True
            for i in range(length):
                if store[place + 1 + i] != words[at + i]:
                    same = False
                    break
            if same:
                return place, np.int64(slot)
        slot = (slot + ONE) & last
    return -1, np.int64(slot)


@jitable
def nothing_known() -> np.uint64:
    """Return the knowledge of a part that has not been looked at."""
    return _UNKNOWN


@jitable
def look(table: Table, store: Words, words: Words, at: int) -> np.uint64:
    """Return what is known of a part."""
    if words[at] == SINGLE:
        return ONE
    place, _ = find(table, store, words, at)
    return _UNKNOWN if place < 0 else store[place]


@jitable
def nimber_in(knowledge: np.uint64) -> int:
    """Return the nimber of a part, -1 if it is not known."""
    value = knowledge & _VALUE
    return -1 if value == _UNKNOWN else np.int64(value)


@jitable
def excludes(knowledge: np.uint64, nimber: int) -> bool:
    """Tell whether a part whose nimber is not known is known not to have this one."""
    return bool((knowledge >> _VALUE_BITS) & (ONE << np.uint64(nimber)) != ZERO)


@jitable
def excluding(knowledge: np.uint64, nimber: int) -> np.uint64:
    """Return the knowledge that a part has not this nimber either."""
    return knowledge | (ONE << (np.uint64(nimber) + _VALUE_BITS))


@jitable
def knowing(nimber: int) -> np.uint64:
    """Return the knowledge of a nimber."""
    return np.uint64(nimber)


@jitable
def keep(table: Table, store: Words, counts: Counts, words: Words, at: int, knowledge: np.uint64) -> bool:
    """Put down what is known of a part now; tell whether there was room."""
    place, slot = find(table, store, words, at)
    if place < 0:
        length = length_of(words[at])
        place = np.int64(counts[STORED])
        if place + 1 + length > len(store) or counts[FILLED] + 1 > _LOAD * len(table):
            return False
        for i in range(length):
            store[place + 1 + i] = words[at + i]
        table[slot] = (_hash(words, at) >> _PLACE_BITS) << _PLACE_BITS | np.uint64(place + 1)
        counts[STORED] = place + 1 + length
        counts[FILLED] += 1
    store[place] = knowledge
    return True


@jitable
def question(words: Words, at: int, goal: int, out: Words) -> None:
    """Write the question whether a part has a nimber as if it were a part: no other has weight 0.

    It holds the part's hash only. Should two questions be taken for one, the search is led astray, and still right.
    """
    out[0] = header(QUESTION, 0)
    out[1] = mix(_hash(words, at) ^ np.uint64(goal))


@jitable
def numbers_of(table: Table, store: Words, asked: Words) -> tuple[int, int]:
    """Return the proof and the disproof number that were kept for a question, -1 if none were."""
    place, _ = find(table, store, asked, 0)
    if place < 0:
        return -1, -1
    return np.int64(store[place] & _NUMBER), np.int64(store[place] >> _NUMBER_BITS)


@jitable
def numbers(proof: int, disproof: int) -> np.uint64:
    """Return what is kept for a question."""
    return np.uint64(disproof) << _NUMBER_BITS | np.uint64(proof)
