"""Bit tricks and random numbers, with equal results in interpreted and compiled code.

All bitboards are `np.uint64`; arithmetic with Python ints would turn them into signed or floating-point numbers.
Functions whose overflow is intended are `jitable_wraparound`; anywhere else NumPy's overflow warning fails a test.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import Rng
from fourcorners.core.jit import jitable, jitable_no_alloc, jitable_wraparound

ZERO, ONE = np.uint64(0), np.uint64(1)
_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_H01, _BYTE = np.uint64(0x0101010101010101), np.uint64(0xFF)
_S1, _S2, _S3, _S4, _S7, _S8 = (np.uint64(n) for n in (1, 2, 3, 4, 7, 8))
_S13, _S17, _S27, _S30, _S31, _S32, _S56 = (np.uint64(n) for n in (13, 17, 27, 30, 31, 32, 56))
_BELOW1, _BELOW2, _BELOW3, _BELOW4, _BELOW5, _BELOW6, _BELOW7 = (np.uint64((1 << 8 * n) - 1) for n in range(1, 8))
# At n << 8 | byte: the index of the n-th set bit of the byte, 0 if it has no more than n.
_NTH_IN_BYTE = np.array(
    [([i for i in range(8) if byte >> i & 1] + [0] * 8)[n] for n in range(8) for byte in range(256)], np.uint8
)
_GOLDEN, _MIX1, _MIX2 = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))

_COIN_STEPS = 1 << 20
"""`toss_coin` rounds probabilities to multiples of 1 over this."""


@jitable
def bit(index: int) -> np.uint64:
    """Return the word in which only bit `index` (0 to 63) is set."""
    return ONE << np.uint64(index)


@jitable_wraparound
def popcount(word: np.uint64) -> int:
    """Count the set bits, 0 to 64."""
    word = word - ((word >> _S1) & _M1)
    word = (word & _M2) + ((word >> _S2) & _M2)
    word = (word + (word >> _S4)) & _M4
    return np.int64((word * _H01) >> _S56)


@jitable_wraparound
def lowest_bit(word: np.uint64) -> int:
    """Return the index of the lowest set bit; 64 for an empty word."""
    return popcount((word & (~word + ONE)) - ONE)


@jitable
def pop_bit(word: np.uint64) -> tuple[int, np.uint64]:
    """Return the index of the lowest set bit, and the word without that bit; the word must not be 0."""
    return lowest_bit(word), word & (word - ONE)


@jitable_wraparound
def nth_bit(word: np.uint64, n: int) -> int:
    """Return the index of the n-th set bit, counted from 0; the word must have more than n.

    The seven counts of the bits below each byte are independent, so the processor computes them side by side; halving
    the word takes twice as long, and playouts depend on this.
    """
    bytes_passed = (
        np.uint64(popcount(word & _BELOW1) <= n)
        + np.uint64(popcount(word & _BELOW2) <= n)
        + np.uint64(popcount(word & _BELOW3) <= n)
        + np.uint64(popcount(word & _BELOW4) <= n)
        + np.uint64(popcount(word & _BELOW5) <= n)
        + np.uint64(popcount(word & _BELOW6) <= n)
        + np.uint64(popcount(word & _BELOW7) <= n)
    )
    base = bytes_passed << _S3
    rank = np.uint64(n - popcount(word & ((ONE << base) - ONE)))
    return np.int64(base) + np.int64(_NTH_IN_BYTE[(rank << _S8) | ((word >> base) & _BYTE)])


@jitable_wraparound
def mix(word: np.uint64) -> np.uint64:
    """Return a hash of a word, different for each (a step of splitmix64, Steele, Lea and Flood 2014)."""
    word = word + _GOLDEN
    word = (word ^ (word >> _S30)) * _MIX1
    word = (word ^ (word >> _S27)) * _MIX2
    return word ^ (word >> _S31)


@jitable_wraparound
def random_word(rng: Rng) -> np.uint64:
    """Return 64 random bits and advance the generator (xorshift64, Marsaglia 2003); `rng[0]` is its state, never 0."""
    word = rng[0]
    word = word ^ (word << _S13)
    word = word ^ (word >> _S7)
    word = word ^ (word << _S17)
    rng[0] = word
    return word


@jitable_wraparound
def random_below(rng: Rng, n: int) -> int:
    """Return a random integer from 0 to n - 1 and advance the generator; `n` is from 1 to 2**32 - 1."""
    return np.int64(((random_word(rng) >> _S32) * np.uint64(n)) >> _S32)


@jitable_no_alloc
def toss_coin(rng: Rng, probability: float) -> bool:
    """Return True with this probability; the generator advances only if it is above 0 and below 1."""
    if probability <= 0.0 or probability >= 1.0:
        return probability >= 1.0
    return random_below(rng, _COIN_STEPS) < probability * _COIN_STEPS


def new_rng(seed: int) -> Rng:
    """Return a generator, an array of one word, for any integer seed; only its low 64 bits count."""
    word = mix(np.uint64(seed & 0xFFFFFFFFFFFFFFFF))
    # The state 0 would stay 0 for ever.
    return np.array([word or ONE], np.uint64)


@jitable_no_alloc
def sort_ascending(numbers: NDArray[np.int64]) -> None:
    """Sort numbers in place, in O(n^1.5): a Shell sort, Knuth's gaps. Numba's sort takes half a second to compile."""
    gap = 1
    while gap < len(numbers):
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for i in range(gap, len(numbers)):
            number, at = numbers[i], i
            while at >= gap and numbers[at - gap] > number:
                numbers[at] = numbers[at - gap]
                at -= gap
            numbers[at] = number
