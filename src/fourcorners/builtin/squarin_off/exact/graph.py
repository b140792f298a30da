"""Convert positions to boards and nodes of Strings and Coins; this runs in Python, once for each position."""

import functools
import hashlib
from itertools import product
from typing import NamedTuple

import numpy as np

from fourcorners.builtin.squarin_off.exact.chain_endgame import NO_HANDOUT
from fourcorners.builtin.squarin_off.exact.forced_captures import simplify_without_blockers
from fourcorners.builtin.squarin_off.exact.records import connect_strings, is_open_box, measure_centre_distance
from fourcorners.builtin.squarin_off.exact.strings_and_coins import (
    BOARD,
    GROUND,
    GROUND_BOX,
    MAX_CHAINS,
    MAX_COINS,
    MAX_STRINGS,
    NODE,
)
from fourcorners.builtin.squarin_off.options import SquarinOffOptions
from fourcorners.builtin.squarin_off.rules import (
    CLOSED,
    DTYPE,
    count_edges,
    find_boxes_beside,
    get_box_stop,
    is_free,
)
from fourcorners.core.arrays import State, States
from fourcorners.core.bits import bit
from fourcorners.core.dispatch import view_record
from fourcorners.core.errors import SolverLimit
from fourcorners.core.jit import deferrable, kernel

String = tuple[int, int]
"""The boxes that a string joins, the lower number first; GROUND_BOX for the ground."""


class Graph(NamedTuple):
    """The relevant part of a position: strings, the values of the open boxes, and the boxes closed to blockers."""

    strings: list[String]
    value: dict[int, int]
    closed: set[int]


def enter(options: SquarinOffOptions | None, s: State) -> tuple[States, States]:
    """Return arrays of one board and one root node for a record; raise SolverLimit if too large. Ignore `options`."""
    boards, nodes = _enter_record(np.array([s], DTYPE).tobytes())
    return boards.copy(), nodes.copy()


@functools.lru_cache(maxsize=4)
def _enter_record(record: bytes) -> tuple[States, States]:
    """Return the result of `enter` for the bytes of a record, cached because computers ask repeatedly."""
    s = view_record(np.frombuffer(record, DTYPE))
    graph = _build_graph(s)
    value_left = sum(graph.value.values())
    # Blockers do not matter if no box can take one.
    own, left = (int(s.blockers[s.turn]), int(s.blockers_left)) if int(s.blocker_moves) else (0, 0)
    nodes = np.zeros(1, NODE)
    node = view_record(nodes)
    node.value_left, node.handout = value_left, NO_HANDOUT
    if left > 0:
        boards = build_board(s, graph, value_left, with_blockers=True)
        node.free = np.uint64((1 << len(graph.strings)) - 1)
        node.own_blockers, node.other_blockers = own, left - own
        for coin, box in enumerate(sorted(graph.value)):
            if box in graph.closed:
                node.closed |= bit(coin)
        return boards, nodes
    rest = _simplify_parts(s, graph, node, value_left)
    # Each chain that the strings may still form has two strings at least.
    if int(node.chains) + len(rest.strings) // 2 > MAX_CHAINS:
        raise _build_limit_error(value_left)
    boards = build_board(s, rest, value_left, with_blockers=False)
    node.free = np.uint64((1 << len(rest.strings)) - 1)
    return boards, nodes


def find_captures(s: State) -> tuple[int, int]:
    """Return the capturable value and the handout of a position without blockers, as in its node, faster than `enter`.

    Raise SolverLimit.
    """
    graph, nodes = _build_graph(s), np.zeros(1, NODE)
    node = view_record(nodes)
    _simplify_parts(s, graph, node, sum(graph.value.values()))
    return int(node.capturable), int(node.handout)


def _build_limit_error(value_left: int) -> SolverLimit:
    """Return the error for a position that is too large; the remaining value bounds its margin in either direction."""
    message = f"this position is too large to be solved: more than {MAX_STRINGS} of its free edges matter"
    return SolverLimit(message, -value_left, value_left)


