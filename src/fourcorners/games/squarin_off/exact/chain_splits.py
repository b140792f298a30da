"""The best string to cut in a chain: all of the chain is lost anyway, but the handout depends on where it is opened."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ZERO, bit, lowest_bit
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.squarin_off.exact.strings_and_coins import GROUND, get_grounded_coin, get_other_end, is_single


@jitable
def find_best_cut(b: State, n: State, string: int) -> tuple[int, np.uint64]:
    """Return the best string to cut in the chain that contains `string`, and the set of its strings.

    A string that belongs to no chain is a chain by itself. Wherever the chain between two ends is cut, the opponent
    wins all of its coins. What differs is the handout r: the larger it is, the better for the party that cuts.
    """
    chain = bit(string)
    end_one, first, length_one, chain = _follow_chain(b, n, string, b.ends[string, 0], chain)
    end_two, last, length_two, chain = _follow_chain(b, n, string, b.ends[string, 1], chain)
    length = length_one + length_two
    if length < 2:
        return string, chain
    if end_one == end_two and end_one != GROUND:
        # The chain returns to the same junction. No cut is known to be best there, so every string is tried.
        return string, bit(string)
    if length == 2:
        # Cut the middle string: then neither of the two coins can be handed out.
        return lowest_bit(chain & ~(bit(first) | bit(last))), chain
    # Cut at one end, the chain leaves the two coins at the other end as its handout.
    at_first, at_last = _sum_end_coins(b, n, first, end_one), _sum_end_coins(b, n, last, end_two)
    return (last if at_first >= at_last else first), chain


@jitable
def _follow_chain(b: State, n: State, string: int, coin: int, chain: np.uint64) -> tuple[int, int, int, np.uint64]:
    """Follow a chain from `string` in the direction of `coin`, to the ground or a coin with other than two strings.

    Return that end, the last string of the chain, how many coins the chain has on the way, and `chain` with the strings
    of the way added.
    """
    here = GROUND if coin == GROUND or n.blocked & bit(coin) != ZERO else coin
    length = 0
    while here != GROUND:
        rest = n.free & b.coin_strings[here] & ~bit(string)
        if not is_single(rest):
            break
        length += 1
        chain = chain | rest
        string = lowest_bit(rest)
        here = get_other_end(b, n, string, here)
    return here, string, length, chain


@jitable
def _sum_end_coins(b: State, n: State, string: int, end: int) -> int:
    """Return the value of the last two coins of a chain with the last string `string`, which leads to `end`."""
    here = get_grounded_coin(b, n, string) if end == GROUND else b.ends[string, 0] + b.ends[string, 1] - end
    rest = n.free & b.coin_strings[here] & ~bit(string)
    return b.value[here] + b.value[get_other_end(b, n, lowest_bit(rest), here)]
