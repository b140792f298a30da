"""Strings and Coins as a graph of *joints*, for proofs where every coin is worth 1 and no blocker was ever laid.

The vertices of the graph are the joints, which are the coins with three or four strings, and the ground. Its edges are
*paths* of n coins with two strings each; a path of no coins is a single string. Cutting any string of a path is the
same move, except that the middle string of a path of two coins leaves no handout, which is better. So a move changes a
few numbers, and the key with them. A node of `strings_and_coins.py` takes several times as long, but it also covers
other values, blockers and estimates.

These are the functions of `core/margin_protocol.py`. Keys are the same on all boards of one game.
"""

from collections import defaultdict

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, mix
from fourcorners.core.dispatch import Actions, State, States, view_record
from fourcorners.core.jit import jitable, jitable_wraparound
from fourcorners.core.margin_protocol import BOARD_FIELDS, GAIN, OTHER, SAME, TURN
from fourcorners.games.squarin_off.exact.chain_endgame import NO_HANDOUT
from fourcorners.games.squarin_off.exact.chain_splits import find_best_cut
from fourcorners.games.squarin_off.exact.margin import HAND_OUT, OPEN, TAKE
from fourcorners.games.squarin_off.exact.strings_and_coins import GROUND

__all__ = ["BOARD", "NODE", "convert_board", "convert_move", "follow", "key", "limits", "moves"]

_SIZE = 64  # of sets of paths and joints; no chain or loop has as many coins
_SHORT = np.uint64(0b110)  # the lengths of chains that leave no handout
_LONGEST_SHORT = 2
_LOOP_HANDOUT, _CHAIN_HANDOUT = 4, 2
_CHAIN, _LOOP = 0, 1  # kinds of components; the code of a move is OPEN + _SIZE * kind + coins, or below OPEN a path
_MOVES_END = OPEN + 2 * _SIZE
_JOINT_STRINGS = 3
_STATES = 512  # more than (long chains + 1) * (loops + 1) of 62 coins
_GROUND_BOX, _COMPONENT_BOX = 500, 501  # in keys, in place of a box; the latter plus the kind

BOARD = np.dtype(
    [*BOARD_FIELDS, ("box", np.int64, _SIZE), ("margins", np.int64, (2, _STATES)), ("order", np.int64, (3, _SIZE))]
)
"""`box` is by joint; `margins` and `order` are scratch space for `limits`."""
NODE = np.dtype(
    [
        ("safe", np.uint64),  # the paths of no coins
        ("open", np.uint64),  # the paths of some coins
        ("first", np.uint64),  # the sums of the keys of all paths, chains and loops
        ("second", np.uint64),
        ("lengths", np.uint64, 2),  # by kind: the lengths of independent chains and of loops, as sets
        ("left", np.int64),  # how many coins are not won yet
        ("capturable", np.int64),  # as in the other NODE; 0 and NO_HANDOUT except at a root
        ("handout", np.int64),
        ("counts", np.uint8, (2, _SIZE)),  # by kind and length: how many chains and loops there are
        ("degree", np.uint8, _SIZE),  # by coin: how many strings it has if it is a joint, otherwise 0
        ("paths", np.uint8, 4 * _SIZE),  # by joint: its paths; one that leads back to it is there twice
        ("begin", np.uint8, _SIZE),  # by path: the joints that it joins, or GROUND
        ("end", np.uint8, _SIZE),
        ("length", np.uint8, _SIZE),
    ]
)


def convert_board(boards: States, nodes: States) -> tuple[States, States] | None:
    """Return arrays of one board and one node for those of `strings_and_coins.py`; None if a coin is not worth 1, or if
    blockers or strings without coins matter.
    """
    board, node = view_record(boards), view_record(nodes)
    coins = int(board.coin_count)
    if node.own_blockers or node.other_blockers or node.blocked or node.has_pass or (board.value[:coins] != 1).any():
        return None
    converted = np.zeros(1, BOARD), np.zeros(1, NODE)
    new_board, new_node = map(view_record, converted)
    new_board.most_links, new_board.most_plies, new_board.step = board.most_links, board.most_plies, 2
    new_board.is_lazy = 1
    new_board.box[:] = board.box
    for i in range(int(node.chains)):
        length, handout = int(node.chain_value[i]), int(node.chain_handout[i])
        if handout not in (NO_HANDOUT if length <= _LONGEST_SHORT else _CHAIN_HANDOUT, _LOOP_HANDOUT):
            return None
        _add_component(new_node, _LOOP if handout == _LOOP_HANDOUT else _CHAIN, length)
    new_node.left = int(node.value_left)
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
        number = int(find_best_cut(board, node, start)[0]) if coins == _LONGEST_SHORT else min(path)
        new_node.begin[number], new_node.end[number], new_node.length[number] = begin, here, coins
        for joint in {begin, here} - {GROUND} if begin != here else [begin, begin]:
            new_node.paths[4 * joint + int(new_node.degree[joint])] = number
            new_node.degree[joint] += 1
        _link(new_board, new_node, number)


