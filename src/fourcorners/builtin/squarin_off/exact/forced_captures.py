"""Simplify nodes: make all possible captures, and list independent chains and loops.

Let W be the value of the rest for the party that moves first there. A party that can capture T may capture all of it
and move on, which makes T + W, or hand out r of it and have the opponent move on, which makes T - 2r - W. The better of
the two is max(T + W, T - 2r - W) = T - r + |r + W| (Berlekamp, The Dots and Boxes Game, 2000), so the least possible r
is best: the two coins before the end of a chain, or four in a row of a loop.
"""

import numpy as np

from fourcorners.builtin.squarin_off.exact.chain_endgame import NO_HANDOUT
from fourcorners.builtin.squarin_off.exact.strings_and_coins import (
    GROUND,
    get_grounded_coin,
    get_other_end,
    is_open_coin,
    is_single,
)
from fourcorners.core.arrays import State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, popcount
from fourcorners.core.jit import jitable


@jitable
def simplify_node(board: State, node: State, changed: np.uint64) -> None:
    """Capture in place everything that can be captured, then move independent chains and loops to the node's list.

    `changed` is the set of coins, not blocked, that have lost strings since the last simplification. Set `capturable`
    to the value of the captured coins (0 for none), subtract it from `value_left`, and set `handout` to the least of it
    that could be handed out, or NO_HANDOUT. No blocker may be laid any more, and the list needs room for chains.
    """
    before, captured = node.free, ZERO
    todo = touched = changed
    while todo != ZERO:
        coin = lowest_bit(todo)
        todo = todo & (todo - ONE)
        own = node.free & board.coin_strings[coin]
        if not is_single(own):
            continue
        node.free = node.free & ~own
        captured = captured | bit(coin)
        other = get_other_end(board, node, lowest_bit(own), coin)
        if other == GROUND:
            continue
        if node.free & board.coin_strings[other] == ZERO:
            captured = captured | bit(other)
        else:
            todo = todo | bit(other)
            touched = touched | bit(other)
    node.capturable, node.handout = 0, NO_HANDOUT
    if captured != ZERO:
        _value_captures(board, node, before, captured)
        touched = touched & ~captured
    while touched != ZERO:
        coin = lowest_bit(touched)
        touched = touched & (touched - ONE)
        own = node.free & board.coin_strings[coin]
        if own != ZERO and is_single(own & (own - ONE)):
            _remove_independent_chain(board, node, coin)


@jitable
def _value_captures(board: State, node: State, before: np.uint64, captured: np.uint64) -> None:
    """Set `capturable` to the value of the captured coins and `handout` to the least that could be handed out of it.

    Also subtracts that value from `value_left`. `before` is the set of strings that were free before the captures. The
    captured coins, one or more, form trees; their strings are already cut. From some trees one string led out: cutting
    it hands out the coin at that string with one of its neighbours in the tree. From the others none did: there, four
    coins in a row can be handed out. `handout` is the least over all trees, NO_HANDOUT if none can hand out any.
    """
    total, handout = 0, NO_HANDOUT
    closed_trees = coins = captured
    while coins != ZERO:
        coin = lowest_bit(coins)
        coins = coins & (coins - ONE)
        total += board.value[coin]
        strings = before & board.coin_strings[coin]
        leads_out, cheapest_neighbour = False, NO_HANDOUT
        while strings != ZERO:
            other = get_other_end(board, node, lowest_bit(strings), coin)
            strings = strings & (strings - ONE)
            if other == GROUND or captured & bit(other) == ZERO:
                leads_out = True
            else:
                cheapest_neighbour = min(cheapest_neighbour, board.value[other])
        if leads_out:
            closed_trees = closed_trees & ~_find_tree(board, node, before, captured, coin)
            handout = min(handout, board.value[coin] + cheapest_neighbour)
    if closed_trees != ZERO:
        handout = min(handout, _find_cheapest_four(board, before, closed_trees))
    node.capturable = total
    node.handout = min(handout, NO_HANDOUT)
    node.value_left = np.int64(node.value_left) - total


@jitable
def _find_tree(board: State, node: State, before: np.uint64, captured: np.uint64, coin: int) -> np.uint64:
    """Return the set of coins that strings of the set `before` join to `coin` through the set `captured`."""
    found = todo = bit(coin)
    while todo != ZERO:
        here = lowest_bit(todo)
        todo = todo & (todo - ONE)
        strings = before & board.coin_strings[here]
        while strings != ZERO:
            other = get_other_end(board, node, lowest_bit(strings), here)
            strings = strings & (strings - ONE)
            if other != GROUND and captured & bit(other) & ~found != ZERO:
                found = found | bit(other)
                todo = todo | bit(other)
    return found


