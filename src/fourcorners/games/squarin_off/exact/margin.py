"""The exact play of Squarin' Off: the functions of `core/margin_protocol.py` over the nodes of Strings and Coins.

As everywhere in this folder, `b` is a record of BOARD and `n` one of NODE; see `strings_and_coins.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, mix, popcount
from fourcorners.core.dispatch import Actions, State, view_record
from fourcorners.core.errors import SolverLimit
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.core.margin_protocol import GAIN, OTHER, SAME, TURN
from fourcorners.games.squarin_off.exact.chain_endgame import NO_HANDOUT, solve_chains
from fourcorners.games.squarin_off.exact.chain_splits import find_best_cut
from fourcorners.games.squarin_off.exact.forced_captures import simplify, simplify_without_blockers
from fourcorners.games.squarin_off.exact.graph import enter
from fourcorners.games.squarin_off.exact.isomorphism import compute_certificate
from fourcorners.games.squarin_off.exact.strings_and_coins import (
    BOARD,
    GROUND,
    MAX_STRINGS,
    NODE,
    has_blockers,
    is_open_coin,
)
from fourcorners.games.squarin_off.rules import has_two_parties

__all__ = ["BOARD", "NODE", "enter", "estimate_cost", "follow", "key", "limits", "moves"]

_BYTE = np.uint64(255)


@jitable
def limits(b: State, n: State) -> tuple[int, int]:
    """Return bounds of a node's value: all that is left, or the exact value where only independent chains are left."""
    left = np.int64(n.value_left) + np.int64(n.capturable)
    if n.free == ZERO and n.has_pass == 0 and n.capturable == 0 and n.handout == NO_HANDOUT:
        if n.chains == 0:
            return 0, 0
        is_solved, value = solve_chains(n.chain_value, n.chain_handout, np.int64(n.chains))
        if is_solved:
            return value, value
    return -left, left


@jitable_wraparound
def key(b: State, n: State) -> tuple[np.uint64, np.uint64]:
    """Return two words that together tell a node from all others, but for symmetry: equal keys mean equal values.

    Without blockers the value depends only on how strings and coins hang together, so the key is that of the graph (see
    `isomorphism.py`) and serves all boards. Blockers close the boxes around them, so with them places matter: the key
    is that of the least image under the board's symmetries. The independent chains are added up, as their order makes
    no difference; two rounds of `mix` keep the other numbers from looking like one more chain.
    """
    first, second = _compute_symmetric_key(b, n) if has_blockers(n) else compute_certificate(b, n)
    stock = (np.int64(n.own_blockers) * 16 + np.int64(n.other_blockers)) * 2 + np.int64(n.has_pass)
    rest = mix(mix(np.uint64((stock * 65536 + np.int64(n.capturable)) * 65536 + np.int64(n.handout))))
    for i in range(np.int64(n.chains)):
        rest += mix(np.uint64(np.int64(n.chain_value[i]) * 65536 + np.int64(n.chain_handout[i])))
    return mix(first + mix(rest)), mix(second) + rest


@jitable_wraparound
def _compute_symmetric_key(b: State, n: State) -> tuple[np.uint64, np.uint64]:
    """Return two words for the least image, by free, blocked and closed, of a node's sets under the symmetries."""
    free, blocked, closed = n.free, n.blocked, n.closed
    for symmetry in range(b.symmetries):
        image_free = _map_strings(b, symmetry, n.free)
        if image_free > free:
            continue
        image_blocked, image_closed = _map_coins(b, symmetry, n.blocked), _map_coins(b, symmetry, n.closed)
        if image_free < free or image_blocked < blocked or (image_blocked == blocked and image_closed < closed):
            free, blocked, closed = image_free, image_blocked, image_closed
    return mix(free + mix(blocked + mix(closed + b.salt))), mix(closed + mix(free + mix(blocked ^ b.salt)))


@jitable
def _map_strings(b: State, symmetry: int, strings: np.uint64) -> np.uint64:
    """Return the image of a set of strings under a symmetry, with one table lookup for each byte."""
    image = ZERO
    for i in range(b.string_bytes):
        image = image | b.string_image[symmetry, i, np.int64((strings >> np.uint64(8 * i)) & _BYTE)]
    return image


