"""The value of every set of free edges by trying everything, written from the rules, and the solver's beside it.

Boxes are numbered from the lower left, an edge is the pair of the boxes beside it, NONE where there is none: outside,
or a box that is blocked for good. What can still change is the set of free edges, the blockers laid and those in
hand.
"""

import itertools
import random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fourcorners as fc
from fourcorners.core.bits import ZERO, bit
from fourcorners.core.dispatch import States
from fourcorners.core.jit import jitable, kernel
from fourcorners.games.squarin_off.exact.chain_endgame import NO_HANDOUT
from fourcorners.games.squarin_off.exact.forced_captures import simplify_without_blockers
from fourcorners.games.squarin_off.exact.graph import Graph, build_board, measure_centre_distance
from fourcorners.games.squarin_off.exact.strings_and_coins import GROUND_BOX, NODE
from fourcorners.solve import null_window
from fourcorners.solve.transposition_table import create_table

NONE = 63
_HAND = 3  # blockers in hand, 0 to 2
_advance = jitable(null_window.advance._function)
_look = jitable(null_window.look_up_root._function)

Ints = NDArray[np.int64]


class Layout(NamedTuple):
    """A board on which all but some edges are drawn."""

    cols: int
    rows: int
    edges: Ints  # the boxes beside each free edge
    value: Ints
    classic: bool
    placed: NDArray[np.uint64]  # the ways in which blockers can have been laid, as sets of boxes; the first is empty
    onward: Ints  # by way and box: the way with a blocker on that box, too, or -1
    shut: int  # the boxes near a blocker that was there from the first, as a set


def edges_of(cols: int, rows: int) -> list[tuple[int, int]]:
    """All edges, as the boxes on either side."""
    inside = {(x, y): y * cols + x for x in range(cols) for y in range(rows)}
    along = [(inside.get((x, y - 1), NONE), inside.get((x, y), NONE)) for y in range(rows + 1) for x in range(cols)]
    return along + [
        (inside.get((x - 1, y), NONE), inside.get((x, y), NONE)) for y in range(rows) for x in range(cols + 1)
    ]


