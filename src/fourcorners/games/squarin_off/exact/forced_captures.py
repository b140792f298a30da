"""Positions of strings and coins in which nothing is left to be captured.

What is captured at one go is worth T, of which r can be left over for the opponent, to have him move first in the rest,
W: max(T + W, T - 2r - W) = T - r + |r + W| (Berlekamp, The Dots and Boxes Game, 2000). r is the least that can be left:
the two coins before the end of a chain, or four in a row of a loop.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, popcount
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.squarin_off.exact.chain_endgame import ALL
from fourcorners.games.squarin_off.exact.strings_and_coins import GROUND, across, is_coin, is_one, other_end


@jitable
def settle(b: State, n: State, dirty: np.uint64) -> None:
    """Capture whatever can be captured, and turn chains and loops that stand alone into gifts.

    `dirty` are the coins that have lost strings since the node was settled.
    """
    before = n.free
    captured = ZERO
    todo = dirty
    touched = dirty
    while todo != ZERO:
        coin = lowest_bit(todo)
        todo = todo & (todo - ONE)
        own = n.free & b.strings[coin]
        if not is_one(own):
            continue
        n.free = n.free & ~own
        captured = captured | bit(coin)
        other = across(b, n, lowest_bit(own), coin)
        if other == GROUND:
            continue
        if n.free & b.strings[other] == ZERO:
            captured = captured | bit(other)
        else:
            todo = todo | bit(other)
            touched = touched | bit(other)
    n.taken = 0
    n.hand = ALL
    if captured != ZERO:
        _count_captured(b, n, before, captured)
        touched = touched & ~captured
    while touched != ZERO:
        coin = lowest_bit(touched)
        touched = touched & (touched - ONE)
        own = n.free & b.strings[coin]
        if own != ZERO and is_one(own & (own - ONE)):
            _set_apart(b, n, coin)


@jitable
def _count_captured(b: State, n: State, before: np.uint64, captured: np.uint64) -> None:
    """Say how much was captured, and the least that could have been left over.

    What is captured falls into trees. If one string leads out of a tree, the coin there and one behind it can be left:
    the string that leads out is cut, and the two hang together. If none does, four coins in a row can be left.
    """
    taken, hand = 0, ALL
    alone = captured
    coins = captured
    while coins != ZERO:
        coin = lowest_bit(coins)
        coins = coins & (coins - ONE)
        taken += b.value[coin]
        strings = before & b.strings[coin]
        leads_out, behind = False, ALL
        while strings != ZERO:
            other = across(b, n, lowest_bit(strings), coin)
            strings = strings & (strings - ONE)
            if other == GROUND or captured & bit(other) == ZERO:
                leads_out = True
            else:
                behind = min(behind, b.value[other])
        if leads_out:
            alone = alone & ~_reached(b, n, before, captured, coin)
            hand = min(hand, b.value[coin] + behind)
    if alone != ZERO:
        hand = min(hand, _four_in_a_row(b, before, alone))
    n.taken = taken
    n.hand = min(hand, ALL)
    n.left = np.int64(n.left) - taken


@jitable
def _reached(b: State, n: State, before: np.uint64, captured: np.uint64, coin: int) -> np.uint64:
    """Return the coins of the tree to which a captured coin belongs."""
    found = bit(coin)
    todo = found
    while todo != ZERO:
        here = lowest_bit(todo)
        todo = todo & (todo - ONE)
        strings = before & b.strings[here]
        while strings != ZERO:
            other = across(b, n, lowest_bit(strings), here)
            strings = strings & (strings - ONE)
            if other != GROUND and captured & bit(other) & ~found != ZERO:
                found = found | bit(other)
                todo = todo | bit(other)
    return found


@jitable
def _four_in_a_row(b: State, before: np.uint64, alone: np.uint64) -> int:
    """Return the least value of four coins in a row among trees from which no string leads out, or ALL."""
    least = ALL
    strings = before
    while strings != ZERO:
        string = lowest_bit(strings)
        strings = strings & (strings - ONE)
        one, two = b.ends[string, 0], b.ends[string, 1]
        if alone & bit(one) != ZERO and alone & bit(two) != ZERO:
            first = _least_beside(b, before & ~bit(string), one)
            second = _least_beside(b, before & ~bit(string), two)
            least = min(least, first + b.value[one] + b.value[two] + second)
    return least


@jitable
def _least_beside(b: State, strings: np.uint64, coin: int) -> int:
    """Return the least value of the coins that these strings join to a coin, or ALL."""
    least = ALL
    own = strings & b.strings[coin]
    while own != ZERO:
        string = lowest_bit(own)
        own = own & (own - ONE)
        least = min(least, b.value[b.ends[string, 0] + b.ends[string, 1] - coin])
    return least


@jitable
def _set_apart(b: State, n: State, coin: int) -> None:
    """Turn the chain or loop of a coin with two strings into a gift, if it stands alone.

    Whoever opens it chooses where, so as to leave the opponent the dearest r: of a chain the opponent then can leave
    two coins at one end only; a chain of two is opened in its middle, which leaves nothing to choose.
    """
    own = n.free & b.strings[coin]
    string = lowest_bit(own)
    found, here = own, coin
    # Follow the strings one way to the end, or round.
    while True:
        here = across(b, n, string, here)
        if here in (GROUND, coin):
            break
        rest = n.free & b.strings[here] & ~bit(string)
        if not is_one(rest):
            return
        found = found | rest
        string = lowest_bit(rest)
    if here == coin:
        _give(b, n, found, *_loop(b, n, coin, found))
        return
    # From that end go all the way to the other one.
    here, count, total = other_end(b, n, string), 0, 0
    first, second, last, before_last = 0, 0, 0, 0
    while True:
        count += 1
        total += b.value[here]
        first = b.value[here] if count == 1 else first
        second = b.value[here] if count == 2 else second
        last, before_last = b.value[here], last
        rest = n.free & b.strings[here] & ~bit(string)
        if not is_one(rest):
            return
        found = found | rest
        string = lowest_bit(rest)
        here = across(b, n, string, here)
        if here == GROUND:
            break
    _give(b, n, found, total, max(first + second, last + before_last) if count > 2 else ALL)


@jitable
def _give(b: State, n: State, strings: np.uint64, total: int, back: int) -> None:
    n.free = n.free & ~strings
    n.gift[np.int64(n.gifts)] = total
    n.back[np.int64(n.gifts)] = back
    n.gifts = np.int64(n.gifts) + 1


@jitable
def _loop(b: State, n: State, coin: int, strings: np.uint64) -> tuple[int, int]:
    """Return T and r of a loop: cut open, it is a row, of which the opponent leaves the cheapest four in a row."""
    count = popcount(strings)
    values = np.empty(count, np.int64)
    here, string, total = coin, lowest_bit(strings & b.strings[coin]), 0
    for i in range(count):
        values[i] = b.value[here]
        total += values[i]
        here = across(b, n, string, here)
        string = lowest_bit(strings & b.strings[here] & ~bit(string))
    if count < 4:
        return total, ALL
    back = 0
    for cut in range(count):
        least = ALL
        for start in range(cut, cut + count - 3):
            four = 0
            for i in range(start, start + 4):
                four += values[i % count]
            least = min(least, four)
        back = max(back, least)
    return total, back


@jitable
def lay_bare(b: State, n: State) -> None:
    """Make a node in which no blocker can be laid any more a settled one."""
    n.own, n.others, n.closed = 0, 0, ZERO
    strings = n.free
    while strings != ZERO:
        string = lowest_bit(strings)
        strings = strings & (strings - ONE)
        if not is_coin(n, b.ends[string, 0]) and not is_coin(n, b.ends[string, 1]):
            n.free = n.free & ~bit(string)
            n.passes = 1 - np.int64(n.passes)
    settle(b, n, b.coins & ~n.blocked)
    _forget_blocked(b, n)


@jitable
def _forget_blocked(b: State, n: State) -> None:
    """Keep only the blocked coins that strings still lead to: the others make no difference."""
    coins = n.blocked
    while coins != ZERO:
        coin = lowest_bit(coins)
        coins = coins & (coins - ONE)
        if n.free & b.strings[coin] == ZERO:
            n.blocked = n.blocked & ~bit(coin)
