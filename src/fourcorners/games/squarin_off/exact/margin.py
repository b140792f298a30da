"""Exact play of Squarin' Off: what the solvers ask of its nodes (see `strings.py`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, mix, popcount
from fourcorners.core.dispatch import Actions, State, view_record
from fourcorners.core.errors import SolverLimit
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.core.margin_protocol import GAIN, OTHER, SAME, TURN
from fourcorners.games.squarin_off.exact.book import known
from fourcorners.games.squarin_off.exact.chain_endgame import ALL, worth_of_gifts
from fourcorners.games.squarin_off.exact.chain_splits import best_cut
from fourcorners.games.squarin_off.exact.forced_captures import lay_bare, settle
from fourcorners.games.squarin_off.exact.graph import enter
from fourcorners.games.squarin_off.exact.isomorphism import certificate
from fourcorners.games.squarin_off.exact.strings_and_coins import (
    BOARD,
    GROUND,
    MOST_STRINGS,
    NODE,
    has_blockers,
    is_coin,
)

__all__ = ["BOARD", "NODE", "effort", "enter", "follow", "key", "known", "limits", "moves"]

_BYTE = np.uint64(255)


@jitable
def limits(b: State, n: State) -> tuple[int, int]:
    """Bound the value by all that is left; gifts alone are counted out."""
    left = np.int64(n.left) + np.int64(n.taken)
    if n.free == ZERO and n.passes == 0 and n.taken == 0 and n.hand == ALL:
        if n.gifts == 0:
            return 0, 0
        found, value = worth_of_gifts(n.gift, n.back, np.int64(n.gifts))
        if found:
            return value, value
    return -left, left


@jitable_wraparound
def key(b: State, n: State) -> tuple[np.uint64, np.uint64]:
    """Return words for what hangs together how, with the gifts in any order; while there are blockers places matter."""
    one, two = _least_image(b, n) if has_blockers(n) else certificate(b, n)
    stock = (np.int64(n.own) * 16 + np.int64(n.others)) * 2 + np.int64(n.passes)
    # Mixed twice, not to look like a gift.
    rest = mix(mix(np.uint64((stock * 65536 + np.int64(n.taken)) * 65536 + np.int64(n.hand))))
    for i in range(np.int64(n.gifts)):
        rest += mix(np.uint64(np.int64(n.gift[i]) * 65536 + np.int64(n.back[i])))
    return mix(one + mix(rest)), mix(two) + rest


@jitable_wraparound
def _least_image(b: State, n: State) -> tuple[np.uint64, np.uint64]:
    """Return words for the least image under the board's symmetries."""
    free, blocked, closed = n.free, n.blocked, n.closed
    for image in range(b.images):
        other = _carry_strings(b, image, n.free)
        if other > free:
            continue
        other_blocked, other_closed = _carry_coins(b, image, n.blocked), _carry_coins(b, image, n.closed)
        if other < free or other_blocked < blocked or (other_blocked == blocked and other_closed < closed):
            free, blocked, closed = other, other_blocked, other_closed
    return mix(free + mix(blocked + mix(closed + b.salt))), mix(closed + mix(free + mix(blocked ^ b.salt)))


@jitable
def _carry_strings(b: State, image: int, strings: np.uint64) -> np.uint64:
    carried = ZERO
    for i in range(b.string_bytes):
        carried = carried | b.string_image[image, i, np.int64((strings >> np.uint64(8 * i)) & _BYTE)]
    return carried


@jitable
def _carry_coins(b: State, image: int, coins: np.uint64) -> np.uint64:
    carried = ZERO
    for i in range(8):
        carried = carried | b.coin_image[image, i, np.int64((coins >> np.uint64(8 * i)) & _BYTE)]
    return carried


# Moves: a string; a gift; cutting the string that holds nothing; taking all and moving on, or leaving some; a blocker
# on a coin, and a string of the coin.
_GIFT, _PASS, _TAKE, _LEAVE, _BLOCKER = 64, 200, 201, 202, 256


@jitable
def moves(b: State, n: State, out: Actions) -> int:
    """Write the moves: strings from the middle outwards, of gifts with the same r the least, blockers last.

    When no blocker can be laid any more, one string of a chain will do.
    """
    if np.int64(n.taken) > 0 or np.int64(n.hand) != ALL:
        out[0], out[1] = _TAKE, _LEAVE
        return 1 if np.int64(n.hand) == ALL else 2
    count = 0
    idle, blockers = False, has_blockers(n)
    strings = n.free
    while strings != ZERO:
        string = lowest_bit(strings)
        strings = strings & (strings - ONE)
        if b.twins[string] & strings != ZERO or (idle and not _holds(b, n, string)):
            continue
        idle = idle or not _holds(b, n, string)
        if not blockers:
            string, chain = best_cut(b, n, string)
            strings = strings & ~chain
        out[count] = string
        count += 1
    for i in range(np.int64(n.gifts)):
        if _is_least(n, i):
            out[count] = _GIFT + i
            count += 1
    if n.passes != 0:
        out[count] = _PASS
        count += 1
    if np.int64(n.own) > 0:
        count = _list_blockers(b, n, out, count)
    return count


