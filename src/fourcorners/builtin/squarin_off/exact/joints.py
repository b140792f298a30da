"""The exact play of Squarin' Off where every coin is worth 1 and no blocker was ever laid: functions over joints.

These are the functions of `solvers/margin_protocol.py` for the nodes of `joint_graph.py`. Keys are the same on all
boards of one game.
"""

from collections import defaultdict

import numpy as np

from fourcorners.builtin.squarin_off.exact.chain_endgame import NO_HANDOUT
from fourcorners.builtin.squarin_off.exact.chain_splits import find_best_cut
from fourcorners.builtin.squarin_off.exact.joint_estimates import count_plies_to_estimates, estimate
from fourcorners.builtin.squarin_off.exact.joint_graph import (
    BOARD,
    CHAIN,
    CHAIN_HANDOUT,
    LONGEST_SHORT,
    LOOP,
    LOOP_HANDOUT,
    NODE,
    SHORT_LENGTHS,
    SIZE,
    add_component,
    cut_path,
    link_path,
    remove_component,
    solve_components,
)
from fourcorners.builtin.squarin_off.exact.margin import HAND_OUT, OPEN, TAKE
from fourcorners.builtin.squarin_off.exact.strings_and_coins import GROUND
from fourcorners.core.arrays import Actions, State, States
from fourcorners.core.bits import ONE, ZERO, lowest_bit, mix
from fourcorners.core.dispatch import view_record
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.solvers.margin_protocol import GAIN, OTHER, SAME, TURN

__all__ = [
    "BOARD",
    "NODE",
    "convert_board",
    "convert_move",
    "count_plies_to_estimates",
    "estimate",
    "follow",
    "key",
    "limits",
    "moves",
]

# The code of a move is a path below OPEN, otherwise OPEN + SIZE * kind + coins of a component.
_MOVES_END = OPEN + 2 * SIZE
_JOINT_STRINGS = 3


def convert_board(boards: States, nodes: States) -> tuple[States, States] | None:
    """Return arrays of one board and one node for those of `strings_and_coins.py`; None if a coin is not worth 1, if
    blockers or strings without coins matter, or if a chain or loop is worth SIZE or more.
    """
    board, node = view_record(boards), view_record(nodes)
    coins = int(board.coin_count)
    if node.own_blockers or node.other_blockers or node.blocked or node.has_pass or (board.value[:coins] != 1).any():
        return None
    converted = np.zeros(1, BOARD), np.zeros(1, NODE)
    new_board, new_node = map(view_record, converted)
    new_board.most_links, new_board.most_plies, new_board.step = board.most_links, board.most_plies, 2
    new_board.is_lazy = 1
    for field in ("ends", "coin_strings", "string_salt", "beside", "box", "coins"):
        new_board[field] = board[field]
    for i in range(int(node.chains)):
        length, handout = int(node.chain_value[i]), int(node.chain_handout[i])
        if length >= SIZE or handout not in (NO_HANDOUT if length <= LONGEST_SHORT else CHAIN_HANDOUT, LOOP_HANDOUT):
            return None
        add_component(new_node, LOOP if handout == LOOP_HANDOUT else CHAIN, length)
    new_node.left, new_node.free = int(node.value_left), node.free
    new_node.capturable, new_node.handout = node.capturable, node.handout
    _add_paths(board, node, new_board, new_node)
    return converted


def _add_paths(board: State, node: State, new_board: State, new_node: State) -> None:
    """Add the paths of a node to a new one. The number of a path is that of the string to cut, so moves have the same
    codes in both.
    """
    ends: list[list[int]] = board.ends.tolist()
    strings = [i for i in range(OPEN) if int(node.free) >> i & 1]
    beside: dict[int, list[int]] = defaultdict(list)
    for i in strings:
        for coin in ends[i]:
            beside[coin].append(i)
    joints = {coin for coin, own in beside.items() if len(own) >= _JOINT_STRINGS} - {GROUND}
    while strings:
        # Every path has a joint, because chains and loops are not among the strings.
        start = next(i for i in strings if joints.intersection(ends[i]))
        begin = next(coin for coin in ends[start] if coin in joints)
        path, here = [start], sum(ends[start]) - begin
        while here != GROUND and here not in joints:
            path.append(next(i for i in beside[here] if i != path[-1]))
            here = sum(ends[path[-1]]) - here
        strings = [i for i in strings if i not in path]
        coins = len(path) - 1
        number = int(find_best_cut(board, node, start)[0]) if coins == LONGEST_SHORT else min(path)
        new_node.begin[number], new_node.end[number], new_node.length[number] = begin, here, coins
        for joint in {begin, here} - {GROUND} if begin != here else [begin, begin]:
            new_node.paths[4 * joint + int(new_node.degree[joint])] = number
            new_node.degree[joint] += 1
        link_path(new_board, new_node, number)


