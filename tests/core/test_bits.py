"""Bit tricks and sorting, against plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.core import bits
from fourcorners.core.bits import new_rng


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=200))
def test_numbers_are_sorted_in_place(numbers: list[int]) -> None:
    array = np.array(numbers, np.int64)
    bits.sort_ascending(array)
    assert array.tolist() == sorted(numbers)


@given(st.integers(0, 2**64 - 1))
def test_set_bits_are_counted_and_found_in_order(number: int) -> None:
    word = np.uint64(number)
    indices = [i for i in range(64) if number >> i & 1]
    assert bits.popcount(word) == len(indices)
    assert [int(bits.nth_bit(word, n)) for n in range(len(indices))] == indices


def test_a_coin_shows_heads_with_its_probability_and_draws_nothing_where_that_is_certain() -> None:
    rng = new_rng(1)
    before = rng[0]
    assert not bits.toss_coin(rng, 0.0)
    assert bits.toss_coin(rng, 1.0)
    assert rng[0] == before
    assert 550 < sum(bits.toss_coin(rng, 0.3) for _ in range(2000)) < 650
    assert rng[0] != before