@jitable
def _holds(b: State, n: State, string: int) -> bool:
    """Tell whether a string holds a coin that can still be won; of those that hold none one is as good as another."""
    return is_coin(n, b.ends[string, 0]) or is_coin(n, b.ends[string, 1])


@jitable
def _list_blockers(b: State, n: State, out: Actions, count: int) -> int:
    coins = b.coins & ~n.closed
    while coins != ZERO:
        coin = lowest_bit(coins)
        coins = coins & (coins - ONE)
        strings = n.free & b.strings[coin]
        while strings != ZERO:
            string = lowest_bit(strings)
            strings = strings & (strings - ONE)
            if b.twins[string] & strings == ZERO:
                out[count] = _BLOCKER + 64 * coin + string
                count += 1
    return count


@jitable
def follow(b: State, n: State, move: int, child: State, link: NDArray[np.int64]) -> None:
    """Play a move on a copy of its node, and write the link."""
    if move >= _BLOCKER:
        coin = (move - _BLOCKER) >> 6
        child.blocked = n.blocked | bit(coin)
        child.closed = n.closed | b.near[coin]
        child.left = np.int64(n.left) - b.value[coin]
        child.own = np.int64(n.own) - 1
        _cut(b, child, link, move & 63, b.classic != 0)
    elif move in (_TAKE, _LEAVE):
        child.taken, child.hand = 0, ALL
        gain = np.int64(n.taken)
        link[GAIN] = gain if move == _TAKE else gain - 2 * np.int64(n.hand)
        link[TURN] = SAME if move == _TAKE else OTHER
    elif move == _PASS:
        child.passes = 0
        link[GAIN], link[TURN] = 0, OTHER
    elif move >= _GIFT:
        _take_gift(child, move - _GIFT)
        _hand_over(child, link, 0)
    elif has_blockers(n):
        _cut(b, child, link, move, True)
    else:
        child.free = n.free & ~bit(move)
        settle(b, child, (bit(b.ends[move, 0]) | bit(b.ends[move, 1])) & b.coins & ~n.blocked)
        _hand_over(child, link, 0)


@jitable
def _hand_over(child: State, link: NDArray[np.int64], gain: int) -> None:
    """Write the link to a settled child in which the opponent is to move; what he can capture goes into it."""
    taken, hand = np.int64(child.taken), np.int64(child.hand)
    child.taken, child.hand = 0, ALL
    if hand == ALL:
        link[GAIN], link[TURN] = gain - taken, OTHER
    else:
        link[GAIN], link[TURN] = gain - taken + hand, hand


@jitable
def _is_least(n: State, i: int) -> bool:
    """Tell whether a gift is the first of the least of those with its r."""
    for j in range(np.int64(n.gifts)):
        if n.back[j] == n.back[i] and (n.gift[j] < n.gift[i] or (j < i and n.gift[j] == n.gift[i])):
            return False
    return True


@jitable
def _take_gift(child: State, i: int) -> None:
    last = np.int64(child.gifts) - 1
    child.taken, child.hand = child.gift[i], child.back[i]
    child.left = np.int64(child.left) - np.int64(child.gift[i])
    child.gift[i], child.back[i] = child.gift[last], child.back[last]
    child.gifts = last


@jitable
def _cut(b: State, child: State, link: NDArray[np.int64], string: int, goes_on: bool) -> None:  # noqa: FBT001  # not by keyword
    """Cut a string while blockers are about; write the link."""
    child.free = child.free & ~bit(string)
    gain, won = 0, False
    for side in range(2):
        coin = b.ends[string, side]
        if coin != GROUND and child.free & b.strings[coin] == ZERO:
            if child.blocked & bit(coin) == ZERO:
                gain += b.value[coin]
                won = True
            child.closed = child.closed | bit(coin)
            child.blocked = child.blocked & ~bit(coin)
    child.left = np.int64(child.left) - gain
    own, others = np.int64(child.own), np.int64(child.others)
    if not (won and goes_on):
        child.own, child.others = others, own
    if own + others == 0 or b.coins & ~child.closed == ZERO:
        lay_bare(b, child)
    if won and goes_on:
        link[GAIN], link[TURN] = gain, SAME
    else:
        _hand_over(child, link, gain)


_ENDLESS = 300.0
"""An exponent that is beyond all patience, and that a float can hold."""


def effort(s: State) -> float:
    """Return about how many nodes it takes to solve a position; infinity if it is too large.

    For two parties fitted to some fifty positions and the boards of `docs/solved.md`, none of which is off by more than
    a factor of five; blockers, and more parties, are guessed from few.
    """
    players, held = int(s.players), int(s.held) if int(s.room) > 0 else 0
    if players > 2 and int(s.purses) != 1:
        return 10.0 ** min(_ENDLESS, 0.4 * int(s.left) + 0.5 * held)
    if held > 0 and int(s.left) > MOST_STRINGS:
        return float("inf")
    try:
        boards, nodes = enter(None, s)
    except SolverLimit:
        return float("inf")
    coins = int(view_record(boards).coin_count)
    extra = max(0, popcount(view_record(nodes).free) - coins)
    power = 0.95 + 0.127 * extra - 0.043 * coins + 0.0118 * extra * coins
    return 10.0 ** (max(power, 0.3) + (1.6 + 0.2 * held if held else 0.0))