@jitable
def _map_coins(b: State, symmetry: int, coins: np.uint64) -> np.uint64:
    """Return the image of a set of coins under a symmetry, with one table lookup for each byte."""
    image = ZERO
    for i in range(8):
        image = image | b.coin_image[symmetry, i, np.int64((coins >> np.uint64(8 * i)) & _BYTE)]
    return image


# The codes of moves. Below _OPEN: cut that string. From _OPEN on: open a chain of the list. Then: cut the string that
# holds no coin; capture all that can be captured; hand out some of it. From _BLOCKER on: block a coin and cut a string.
_OPEN, _PASS, _TAKE, _HAND_OUT, _BLOCKER = 64, 200, 201, 202, 256


@jitable
def moves(b: State, n: State, out: Actions) -> int:
    """Write the moves of a node and return how many: strings from the centre outwards, chains to open, blockers last.

    Leaves out moves that are no better than others: all but the cheapest of the chains with equal handouts, all but one
    of the parallel strings, and, when no blocker can be laid any more, all but the best cut of each chain.
    """
    if np.int64(n.capturable) > 0 or np.int64(n.handout) != NO_HANDOUT:
        out[0], out[1] = _TAKE, _HAND_OUT
        return 1 if np.int64(n.handout) == NO_HANDOUT else 2
    count = 0
    has_empty, blockers = False, has_blockers(n)
    strings = n.free
    while strings != ZERO:
        string = lowest_bit(strings)
        strings = strings & (strings - ONE)
        if b.parallel[string] & strings != ZERO or (has_empty and not _holds_coin(b, n, string)):
            continue
        has_empty = has_empty or not _holds_coin(b, n, string)
        if not blockers:
            string, chain = find_best_cut(b, n, string)
            strings = strings & ~chain
        out[count] = string
        count += 1
    for i in range(np.int64(n.chains)):
        if _is_cheapest(n, i):
            out[count] = _OPEN + i
            count += 1
    if n.has_pass != 0:
        out[count] = _PASS
        count += 1
    if np.int64(n.own_blockers) > 0:
        count = _list_blocker_moves(b, n, out, count)
    return count


@jitable
def _holds_coin(b: State, n: State, string: int) -> bool:
    """Return whether a string holds a coin that can still be won; strings that hold none are interchangeable."""
    return is_open_coin(n, b.ends[string, 0]) or is_open_coin(n, b.ends[string, 1])


@jitable
def _list_blocker_moves(b: State, n: State, out: Actions, count: int) -> int:
    """Write the moves with a blocker from index `count` on; return the index after the last."""
    coins = b.coins & ~n.closed
    while coins != ZERO:
        coin = lowest_bit(coins)
        coins = coins & (coins - ONE)
        strings = n.free & b.coin_strings[coin]
        while strings != ZERO:
            string = lowest_bit(strings)
            strings = strings & (strings - ONE)
            if b.parallel[string] & strings == ZERO:
                out[count] = _BLOCKER + 64 * coin + string
                count += 1
    return count


@jitable
def follow(b: State, n: State, move: int, child: State, link: NDArray[np.int64]) -> None:
    """Play a move on `child`, which is a copy of `n`, and write the GAIN and TURN of the link."""
    if move >= _BLOCKER:
        coin = (move - _BLOCKER) >> 6
        child.blocked = n.blocked | bit(coin)
        child.closed = n.closed | b.near[coin]
        child.value_left = np.int64(n.value_left) - b.value[coin]
        child.own_blockers = np.int64(n.own_blockers) - 1
        _cut_with_blockers(b, child, link, move & 63, b.classic != 0)
    elif move in (_TAKE, _HAND_OUT):
        child.capturable, child.handout = 0, NO_HANDOUT
        link[GAIN] = np.int64(n.capturable) - (0 if move == _TAKE else 2 * np.int64(n.handout))
        link[TURN] = SAME if move == _TAKE else OTHER
    elif move == _PASS:
        child.has_pass = 0
        link[GAIN], link[TURN] = 0, OTHER
    elif move >= _OPEN:
        _open_chain(child, move - _OPEN)
        _write_link(child, link, 0)
    elif has_blockers(n):
        _cut_with_blockers(b, child, link, move, True)
    else:
        child.free = n.free & ~bit(move)
        simplify(b, child, (bit(b.ends[move, 0]) | bit(b.ends[move, 1])) & b.coins & ~n.blocked)
        _write_link(child, link, 0)


