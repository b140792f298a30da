"""The stubs through which the nimber search calls what a game knows of its parts, found by dtype like the rules.

A game is a sum of parts if a move changes one of them alone. Its `exact.py` writes a part as a run of words of which
only the game knows the meaning, except for the first: its lowest bits are the number of words, the next ones the part's
weight, a number that no play in the part is longer than (so its nimber is not larger either), and the larger, the more
is to be searched. A part with a single move that leaves nothing is the one word `SINGLE`; a part without moves may be
left out. Equal words are parts of equal nimbers: the better a game finds one way to write parts that are images of each
other, or equal in some less obvious way, the less is searched twice.

Where play is long and moves are few, proof numbers find their way better than the order by weight: the game then says
`nimber_search="proof-number"` in its Spec. It then also has `tabulate(options, memory)`, which returns an array with the nimbers of small
parts that it finds beforehand in less than so many bytes, perhaps of none, and `place`, where in it a part is. Nobody
can interrupt it: with the usual memory it takes no more than a second. What it fills is no longer there for the search.
What stands there is below 58, as no larger nimber can be told.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from fourcorners.core.dispatch import STUB, State, require_function, resolve
from fourcorners.core.jit import jitable

Words = NDArray[np.uint64]
Ends = NDArray[np.int64]

LONGEST = 63  # words of a part, the first included
SINGLE = np.uint64(1 << 8 | 1)
GAME_BITS = 32  # the first word from here on is the game's
_LENGTH, _WEIGHT, _WEIGHT_SHIFT = np.uint64(0xFF), np.uint64(0xFFFFFF), np.uint64(8)


@jitable
def header(length: int, weight: int) -> np.uint64:
    """Return the first word of a part, to which a game may add its own bits."""
    return np.uint64(weight) << _WEIGHT_SHIFT | np.uint64(length)


@jitable
def length_of(first: np.uint64) -> int:
    """Return the number of words of a part by its first one."""
    return np.int64(first & _LENGTH)


@jitable
def weight_of(first: np.uint64) -> int:
    """Return the weight of a part by its first word."""
    return np.int64((first >> _WEIGHT_SHIFT) & _WEIGHT)


def split(s: State, out: Words) -> int:
    """Write the parts of a position one after another; return the number of words, -1 if `out` is too short.

    The record may be worked in.
    """
    return require_function(s, "split")(s, out)


@overload(split, **STUB)
def _split(s: Any, out: Any) -> Any:
    return resolve(s, "split")


def options(s: State, words: Words, at: int, out: Words, ends: Ends) -> int:
    """Write what each move in the part at `words[at]` leaves of it; return how many there are, -1 if there is no room.

    Each option is parts one after another, and ends before the word `ends[i]` of `out`. An option that is as good as
    another one may be left out. `s` is a record to work in: only its options are those of the game.
    """
    return require_function(s, "options")(s, words, at, out, ends)


@overload(options, **STUB)
def _options(s: Any, words: Any, at: Any, out: Any, ends: Any) -> Any:
    return resolve(s, "options")


def place(s: State, words: Words, at: int) -> int:
    """Return where the part at `words[at]` is in the array of nimbers found beforehand; its length or more: nowhere."""
    return int(require_function(s, "place")(s, words, at))


@overload(place, **STUB)
def _place(s: Any, words: Any, at: Any) -> Any:
    return resolve(s, "place")
