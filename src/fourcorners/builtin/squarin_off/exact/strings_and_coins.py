"""Squarin' Off as Strings and Coins, the dual game that the solvers play: boxes are coins, free edges are strings.

A string joins two coins, or a coin and the *ground*: the border, or a blocked box. A player who cuts the last string
of a coin wins it. As long as blockers can be laid, a node holds all strings that are not cut. After that a node is
*simplified*: nothing can be captured in it, and its independent chains and loops are no longer strings but entries in a
list, each with its value T and the value r of its *handout*, the coins that a player in control leaves to the opponent.

In all functions of this folder `board` is a record of BOARD and `node` one of NODE; strings and coins are numbers from
0, and sets of them are words with a bit for each member.
"""

import numpy as np

from fourcorners.core.arrays import State
from fourcorners.core.bits import ONE, ZERO, bit
from fourcorners.core.jit import jitable
from fourcorners.solvers.margin_protocol import BOARD_FIELDS

MAX_STRINGS = 64
MAX_COINS = 62
MAX_CHAINS = 64
HASH_SLOTS = 1024
GROUND, NO_COIN = 63, 62
"""In place of a coin: the ground, and the far end of a string that is cut."""
GROUND_BOX = -1
"""In place of a box: the ground."""
_MAX_SYMMETRIES = 7

# Sets of strings and sets of coins are words with a bit for each member. A coin has four *slots*, one for each side of
# its box; slot k of coin i has the index 4 * i + k.
BOARD = np.dtype(
    [
        *BOARD_FIELDS,
        ("ends", np.int64, (MAX_STRINGS, 2)),  # by string: the coins that it joins, or GROUND
        ("coin_strings", np.uint64, 64),  # by coin: its strings
        ("string_salt", np.uint64, MAX_STRINGS),  # by string: a hash of the boxes that it joins
        ("beside", np.uint64, MAX_STRINGS),  # by string: those that share a coin with it, and itself
        ("value", np.int64, 64),  # by coin
        ("box", np.int64, 64),  # by coin: its box in the record
        ("parallel", np.uint64, MAX_STRINGS),  # by string to the border: all strings that join its coin to the border
        ("near", np.uint64, 64),  # by coin, while blockers can be laid: the coins that one on it closes to blockers
        ("coins", np.uint64),
        ("coin_count", np.int64),
        ("string_count", np.int64),
        ("edge", np.int64, MAX_STRINGS),  # by string: its edge, on a board that `fill_board` has made
        ("slot_string", np.uint64, 256),  # by slot: its string as a set of one; empty if the coin has fewer strings
        ("slot_end", np.uint64, 256),  # by slot: the coin at the other end of its string
        ("classic", np.int64),
        # Used while blockers can be laid, when places on the board matter.
        ("salt", np.uint64),  # a hash of the graph, so that boards do not share keys
        ("symmetries", np.int64),  # how many of the next two tables are filled
        ("string_bytes", np.int64),  # how many bytes of a set of strings are used
        ("string_image", np.uint64, (_MAX_SYMMETRIES, 8, 256)),  # by symmetry, byte number and byte: a set of strings
        ("coin_image", np.uint64, (_MAX_SYMMETRIES, 8, 256)),  # likewise: a set of coins
        # Scratch space of `isomorphism.py`.
        ("slot_neighbour", np.uint64, 256),  # by slot: the coin at the other end, or GROUND or NO_COIN
        ("label", np.uint64, 64),  # by coin
        ("mixed", np.uint64, 64),  # by coin: its label, scrambled
        ("hash_slots", np.uint64, HASH_SLOTS),
        ("hash_epoch", np.uint64),
    ]
)
"""The fixed data of a solve, and scratch space for one thread."""
NODE = np.dtype(
    [
        ("free", np.uint64),  # the strings that are not cut
        ("blocked", np.uint64),  # the coins with a blocker that still have a string
        ("closed", np.uint64),  # while blockers can be laid: the coins that can take none
        ("value_left", np.int16),  # the value of all coins not won yet
        ("capturable", np.int16),  # what the party to move can capture at once
        ("handout", np.int16),  # the least of it that the party can hand out, or NO_HANDOUT
        ("own_blockers", np.int8),  # of the party to move
        ("other_blockers", np.int8),
        ("has_pass", np.int8),  # 1 if there is a string that holds no coin: cutting it passes the turn
        ("chains", np.int8),  # how many entries of the next two lists are used
        ("squarin_pad", np.uint8, 4),  # has a unique name, because no other game may have an equal dtype
        ("chain_value", np.int16, MAX_CHAINS),  # T
        ("chain_handout", np.int16, MAX_CHAINS),  # r, or NO_HANDOUT where the opponent must capture all
    ]
)


@jitable
def get_other_end(board: State, node: State, string: int, coin: int) -> int:
    """Return the coin at the other end of a string, which must join `coin`; GROUND if that is ground or blocked."""
    other = board.ends[string, 0] + board.ends[string, 1] - coin
    return GROUND if node.blocked & bit(other) != ZERO else other


@jitable
def get_grounded_coin(board: State, node: State, string: int) -> int:
    """Return the coin of a string that joins a coin to the ground or to a blocked coin; it must be such a string."""
    first = board.ends[string, 0]
    return board.ends[string, 1] if first == GROUND or node.blocked & bit(first) != ZERO else first


@jitable
def is_single(members: np.uint64) -> bool:
    """Return whether a set has exactly one member."""
    return members != ZERO and members & (members - ONE) == ZERO


@jitable
def is_open_coin(node: State, end: int) -> bool:
    """Return whether an end of a string is a coin that can still be won, not the ground or a blocked box."""
    return end != GROUND and node.blocked & bit(end) == ZERO


@jitable
def has_blockers(node: State) -> bool:
    """Return whether blockers can still be laid."""
    return np.int64(node.own_blockers) + np.int64(node.other_blockers) > 0
