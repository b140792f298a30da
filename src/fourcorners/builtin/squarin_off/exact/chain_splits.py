"""The best string to cut in a chain: all of the chain is lost anyway, but the handout depends on where it is opened."""

import numpy as np

from fourcorners.builtin.squarin_off.exact.strings_and_coins import GROUND, get_grounded_coin, get_other_end, is_single
from fourcorners.core.arrays import State
from fourcorners.core.bits import ZERO, bit, lowest_bit
from fourcorners.core.jit import jitable


@jitable
def find_best_cut(board: State, node: State, string: int) -> tuple[int, np.uint64]:
    """Return the best string to cut in the chain that contains `string`, and the set of its strings.

    `string` is a free string of a simplified node. One that belongs to no chain, or to a chain from a junction back to
    the same one, counts as a chain by itself. Wherever the chain between two ends is cut, the opponent wins all of its
    coins. What differs is the handout r: the larger it is, the better for the party that cuts.
    """
    chain = bit(string)
    end_one, first, length_one, chain = _follow_chain(board, node, string, board.ends[string, 0], chain)
    end_two, last, length_two, chain = _follow_chain(board, node, string, board.ends[string, 1], chain)
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
    at_first, at_last = _sum_end_coins(board, node, first, end_one), _sum_end_coins(board, node, last, end_two)
    return (last if at_first >= at_last else first), chain


@jitable
def find_chain(board: State, node: State, string: int) -> tuple[int, np.uint64]:
    """Return the number of coins between the two ends of the chain of a free string, and the set of its strings.

    The node must be simplified; the two ends may be the same junction.
    """
    _, _, length_one, chain = _follow_chain(board, node, string, board.ends[string, 0], bit(string))
    _, _, length_two, chain = _follow_chain(board, node, string, board.ends[string, 1], chain)
    return length_one + length_two, chain


@jitable
def _follow_chain(
    board: State, node: State, string: int, coin: int, chain: np.uint64
) -> tuple[int, int, int, np.uint64]:
    """Follow a chain from `string` in the direction of `coin`, to the ground or a coin with other than two strings.

    `coin` is one of the two ends of `string`, which must not be part of a loop without a junction, and `chain` the set
    of strings found so far. Return the end of the chain (a coin or GROUND), its last string, how many coins it has on
    the way, and `chain` with the strings of the way added.
    """
    here = GROUND if coin == GROUND or node.blocked & bit(coin) != ZERO else coin
    length = 0
    while here != GROUND:
        rest = node.free & board.coin_strings[here] & ~bit(string)
        if not is_single(rest):
            break
        length += 1
        chain = chain | rest
        string = lowest_bit(rest)
        here = get_other_end(board, node, string, here)
    return here, string, length, chain


@jitable
def _sum_end_coins(board: State, node: State, string: int, end: int) -> int:
    """Return the value of the last two coins of a chain of two or more, whose last string `string` leads to `end`."""
    here = (
        get_grounded_coin(board, node, string) if end == GROUND else board.ends[string, 0] + board.ends[string, 1] - end
    )
    rest = node.free & board.coin_strings[here] & ~bit(string)
    return board.value[here] + board.value[get_other_end(board, node, lowest_bit(rest), here)]
