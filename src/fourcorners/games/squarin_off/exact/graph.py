"""From a position of Squarin' Off to the strings and coins that the solvers work on; in Python, once a position."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from fourcorners.core.bits import bit
from fourcorners.core.dispatch import State, States, view_record
from fourcorners.core.errors import SolverLimit
from fourcorners.games.squarin_off.exact.chain_endgame import ALL
from fourcorners.games.squarin_off.exact.forced_captures import lay_bare
from fourcorners.games.squarin_off.exact.strings_and_coins import (
    BOARD,
    GROUND,
    GROUND_BOX,
    MOST_COINS,
    MOST_GIFTS,
    MOST_STRINGS,
    NODE,
)
from fourcorners.games.squarin_off.options import SquarinOffOptions
from fourcorners.games.squarin_off.rules import BLOCKED, CLOSED, SIDES, beside, end_of_boxes, is_free

String = tuple[int, int]
"""The boxes that a string joins, the lower first; GROUND_BOX for the ground."""


class Graph(NamedTuple):
    """What is left of a position: strings, the values of the boxes they hold, the boxes closed to blockers."""

    strings: list[String]
    value: dict[int, int]
    closed: set[int]


def enter(options: SquarinOffOptions | None, s: State) -> tuple[States, States]:
    """Return the board and node of a position; raise SolverLimit if it is too large."""
    graph = _read(s)
    left = sum(graph.value.values())
    own, others = _blockers(s)
    nodes = np.zeros(1, NODE)
    n = view_record(nodes)
    n.left, n.hand = left, ALL
    if own + others > 0:
        boards = _board(s, graph, left, with_blockers=True)
        n.free = np.uint64((1 << len(graph.strings)) - 1)
        n.own, n.others = own, others
        for coin, box in enumerate(sorted(graph.value)):
            if box in graph.closed:
                n.closed |= bit(coin)
        return boards, nodes
    rest = _settled(s, graph, n, left)
    if np.int64(n.gifts) + len(rest.strings) // 2 > MOST_GIFTS:
        raise _too_large(left)
    boards = _board(s, rest, left, with_blockers=False)
    n.free = np.uint64((1 << len(rest.strings)) - 1)
    return boards, nodes


def _too_large(left: int) -> SolverLimit:
    message = f"this position is too large to be solved: more than {MOST_STRINGS} of its free edges matter"
    return SolverLimit(message, -left, left)


def _blockers(s: State) -> tuple[int, int]:
    """Return the blockers of the seat to move and of the other, none if there is no room for any."""
    if np.int64(s.room) == 0:
        return 0, 0
    own = int(s.blockers[s.turn])
    return own, int(s.held) - own


def _read(s: State) -> Graph:
    """Return the free edges as strings; of those that hold nothing pairs cancel, as each answers the other."""
    value, closed = {}, set()
    for box in range(int(s.cols) + 2, end_of_boxes(s)):
        byte = int(s.box[box])
        column = box % (int(s.cols) + 1)
        if column != 0 and byte & BLOCKED == 0 and byte & SIDES < 4:
            value[box] = int(s.value[box])
            if byte & CLOSED:
                closed.add(box)
    strings = []
    idle = 0
    for edge in range(int(s.horizontals) + (int(s.cols) + 1) * int(s.rows)):
        if is_free(s, edge):
            one, two = sorted(int(box) if int(box) in value else GROUND_BOX for box in beside(s, edge))
            idle += two == GROUND_BOX
            if two != GROUND_BOX:
                strings.append((one, two))
    strings.sort(key=lambda string: _from_centre(s, string))
    return Graph(strings + [(GROUND_BOX, GROUND_BOX)] * (idle % 2), value, closed)


def _from_centre(s: State, string: String) -> float:
    """Return how far from the middle of the board a string is, those to the ground being farther than its box.

    Moves are tried in this order, from the middle outwards (Barker and Korf, Solving Dots-And-Boxes, 2012): a fixed
    order lets different lines meet in the same positions, which saves more than a clever order does.
    """
    stride = int(s.cols) + 1
    middle_x, middle_y = (int(s.cols) + 1) / 2, (int(s.rows) + 1) / 2
    boxes = [box for box in string if box != GROUND_BOX]
    x = sum(box % stride - middle_x for box in boxes) / len(boxes)
    y = sum(box // stride - middle_y for box in boxes) / len(boxes)
    return x * x + y * y + (abs(x) + abs(y) + 0.25 if len(boxes) == 1 else 0.0)


def _settled(s: State, graph: Graph, n: State, left: int) -> Graph:
    """Settle the parts of a graph one by one, add up in the node what they give, return what is left."""
    rest, passes = [], 0
    taken, hand = 0, ALL
    for part in _parts(graph):
        boards = _board(s, part, left, with_blockers=False)
        b = view_record(boards)
        nodes = np.zeros(1, NODE)
        m = view_record(nodes)
        m.free = np.uint64((1 << len(part.strings)) - 1)
        lay_bare(b, m)
        taken += int(m.taken)
        hand = min(hand, int(m.hand))
        passes += int(m.passes)
        for i in range(int(m.gifts)):
            if np.int64(n.gifts) == MOST_GIFTS:
                raise _too_large(left)
            n.gift[np.int64(n.gifts)], n.back[np.int64(n.gifts)] = m.gift[i], m.back[i]
            n.gifts = np.int64(n.gifts) + 1
        rest += [string for i, string in enumerate(part.strings) if m.free & bit(i)]
    n.taken, n.hand, n.passes = taken, hand, passes % 2
    n.left = left - taken
    held = {box for string in rest for box in string}
    return Graph(rest, {box: value for box, value in graph.value.items() if box in held}, graph.closed)


def _parts(graph: Graph) -> list[Graph]:
    """Return the whole graph if it is small, otherwise its connected parts."""
    if len(graph.strings) <= MOST_STRINGS and len(graph.value) <= MOST_COINS:
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


def _board(s: State, graph: Graph, left: int, *, with_blockers: bool) -> States:
    """Return the board: strings and coins numbered, and tables of what the search looks up."""
    if len(graph.strings) > MOST_STRINGS or len(graph.value) > MOST_COINS:
        raise _too_large(left)
    order = sorted(graph.value)
    number = {box: coin for coin, box in enumerate(order)}
    boards = np.zeros(1, BOARD)
    b = view_record(boards)
    strings = len(graph.strings)
    b.most_links = 2 * strings + MOST_GIFTS + 2 if not with_blockers else 3 * strings + MOST_GIFTS + 2
    b.most_plies = strings + MOST_GIFTS + 3
    b.step = 1 if with_blockers else 2
    b.classic = int(s.classic)
    b.coins = np.uint64((1 << len(order)) - 1)
    b.coin_count = len(order)
    for i, (one, two) in enumerate(graph.strings):
        b.ends[i] = number.get(one, GROUND), number.get(two, GROUND)
        for box in {one, two} - {GROUND_BOX}:
            b.strings[number[box]] |= bit(i)
        if one == GROUND_BOX:
            b.twins[i] = np.uint64(sum(1 << j for j, other in enumerate(graph.strings) if other == (one, two)))
    for box, coin in number.items():
        b.value[coin] = graph.value[box]
        for other, near in number.items():
            if _are_near(s, box, other):
                b.near[coin] |= bit(near)
        sides = [i for i in range(strings) if coin in b.ends[i]]
        for k, i in enumerate(sides, 4 * coin):
            b.side[k], b.beyond[k] = bit(i), b.ends[i].sum() - coin
    if with_blockers:
        b.salt, b.string_bytes = _salt(graph), (strings + 7) // 8
        for image in _images(s, graph):
            _tabulate(b, graph, number, image)
    return boards


def _salt(graph: Graph) -> np.uint64:
    digest = hashlib.blake2b(repr((graph.strings, sorted(graph.value.items()))).encode(), digest_size=8)
    return np.uint64(int.from_bytes(digest.digest(), "little"))


def _are_near(s: State, one: int, two: int) -> bool:
    stride = int(s.cols) + 1
    return abs(one // stride - two // stride) <= 1 and abs(one % stride - two % stride) <= 1


def _images(s: State, graph: Graph) -> list[dict[int, int]]:
    """Return where the symmetries of the board carry the boxes, for those that carry the graph onto itself."""
    cols, rows = int(s.cols), int(s.rows)
    stride = cols + 1
    # A string is as good as any other between the same boxes: so the two edges of a corner count as one kind.
    kinds = sorted(graph.strings)
    found = []
    for turned in (False, True) if cols == rows else (False,):
        for across in (False, True):
            for down in (False, True):
                image = {GROUND_BOX: GROUND_BOX}
                for box in graph.value:
                    x, y = box % stride - 1, box // stride - 1
                    x, y = (y, x) if turned else (x, y)
                    x, y = cols - 1 - x if across else x, rows - 1 - y if down else y
                    image[box] = (y + 1) * stride + x + 1
                carried = sorted((min(image[a], image[b]), max(image[a], image[b])) for a, b in graph.strings)
                same_values = all(graph.value.get(image[box]) == value for box, value in graph.value.items())
                if (turned or across or down) and same_values and carried == kinds:
                    found.append(image)
    return found


def _tabulate(b: State, graph: Graph, number: dict[int, int], image: dict[int, int]) -> None:
    """Add a symmetry to the board's tables."""
    which = int(b.images)
    b.images = which + 1
    # Of several strings between the same boxes the n-th goes to the n-th, as nodes keep the first of them.
    to_go: dict[String, list[int]] = {}
    for i, string in enumerate(graph.strings):
        to_go.setdefault(string, []).append(i)
    for i, (one, two) in enumerate(graph.strings):
        low, high = sorted((image[one], image[two]))
        target = to_go[low, high].pop(0)
        _carry(b.string_image[which], i, target)
    for box, coin in number.items():
        _carry(b.coin_image[which], coin, number[image[box]])


def _carry(table: State, source: int, target: int) -> None:
    has_source = np.arange(256) >> (source & 7) & 1 == 1
    table[source >> 3, has_source] |= bit(target)