def convert_move(nodes: States, move: int) -> int:
    """Return the code that `margin.py` has for a move of the root; `nodes` is that of `strings_and_coins.py`."""
    if not OPEN <= move < _MOVES_END:
        return move
    node, (kind, length) = view_record(nodes), divmod(move - OPEN, SIZE)
    return OPEN + next(
        i
        for i in range(int(node.chains))
        if int(node.chain_value[i]) == length and (int(node.chain_handout[i]) == LOOP_HANDOUT) == (kind == LOOP)
    )


@jitable
def limits(board: State, node: State) -> tuple[int, int]:
    """Return the lower and upper bound of a node's value, equal where only chains and loops are left."""
    if node.safe | node.open == ZERO and node.capturable == 0 and node.handout == NO_HANDOUT:
        value = solve_components(board, node)
        return value, value
    left = node.left + node.capturable
    return -left, left


@jitable_wraparound
def key(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    """Return two words that identify a node, except that they do not depend on where its chains and loops lie."""
    if node.capturable == 0 and node.handout == NO_HANDOUT:
        return node.first, node.second
    captures = mix(np.uint64(node.capturable * 65536 + node.handout))
    return node.first + captures, node.second + mix(captures)


@jitable
def moves(board: State, node: State, out: Actions) -> int:
    """Write the moves of a node and return how many: those that give nothing away, from the centre outwards, then the
    others by what they give away. Parallel paths of equal length are one move; of the short chains, of the long chains
    and of the loops only the shortest is a move.
    """
    if node.capturable > 0 or node.handout != NO_HANDOUT:
        out[0], out[1] = TAKE, HAND_OUT
        return 1 if node.handout == NO_HANDOUT else 2
    count = _list_paths(node, node.safe, 0, 0, out, 0)
    count = _list_paths(node, node.open, 1, 1, out, count)
    count = _list_paths(node, node.open, LONGEST_SHORT, LONGEST_SHORT, out, count)
    for lengths in (node.lengths[CHAIN] & SHORT_LENGTHS, node.lengths[CHAIN] & ~SHORT_LENGTHS):
        if lengths != ZERO:
            out[count] = OPEN + lowest_bit(lengths)
            count += 1
    if node.lengths[LOOP] != ZERO:
        out[count] = OPEN + SIZE * LOOP + lowest_bit(node.lengths[LOOP])
        count += 1
    return _list_paths(node, node.open, LONGEST_SHORT + 1, SIZE, out, count)


@jitable
def _list_paths(node: State, paths: np.uint64, least: int, most: int, out: Actions, count: int) -> int:
    """Write the paths of a set that have `least` to `most` coins to `out`, from index `count` on, and return the index
    after the last one. Of parallel paths of equal length only one is written.
    """
    while paths != ZERO:
        path = lowest_bit(paths)
        paths = paths & (paths - ONE)
        length = np.int64(node.length[path])
        if least <= length <= most and not _has_twin(node, path, length):
            out[count] = path
            count += 1
    return count


@jitable
def _has_twin(node: State, path: int, length: int) -> bool:
    """Return whether a path with a lower number and the same length has the same ends."""
    begin, end = np.int64(node.begin[path]), np.int64(node.end[path])
    joint = end if begin == GROUND else begin
    for i in range(np.int64(node.degree[joint])):
        other = np.int64(node.paths[4 * joint + i])
        if other < path and np.int64(node.length[other]) == length:
            one, two = np.int64(node.begin[other]), np.int64(node.end[other])
            if (one == begin and two == end) or (one == end and two == begin):
                return True
    return False


@jitable
def follow(board: State, node: State, move: int, child: State, link: Actions) -> None:
    """Play one of the `moves` on `child`, at first a copy of `node`, in place; write its GAIN and TURN into `link`."""
    if move in (TAKE, HAND_OUT):
        child.capturable, child.handout = 0, NO_HANDOUT
        link[GAIN] = node.capturable - (0 if move == TAKE else 2 * node.handout)
        link[TURN] = SAME if move == TAKE else OTHER
        return
    handout = CHAIN_HANDOUT
    if move >= OPEN:
        kind, taken = (move - OPEN) // SIZE, (move - OPEN) % SIZE
        remove_component(child, kind, taken)
        if kind == LOOP:
            handout = LOOP_HANDOUT
    else:
        taken = cut_path(board, child, move)
    child.left -= taken
    if taken <= LONGEST_SHORT:
        link[GAIN], link[TURN] = -taken, OTHER
    else:
        link[GAIN], link[TURN] = handout - taken, handout
