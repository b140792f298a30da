"""The transposition table: what is stored is found, nothing else is, and dear entries outlast cheap ones."""

import random

import numpy as np
import pytest

from fourcorners.core.bits import mix
from fourcorners.solve.transposition_table import MAX_WORK, UNKNOWN, look_up, create_table, copy_entries, store

UNSEEN = (-UNKNOWN, UNKNOWN)


def words(number: int) -> tuple[np.uint64, np.uint64]:
    return mix(np.uint64(2 * number + 1)), mix(np.uint64(2 * number + 2))


def test_what_is_stored_is_found() -> None:
    table = create_table(1 << 16)
    rng = random.Random(1)
    entries = {}
    for number in range(400):
        lower = rng.choice((-UNKNOWN, -400, -1, 0, 7))
        upper = rng.choice((7, 8, 400, UNKNOWN))
        assert look_up(table, *words(number)) == UNSEEN
        assert store(table, *words(number), lower, upper, rng.randint(1, MAX_WORK)) == 1
        entries[number] = lower, upper
    assert {number: look_up(table, *words(number)) for number in entries} == entries
    # Other bounds of the same take the same entry.
    assert store(table, *words(7), 1, 2, 0) == 0
    assert look_up(table, *words(7)) == (1, 2)
    # The second word alone tells entries of a bucket apart.
    assert look_up(table, words(7)[0], words(8)[1]) == UNSEEN


def test_the_entry_that_cost_least_goes() -> None:
    table = create_table(64)
    assert table.shape == (1, 8)
    assert [
        store(table, *words(number), number, number, work) for number, work in enumerate((9, 4, 50, MAX_WORK))
    ] == [1] * 4
    assert store(table, *words(4), 4, 4, 0) == 0
    found = [look_up(table, *words(number)) for number in range(5)]
    assert found == [(0, 0), UNSEEN, (2, 2), (3, 3), (4, 4)]


def test_an_entry_written_by_two_at_once_matches_nothing() -> None:
    table = create_table(64)
    store(table, *words(1), -3, 3, 1)
    torn = table.copy()
    store(torn, *words(1), -2, 3, 1)
    # The check of one write beside the data of the other.
    torn[0, 0] = table[0, 0]
    assert look_up(torn, *words(1)) == UNSEEN


@pytest.mark.parametrize(("memory", "buckets"), [(0, 1), (63, 1), (64, 1), (191, 2), (1 << 20, 1 << 14)])
def test_a_table_keeps_to_its_memory(memory: int, buckets: int) -> None:
    table = create_table(memory)
    assert table.shape == (buckets, 8) and table.nbytes == max(64, memory // 64 * 64)
    for number in range(1000):
        store(table, *words(number), 0, 0, 0)
    assert (table[:, 1] != 0).sum() > min(buckets, 900) / 2


def test_bounds_too_far_for_an_entry_are_stored_as_weaker_ones() -> None:
    table = create_table(64)
    store(table, *words(1), -5000, 5000, 1)
    assert look_up(table, *words(1)) == UNSEEN
    store(table, *words(1), 5000, 6000, 1)
    lower, upper = look_up(table, *words(1))
    assert 4000 < lower <= 5000 and upper == UNKNOWN
    store(table, *words(1), -6000, -5000, 1)
    lower, upper = look_up(table, *words(1))
    assert lower == -UNKNOWN and -5000 <= upper < -4000


def test_what_is_poured_into_a_larger_table_is_found_there() -> None:
    table, larger = create_table(1 << 14), create_table(1 << 16)
    for number in range(500):
        store(table, *words(number), -number, number, 1)
    known = {number: look_up(table, *words(number)) for number in range(500)}
    kept = [number for number, bounds in known.items() if bounds != UNSEEN]
    assert copy_entries(table, larger) == len(kept) > 400
    assert {number: look_up(larger, *words(number)) for number in range(500)} == known
