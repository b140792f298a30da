"""The transposition table: stored bounds are found, nothing else is, and cheap entries are replaced first."""

import random

import numpy as np
import pytest

from fourcorners.core.bits import mix
from fourcorners.solvers.transposition_table import MAX_WORK, UNKNOWN, copy_entries, create_table, look_up, store

UNSEEN = (-UNKNOWN, UNKNOWN)


def make_key(number: int) -> tuple[np.uint64, np.uint64]:
    """Return the two words of a key for a number from 0 on; they differ between numbers and look random."""
    return mix(np.uint64(2 * number + 1)), mix(np.uint64(2 * number + 2))


def test_new_bounds_for_a_key_replace_its_own_entry_only() -> None:
    table = create_table(1 << 16)
    rng = random.Random(1)
    entries = {}
    for number in range(400):
        lower = rng.choice((-UNKNOWN, -400, -1, 0, 7))
        upper = rng.choice((7, 8, 400, UNKNOWN))
        assert look_up(table, *make_key(number)) == UNSEEN
        assert store(table, *make_key(number), lower, upper, rng.randint(1, MAX_WORK)) == 1
        entries[number] = lower, upper
    assert {number: look_up(table, *make_key(number)) for number in entries} == entries
    # No empty entry is filled, although this took less work.
    assert store(table, *make_key(7), 1, 2, 0) == 0
    entries[7] = 1, 2
    assert {number: look_up(table, *make_key(number)) for number in entries} == entries


def test_entry_is_found_only_if_both_words_of_its_key_match() -> None:
    # In a table of one bucket every key leads to the same entries.
    table = create_table(64)
    store(table, *make_key(7), 1, 2, 0)
    assert look_up(table, *make_key(7)) == (1, 2)
    assert look_up(table, make_key(7)[0], make_key(8)[1]) == UNSEEN
    assert look_up(table, make_key(8)[0], make_key(7)[1]) == UNSEEN


def test_entry_with_least_work_is_replaced() -> None:
    table = create_table(64)
    assert table.shape == (1, 8)
    assert [
        store(table, *make_key(number), number, number, work) for number, work in enumerate((9, 4, 50, MAX_WORK))
    ] == [1] * 4
    assert store(table, *make_key(4), 4, 4, 0) == 0
    found = [look_up(table, *make_key(number)) for number in range(5)]
    assert found == [(0, 0), UNSEEN, (2, 2), (3, 3), (4, 4)]


def test_torn_entry_matches_no_key() -> None:
    table = create_table(64)
    store(table, *make_key(1), -3, 3, 1)
    torn = table.copy()
    store(torn, *make_key(1), -2, 3, 1)
    # The check word of one write next to the data of the other.
    torn[0, 0] = table[0, 0]
    assert look_up(torn, *make_key(1)) == UNSEEN


@pytest.mark.parametrize(("memory", "buckets"), [(0, 1), (63, 1), (64, 1), (191, 2), (1 << 20, 1 << 14)])
def test_table_has_as_many_buckets_as_fit_into_its_memory_but_one_at_least(memory: int, buckets: int) -> None:
    table = create_table(memory)
    assert table.shape == (buckets, 8) and table.nbytes == max(64, memory // 64 * 64)
    for number in range(1000):
        store(table, *make_key(number), 0, 0, 0)
    # Keys reach all parts of the table: 1000 of them fill more than half of the buckets, or 450 if there are more.
    assert (table[:, 1] != 0).sum() > min(buckets, 900) / 2


def test_bounds_beyond_the_range_of_an_entry_are_weakened() -> None:
    table = create_table(64)
    store(table, *make_key(1), -5000, 5000, 1)
    assert look_up(table, *make_key(1)) == UNSEEN
    store(table, *make_key(1), 5000, 6000, 1)
    lower, upper = look_up(table, *make_key(1))
    # An entry holds lower bounds up to 4094.
    assert 4000 < lower <= 5000 and upper == UNKNOWN
    store(table, *make_key(1), -6000, -5000, 1)
    lower, upper = look_up(table, *make_key(1))
    assert lower == -UNKNOWN and -5000 <= upper < -4000


def test_copied_entries_are_found_in_the_larger_table() -> None:
    table, larger = create_table(1 << 14), create_table(1 << 16)
    for number in range(500):
        store(table, *make_key(number), -number, number, 1)
    known = {number: look_up(table, *make_key(number)) for number in range(500)}
    kept = [number for number, bounds in known.items() if bounds != UNSEEN]
    assert copy_entries(table, larger) == len(kept) > 400
    assert {number: look_up(larger, *make_key(number)) for number in range(500)} == known
