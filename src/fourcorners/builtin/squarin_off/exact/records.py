"""Boards and nodes of records where no blocker can be laid any more, made by compiled code."""

import numpy as np

from fourcorners.builtin.squarin_off.exact.chain_endgame import NO_HANDOUT
from fourcorners.builtin.squarin_off.exact.forced_captures import simplify_without_blockers
from fourcorners.builtin.squarin_off.exact.strings_and_coins import (
    GROUND,
    GROUND_BOX,
    MAX_CHAINS,
    MAX_COINS,
    MAX_STRINGS,
)
from fourcorners.builtin.squarin_off.rules import (
    BLOCKED,
    BOX_SLOTS,
    SIDES,
    count_edges,
    find_boxes_beside,
    get_box_stop,
    is_free,
)
from fourcorners.core.arrays import State
from fourcorners.core.bits import ONE, ZERO, bit, mix, popcount
from fourcorners.core.jit import jitable


@jitable
def is_open_box(s: State, box: int) -> bool:
    """Return whether a box of the board, not of its border, can still be won."""
    byte = np.int64(s.box[box])
    return byte & BLOCKED == 0 and byte & SIDES < 4


@jitable
def measure_centre_distance(s: State, one: int, two: int) -> float:
    """Return a measure of how far the string between two boxes, GROUND_BOX or not, is from the centre of the board.

    A string to the ground is a little farther; one box at least must not be the ground. Strings are tried in this
    order, from the centre outwards (Barker and Korf, Solving Dots-And-Boxes, 2012). One order for all nodes lets
    different lines of play meet in the same nodes, which saves more than an order by promise does.
    """
    stride = np.int64(s.cols) + 1
    middle_x, middle_y = stride / 2, (np.int64(s.rows) + 1) / 2
    first, second = min(one, two), max(one, two)
    is_grounded = first == GROUND_BOX
    first = second if is_grounded else first
    x = ((first % stride - middle_x) + (second % stride - middle_x)) / 2
    y = ((first // stride - middle_y) + (second // stride - middle_y)) / 2
    return x * x + y * y + (abs(x) + abs(y) + 0.25 if is_grounded else 0.0)


@jitable
def connect_strings(board: State) -> None:
    """Fill in what follows from a board's strings and coins: `ends` and `box`, as many as its counts say, in place."""
    coins = np.int64(board.coin_count)
    board.coins = (ONE << np.uint64(coins)) - ONE
    for coin in range(coins):
        board.coin_strings[coin] = ZERO
    for slot in range(4 * coins):
        board.slot_string[slot] = ZERO
    grounded = ZERO
    for i in range(board.string_count):
        boxes = ZERO
        for side in range(2):
            coin, other = board.ends[i, side], board.ends[i, 1 - side]
            boxes = boxes << np.uint64(16)
            if coin == GROUND:
                grounded = grounded | bit(i)
                continue
            boxes = boxes | np.uint64(board.box[coin])
            slot = 4 * coin + popcount(board.coin_strings[coin])
            board.slot_string[slot], board.slot_end[slot] = bit(i), np.uint64(other)
            board.coin_strings[coin] = board.coin_strings[coin] | bit(i)
        board.string_salt[i] = mix(boxes)
    for i in range(board.string_count):
        beside = ZERO
        for side in range(2):
            if board.ends[i, side] != GROUND:
                beside = beside | board.coin_strings[board.ends[i, side]]
        board.beside[i] = beside
        board.parallel[i] = ZERO if grounded & bit(i) == ZERO else (beside & grounded) | bit(i)


@jitable
def fill_board(s: State, board: State) -> bool:
    """Write the board of a record, over any other; return False if a blocker can be laid, or if it is too large."""
    if np.int64(s.blockers_left) > 0 and np.int64(s.blocker_moves) > 0:
        return False
    coin_of, coins = np.full(BOX_SLOTS, GROUND), 0
    for box in range(np.int64(s.cols) + 2, get_box_stop(s)):
        if box % (np.int64(s.cols) + 1) != 0 and is_open_box(s, box):
            if coins == MAX_COINS:
                return False
            coin_of[box], board.box[coins], board.value[coins] = coins, box, s.value[box]
            coins += 1
    distance, strings = np.empty(MAX_STRINGS, np.float64), 0
    for edge in range(count_edges(s)):
        one, two = find_boxes_beside(s, edge)
        if not is_free(s, edge) or (coin_of[one] == GROUND and coin_of[two] == GROUND):
            continue
        if strings == MAX_STRINGS:
            return False
        if coin_of[two] == GROUND:
            one, two = two, one
        # As everywhere, the ground comes first, and strings are in the order in which they are tried.
        here = measure_centre_distance(s, GROUND_BOX if coin_of[one] == GROUND else one, two)
        at = strings
        while at > 0 and distance[at - 1] > here:
            distance[at], board.edge[at] = distance[at - 1], board.edge[at - 1]
            board.ends[at, 0], board.ends[at, 1] = board.ends[at - 1, 0], board.ends[at - 1, 1]
            at -= 1
        distance[at], board.edge[at] = here, edge
        board.ends[at, 0], board.ends[at, 1] = coin_of[one], coin_of[two]
        strings += 1
    board.coin_count, board.string_count = coins, strings
    board.most_links, board.most_plies = 2 * strings + MAX_CHAINS + 2, strings + MAX_CHAINS + 3
    board.step, board.is_lazy, board.classic = 2, 0, s.classic
    connect_strings(board)
    return True


@jitable
def fill_node(s: State, board: State, node: State) -> None:
    """Write the node of a record, over any other, on the board of this record or of one before it in the same game."""
    free, left = ZERO, 0
    for i in range(board.string_count):
        if is_free(s, board.edge[i]):
            free = free | bit(i)
    for coin in range(board.coin_count):
        if free & board.coin_strings[coin] != ZERO:
            left += board.value[coin]
    node.free, node.blocked, node.value_left = free, ZERO, left
    node.capturable, node.handout, node.chains = 0, NO_HANDOUT, 0
    # All other free edges hold no coin. They cancel in pairs, because each answers the other.
    node.has_pass = (np.int64(s.edges_left) - popcount(free)) & 1
    simplify_without_blockers(board, node)
