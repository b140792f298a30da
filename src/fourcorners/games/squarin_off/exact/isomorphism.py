"""Certificates of graphs of strings and coins: a graph has the same key anywhere on the board.

Every coin receives a label that depends only on how the coins hang together: at first on its value and its number of
strings, then, round after round, also on the labels of its neighbours (colour refinement; Weisfeiler and Leman, 1968).
While coins share a label, one of them is given a new one and the labels are refined again, until all differ.

Why equal certificates mean equal values: once all labels differ, the labels and the sums of the neighbours' labels
describe the whole graph, so equal certificates mean isomorphic graphs (but for collisions of 128-bit hashes). The
reverse need not hold. Where coins that share a label play different roles, the certificate depends on which of them is
relabelled; then one graph may have several certificates and is searched several times, which costs time and no more.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit, popcount
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.games.squarin_off.exact.strings_and_coins import GROUND, HASH_SLOTS, NO_COIN

_ROUNDS = 3
# Odd multipliers whose bits look random.
_GOLDEN, _ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)
_GROUND, _NO_COIN = np.uint64(GROUND), np.uint64(NO_COIN)
_3, _32, _54 = np.uint64(3), np.uint64(32), np.uint64(54)
_COIN_BITS, _COIN = np.uint64(6), np.uint64(63)
_LAST_SLOT = np.uint64(HASH_SLOTS - 1)


@jitable_wraparound
def compute_certificate(b: State, n: State) -> tuple[np.uint64, np.uint64]:
    """Return two words for a simplified node's strings and coins, not its chains; overwrite the scratch space."""
    coins = np.int64(b.coin_count)
    _label_coins(b, n, coins)
    for _ in range(_ROUNDS):
        _refine_labels(b, coins)
    for _ in range(coins):
        tied = _find_tie(b, coins)
        if tied < 0:
            break
        b.label[tied] = b.label[tied] * _ODD + _GOLDEN
        _refine_labels(b, coins)
    _mix_labels(b, coins)
    # Sums do not depend on the numbers of the coins.
    first, second = ZERO, ZERO
    for i in range(coins):
        mixed, around = b.mixed[i], _sum_neighbours(b, i)
        both = mixed * _GOLDEN + around
        first = first + (both ^ (both >> _32)) * _ODD
        second = second + mixed * around
    return first, second


@jitable
def _label_coins(b: State, n: State, coins: int) -> None:
    """Write the neighbours of every coin and its first label, 0 without strings; blocked coins count as ground."""
    free = n.free
    for slot in range(4 * coins):
        b.slot_neighbour[slot] = b.slot_end[slot] if free & b.slot_string[slot] != ZERO else _NO_COIN
    for i in range(coins):
        strings = np.uint64(popcount(free & b.coin_strings[i]))
        b.label[i] = np.uint64(b.value[i]) << _3 | strings if strings != ZERO else ZERO
    if n.blocked != ZERO:
        for slot in range(4 * coins):
            if n.blocked & bit(slot >> 2) != ZERO:
                b.label[slot >> 2], b.slot_neighbour[slot] = ZERO, _NO_COIN
            elif n.blocked & bit(np.int64(b.slot_neighbour[slot])) != ZERO:
                b.slot_neighbour[slot] = _GROUND
    b.mixed[GROUND], b.mixed[NO_COIN] = _ODD, ZERO


@jitable_wraparound
def _mix_labels(b: State, coins: int) -> None:
    """Write the labels to `mixed`, scrambled so that sums of them seldom collide; 0 stays 0."""
    for i in range(coins):
        label = b.label[i] * _GOLDEN
        b.mixed[i] = (label ^ (label >> _32)) * _ODD


@jitable_wraparound
def _sum_neighbours(b: State, i: int) -> np.uint64:
    """Return the sum of the mixed labels of a coin's neighbours, the ground among them."""
    k = 4 * i
    one = b.mixed[b.slot_neighbour[k]] + b.mixed[b.slot_neighbour[k + 1]]
    two = b.mixed[b.slot_neighbour[k + 2]]
    return one + (two + b.mixed[b.slot_neighbour[k + 3]])


@jitable_wraparound
def _refine_labels(b: State, coins: int) -> None:
    """Add to every label those of the coin's neighbours."""
    _mix_labels(b, coins)
    for i in range(coins):
        b.label[i] = b.label[i] + _sum_neighbours(b, i)


@jitable_wraparound
def _find_tie(b: State, coins: int) -> int:
    """Return the first of the coins that share a label; of several such labels take the least; -1 if all labels differ.

    Finds equal labels with a hash table. An entry holds the number of this call and a coin, so entries of earlier
    calls count as empty and the table need not be cleared.
    """
    least, found = ~ZERO, -1
    epoch = b.hash_epoch + ONE
    b.hash_epoch = epoch
    for i in range(coins):
        label = b.label[i]
        if label == ZERO:
            continue
        slot = (label * _GOLDEN) >> _54
        while True:
            entry = b.hash_slots[slot]
            if entry >> _COIN_BITS != epoch:
                b.hash_slots[slot] = epoch << _COIN_BITS | np.uint64(i)
                break
            if b.label[entry & _COIN] == label:
                if label < least:
                    least, found = label, np.int64(entry & _COIN)
                break
            slot = (slot + ONE) & _LAST_SLOT
    return found
