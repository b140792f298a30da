"""Fields of up to 64 bits at any bit offset of a run of words."""

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit
from fourcorners.core.jit import jitable
from fourcorners.solvers.nimber_protocol import Words


@jitable
def put_bits(words: Words, at: int, offset: int, value: np.uint64) -> None:
    """Set the bits of `value` from bit `offset`, which may exceed 63, of `words[at]` on, in place.
    The words must have room for them, and they must be 0 before.
    """
    word, shift = at + (offset >> 6), np.uint64(offset & 63)
    words[word] |= value << shift
    # Shifting a word by 64 is undefined, and the last field may end with the last word of the array.
    if shift != ZERO:
        overflow = value >> (np.uint64(64) - shift)
        if overflow != ZERO:
            words[word + 1] |= overflow


@jitable
def get_bits(words: Words, at: int, offset: int, length: int) -> np.uint64:
    """Return `length` bits (at most 63) from bit `offset`, which may exceed 63, of `words[at]` on."""
    word, shift = at + (offset >> 6), np.uint64(offset & 63)
    value = words[word] >> shift
    if (offset & 63) + length > 64:
        value |= words[word + 1] << (np.uint64(64) - shift)
    return value & (bit(length) - ONE)  # there is no bit 64