def convert_move(nodes: States, move: int) -> int:
    """Return the code that `margin.py` has for a move of the root; `nodes` is that of `strings_and_coins.py`."""
    if not OPEN <= move < _MOVES_END:
        return move
    node, (kind, length) = view_record(nodes), divmod(move - OPEN, _SIZE)
    return OPEN + next(
        i
        for i in range(int(node.chains))
        if int(node.chain_value[i]) == length and (int(node.chain_handout[i]) == _LOOP_HANDOUT) == (kind == _LOOP)
    )


@jitable
def limits(board: State, node: State) -> tuple[int, int]:
    """Return the lower and upper bound of a node's value, equal where nothing but chains and loops is left."""
    if node.safe | node.open == ZERO and node.capturable == 0 and node.handout == NO_HANDOUT:
        value = _solve_chains(board, node)
        return value, value
    left = node.left + node.capturable
    return -left, left


@jitable
def _solve_chains(board: State, node: State) -> int:
    """Return the value of a node in which only chains and loops are left (see `chain_endgame.py`)."""
    order, margins = board.order, board.margins
    shorts = _list_lengths(node.counts[_CHAIN], node.lengths[_CHAIN] & _SHORT, order[0])
    longs = _list_lengths(node.counts[_CHAIN], node.lengths[_CHAIN] & ~_SHORT, order[1])
    loops = _list_lengths(node.counts[_LOOP], node.lengths[_LOOP], order[2])
    width = loops + 1
    for short in range(shorts + 1):
        now, before = margins[short & 1], margins[1 - (short & 1)]
        for i in range(longs + 1):
            for j in range(loops + 1):
                best = -NO_HANDOUT
                if short > 0:
                    best = -(order[0, short - 1] + before[i * width + j])
                if i > 0:
                    rest = _CHAIN_HANDOUT + now[(i - 1) * width + j]
                    best = max(best, -(order[1, i - 1] - _CHAIN_HANDOUT + abs(rest)))
                if j > 0:
                    rest = _LOOP_HANDOUT + now[i * width + j - 1]
                    best = max(best, -(order[2, j - 1] - _LOOP_HANDOUT + abs(rest)))
                now[i * width + j] = 0 if best == -NO_HANDOUT else best
    return margins[shorts & 1, longs * width + loops]


@jitable
def _list_lengths(counts: Actions, lengths: np.uint64, out: Actions) -> int:
    """Write a set of lengths to `out`, each as often as `counts` says, the largest first; return how many that are."""
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
    count = _list_paths(node, node.open, _LONGEST_SHORT, _LONGEST_SHORT, out, count)
    for lengths in (node.lengths[_CHAIN] & _SHORT, node.lengths[_CHAIN] & ~_SHORT):
        if lengths != ZERO:
            out[count] = OPEN + lowest_bit(lengths)
            count += 1
    if node.lengths[_LOOP] != ZERO:
        out[count] = OPEN + _SIZE * _LOOP + lowest_bit(node.lengths[_LOOP])
        count += 1
    return _list_paths(node, node.open, _LONGEST_SHORT + 1, _SIZE, out, count)


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
    handout = _CHAIN_HANDOUT
    if move >= OPEN:
        kind, taken = (move - OPEN) // _SIZE, (move - OPEN) % _SIZE
        _remove_component(child, kind, taken)
        if kind == _LOOP:
            handout = _LOOP_HANDOUT
    else:
        taken = _cut_path(board, child, move)
    child.left -= taken
    if taken <= _LONGEST_SHORT:
        link[GAIN], link[TURN] = -taken, OTHER
    else:
        link[GAIN], link[TURN] = handout - taken, handout


@jitable
def _cut_path(board: State, node: State, path: int) -> int:
    """Cut a path and capture all coins that this makes capturable, in place; return how many that are."""
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
        _add_component(node, _LOOP, length)
        return
    _unlink(board, node, two)
    begin = np.int64(node.begin[one]) + np.int64(node.end[one]) - joint
    end = np.int64(node.begin[two]) + np.int64(node.end[two]) - joint
    length += np.int64(node.length[two])
    if begin == GROUND and end == GROUND:
        _add_component(node, _CHAIN, length)
        return
    node.begin[one], node.end[one], node.length[one] = begin, end, length
    if end != GROUND:
        at = 4 * end
        while np.int64(node.paths[at]) != two:
            at += 1
        node.paths[at] = one
    _link(board, node, one)


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
def _link(board: State, node: State, path: int) -> None:
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
def _add_component(node: State, kind: int, length: int) -> None:
    """Add an independent chain or a loop, in place."""
    node.counts[kind, length] = np.int64(node.counts[kind, length]) + 1
    node.lengths[kind] = node.lengths[kind] | bit(length)
    _add_key(node, _compute_key(_COMPONENT_BOX + kind, 0, length))


@jitable
def _remove_component(node: State, kind: int, length: int) -> None:
    """Remove an independent chain or a loop of a length that occurs, in place."""
    node.counts[kind, length] = np.int64(node.counts[kind, length]) - 1
    if np.int64(node.counts[kind, length]) == 0:
        node.lengths[kind] = node.lengths[kind] & ~bit(length)
    _subtract_key(node, _compute_key(_COMPONENT_BOX + kind, 0, length))