@jitable
def _write_link(child: State, link: NDArray[np.int64], gain: int) -> None:
    """Write the link to a child in which the opponent moves, after a gain; move the opponent's captures into it."""
    capturable, handout = np.int64(child.capturable), np.int64(child.handout)
    child.capturable, child.handout = 0, NO_HANDOUT
    if handout == NO_HANDOUT:
        link[GAIN], link[TURN] = gain - capturable, OTHER
    else:
        link[GAIN], link[TURN] = gain - capturable + handout, handout


@jitable
def _is_cheapest(n: State, i: int) -> bool:
    """Return whether chain i of the list has the least value of those with its handout, and is the first such chain."""
    for j in range(np.int64(n.chains)):
        if n.chain_handout[j] == n.chain_handout[i] and (
            n.chain_value[j] < n.chain_value[i] or (j < i and n.chain_value[j] == n.chain_value[i])
        ):
            return False
    return True


@jitable
def _open_chain(child: State, i: int) -> None:
    """Remove chain i from the list; its value and its handout become `capturable` and `handout`."""
    last = np.int64(child.chains) - 1
    child.capturable, child.handout = child.chain_value[i], child.chain_handout[i]
    child.value_left = np.int64(child.value_left) - np.int64(child.chain_value[i])
    child.chain_value[i], child.chain_handout[i] = child.chain_value[last], child.chain_handout[last]
    child.chains = last


@jitable
def _cut_with_blockers(b: State, child: State, link: NDArray[np.int64], string: int, goes_on: bool) -> None:  # noqa: FBT001  # compiled code takes no keywords
    """Cut a string where blockers could be laid, keep the turn if `goes_on` and a coin is won, and write the link."""
    child.free = child.free & ~bit(string)
    gain, won = 0, False
    for side in range(2):
        coin = b.ends[string, side]
        if coin != GROUND and child.free & b.coin_strings[coin] == ZERO:
            if child.blocked & bit(coin) == ZERO:
                gain += b.value[coin]
                won = True
            child.closed = child.closed | bit(coin)
            child.blocked = child.blocked & ~bit(coin)
    child.value_left = np.int64(child.value_left) - gain
    own, others = np.int64(child.own_blockers), np.int64(child.other_blockers)
    if not (won and goes_on):
        child.own_blockers, child.other_blockers = others, own
    if own + others == 0 or b.coins & ~child.closed == ZERO:
        simplify_without_blockers(b, child)
    if won and goes_on:
        link[GAIN], link[TURN] = gain, SAME
    else:
        _write_link(child, link, gain)


def estimate_cost(s: State) -> float:
    """Return about how many nodes it takes to solve a position, infinity if it is too large.

    For two parties without blockers the formula is fitted to some fifty positions and the boards of `docs/solved.md`,
    and is within a factor of five for all of them. For blockers and for more parties it is a guess from few cases.
    """
    blockers_left = int(s.blockers_left) if int(s.blocker_moves) > 0 else 0
    if not has_two_parties(s):
        # A search of 10**300 nodes would never end, and this is still a float.
        return 10.0 ** min(300.0, 0.4 * int(s.edges_left) + 0.5 * blockers_left)
    if blockers_left > 0 and int(s.edges_left) > MAX_STRINGS:
        return float("inf")
    try:
        boards, nodes = enter(None, s)
    except SolverLimit:
        return float("inf")
    coins = int(view_record(boards).coin_count)
    extra = max(0, popcount(view_record(nodes).free) - coins)
    power = 0.95 + 0.127 * extra - 0.043 * coins + 0.0118 * extra * coins
    return 10.0 ** (max(power, 0.3) + (1.6 + 0.2 * blockers_left if blockers_left else 0.0))