def _build_graph(s: State) -> Graph:
    """Return the graph of a position, with its strings in the order in which they are tried.
    Boxes are numbered as in the record. Of the strings that hold no coin at most one is kept: they cancel in pairs,
    because each answers the other.
    """
    value = {box: int(s.value[box]) for box in list_open_boxes(s)}
    closed = {box for box in value if int(s.box[box]) & CLOSED}
    strings, empty = [], 0
    for edge in range(int(count_edges(s))):
        if is_free(s, edge):
            one, two = sorted(int(box) if int(box) in value else GROUND_BOX for box in find_boxes_beside(s, edge))
            if two == GROUND_BOX:
                empty += 1
            else:
                strings.append((one, two))
    strings.sort(key=lambda string: measure_centre_distance(s, *string))
    return Graph(strings + [(GROUND_BOX, GROUND_BOX)] * (empty % 2), value, closed)


def list_open_boxes(s: State) -> list[int]:
    """Return the boxes of a record that can still be won, in ascending order."""
    stride = int(s.cols) + 1
    return [box for box in range(stride + 1, get_box_stop(s)) if box % stride != 0 and is_open_box(s, box)]


def count_points_left(s: State) -> int:
    """Return the value of the boxes that can still be won."""
    return sum(int(s.value[box]) for box in list_open_boxes(s))


def _simplify_parts(s: State, graph: Graph, node: State, value_left: int) -> Graph:
    """Simplify the parts of a graph one by one, collect the results in the node, and return the graph that is left.

    So a board larger than MAX_STRINGS can be solved if chains and loops make up most of it. `node` must be a new one;
    `value_left` is the value of all boxes of the graph. Raise SolverLimit if a part or the list of chains becomes too
    large.
    """
    rest, passes, capturable, handout = [], 0, 0, NO_HANDOUT
    for part in _split_parts(graph):
        boards, nodes = build_board(s, part, value_left, with_blockers=False), np.zeros(1, NODE)
        m = view_record(nodes)
        m.free = np.uint64((1 << len(part.strings)) - 1)
        _simplify(boards, nodes)
        capturable += int(m.capturable)
        handout = min(handout, int(m.handout))
        passes += int(m.has_pass)
        for i in range(int(m.chains)):
            if node.chains == MAX_CHAINS:
                raise _build_limit_error(value_left)
            node.chain_value[node.chains], node.chain_handout[node.chains] = m.chain_value[i], m.chain_handout[i]
            node.chains += 1
        rest += [string for i, string in enumerate(part.strings) if m.free & bit(i)]
    node.capturable, node.handout, node.has_pass = capturable, handout, passes % 2
    node.value_left = value_left - capturable
    held = {box for string in rest for box in string}
    return Graph(rest, {box: value for box, value in graph.value.items() if box in held}, graph.closed)


@deferrable
@kernel
def _simplify(boards: States, nodes: States) -> None:
    """Simplify the node of an array of one, which has no blockers; it belongs to the board of the other array."""
    simplify_without_blockers(boards[0], nodes[0])


def _split_parts(graph: Graph) -> list[Graph]:
    """Return the whole graph if it fits on a board, otherwise its connected parts, of which some may be too large."""
    if len(graph.strings) <= MAX_STRINGS and len(graph.value) <= MAX_COINS:
        return [graph]
    parts: list[tuple[set[int], list[String]]] = []
    for string in graph.strings:
        boxes, strings = set(string) - {GROUND_BOX}, [string]
        apart = []
        for part in parts:
            if part[0] & boxes:
                boxes, strings = boxes | part[0], part[1] + strings
            else:
                apart.append(part)
        parts = [*apart, (boxes, strings)]
    return [Graph(strings, {box: graph.value[box] for box in boxes}, set()) for boxes, strings in parts]