def draw(
    rng: random.Random, cols: int, rows: int, most: int, *, blocked: float = 0.0, blockers: int = 0, ring: int = 0
) -> Layout:
    """Draw a layout at random with at most so many free edges, near to each other or with a ring of boxes."""
    gone = {box for box in range(cols * rows) if rng.random() < blocked}
    pairs = edges_of(cols, rows)
    if ring:
        boxes = {x + y * cols for x in range(ring) for y in range(ring) if {x, y} & {0, ring - 1}}
        around = [pair for pair in pairs if boxes.issuperset(pair)]
        pairs = around + rng.sample(sorted(set(pairs) - set(around)), most - len(around))
    while len(pairs) > most:
        x, y = rng.uniform(0, cols), rng.uniform(0, rows)

        def far(pair: tuple[int, int], x: float = x, y: float = y) -> float:
            box = min(pair)
            return abs(box % cols + 0.5 - x) + abs(box // cols + 0.5 - y) + rng.uniform(0, 1.5)

        pairs = sorted(pairs, key=far)[:most]
    edges = np.array([[NONE if box in gone else box for box in pair] for pair in pairs], np.int64)
    value = np.array([rng.choice((0, 1, 1, 1, 2, 3, rng.randint(0, 9))) for _ in range(cols * rows)], np.int64)
    there = sorted({int(box) for box in edges.flat} - {NONE})
    near = {
        box: {other for other in there if abs(box % cols - other % cols) <= 1 and abs(box // cols - other // cols) <= 1}
        for box in range(cols * rows)
    }
    # A blocker may be laid beside no other, be it one that was there from the first.
    shut = {box for box in there if any(box in _around(cols, rows, other) for other in gone)}
    ways = [
        frozenset(way)
        for count in range(blockers + 1)
        for way in itertools.combinations(sorted(set(there) - shut), count)
        if all(one not in near[other] for one, other in itertools.combinations(way, 2))
    ]
    number = {way: i for i, way in enumerate(ways)}
    onward = np.full((len(ways), 64), -1, np.int64)
    for way, i in number.items():
        for box in set(there) - way:
            onward[i, box] = number.get(way | {box}, -1)
    placed = np.array([sum(1 << box for box in way) for way in ways], np.uint64)
    return Layout(cols, rows, edges, value, rng.random() < 0.5, placed, onward, sum(1 << box for box in shut))


def _around(cols: int, rows: int, box: int) -> set[int]:
    x, y = box % cols, box // cols
    return {b * cols + a for a in range(x - 1, x + 2) for b in range(y - 1, y + 2) if 0 <= a < cols and 0 <= b < rows}


@kernel
def _fill(edges: Ints, value: Ints, classic: int, placed: NDArray[np.uint64], onward: Ints, worth: Ints) -> None:
    """Find what every set of edges is worth to whoever is to move, with every way of blockers laid and in hand."""
    strings = np.zeros(64, np.int64)
    for i in range(len(edges)):
        for side in range(2):
            strings[edges[i, side]] |= 1 << i
    for free in range(1, 1 << len(edges)):
        for way in range(worth.shape[0]):
            for own in range(worth.shape[1]):
                for others in range(worth.shape[2]):
                    best = -10000
                    for i in range(len(edges)):
                        if (free >> i) & 1 == 0:
                            continue
                        # Without a blocker, then with one on either box beside the edge.
                        for side in range(-1, 2):
                            after, hand = way, own
                            if side >= 0:
                                if own == 0 or edges[i, side] == NONE:
                                    continue
                                after, hand = onward[way, edges[i, side]], own - 1
                                if after < 0:
                                    continue
                            rest = free & ~(1 << i)
                            gain, done = 0, False
                            for end in range(2):
                                box = edges[i, end]
                                if box != NONE and strings[box] & rest == 0 and placed[after] & bit(box) == ZERO:
                                    gain += value[box]
                                    done = True
                            if done and (side < 0 or classic != 0):
                                best = max(best, gain + worth[after, hand, others, rest])
                            else:
                                best = max(best, gain - worth[after, others, hand, rest])
                    worth[way, own, others, free] = best


def worth_of_all(layout: Layout, *, in_hand: bool) -> Ints:
    """Return the value by way of blockers laid, blockers of the mover and of the other, and set of free edges."""
    hand = _HAND if in_hand else 1
    worth = np.zeros((len(layout.placed), hand, hand, 1 << len(layout.edges)), np.int64)
    _fill(layout.edges, layout.value, int(layout.classic), layout.placed, layout.onward, worth)
    return worth


@kernel
def _solve(
    stack: null_window.Stack,
    rows: null_window.Rows,
    table: NDArray[np.uint64],
    states: Ints,
    placed: NDArray[np.uint64],
    shut: int,
    coin_of: Ints,
    string_of: Ints,
    found: Ints,
) -> None:
    """Let the solver find the values of states, given as way, own, others and free edges."""
    board, nodes, bounds, control = stack.boards[0], rows.nodes, rows.bounds, stack.control
    for k in range(len(states)):
        nodes[0] = nodes[len(nodes) - 1]
        node = nodes[0]
        free, laid = ZERO, ZERO
        for i in range(len(string_of)):
            if (states[k, 3] >> i) & 1 != 0:
                free = free | bit(string_of[i])
        for box in range(len(coin_of)):
            if placed[states[k, 0]] & bit(box) != ZERO and coin_of[box] >= 0:
                laid = laid | bit(coin_of[box])
        blocked, closed, left = ZERO, ZERO, 0
        for box in range(len(coin_of)):
            coin = coin_of[box]
            if coin < 0:
                continue
            if (shut >> box) & 1 != 0:
                closed = closed | bit(coin)
            held = free & board.coin_strings[coin] != ZERO
            if laid & bit(coin) != ZERO:
                closed = closed | board.near[coin]
                blocked = blocked | bit(coin) if held else blocked
            elif held:
                left += board.value[coin]
            else:
                closed = closed | bit(coin)
        node.free, node.blocked, node.closed = free, blocked, closed
        node.value_left, node.handout = left, NO_HANDOUT
        node.own_blockers, node.other_blockers = states[k, 1], states[k, 2]
        if states[k, 1] + states[k, 2] == 0 or board.coins & ~closed == ZERO:
            simplify_without_blockers(board, node)
        _look(stack, rows, table)
        lower, upper = bounds[0, 0], bounds[0, 1]
        while lower < upper:
            control[null_window.DEPTH], control[null_window.FILL_LIMIT] = -1, 1 << 60
            control[null_window.QUESTION] = lower + (upper - lower + 1) // 2
            status = _advance(stack, rows, table, 1 << 40)
            if status != null_window.DONE:
                lower, upper = 30000, 30000
            lower, upper = max(lower, bounds[0, 0]), min(upper, bounds[0, 1])
        found[k] = lower if lower == upper else 20000


def solved(layout: Layout, states: Ints, memory: int = 1 << 20) -> Ints:
    """Return what the solver says of states: way, own, others and free edges in each row."""
    edition = "classic" if layout.classic else "2016"
    s = fc.game("squarin-off", cols=layout.cols, rows=layout.rows, edition=edition).start().record

    def place(box: int) -> int:
        return GROUND_BOX if box == NONE else (box // layout.cols + 1) * (layout.cols + 1) + box % layout.cols + 1

    pairs = [tuple(sorted((place(int(one)), place(int(two))))) for one, two in layout.edges]

    def order(i: int) -> float:
        return -1.0 if pairs[i] == (GROUND_BOX, GROUND_BOX) else measure_centre_distance(s, (pairs[i][0], pairs[i][1]))

    ordered = sorted(range(len(pairs)), key=order)
    string_of = np.zeros(len(pairs), np.int64)
    string_of[ordered] = np.arange(len(pairs))
    value = {place(box): int(v) for box, v in enumerate(layout.value) if box in layout.edges}
    strings = [(pairs[i][0], pairs[i][1]) for i in ordered]
    boards = build_board(s, Graph(strings, value, set()), sum(value.values()), with_blockers=bool(states[:, 1:3].any()))
    number = {box: coin for coin, box in enumerate(sorted(value))}
    coin_of = np.array([number.get(place(box), -1) for box in range(len(layout.value))], np.int64)
    plies, rows = len(pairs) + 80, 1 << 13
    found = np.zeros(len(states), np.int64)
    _solve(
        null_window.Stack(
            boards,
            np.zeros((plies, null_window.FRAME_COLUMNS), np.int64),
            np.zeros((1, plies), np.uint64),
            np.zeros(null_window.CONTROL_WORDS, np.int64),
        ),
        null_window.Rows(
            np.zeros(rows, NODE),
            np.zeros(rows, np.int64),
            np.zeros((rows, 2), np.int64),
            np.zeros((rows, 2), np.int64),
            np.zeros((rows, 2), np.uint64),
        ),
        create_table(memory),
        states,
        layout.placed,
        layout.shut,
        coin_of,
        string_of,
        found,
    )
    return found


def compare(
    rng: random.Random, layout: Layout, count: int, *, in_hand: bool, memory: int = 1 << 20, always: int = 0
) -> int:
    """Compare so many random states of a layout, or all if they are fewer; return how many were compared.

    `always` are edges that are free in all of them.
    """
    worth = worth_of_all(layout, in_hand=in_hand)
    few = [(own, others) for own, others in np.ndindex(*worth.shape[1:3]) if own + others < _HAND]
    stocks = [
        (way, own, others)
        for way, placed in enumerate(layout.placed)
        for own, others in few
        if own + others + int(placed).bit_count() < _HAND
    ]
    if count < len(stocks) << len(layout.edges):
        states = [(*rng.choice(stocks), rng.randrange(worth.shape[3])) for _ in range(count)]
    else:
        states = [(*stock, free) for stock in stocks for free in range(worth.shape[3])]
    chosen = np.array(states, np.int64)
    chosen[:, 3] |= always
    expected = worth[tuple(chosen.T)]
    found = solved(layout, chosen, memory)
    wrong = np.flatnonzero(expected != found)
    assert not len(wrong), (layout, states[wrong[0]], expected[wrong[0]], found[wrong[0]], len(wrong))
    return len(states)