@jitable
def _find_cheapest_four(board: State, before: np.uint64, coins: np.uint64) -> int:
    """Return the least value of four coins in a row of a set that no string of `before` leaves; NO_HANDOUT if none."""
    least, strings = NO_HANDOUT, before
    while strings != ZERO:
        string = lowest_bit(strings)
        strings = strings & (strings - ONE)
        one, two = board.ends[string, 0], board.ends[string, 1]
        if coins & bit(one) != ZERO and coins & bit(two) != ZERO:
            outer_one = _find_least_neighbour_value(board, before & ~bit(string), one)
            outer_two = _find_least_neighbour_value(board, before & ~bit(string), two)
            least = min(least, outer_one + board.value[one] + board.value[two] + outer_two)
    return least


@jitable
def _find_least_neighbour_value(board: State, strings: np.uint64, coin: int) -> int:
    """Return the least value of the coins that strings of a set join to a coin; NO_HANDOUT if none does.
    The coin's own strings in the set must not lead to the ground (the border or a blocked coin); no others count.
    """
    least, own = NO_HANDOUT, strings & board.coin_strings[coin]
    while own != ZERO:
        string = lowest_bit(own)
        own = own & (own - ONE)
        least = min(least, board.value[board.ends[string, 0] + board.ends[string, 1] - coin])
    return least


@jitable
def _remove_independent_chain(board: State, node: State, coin: int) -> None:
    """Move the chain or loop of a coin with two strings from the strings to the list, if it is independent.

    A chain is independent if both its ends are ground; otherwise the node stays as it is. The party that opens a chain
    chooses where, so that the handout is as dear as possible: cut at one end, a chain leaves the two coins at the other
    end. A chain of two coins is cut in its middle, which leaves no handout.
    """
    own = node.free & board.coin_strings[coin]
    string = lowest_bit(own)
    found, here = own, coin
    # Follow the strings in one direction, to the ground or round a loop.
    while True:
        here = get_other_end(board, node, string, here)
        if here in (GROUND, coin):
            break
        rest = node.free & board.coin_strings[here] & ~bit(string)
        if not is_single(rest):
            return
        found = found | rest
        string = lowest_bit(rest)
    if here == coin:
        _add_chain(board, node, found, *_value_loop(board, node, coin, found))
        return
    # From that end follow the whole chain to the other end.
    here, count, total = get_grounded_coin(board, node, string), 0, 0
    first, second, last, before_last = 0, 0, 0, 0
    while True:
        count += 1
        total += board.value[here]
        first = board.value[here] if count == 1 else first
        second = board.value[here] if count == 2 else second
        last, before_last = board.value[here], last
        rest = node.free & board.coin_strings[here] & ~bit(string)
        if not is_single(rest):
            return
        found = found | rest
        string = lowest_bit(rest)
        here = get_other_end(board, node, string, here)
        if here == GROUND:
            break
    _add_chain(board, node, found, total, max(first + second, last + before_last) if count > 2 else NO_HANDOUT)


@jitable
def _add_chain(board: State, node: State, strings: np.uint64, total: int, handout: int) -> None:
    """Remove a set of strings from the node and append their chain or loop to its list, which needs room."""
    node.free = node.free & ~strings
    node.chain_value[np.int64(node.chains)] = total
    node.chain_handout[np.int64(node.chains)] = handout
    node.chains = np.int64(node.chains) + 1


@jitable
def _value_loop(board: State, node: State, coin: int, strings: np.uint64) -> tuple[int, int]:
    """Return T and r of the loop through a coin, or T and NO_HANDOUT if it has fewer than four coins.
    `strings` is the set of its strings. It is cut where the cheapest four in a row, the handout, are dearest.
    """
    count = popcount(strings)
    values = np.empty(count, np.int64)
    here, string, total = coin, lowest_bit(strings & board.coin_strings[coin]), 0
    for i in range(count):
        values[i] = board.value[here]
        total += values[i]
        here = get_other_end(board, node, string, here)
        string = lowest_bit(strings & board.coin_strings[here] & ~bit(string))
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
def simplify_without_blockers(board: State, node: State) -> None:
    """Simplify, in place, a never simplified node where no blocker can be laid: none in hand, or every coin closed.
    Forgets the blockers in hand, `closed`, and blocked coins without strings. Strings that hold no coin are removed in
    pairs, because each answers the other; one left over is `has_pass`. Then calls `simplify_node` for all coins.
    """
    node.own_blockers, node.other_blockers, node.closed = 0, 0, ZERO
    strings = node.free
    while strings != ZERO:
        string = lowest_bit(strings)
        strings = strings & (strings - ONE)
        if not is_open_coin(node, board.ends[string, 0]) and not is_open_coin(node, board.ends[string, 1]):
            node.free = node.free & ~bit(string)
            node.has_pass = 1 - np.int64(node.has_pass)
    simplify_node(board, node, board.coins & ~node.blocked)
    _drop_isolated_blockers(board, node)


@jitable
def _drop_isolated_blockers(board: State, node: State) -> None:
    """Forget, in place, the blocked coins without strings, so that nodes equal in all that matters have equal keys."""
    coins = node.blocked
    while coins != ZERO:
        coin = lowest_bit(coins)
        coins = coins & (coins - ONE)
        if node.free & board.coin_strings[coin] == ZERO:
            node.blocked = node.blocked & ~bit(coin)
