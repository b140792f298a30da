"""Strings and Coins as a graph of *joints*, for positions where every coin is worth 1 and no blocker was ever laid.

The vertices of the graph are the joints, which are the coins with three or four strings, and the ground. Its edges are
*paths* of n coins with two strings each; a path of no coins is a single string. Cutting any string of a path is the
same move, except that the middle string of a path of two coins leaves no handout, which is better. So a move changes a
few numbers, and the key with them. A node of `strings_and_coins.py` takes several times as long, but it also covers
other values and blockers.
"""

import numpy as np

from fourcorners.builtin.squarin_off.exact.chain_endgame import NO_HANDOUT
from fourcorners.builtin.squarin_off.exact.strings_and_coins import GROUND, MAX_STRINGS
from fourcorners.core.arrays import Actions, State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, mix
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.solvers.margin_protocol import BOARD_FIELDS

SIZE = 64
"""Of sets of paths and joints; no chain or loop has as many coins."""
SHORT_LENGTHS = np.uint64(0b110)
"""The lengths of chains that leave no handout, as a set."""
LONGEST_SHORT = 2
LOOP_HANDOUT, CHAIN_HANDOUT = 4, 2
CHAIN, LOOP = 0, 1
"""The kinds of components."""
_STATES = 33 * 33  # the most (long chains + 1) * (loops + 1) of a list of 64
_GROUND_BOX, _COMPONENT_BOX = 500, 501  # in keys, in place of a box; the latter plus the kind

BOARD = np.dtype(
    [
        *BOARD_FIELDS,
        # As in the other BOARD.
        ("ends", np.int64, (MAX_STRINGS, 2)),
        ("coin_strings", np.uint64, SIZE),
        ("string_salt", np.uint64, MAX_STRINGS),
        ("beside", np.uint64, MAX_STRINGS),
        ("box", np.int64, SIZE),
        ("coins", np.uint64),
        # Scratch space of `solve_components`.
        ("margins", np.int64, (2, _STATES)),
        ("order", np.int64, (3, SIZE)),
    ]
)
NODE = np.dtype(
    [
        ("safe", np.uint64),  # the paths of no coins
        ("open", np.uint64),  # the paths of some coins
        ("free", np.uint64),  # the strings of all paths
        ("first", np.uint64),  # the sums of the keys of all paths, chains and loops
        ("second", np.uint64),
        ("lengths", np.uint64, 2),  # by kind: the lengths of independent chains and of loops, as sets
        ("left", np.int64),  # the number of coins not won yet
        ("capturable", np.int64),  # as in the other NODE; 0 and NO_HANDOUT except at a root
        ("handout", np.int64),
        ("counts", np.uint8, (2, SIZE)),  # by kind and length: the number of chains and loops
        ("degree", np.uint8, SIZE),  # by coin: its number of strings if it is a joint, otherwise 0
        ("paths", np.uint8, 4 * SIZE),  # by joint: its paths; one that leads back to it is there twice
        ("begin", np.uint8, SIZE),  # by path: the joints that it joins, or GROUND
        ("end", np.uint8, SIZE),
        ("length", np.uint8, SIZE),
    ]
)
"""The number of a path is that of one of its strings."""


@jitable
def cut_path(board: State, node: State, path: int) -> int:
    """Cut a path and capture all coins that this makes capturable, in place; return their number."""
    node.free = node.free & ~_find_strings(board, node, path)
    begin, end, taken = np.int64(node.begin[path]), np.int64(node.end[path]), np.int64(node.length[path])
    _unlink(board, node, path)
    if begin != GROUND:
        _drop_path(node, begin, path)
    if end != GROUND:
        _drop_path(node, end, path)
    if begin == end and np.int64(node.degree[begin]) == 1:
        # The path was a loop at the end of a stem: the joint and the stem are captured, too.
        stem = np.int64(node.paths[4 * begin])
        taken += 1 + np.int64(node.length[stem])
        end = np.int64(node.begin[stem]) + np.int64(node.end[stem]) - begin
        _unlink(board, node, stem)
        node.free = node.free & ~_find_strings(board, node, stem)
        node.degree[begin] = 0
        begin = GROUND
        if end != GROUND:
            _drop_path(node, end, stem)
    if begin != GROUND:
        _merge_paths(board, node, begin)
    if end != GROUND:
        _merge_paths(board, node, end)
    return taken


@jitable
def _find_strings(board: State, node: State, path: int) -> np.uint64:
    """Return the strings of a path, or of the chain or loop that it belongs to if it no longer leads to a joint."""
    strings = bit(path)
    for side in range(2):
        string, here = path, board.ends[path, side]
        while here != GROUND and np.int64(node.degree[here]) == 0:
            rest = node.free & board.coin_strings[here] & ~strings
            if rest == ZERO:
                break  # a loop is back at its first string
            strings = strings | rest
            string = lowest_bit(rest)
            here = board.ends[string, 0] + board.ends[string, 1] - here
    return strings