def build_board(s: State, graph: Graph, value_left: int, *, with_blockers: bool) -> States:
    """Return an array of one board for a graph: numbered strings and coins, and the tables that the search reads.
    String i is `graph.strings[i]`; coins are numbered in the order of their boxes. Salt, symmetries and `near` are
    filled in only `with_blockers`. Raise SolverLimit, with `value_left` as the bound, for too many strings or coins.
    """
    if len(graph.strings) > MAX_STRINGS or len(graph.value) > MAX_COINS:
        raise _build_limit_error(value_left)
    number = {box: coin for coin, box in enumerate(sorted(graph.value))}
    boards = np.zeros(1, BOARD)
    board = view_record(boards)
    strings, stride = len(graph.strings), int(s.cols) + 1
    # At most: each string cut alone or with a blocker on either coin, each chain opened, and two other moves.
    board.most_links = (3 if with_blockers else 2) * strings + MAX_CHAINS + 2
    board.most_plies = strings + MAX_CHAINS + 3
    # Without blockers all coins will be won, so all margins of a node have the parity of the value that is left.
    board.step, board.classic = 1 if with_blockers else 2, int(s.classic)
    board.coin_count, board.string_count = len(number), strings
    for i, string in enumerate(graph.strings):
        board.ends[i] = [number.get(box, GROUND) for box in string]
    for box, coin in number.items():
        board.value[coin], board.box[coin] = graph.value[box], box
        for other, other_coin in number.items() if with_blockers else ():
            # The same box, or one that touches it, even at a corner.
            if abs(box // stride - other // stride) <= 1 and abs(box % stride - other % stride) <= 1:
                board.near[coin] |= bit(other_coin)
    _connect(boards)
    if with_blockers:
        # Keys are made of string and coin numbers, which mean something else on another board, hence the salt.
        board.salt = _hash_text(repr((graph.strings, sorted(graph.value.items()))))
        board.string_bytes = (strings + 7) // 8
        for image in _find_symmetries(s, graph):
            _add_symmetry(board, graph, number, image)
    return boards


@deferrable
@kernel
def _connect(boards: States) -> None:
    """Fill in what follows from strings and coins in an array of one board."""
    connect_strings(boards[0])


def _hash_text(text: str) -> int:
    """Return a hash of 64 bits, the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _find_symmetries(s: State, graph: Graph) -> list[dict[int, int]]:
    """Return the board's symmetries, other than the identity, that map the graph and its values onto themselves.
    Each is a map of boxes to boxes. The boxes closed to blockers need not match: they are part of every node's key.
    """
    cols, rows = int(s.cols), int(s.rows)
    stride = cols + 1
    # Strings between the same two boxes are interchangeable, so the two edges of a corner box count as equal here.
    strings = sorted(graph.strings)
    found = []
    # All but the identity; only a square board can be transposed.
    for transpose, flip_x, flip_y in list(product((False, True), repeat=3))[1 : 8 if cols == rows else 4]:
        image = {GROUND_BOX: GROUND_BOX}
        for box in graph.value:
            x, y = box % stride - 1, box // stride - 1
            x, y = (y, x) if transpose else (x, y)
            x, y = cols - 1 - x if flip_x else x, rows - 1 - y if flip_y else y
            image[box] = (y + 1) * stride + x + 1
        mapped = sorted((min(image[a], image[b]), max(image[a], image[b])) for a, b in graph.strings)
        if mapped == strings and all(graph.value.get(image[box]) == value for box, value in graph.value.items()):
            found.append(image)
    return found


def _add_symmetry(board: State, graph: Graph, number: dict[int, int], image: dict[int, int]) -> None:
    """Add a symmetry to the board's tables, in place; `number` maps boxes to coins, `image` boxes to their images."""
    symmetry = int(board.symmetries)
    board.symmetries = symmetry + 1
    # Map the first of several strings between the same boxes to the first, the second to the second. The last free
    # one of them is always cut first (see `parallel`), so the image of a node is a node that play can reach.
    targets: dict[String, list[int]] = {}
    for i, string in enumerate(graph.strings):
        targets.setdefault(string, []).append(i)
    for i, (one, two) in enumerate(graph.strings):
        low, high = sorted((image[one], image[two]))
        _map_bit(board.string_image[symmetry], i, targets[low, high].pop(0))
    for box, coin in number.items():
        _map_bit(board.coin_image[symmetry], coin, number[image[box]])


def _map_bit(table: State, source: int, target: int) -> None:
    """Add bit `target` to the entries of `table`, (8, 256), of all bytes in which bit `source` (0 to 63) is set."""
    has_source = np.arange(256) >> (source & 7) & 1 == 1
    table[source >> 3, has_source] |= bit(target)
