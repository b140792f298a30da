"""The stubs through which the nimber search calls a game's exact play by dtype, where the last move wins.

Such a game is a sum of parts: a move changes only one of them. Its module `exact` writes a part as a run of words. The
first word has the number of words in its low bits and then the part's *weight*, an upper bound of the length of play in
the part (and so of its nimber); heavier parts are expected to take more search. The game may use all other bits. A part
with a single move that leaves nothing is the one word `SINGLE`; a part without moves may be left out. Equal words must
mean equal nimbers. The more often a game writes symmetric or otherwise equal parts in the same words, the less is
searched twice.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import State
from fourcorners.core.dispatch import find_function, require_function, stub
from fourcorners.core.jit import jitable

Words = NDArray[np.uint64]
Ends = NDArray[np.int64]

LONGEST = 63  # words of a part, including the first
SINGLE = np.uint64(1 << 8 | 1)
GAME_BITS = 32  # bits of the first word from here on belong to the game
_LENGTH, _WEIGHT, _WEIGHT_SHIFT = np.uint64(0xFF), np.uint64(0xFFFFFF), np.uint64(8)


@jitable
def header(length: int, weight: int) -> np.uint64:
    """Return the first word of a part, without the game's bits; for at most LONGEST words, and a weight below 2**24."""
    return np.uint64(weight) << _WEIGHT_SHIFT | np.uint64(length)


@jitable
def length_of(first: np.uint64) -> int:
    """Return the number of words of a part, from its first word."""
    return np.int64(first & _LENGTH)


@jitable
def weight_of(first: np.uint64) -> int:
    """Return the weight of a part, from its first word."""
    return np.int64((first >> _WEIGHT_SHIFT) & _WEIGHT)


@stub()
def split(s: State, out: Words) -> int:
    """Write the parts of a position into `out`, one after another; return the number of words, -1 if it is too short.

    The function may change the record.
    """
    return require_function(s, "split")(s, out)


@stub()
def options(s: State, words: Words, at: int, out: Words, ends: Ends) -> int:
    """Write the options of the part at `words[at]`, the results of its moves, into `out` and `ends`.

    Return their number, or -1 if one of the arrays is too short. Option i is a sequence of parts that ends before the
    word `ends[i]` of `out` and begins where option i - 1 ends; it is empty if nothing is left. Duplicate options may be
    left out. `s` is scratch: only its fields for the game's options are meaningful.
    """
    return require_function(s, "options")(s, words, at, out, ends)


@jitable
def _list_all_options(s: State, words: Words, at: int, begin: int, out: Words, ends: Ends) -> tuple[int, int]:
    """Write all options as `more_options` would, for a game that lists them at once."""
    return options(s, words, at, out, ends), -1


@stub(default=_list_all_options)
def more_options(s: State, words: Words, at: int, begin: int, out: Words, ends: Ends) -> tuple[int, int]:
    """Write some of the options of a part as `options` does, the most promising first, which leave the least.

    Return their number, or -1 if an array is too short, and the value of `begin` (first 0) for the next ones, or -1
    after the last. A game defines this if listing all options takes long, since the first ones often answer a question.
    """
    if find_function(s, "more_options") is None:
        return _list_all_options(s, words, at, begin, out, ends)
    found: tuple[int, int] = require_function(s, "more_options")(s, words, at, begin, out, ends)
    return found
