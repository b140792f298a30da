"""The expected value of a node without blockers, at the horizon of a depth-limited search.

Chains are counted out as if safe strings were cut in some order; the sign for the mover depends on the winner of
Nimstring. The winner can expect more if more coins are in long chains already, and less if there are more long chains,
as each costs a handout. The numbers are fitted to some thousand positions of 5 x 5 boxes of known value
(`docs/experiments/dots-engine.md`).
"""

import numpy as np

from fourcorners.builtin.squarin_off.exact.chain_endgame import NO_HANDOUT, solve_chains
from fourcorners.builtin.squarin_off.exact.chain_splits import find_best_cut, find_chain
from fourcorners.builtin.squarin_off.exact.forced_captures import simplify_node
from fourcorners.builtin.squarin_off.exact.joint_graph import CHAIN_HANDOUT, LONGEST_SHORT
from fourcorners.builtin.squarin_off.exact.nimstring import LOSS, WIN, count_single_moves, find_winner
from fourcorners.builtin.squarin_off.exact.strings_and_coins import MAX_STRINGS, has_blockers, is_open_coin
from fourcorners.core.arrays import State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, popcount
from fourcorners.core.jit import jitable
from fourcorners.solvers.margin_protocol import MOST_EFFORT, NEVER, UNIT, Work

_SHARES = np.array([144, 97, 80, 71, 63, 55, 48, 34, 30], np.int64)
"""The share of the count, in 256ths, that the winner of Nimstring wins, by the number of safe strings."""
# The additional value of a coin in a long chain, and of the chain itself: in UNIT / 2, as the chain gives a fraction.
_LONG_COIN, _LONG_CHAIN = 23, -67
_TEMPO = 6  # the value of being to move, in UNIT
_PARTS_PER_NODE = 2  # the parts of Nimstring, with all their moves, that take as long as a node of a search
_MOST_PARTS = _PARTS_PER_NODE * (MOST_EFFORT - 1)
MOST_SAFE = 8
"""With more safe strings, Nimstring takes too long."""


@jitable
def estimate(board: State, node: State, work: Work) -> int:
    """Return the expected value of a node without blockers, in UNIT to a point."""
    safe, counted = count_out(board, node, work.nodes[0])
    return weigh_count(board, node, count_single_moves(node), safe, counted, _weigh_long_chains(board, node), work)


@jitable
def weigh_count(
    board: State, node: State, single_moves: np.uint64, safe: int, counted: int, long_chains: int, work: Work
) -> int:
    """Return the expected value of a node, in UNIT to a point.

    `safe` and `counted` are the results of `count_out`, `long_chains` is the sum of `weigh_long_chain`, and
    `single_moves` is the number of the node's chains that are one move of Nimstring each.
    """
    captured, handout = np.int64(node.capturable), np.int64(node.handout)
    value = _TEMPO
    if safe <= MOST_SAFE:
        share = max(0, abs(counted) * UNIT * _SHARES[safe] // 256 + long_chains // 2)
        winner, searched = find_winner(board, node.free, single_moves, work, _MOST_PARTS)
        work.effort[0] += searched // _PARTS_PER_NODE
        value += share if winner == WIN else -share if winner == LOSS else 0
    if handout == NO_HANDOUT:
        return captured * UNIT + value
    return (captured - handout) * UNIT + abs(handout * UNIT + value)


@jitable
def weigh_long_chain(coins: int) -> int:
    """Return the gain of the winner of Nimstring from a chain of `coins` coins, in UNIT / 2; 0 if it is not long."""
    return coins * _LONG_COIN + _LONG_CHAIN if coins > LONGEST_SHORT else 0


@jitable
def _weigh_long_chains(board: State, node: State) -> int:
    """Return the sum of `weigh_long_chain` over the chains of a node, those between junctions included."""
    weight, strings = 0, node.free
    while strings != ZERO:
        coins, chain = find_chain(board, node, lowest_bit(strings))
        strings = strings & ~chain
        weight += weigh_long_chain(coins)
    # Fitted where every coin is worth 1, so that the value of a chain is the number of its coins.
    for i in range(np.int64(node.chains)):
        if np.int64(node.chain_handout[i]) == CHAIN_HANDOUT:
            weight += weigh_long_chain(np.int64(node.chain_value[i]))
    return weight


@jitable
def count_plies_to_estimates(board: State, node: State, work: Work) -> int:
    """Return the number of safe strings to cut until Nimstring can be searched.

    It is 0 if there are captures to decide about, and NEVER with blockers.
    """
    if has_blockers(node) or node.blocked != ZERO:
        return NEVER
    if np.int64(node.capturable) > 0:
        return 0
    safe, _ = count_out(board, node, work.nodes[0])
    return max(0, safe - MOST_SAFE)


@jitable
def count_out(board: State, node: State, scratch: State) -> tuple[int, int]:
    """Return the number of safe strings that the parties cut in some order, and the mover's margin if chains then
    decide.

    The margin is 0 if there are too many kinds of chains. `scratch` is overwritten. The node's captures are ignored.
    """
    scratch.free, scratch.blocked, scratch.value_left = node.free, node.blocked, node.value_left
    scratch.chains, scratch.has_pass, scratch.closed = node.chains, node.has_pass, node.closed
    scratch.own_blockers, scratch.other_blockers = 0, 0
    for i in range(np.int64(node.chains)):
        scratch.chain_value[i], scratch.chain_handout[i] = node.chain_value[i], node.chain_handout[i]
    safe = np.int64(node.has_pass)
    strings = scratch.free
    while strings != ZERO:
        string = lowest_bit(strings)
        strings = strings & (strings - ONE)
        if _is_safe(board, scratch, string):
            scratch.free = scratch.free & ~bit(string)
            changed = (bit(board.ends[string, 0]) | bit(board.ends[string, 1])) & board.coins & ~scratch.blocked
            simplify_node(board, scratch, changed)
            strings = strings & scratch.free
            safe += 1
    while scratch.free != ZERO:
        _open_cheapest(board, scratch)
    value = 0
    if scratch.chains > 0:
        _, value = solve_chains(scratch.chain_value, scratch.chain_handout, np.int64(scratch.chains))
    return safe, -value if safe & 1 else value


@jitable
def _is_safe(board: State, node: State, string: int) -> bool:
    """Return whether cutting a string leaves two strings or more at each of its coins."""
    for side in range(2):
        coin = board.ends[string, side]
        if is_open_coin(node, coin):
            rest = node.free & board.coin_strings[coin] & ~bit(string)
            if rest & (rest - ONE) == ZERO:
                return False
    return True


@jitable
def _open_cheapest(board: State, node: State) -> None:
    """Open the shortest chain of the strings as if it were independent: move it to the list of chains."""
    best, least = -1, MAX_STRINGS + 1
    strings = node.free
    while strings != ZERO:
        string = lowest_bit(strings)
        cut, chain = find_best_cut(board, node, string)
        strings = strings & ~(chain | bit(string))
        length = popcount(chain)
        if length < least:
            best, least = cut, length
    node.free = node.free & ~bit(best)
    simplify_node(board, node, (bit(board.ends[best, 0]) | bit(board.ends[best, 1])) & board.coins & ~node.blocked)
    if np.int64(node.capturable) > 0 or np.int64(node.handout) != NO_HANDOUT:
        last = np.int64(node.chains)
        node.chain_value[last], node.chain_handout[last] = node.capturable, node.handout
        node.chains = last + 1
