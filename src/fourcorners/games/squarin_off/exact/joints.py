"""Strings and Coins as a graph of *joints*, for proofs where every coin is worth 1 and no blocker was ever laid.

Only coins with three or four strings, the joints, and the ground matter where they are. What joins two of them is a
*row* of n coins with two strings each: n is 0 for a single string. All strings of a row are the same move, but the
middle one of a row of two, which leaves no handout. So a move changes a few numbers, and so does the key. A node of
`strings_and_coins.py` takes several times as long, but serves values, blockers and estimates, too.

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

_SIZE = 64  # of sets of rows and joints, and more than the coins of any chain
_SHORT = np.uint64(0b110)  # the lengths of chains that leave no handout
_LONGEST_SHORT = 2
_LOOP_HANDOUT, _CHAIN_HANDOUT = 4, 2
_LOOPS = OPEN + _SIZE  # codes of moves: rows below OPEN, then a chain of n coins is OPEN + n, a loop _LOOPS + n
_JOINT_STRINGS = 3
_STATES = 512  # more than (long chains + 1) * (loops + 1) of 62 coins
_GROUND_BOX, _CHAIN_BOX, _LOOP_BOX = 500, 501, 502  # in keys, in place of a box

BOARD = np.dtype(
    [*BOARD_FIELDS, ("box", np.int64, _SIZE), ("margins", np.int64, (2, _STATES)), ("order", np.int64, (3, _SIZE))]
)
"""`box` is by joint; `margins` and `order` are scratch space for `limits`."""
NODE = np.dtype(
    [
        ("safe", np.uint64),  # the rows of no coins
        ("open", np.uint64),  # the rows of some coins
        ("first", np.uint64),  # the sums of the keys of all rows, chains and loops
        ("second", np.uint64),
        ("chain_lengths", np.uint64),  # that independent chains have, as a set
        ("loop_lengths", np.uint64),
        ("left", np.int64),  # how many coins are not won yet
        ("capturable", np.int64),  # as in the other NODE; 0 and NO_HANDOUT except at a root
        ("handout", np.int64),
        ("chains", np.uint8, _SIZE),  # by length: how many independent ones there are
        ("loops", np.uint8, _SIZE),
        ("degree", np.uint8, _SIZE),  # by joint: how many strings it has, 0 if it is none any more
        ("rows", np.uint8, 4 * _SIZE),  # by joint: its rows; one that leads back to it is there twice
        ("begin", np.uint8, _SIZE),  # by row: the joints that it joins, or GROUND
        ("end", np.uint8, _SIZE),
        ("length", np.uint8, _SIZE),
    ]
)


def convert_board(boards: States, nodes: States) -> tuple[States, States] | None:
    """Return arrays of one board and one node for those of `strings_and_coins.py`; None if coins differ in value, or
    blockers or strings without coins matter.
    """
    board, node = view_record(boards), view_record(nodes)
    coins = int(board.coin_count)
    if node.own_blockers or node.other_blockers or node.blocked or node.has_pass or (board.value[:coins] != 1).any():
        return None
    rows = np.zeros(1, BOARD), np.zeros(1, NODE)
    new_board, new_node = view_record(rows[0]), view_record(rows[1])
    new_board.most_links, new_board.most_plies, new_board.step = board.most_links, board.most_plies, 2
    new_board.is_lazy = 1
    new_board.box[:] = board.box
    for i in range(int(node.chains)):
        length, handout = int(node.chain_value[i]), int(node.chain_handout[i])
        if handout not in (NO_HANDOUT if length <= _LONGEST_SHORT else _CHAIN_HANDOUT, _LOOP_HANDOUT):
            return None
        _add_chain(new_node, length) if handout != _LOOP_HANDOUT else _add_loop(new_node, length)
    new_node.left = int(node.value_left)
    new_node.capturable, new_node.handout = node.capturable, node.handout
    _add_rows(board, node, new_board, new_node)
    return rows


def _add_rows(board: State, node: State, new_board: State, new_node: State) -> None:
    """Add the rows of a node to a new one; a row has the number of the string to cut, so moves have the same codes."""
    ends: list[list[int]] = board.ends.tolist()
    strings = [i for i in range(OPEN) if int(node.free) >> i & 1]
    beside: dict[int, list[int]] = defaultdict(list)
    for i in strings:
        for coin in ends[i]:
            beside[coin].append(i)
    joints = {coin for coin, own in beside.items() if len(own) >= _JOINT_STRINGS} - {GROUND}
    while strings:
        # Every row has a joint, because chains and loops are not among the strings.
        start = next(i for i in strings if joints.intersection(ends[i]))
        begin = next(coin for coin in ends[start] if coin in joints)
        row, here = [start], sum(ends[start]) - begin
        while here != GROUND and here not in joints:
            row.append(next(i for i in beside[here] if i != row[-1]))
            here = sum(ends[row[-1]]) - here
        strings = [i for i in strings if i not in row]
        number = int(find_best_cut(board, node, row[0])[0]) if len(row) - 1 == _LONGEST_SHORT else min(row)
        new_node.begin[number], new_node.end[number], new_node.length[number] = begin, here, len(row) - 1
        for joint in {begin, here} - {GROUND} if begin != here else [begin, begin]:
            new_node.rows[4 * joint + int(new_node.degree[joint])] = number
            new_node.degree[joint] += 1
        _link(new_board, new_node, number)


def convert_move(nodes: States, move: int) -> int:
    """Return the code that `margin.py` has for a move of the root; `nodes` is that of `strings_and_coins.py`."""
    if not OPEN <= move < _LOOPS + _SIZE:
        return move
    node, is_loop = view_record(nodes), move >= _LOOPS
    length = move - (_LOOPS if is_loop else OPEN)
    return OPEN + next(
        i
        for i in range(int(node.chains))
        if int(node.chain_value[i]) == length and (int(node.chain_handout[i]) == _LOOP_HANDOUT) == is_loop
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
    shorts = _list_lengths(node.chains, node.chain_lengths & _SHORT, order[0])
    longs = _list_lengths(node.chains, node.chain_lengths & ~_SHORT, order[1])
    loops = _list_lengths(node.loops, node.loop_lengths, order[2])
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
    """Write a set of lengths, each as often as it occurs, the largest first, and return how many there are."""
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
    """Return two words that tell a node from all others that differ in more than the places of chains and loops."""
    if node.capturable == 0 and node.handout == NO_HANDOUT:
        return node.first, node.second
    captures = mix(np.uint64(node.capturable * 65536 + node.handout))
    return node.first + captures, node.second + mix(captures)


@jitable
def moves(board: State, node: State, out: Actions) -> int:
    """Write the moves of a node and return how many: those that give nothing away, from the centre outwards, then the
    others by what they give away. Of parallel rows of one length, and of chains with equal handouts, only one counts.
    """
    if node.capturable > 0 or node.handout != NO_HANDOUT:
        out[0], out[1] = TAKE, HAND_OUT
        return 1 if node.handout == NO_HANDOUT else 2
    count = _list_rows(node, node.safe, 0, 0, out, 0)
    count = _list_rows(node, node.open, 1, 1, out, count)
    count = _list_rows(node, node.open, _LONGEST_SHORT, _LONGEST_SHORT, out, count)
    for lengths in (node.chain_lengths & _SHORT, node.chain_lengths & ~_SHORT):
        if lengths != ZERO:
            out[count] = OPEN + lowest_bit(lengths)
            count += 1
    if node.loop_lengths != ZERO:
        out[count] = _LOOPS + lowest_bit(node.loop_lengths)
        count += 1
    return _list_rows(node, node.open, _LONGEST_SHORT + 1, _SIZE, out, count)


@jitable
def _list_rows(node: State, rows: np.uint64, least: int, most: int, out: Actions, count: int) -> int:
    """Write the rows of a set with `least` to `most` coins to `out` from index `count` on, without all but one of
    parallel ones; return the end.
    """
    while rows != ZERO:
        row = lowest_bit(rows)
        rows = rows & (rows - ONE)
        length = np.int64(node.length[row])
        if least <= length <= most and not _has_twin(node, row, length):
            out[count] = row
            count += 1
    return count


@jitable
def _has_twin(node: State, row: int, length: int) -> bool:
    """Return whether a row with a lower number and the same length joins the same two."""
    begin, end = np.int64(node.begin[row]), np.int64(node.end[row])
    joint = end if begin == GROUND else begin
    for i in range(np.int64(node.degree[joint])):
        other = np.int64(node.rows[4 * joint + i])
        if other < row and np.int64(node.length[other]) == length:
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
    if move >= _LOOPS:
        taken, handout = move - _LOOPS, _LOOP_HANDOUT
        _remove_loop(child, taken)
    elif move >= OPEN:
        taken, handout = move - OPEN, _CHAIN_HANDOUT
        _remove_chain(child, taken)
    else:
        taken, handout = _cut_row(board, child, move), _CHAIN_HANDOUT
    child.left -= taken
    if taken <= _LONGEST_SHORT:
        link[GAIN], link[TURN] = -taken, OTHER
    else:
        link[GAIN], link[TURN] = handout - taken, handout


@jitable
def _cut_row(board: State, node: State, row: int) -> int:
    """Cut a row and capture its coins and whatever follows, in place; return how many coins that are."""
    begin, end, taken = np.int64(node.begin[row]), np.int64(node.end[row]), np.int64(node.length[row])
    _unlink(board, node, row)
    if begin != GROUND:
        _drop_row(node, begin, row)
    if end != GROUND:
        _drop_row(node, end, row)
    if begin == end and np.int64(node.degree[begin]) == 1:
        # A loop on a stem: the joint and the stem are captured, too.
        stem = np.int64(node.rows[4 * begin])
        taken += 1 + np.int64(node.length[stem])
        end = np.int64(node.begin[stem]) + np.int64(node.end[stem]) - begin
        _unlink(board, node, stem)
        node.degree[begin] = 0
        begin = GROUND
        if end != GROUND:
            _drop_row(node, end, stem)
    if begin != GROUND:
        _merge_rows(board, node, begin)
    if end != GROUND:
        _merge_rows(board, node, end)
    return taken


@jitable
def _merge_rows(board: State, node: State, joint: int) -> None:
    """If a joint has only two strings left, make one row, chain or loop of the rows that they belong to, in place."""
    if np.int64(node.degree[joint]) != 2:  # the number of ends of a row
        return
    node.degree[joint] = 0
    one, two = np.int64(node.rows[4 * joint]), np.int64(node.rows[4 * joint + 1])
    if one > two:
        one, two = two, one
    _unlink(board, node, one)
    length = np.int64(node.length[one]) + 1
    if one == two:
        _add_loop(node, length)
        return
    _unlink(board, node, two)
    begin = np.int64(node.begin[one]) + np.int64(node.end[one]) - joint
    end = np.int64(node.begin[two]) + np.int64(node.end[two]) - joint
    length += np.int64(node.length[two])
    if begin == GROUND and end == GROUND:
        _add_chain(node, length)
        return
    node.begin[one], node.end[one], node.length[one] = begin, end, length
    if end != GROUND:
        at = 4 * end
        while np.int64(node.rows[at]) != two:
            at += 1
        node.rows[at] = one
    _link(board, node, one)


@jitable
def _drop_row(node: State, joint: int, row: int) -> None:
    """Remove one occurrence of a row from those of a joint, in place."""
    last = np.int64(node.degree[joint]) - 1
    node.degree[joint] = last
    at = 4 * joint
    while np.int64(node.rows[at]) != row:
        at += 1
    node.rows[at] = node.rows[4 * joint + last]


@jitable
def _link(board: State, node: State, row: int) -> None:
    """Add a row, whose ends and length are set, to the sets of rows and to the key, in place."""
    if np.int64(node.length[row]) > 0:
        node.open = node.open | bit(row)
    else:
        node.safe = node.safe | bit(row)
    _add_key(node, _compute_row_key(board, node, row))


@jitable
def _unlink(board: State, node: State, row: int) -> None:
    """Remove a row from the sets of rows and from the key, in place."""
    node.open, node.safe = node.open & ~bit(row), node.safe & ~bit(row)
    _subtract_key(node, _compute_row_key(board, node, row))


@jitable_wraparound
def _compute_row_key(board: State, node: State, row: int) -> np.uint64:
    """Return the part of the key that belongs to a row: a hash of the boxes that it joins and its length."""
    begin, end = np.int64(node.begin[row]), np.int64(node.end[row])
    one = _GROUND_BOX if begin == GROUND else board.box[begin]
    two = _GROUND_BOX if end == GROUND else board.box[end]
    return _compute_key(min(one, two), max(one, two), np.int64(node.length[row]))


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
def _add_chain(node: State, length: int) -> None:
    """Add an independent chain, in place."""
    node.chains[length] = np.int64(node.chains[length]) + 1
    node.chain_lengths = node.chain_lengths | bit(length)
    _add_key(node, _compute_key(_CHAIN_BOX, 0, length))


@jitable
def _add_loop(node: State, length: int) -> None:
    """Add a loop, in place."""
    node.loops[length] = np.int64(node.loops[length]) + 1
    node.loop_lengths = node.loop_lengths | bit(length)
    _add_key(node, _compute_key(_LOOP_BOX, 0, length))


@jitable
def _remove_chain(node: State, length: int) -> None:
    """Remove an independent chain of a length that occurs, in place."""
    node.chains[length] = np.int64(node.chains[length]) - 1
    if np.int64(node.chains[length]) == 0:
        node.chain_lengths = node.chain_lengths & ~bit(length)
    _subtract_key(node, _compute_key(_CHAIN_BOX, 0, length))


@jitable
def _remove_loop(node: State, length: int) -> None:
    """Remove a loop of a length that occurs, in place."""
    node.loops[length] = np.int64(node.loops[length]) - 1
    if np.int64(node.loops[length]) == 0:
        node.loop_lengths = node.loop_lengths & ~bit(length)
    _subtract_key(node, _compute_key(_LOOP_BOX, 0, length))
