"""Where a chain is best cut: all of it is lost to the opponent anyway, but what he can leave over of it may differ."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ZERO, bit, lowest_bit
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.squarin_off.exact.strings_and_coins import GROUND, across, is_one, other_end


@jitable
def best_cut(b: State, n: State, string: int) -> tuple[int, np.uint64]:
    """Return where to cut the chain of a string, and its strings; a string that is in none is a chain by itself.

    Wherever a chain between two places is cut, all of it is lost; what differs is r, which is best when largest.
    """
    chain = bit(string)
    one, first, length_one, chain = _follow_chain(b, n, string, b.ends[string, 0], chain)
    two, last, length_two, chain = _follow_chain(b, n, string, b.ends[string, 1], chain)
    length = length_one + length_two
    if length < 2:
        return string, chain
    if one == two and one != GROUND:
        return string, bit(string)
    if length == 2:
        if length_one == 1:
            return string, chain
        ends = bit(first) | bit(last)
        return lowest_bit(chain & ~ends), chain
    # r is what the two coins at the other end are worth.
    at_first, at_last = _two_coins(b, n, first, one), _two_coins(b, n, last, two)
    return (last if at_first >= at_last else first), chain


@jitable
def _follow_chain(b: State, n: State, string: int, coin: int, chain: np.uint64) -> tuple[int, int, int, np.uint64]:
    """Go along a chain; return what is beyond it, its last string, how many coins it has, and its strings."""
    here = GROUND if coin == GROUND or n.blocked & bit(coin) != ZERO else coin
    length = 0
    while here != GROUND:
        rest = n.free & b.strings[here] & ~bit(string)
        if not is_one(rest):
            break
        length += 1
        chain = chain | rest
        string = lowest_bit(rest)
        here = across(b, n, string, here)
    return here, string, length, chain


@jitable
def _two_coins(b: State, n: State, string: int, beyond: int) -> int:
    """Return what the last two coins of a chain are worth, from its last string."""
    here = other_end(b, n, string) if beyond == GROUND else b.ends[string, 0] + b.ends[string, 1] - beyond
    rest = n.free & b.strings[here] & ~bit(string)
    return b.value[here] + b.value[across(b, n, lowest_bit(rest), here)]
