"""Words that threads share lose no change."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fourcorners.core.atomics import Words, fetch_add, load, store
from fourcorners.core.jit import kernel_no_alloc


@kernel_no_alloc
def _count(words: Words, times: int) -> int:
    """Add 1 to the second word, `times` times; return the sum of what it was before."""
    total = 0
    for _ in range(times):
        total += fetch_add(words, 1, 1)
    return total


@kernel_no_alloc
def _write(words: Words, number: int) -> int:
    """Write a number into the first word, and return what is there."""
    store(words, 0, number)
    return load(words, 0)


@pytest.mark.parametrize("times", [200, pytest.param(200_000, marks=pytest.mark.compiled)])
def test_threads_lose_no_change(times: int) -> None:
    words = np.zeros(3, np.int64)
    assert _write(words, -7) == -7
    with ThreadPoolExecutor(4) as pool:
        totals = list(pool.map(lambda _: _count(words, times), range(4)))
    count = 4 * times
    assert words.tolist() == [-7, count, 0]
    assert sum(totals) == count * (count - 1) // 2
