"""Simplify nodes: make all possible captures, and list independent chains and loops.

Let W be the value of the rest for the party that moves first there. A party that can capture T may capture all of it
and move on, which makes T + W, or hand out r of it and have the opponent move on, which makes T - 2r - W. The better of
the two is max(T + W, T - 2r - W) = T - r + |r + W| (Berlekamp, The Dots and Boxes Game, 2000), so the least possible r
is best: the two coins before the end of a chain, or four in a row of a loop.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, popcount
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.squarin_off.exact.chain_endgame import NO_HANDOUT
from fourcorners.games.squarin_off.exact.strings_and_coins import (
    GROUND,
    get_grounded_coin,
    get_other_end,
    is_open_coin,
    is_single,
)


@jitable
def simplify(b: State, n: State, changed: np.uint64) -> None:
    """Capture in place everything that can be captured, then move independent chains and loops to the node's list.

    `changed` are the coins that have lost strings since the node was simplified last. Sets `capturable` and `handout`
    to what was captured and the least of it that could be handed out. No blocker can be laid any more.
    """
    before, captured = n.free, ZERO
    todo = touched = changed
    while todo != ZERO:
        coin = lowest_bit(todo)
        todo = todo & (todo - ONE)
        own = n.free & b.coin_strings[coin]
        if not is_single(own):
            continue
        n.free = n.free & ~own
        captured = captured | bit(coin)
        other = get_other_end(b, n, lowest_bit(own), coin)
        if other == GROUND:
            continue
        if n.free & b.coin_strings[other] == ZERO:
            captured = captured | bit(other)
        else:
            todo = todo | bit(other)
            touched = touched | bit(other)
    n.capturable, n.handout = 0, NO_HANDOUT
    if captured != ZERO:
        _value_captures(b, n, before, captured)
        touched = touched & ~captured
    while touched != ZERO:
        coin = lowest_bit(touched)
        touched = touched & (touched - ONE)
        own = n.free & b.coin_strings[coin]
        if own != ZERO and is_single(own & (own - ONE)):
            _remove_independent_chain(b, n, coin)


@jitable
def _value_captures(b: State, n: State, before: np.uint64, captured: np.uint64) -> None:
    """Set `capturable` to the value of the captured coins and `handout` to the least that could be handed out of it.

    `before` are the strings that were free before the captures. The captured coins form trees. From some trees one
    string leads out: cutting it hands out the coin at that string with one of its neighbours in the tree. From the
    others none does: there, four coins in a row can be handed out.
    """
    total, handout = 0, NO_HANDOUT
    closed_trees = coins = captured
    while coins != ZERO:
        coin = lowest_bit(coins)
        coins = coins & (coins - ONE)
        total += b.value[coin]
        strings = before & b.coin_strings[coin]
        leads_out, cheapest_neighbour = False, NO_HANDOUT
        while strings != ZERO:
            other = get_other_end(b, n, lowest_bit(strings), coin)
            strings = strings & (strings - ONE)
            if other == GROUND or captured & bit(other) == ZERO:
                leads_out = True
            else:
                cheapest_neighbour = min(cheapest_neighbour, b.value[other])
        if leads_out:
            closed_trees = closed_trees & ~_find_tree(b, n, before, captured, coin)
            handout = min(handout, b.value[coin] + cheapest_neighbour)
    if closed_trees != ZERO:
        handout = min(handout, _find_cheapest_four(b, before, closed_trees))
    n.capturable = total
    n.handout = min(handout, NO_HANDOUT)
    n.value_left = np.int64(n.value_left) - total


@jitable
def _find_tree(b: State, n: State, before: np.uint64, captured: np.uint64, coin: int) -> np.uint64:
    """Return the coins joined to `coin` by the strings `before`, directly or by way of others in the set `captured`."""
    found = todo = bit(coin)
    while todo != ZERO:
        here = lowest_bit(todo)
        todo = todo & (todo - ONE)
        strings = before & b.coin_strings[here]
        while strings != ZERO:
            other = get_other_end(b, n, lowest_bit(strings), here)
            strings = strings & (strings - ONE)
            if other != GROUND and captured & bit(other) & ~found != ZERO:
                found = found | bit(other)
                todo = todo | bit(other)
    return found


@jitable
def _find_cheapest_four(b: State, before: np.uint64, coins: np.uint64) -> int:
    """Return the least value of four coins in a row among `coins`, or NO_HANDOUT; no string leads out of `coins`."""
    least, strings = NO_HANDOUT, before
    while strings != ZERO:
        string = lowest_bit(strings)
        strings = strings & (strings - ONE)
        one, two = b.ends[string, 0], b.ends[string, 1]
        if coins & bit(one) != ZERO and coins & bit(two) != ZERO:
            outer_one = _find_cheapest_neighbour(b, before & ~bit(string), one)
            outer_two = _find_cheapest_neighbour(b, before & ~bit(string), two)
            least = min(least, outer_one + b.value[one] + b.value[two] + outer_two)
    return least


@jitable
def _find_cheapest_neighbour(b: State, strings: np.uint64, coin: int) -> int:
    """Return the least value of the coins that `strings` join to a coin, or NO_HANDOUT."""
    least, own = NO_HANDOUT, strings & b.coin_strings[coin]
    while own != ZERO:
        string = lowest_bit(own)
        own = own & (own - ONE)
        least = min(least, b.value[b.ends[string, 0] + b.ends[string, 1] - coin])
    return least


@jitable
def _remove_independent_chain(b: State, n: State, coin: int) -> None:
    """Move the chain or loop of a coin with two strings from the strings to the list, if it is independent.

    The party that opens a chain chooses where, so that the handout is as dear as possible: cut at one end, a chain
    leaves the two coins at the other end. A chain of two coins is cut in its middle, which leaves no handout.
    """
    own = n.free & b.coin_strings[coin]
    string = lowest_bit(own)
    found, here = own, coin
    # Follow the strings in one direction, to the ground or round a loop.
    while True:
        here = get_other_end(b, n, string, here)
        if here in (GROUND, coin):
            break
        rest = n.free & b.coin_strings[here] & ~bit(string)
        if not is_single(rest):
            return
        found = found | rest
        string = lowest_bit(rest)
    if here == coin:
        _add_chain(b, n, found, *_value_loop(b, n, coin, found))
        return
    # From that end follow the whole chain to the other end.
    here, count, total = get_grounded_coin(b, n, string), 0, 0
    first, second, last, before_last = 0, 0, 0, 0
    while True:
        count += 1
        total += b.value[here]
        first = b.value[here] if count == 1 else first
        second = b.value[here] if count == 2 else second
        last, before_last = b.value[here], last
        rest = n.free & b.coin_strings[here] & ~bit(string)
        if not is_single(rest):
            return
        found = found | rest
        string = lowest_bit(rest)
        here = get_other_end(b, n, string, here)
        if here == GROUND:
            break
    _add_chain(b, n, found, total, max(first + second, last + before_last) if count > 2 else NO_HANDOUT)


@jitable
def _add_chain(b: State, n: State, strings: np.uint64, total: int, handout: int) -> None:
    """Remove strings from the node and append the chain or loop that they form to its list."""
    n.free = n.free & ~strings
    n.chain_value[np.int64(n.chains)] = total
    n.chain_handout[np.int64(n.chains)] = handout
    n.chains = np.int64(n.chains) + 1


@jitable
def _value_loop(b: State, n: State, coin: int, strings: np.uint64) -> tuple[int, int]:
    """Return T and r of a coin's loop, cut where the cheapest four neighbours, which are handed out, are dearest."""
    count = popcount(strings)
    values = np.empty(count, np.int64)
    here, string, total = coin, lowest_bit(strings & b.coin_strings[coin]), 0
    for i in range(count):
        values[i] = b.value[here]
        total += values[i]
        here = get_other_end(b, n, string, here)
        string = lowest_bit(strings & b.coin_strings[here] & ~bit(string))
    if count < 4:
        return total, NO_HANDOUT
    handout = 0
    for cut in range(count):
        least = NO_HANDOUT
        for start in range(cut, cut + count - 3):
            four = 0
            for i in range(start, start + 4):
                four += values[i % count]
            least = min(least, four)
        handout = max(handout, least)
    return total, handout


@jitable
def simplify_without_blockers(b: State, n: State) -> None:
    """Simplify a node in place in which no blocker can be laid any more, or whose strings are all new.

    Strings that hold no coin are removed in pairs, because each answers the other; one that is left over is `has_pass`.
    """
    n.own_blockers, n.other_blockers, n.closed = 0, 0, ZERO
    strings = n.free
    while strings != ZERO:
        string = lowest_bit(strings)
        strings = strings & (strings - ONE)
        if not is_open_coin(n, b.ends[string, 0]) and not is_open_coin(n, b.ends[string, 1]):
            n.free = n.free & ~bit(string)
            n.has_pass = 1 - np.int64(n.has_pass)
    simplify(b, n, b.coins & ~n.blocked)
    _drop_isolated_blockers(b, n)


@jitable
def _drop_isolated_blockers(b: State, n: State) -> None:
    """Forget the blocked coins to which no string leads, so that nodes equal in all that matters have equal keys."""
    coins = n.blocked
    while coins != ZERO:
        coin = lowest_bit(coins)
        coins = coins & (coins - ONE)
        if n.free & b.coin_strings[coin] == ZERO:
            n.blocked = n.blocked & ~bit(coin)
