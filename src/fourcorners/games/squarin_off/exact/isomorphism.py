"""Positions that are the same strings and coins, however they are drawn.

Every coin is given a label that depends on nothing but how the coins hang together: first on its value and its number
of strings, then, round after round, on the labels of its neighbours (colour refinement; Weisfeiler and Leman, 1968).
Coins with equal labels are told apart one at a time until all labels differ. Labels and the labels of neighbours then
say all there is to say of the graph, so equal words mean isomorphic graphs. The reverse holds mostly: where it matters
which of the coins with equal labels was told apart, one graph may have several words, and is searched several times.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit, popcount
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.games.squarin_off.exact.strings_and_coins import GROUND, MOST_MARKS, NOTHING

_ROUNDS = 3
# Any odd numbers whose bits look random.
_GOLDEN, _ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)
_GROUND, _NOTHING = np.uint64(GROUND), np.uint64(NOTHING)
_3, _32, _54 = np.uint64(3), np.uint64(32), np.uint64(54)
_COIN_BITS, _COIN = np.uint64(6), np.uint64(63)
_MARKS = np.uint64(MOST_MARKS - 1)


@jitable_wraparound
def certificate(b: State, n: State) -> tuple[np.uint64, np.uint64]:
    """Return two words that tell the strings and coins of a settled node from all that are not isomorphic to them."""
    coins = np.int64(b.coin_count)
    _draw(b, n, coins)
    for _ in range(_ROUNDS):
        _refine(b, coins)
    for _ in range(coins):
        tied = _first_tie(b, coins)
        if tied < 0:
            break
        b.label[tied] = b.label[tied] * _ODD + _GOLDEN
        _refine(b, coins)
    _mix_labels(b, coins)
    one, two = ZERO, ZERO
    for i in range(coins):
        mine, around = b.mixed[i], _sum_around(b, i)
        both = mine * _GOLDEN + around
        one = one + (both ^ (both >> _32)) * _ODD
        two = two + mine * around
    return one, two


@jitable
def _draw(b: State, n: State, coins: int) -> None:
    """Write the neighbours of every coin, and its first label: 0 for those without strings."""
    free = n.free
    for k in range(4 * coins):
        b.neighbour[k] = b.beyond[k] if free & b.side[k] != ZERO else _NOTHING
    for i in range(coins):
        strings = np.uint64(popcount(free & b.strings[i]))
        b.label[i] = np.uint64(b.value[i]) << _3 | strings if strings != ZERO else ZERO
    if n.blocked != ZERO:
        for k in range(4 * coins):
            if n.blocked & bit(k >> 2) != ZERO:
                b.label[k >> 2], b.neighbour[k] = ZERO, _NOTHING
            elif n.blocked & bit(np.int64(b.neighbour[k])) != ZERO:
                b.neighbour[k] = _GROUND
    b.mixed[GROUND], b.mixed[NOTHING] = _ODD, ZERO


@jitable_wraparound
def _mix_labels(b: State, coins: int) -> None:
    """Scramble the labels; 0 stays 0."""
    for i in range(coins):
        label = b.label[i] * _GOLDEN
        b.mixed[i] = (label ^ (label >> _32)) * _ODD


@jitable_wraparound
def _sum_around(b: State, i: int) -> np.uint64:
    """Add up the scrambled labels of a coin's neighbours."""
    k = 4 * i
    one, two = b.mixed[b.neighbour[k]] + b.mixed[b.neighbour[k + 1]], b.mixed[b.neighbour[k + 2]]
    return one + (two + b.mixed[b.neighbour[k + 3]])


@jitable_wraparound
def _refine(b: State, coins: int) -> None:
    """Add to every label those of its neighbours."""
    _mix_labels(b, coins)
    for i in range(coins):
        b.label[i] = b.label[i] + _sum_around(b, i)


@jitable_wraparound
def _first_tie(b: State, coins: int) -> int:
    """Return the first coin of those that share a label, of several such labels the least; -1 if there are none.

    A mark is the number of this call and a coin, at a place that its label chooses: so nothing need be cleared.
    """
    least, found = ~ZERO, -1
    call = b.calls + ONE
    b.calls = call
    for i in range(coins):
        label = b.label[i]
        if label == ZERO:
            continue
        place = (label * _GOLDEN) >> _54
        while True:
            mark = b.marks[place]
            if mark >> _COIN_BITS != call:
                b.marks[place] = call << _COIN_BITS | np.uint64(i)
                break
            if b.label[mark & _COIN] == label:
                if label < least:
                    least, found = label, np.int64(mark & _COIN)
                break
            place = (place + ONE) & _MARKS
    return found
