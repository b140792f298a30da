"""Certificates of graphs of strings and coins: a graph has the same key anywhere on the board.

Every coin receives a label that depends only on how the coins are connected: at first on its value and its number of
strings, then, round after round, also on the labels of its neighbours (colour refinement; Weisfeiler and Leman, 1968).
While coins share a label, one of them is given a new one and the labels are refined again, until all differ.

Why equal certificates mean equal values: once all labels differ, the labels and the sums of the neighbours' labels
describe the whole graph, so equal certificates mean isomorphic graphs (except for collisions of 128-bit hashes). The
reverse need not hold. Where coins that share a label play different roles, the certificate depends on which of them is
relabelled; then one graph may have several certificates and is searched several times, which costs time and no more.
"""

import numpy as np

from fourcorners.builtin.squarin_off.exact.strings_and_coins import GROUND, HASH_SLOTS, NO_COIN
from fourcorners.core.arrays import State
from fourcorners.core.bits import ONE, ZERO, bit, popcount
from fourcorners.core.jit import jitable, jitable_wraparound

_ROUNDS = 3
# Odd multipliers whose bits look random.
_GOLDEN, _ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)
_GROUND, _NO_COIN = np.uint64(GROUND), np.uint64(NO_COIN)
_3, _32, _54 = np.uint64(3), np.uint64(32), np.uint64(54)
_COIN_BITS, _COIN = np.uint64(6), np.uint64(63)
_LAST_SLOT = np.uint64(HASH_SLOTS - 1)  # a word shifted right by 54 bits is a slot, too


@jitable_wraparound
def compute_certificate(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    """Return two words for a simplified node's strings and coins, not its chains; overwrite the board's scratch."""
    coins = np.int64(board.coin_count)
    _label_coins(board, node, coins)
    for _ in range(_ROUNDS):
        _refine_labels(board, coins)
    for _ in range(coins):
        tied = _find_tie(board, coins)
        if tied < 0:
            break
        board.label[tied] = board.label[tied] * _ODD + _GOLDEN
        _refine_labels(board, coins)
    _mix_labels(board, coins)
    # Sums do not depend on the numbers of the coins.
    first, second = ZERO, ZERO
    for i in range(coins):
        mixed, around = board.mixed[i], _sum_neighbours(board, i)
        both = mixed * _GOLDEN + around
        first = first + (both ^ (both >> _32)) * _ODD
        second = second + mixed * around
    return first, second


@jitable
def _label_coins(board: State, node: State, coins: int) -> None:
    """Write neighbours and first labels (0 without strings) of the board's `coins` coins; blocked ones are ground."""
    free = node.free
    for slot in range(4 * coins):
        board.slot_neighbour[slot] = board.slot_end[slot] if free & board.slot_string[slot] != ZERO else _NO_COIN
    for i in range(coins):
        strings = np.uint64(popcount(free & board.coin_strings[i]))
        board.label[i] = np.uint64(board.value[i]) << _3 | strings if strings != ZERO else ZERO
    if node.blocked != ZERO:
        for slot in range(4 * coins):
            if node.blocked & bit(slot >> 2) != ZERO:
                board.label[slot >> 2], board.slot_neighbour[slot] = ZERO, _NO_COIN
            elif node.blocked & bit(np.int64(board.slot_neighbour[slot])) != ZERO:
                board.slot_neighbour[slot] = _GROUND
    board.mixed[GROUND], board.mixed[NO_COIN] = _ODD, ZERO


@jitable_wraparound
def _mix_labels(board: State, coins: int) -> None:
    """Write the labels of the first `coins` coins to `mixed`, scrambled so that sums seldom collide; 0 stays 0."""
    for i in range(coins):
        label = board.label[i] * _GOLDEN
        board.mixed[i] = (label ^ (label >> _32)) * _ODD


@jitable_wraparound
def _sum_neighbours(board: State, i: int) -> np.uint64:
    """Return the sum, modulo 2**64, of the mixed labels of the neighbours of coin i, the ground among them."""
    k = 4 * i
    one = board.mixed[board.slot_neighbour[k]] + board.mixed[board.slot_neighbour[k + 1]]
    two = board.mixed[board.slot_neighbour[k + 2]]
    return one + (two + board.mixed[board.slot_neighbour[k + 3]])


@jitable_wraparound
def _refine_labels(board: State, coins: int) -> None:
    """Add to each of the first `coins` labels the sum of the coin's neighbours' labels, mixed by `_mix_labels` before.
    All is modulo 2**64; `mixed` is overwritten.
    """
    _mix_labels(board, coins)
    for i in range(coins):
        board.label[i] = board.label[i] + _sum_neighbours(board, i)


@jitable_wraparound
def _find_tie(board: State, coins: int) -> int:
    """Return the first of the coins that share a label; of several such labels take the least; -1 if all labels differ.
    Coins without strings (label 0) are left out. Finds equal labels with a hash table. An entry holds the number of
    this call and a coin, so entries of earlier calls count as empty and the table need not be cleared.
    """
    least, found = ~ZERO, -1
    epoch = board.hash_epoch + ONE
    board.hash_epoch = epoch
    for i in range(coins):
        label = board.label[i]
        if label == ZERO:
            continue
        slot = (label * _GOLDEN) >> _54
        while True:
            entry = board.hash_slots[slot]
            if entry >> _COIN_BITS != epoch:
                board.hash_slots[slot] = epoch << _COIN_BITS | np.uint64(i)
                break
            if board.label[entry & _COIN] == label:
                if label < least:
                    least, found = label, np.int64(entry & _COIN)
                break
            slot = (slot + ONE) & _LAST_SLOT
    return found