@jitable
def _merge_paths(board: State, node: State, joint: int) -> None:
    """If a joint has only two strings left, merge their paths into one path, chain or loop, in place."""
    if np.int64(node.degree[joint]) != 2:
        return
    node.degree[joint] = 0
    one, two = np.int64(node.paths[4 * joint]), np.int64(node.paths[4 * joint + 1])
    if one > two:
        one, two = two, one
    _unlink(board, node, one)
    length = np.int64(node.length[one]) + 1
    if one == two:
        node.free = node.free & ~_find_strings(board, node, one)
        add_component(node, LOOP, length)
        return
    _unlink(board, node, two)
    begin = np.int64(node.begin[one]) + np.int64(node.end[one]) - joint
    end = np.int64(node.begin[two]) + np.int64(node.end[two]) - joint
    length += np.int64(node.length[two])
    if begin == GROUND and end == GROUND:
        node.free = node.free & ~_find_strings(board, node, one)
        add_component(node, CHAIN, length)
        return
    node.begin[one], node.end[one], node.length[one] = begin, end, length
    if end != GROUND:
        at = 4 * end
        while np.int64(node.paths[at]) != two:
            at += 1
        node.paths[at] = one
    link_path(board, node, one)


@jitable
def _drop_path(node: State, joint: int, path: int) -> None:
    """Remove one occurrence of a path from those of a joint, in place."""
    last = np.int64(node.degree[joint]) - 1
    node.degree[joint] = last
    at = 4 * joint
    while np.int64(node.paths[at]) != path:
        at += 1
    node.paths[at] = node.paths[4 * joint + last]


@jitable
def link_path(board: State, node: State, path: int) -> None:
    """Add a path, whose ends and length are set, to the sets of paths and to the key, in place."""
    if np.int64(node.length[path]) > 0:
        node.open = node.open | bit(path)
    else:
        node.safe = node.safe | bit(path)
    _add_key(node, _compute_path_key(board, node, path))


@jitable
def _unlink(board: State, node: State, path: int) -> None:
    """Remove a path from the sets of paths and from the key, in place."""
    node.open, node.safe = node.open & ~bit(path), node.safe & ~bit(path)
    _subtract_key(node, _compute_path_key(board, node, path))


@jitable_wraparound
def _compute_path_key(board: State, node: State, path: int) -> np.uint64:
    """Return the part of the key that belongs to a path: a hash of the boxes that it joins and its length."""
    begin, end = np.int64(node.begin[path]), np.int64(node.end[path])
    one = _GROUND_BOX if begin == GROUND else board.box[begin]
    two = _GROUND_BOX if end == GROUND else board.box[end]
    return _compute_key(min(one, two), max(one, two), np.int64(node.length[path]))


@jitable_wraparound
def _compute_key(one: int, two: int, length: int) -> np.uint64:
    """Return a hash of three small numbers."""
    return mix(np.uint64((one * 1024 + two) * 64 + length))


@jitable_wraparound
def _add_key(node: State, word: np.uint64) -> None:
    """Add a part to the key of a node, in place."""
    node.first, node.second = node.first + word, node.second + mix(word)


@jitable_wraparound
def _subtract_key(node: State, word: np.uint64) -> None:
    """Take a part from the key of a node, in place."""
    node.first, node.second = node.first - word, node.second - mix(word)


@jitable
def add_component(node: State, kind: int, length: int) -> None:
    """Add an independent chain or a loop, in place."""
    node.counts[kind, length] = np.int64(node.counts[kind, length]) + 1
    node.lengths[kind] = node.lengths[kind] | bit(length)
    _add_key(node, _compute_key(_COMPONENT_BOX + kind, 0, length))


@jitable
def remove_component(node: State, kind: int, length: int) -> None:
    """Remove an independent chain or a loop of a length that occurs, in place."""
    node.counts[kind, length] = np.int64(node.counts[kind, length]) - 1
    if np.int64(node.counts[kind, length]) == 0:
        node.lengths[kind] = node.lengths[kind] & ~bit(length)
    _subtract_key(node, _compute_key(_COMPONENT_BOX + kind, 0, length))


@jitable
def solve_components(board: State, node: State) -> int:
    """Return the value of a node in which only chains and loops are left (see `chain_endgame.py`)."""
    order, margins = board.order, board.margins
    shorts = _list_lengths(node.counts[CHAIN], node.lengths[CHAIN] & SHORT_LENGTHS, order[0])
    longs = _list_lengths(node.counts[CHAIN], node.lengths[CHAIN] & ~SHORT_LENGTHS, order[1])
    loops = _list_lengths(node.counts[LOOP], node.lengths[LOOP], order[2])
    width = loops + 1
    for short in range(shorts + 1):
        now, before = margins[short & 1], margins[1 - (short & 1)]
        for i in range(longs + 1):
            for j in range(loops + 1):
                best = -NO_HANDOUT
                if short > 0:
                    best = -(order[0, short - 1] + before[i * width + j])
                if i > 0:
                    rest = CHAIN_HANDOUT + now[(i - 1) * width + j]
                    best = max(best, -(order[1, i - 1] - CHAIN_HANDOUT + abs(rest)))
                if j > 0:
                    rest = LOOP_HANDOUT + now[i * width + j - 1]
                    best = max(best, -(order[2, j - 1] - LOOP_HANDOUT + abs(rest)))
                now[i * width + j] = 0 if best == -NO_HANDOUT else best
    return margins[shorts & 1, longs * width + loops]


@jitable
def _list_lengths(counts: Actions, lengths: np.uint64, out: Actions) -> int:
    """Write a set of lengths to `out`, each repeated by its count, the largest first; return their number."""
    n = 0
    while lengths != ZERO:
        length = lowest_bit(lengths)
        lengths = lengths & (lengths - ONE)
        for _ in range(np.int64(counts[length])):
            out[n] = length
            n += 1
    for i in range(n >> 1):
        out[i], out[n - 1 - i] = out[n - 1 - i], out[i]
    return n
