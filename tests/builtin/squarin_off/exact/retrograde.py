"""Values of all sets of free edges by retrograde analysis, written from the rules, to compare the solver with.

Boxes are numbered from the lower left. An edge is the pair of the boxes beside it, with NONE in place of a box outside
the board or one that was blocked from the start. A *state* is a set of free edges, the set of boxes with blockers, and
the blockers that each side has left.
"""

import itertools
import random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fourcorners as fc
from fourcorners.builtin.squarin_off.exact.chain_endgame import NO_HANDOUT
from fourcorners.builtin.squarin_off.exact.forced_captures import simplify_without_blockers
from fourcorners.builtin.squarin_off.exact.graph import Graph, build_board
from fourcorners.builtin.squarin_off.exact.records import measure_centre_distance
from fourcorners.builtin.squarin_off.exact.strings_and_coins import GROUND_BOX, NODE
from fourcorners.core.bits import ZERO, bit
from fourcorners.core.jit import kernel
from fourcorners.solvers import null_window
from fourcorners.solvers.transposition_table import create_table

NONE = 63
_STOCKS = 3
"""A side has 0, 1 or 2 blockers left."""
_FAILED = 20_000
"""In place of a value: the solver did not finish."""

Ints = NDArray[np.int64]


class Layout(NamedTuple):
    """A board on which all but a few edges are drawn."""

    cols: int
    rows: int
    edges: Ints  # (n, 2): the boxes beside each free edge
    value: Ints  # by box
    classic: bool
    blocker_sets: NDArray[np.uint64]  # the sets of boxes on which blockers may lie; the first is empty
    extended: Ints  # (sets, boxes): the index of the set with a blocker on that box as well, or -1
    closed: int  # the set of boxes next to a box that was blocked from the start


def list_edges(cols: int, rows: int) -> list[tuple[int, int]]:
    """Return all edges of a board, vertical ones last, as pairs of boxes (below and above, left and right) or NONE."""
    inside = {(x, y): y * cols + x for x in range(cols) for y in range(rows)}
    horizontal = [
        (inside.get((x, y - 1), NONE), inside.get((x, y), NONE)) for y in range(rows + 1) for x in range(cols)
    ]
    vertical = [(inside.get((x - 1, y), NONE), inside.get((x, y), NONE)) for y in range(rows) for x in range(cols + 1)]
    return horizontal + vertical


def draw_layout(
    rng: random.Random, cols: int, rows: int, limit: int, *, blocked: float = 0.0, blockers: int = 0, ring: int = 0
) -> Layout:
    """Return a random layout with at most `limit` free edges, close to each other, values from 0 to 9 and any edition.

    `blocked` is the share of boxes blocked from the start, `blockers` how many more may be laid. Unless `ring` is 0,
    the edges inside a square ring of boxes with sides of that length, at the lower left, are free, and the rest lie
    anywhere; `limit` must be at least their number.
    """
    gone = {box for box in range(cols * rows) if rng.random() < blocked}
    pairs = list_edges(cols, rows)
    if ring:
        boxes = {x + y * cols for x in range(ring) for y in range(ring) if {x, y} & {0, ring - 1}}
        around = [pair for pair in pairs if boxes.issuperset(pair)]
        pairs = around + rng.sample(sorted(set(pairs) - set(around)), limit - len(around))
    while len(pairs) > limit:
        x, y = rng.uniform(0, cols), rng.uniform(0, rows)

        def measure_distance(pair: tuple[int, int], x: float = x, y: float = y) -> float:
            box = min(pair)
            return abs(box % cols + 0.5 - x) + abs(box // cols + 0.5 - y) + rng.uniform(0, 1.5)

        pairs = sorted(pairs, key=measure_distance)[:limit]
    edges = np.array([[NONE if box in gone else box for box in pair] for pair in pairs], np.int64)
    value = np.array([rng.choice((0, 1, 1, 1, 2, 3, rng.randint(0, 9))) for _ in range(cols * rows)], np.int64)
    left = sorted({int(box) for box in edges.flat} - {NONE})
    # No blocker may lie next to another, nor next to one that was there from the start.
    closed = {box for box in left if any(box in _list_around(cols, rows, other) for other in gone)}
    blocker_sets = [
        frozenset(chosen)
        for count in range(blockers + 1)
        for chosen in itertools.combinations(sorted(set(left) - closed), count)
        if all(one not in _list_around(cols, rows, two) for one, two in itertools.combinations(chosen, 2))
    ]
    number = {blocker_set: i for i, blocker_set in enumerate(blocker_sets)}
    extended = np.full((len(blocker_sets), 64), -1, np.int64)
    for blocker_set, i in number.items():
        for box in set(left) - blocker_set:
            extended[i, box] = number.get(blocker_set | {box}, -1)
    masks = np.array([sum(1 << box for box in blocker_set) for blocker_set in blocker_sets], np.uint64)
    classic = rng.random() < 0.5
    return Layout(cols, rows, edges, value, classic, masks, extended, sum(1 << box for box in closed))


def _list_around(cols: int, rows: int, box: int) -> set[int]:
    """Return a box and the boxes of the board that touch it, also at a corner."""
    x, y = box % cols, box // cols
    return {b * cols + a for a in range(x - 1, x + 2) for b in range(y - 1, y + 2) if 0 <= a < cols and 0 <= b < rows}


@kernel
def _tabulate_states(
    edges: Ints, value: Ints, classic: int, blocker_sets: NDArray[np.uint64], extended: Ints, values: Ints
) -> None:
    """Fill `values`, by blocker set, blockers of the mover, blockers of the other side, and set of free edges.

    A value is the margin of the side to move from there to the end. Sets are filled in the order of their masks (bit i
    is edge i), so every set comes after its subsets. The arrays are those of a Layout; `values` is zeroed, of shape
    (sets, stocks, stocks, 2**edges).
    """
    strings = np.zeros(64, np.int64)
    for i in range(len(edges)):
        for side in range(2):
            strings[edges[i, side]] |= 1 << i
    for free in range(1, 1 << len(edges)):
        for laid in range(values.shape[0]):
            for own in range(values.shape[1]):
                for others in range(values.shape[2]):
                    best = -10000
                    for i in range(len(edges)):
                        if (free >> i) & 1 == 0:
                            continue
                        # Without a blocker, then with one on either box beside the edge.
                        for side in range(-1, 2):
                            new_laid, new_own = laid, own
                            if side >= 0:
                                if own == 0 or edges[i, side] == NONE:
                                    continue
                                new_laid, new_own = extended[laid, edges[i, side]], own - 1
                                if new_laid < 0:
                                    continue
                            rest = free & ~(1 << i)
                            gain, done = 0, False
                            for end in range(2):
                                box = edges[i, end]
                                if (
                                    box != NONE
                                    and strings[box] & rest == 0
                                    and blocker_sets[new_laid] & bit(box) == ZERO
                                ):
                                    gain += value[box]
                                    done = True
                            # In the 2016 edition a move with a blocker never earns another turn.
                            if done and (side < 0 or classic != 0):
                                best = max(best, gain + values[new_laid, new_own, others, rest])
                            else:
                                best = max(best, gain - values[new_laid, others, new_own, rest])
                    values[laid, own, others, free] = best


def tabulate_values(layout: Layout, *, with_blockers: bool) -> Ints:
    """Return the values of all states, indexed as `_tabulate_states` says; without blockers, both stocks are 0 only."""
    stocks = _STOCKS if with_blockers else 1
    values = np.zeros((len(layout.blocker_sets), stocks, stocks, 1 << len(layout.edges)), np.int64)
    _tabulate_states(layout.edges, layout.value, int(layout.classic), layout.blocker_sets, layout.extended, values)
    return values


@kernel
def _solve_each_state(  # noqa: PLR0913, PLR0917  # the arrays of a layout one by one, as kernels take no objects
    stack: null_window.Stack,
    rows: null_window.Rows,
    table: NDArray[np.uint64],
    states: Ints,
    blocker_sets: NDArray[np.uint64],
    closed_boxes: int,
    coin_of: Ints,
    string_of: Ints,
    found: Ints,
) -> None:
    """Write to `found` the solver's values of states, rows of blocker set, own blockers, others' blockers, free edges.

    `coin_of` (-1 for none) and `string_of` number the layout's boxes and edges on the board; `closed_boxes` is a set of
    boxes. _FAILED marks a solve that did not finish. The last row of `rows.nodes` must be zeroed, as each solve begins
    with it.
    """
    board, nodes, bounds, control = stack.boards[0], rows.nodes, rows.bounds, stack.control
    for k in range(len(states)):
        nodes[0] = nodes[len(nodes) - 1]
        node = nodes[0]
        free, laid = ZERO, ZERO
        for i in range(len(string_of)):
            if (states[k, 3] >> i) & 1 != 0:
                free = free | bit(string_of[i])
        for box in range(len(coin_of)):
            if blocker_sets[states[k, 0]] & bit(box) != ZERO and coin_of[box] >= 0:
                laid = laid | bit(coin_of[box])
        blocked, closed, left = ZERO, ZERO, 0
        for box in range(len(coin_of)):
            coin = coin_of[box]
            if coin < 0:
                continue
            if (closed_boxes >> box) & 1 != 0:
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
        # A first question, which is not searched, only looks up the bounds.
        null_window.begin_question(stack, rows, table, 0)
        lower, upper = bounds[0, 0], bounds[0, 1]
        while lower < upper:
            # No limit: the table may be as full as it gets.
            control[null_window.FILL_LIMIT] = 1 << 60
            null_window.begin_question(stack, rows, table, lower + (upper - lower + 1) // 2)
            status = null_window.continue_question(stack, rows, table, 1 << 40)
            if status != null_window.DONE:
                # A lower bound above all values makes the bounds cross, which ends the loop.
                lower = 30_000
            lower, upper = max(lower, bounds[0, 0]), min(upper, bounds[0, 1])
        found[k] = lower if lower == upper else _FAILED


def solve_states(layout: Layout, states: Ints, memory: int = 1 << 20) -> Ints:
    """Return the solver's values of states, rows as in `_solve_each_state`; `memory` is the size of its table in bytes.

    Compiles the solver unless the JIT is off. _FAILED marks a solve that did not finish.
    """
    edition = "classic" if layout.classic else "2016"
    s = fc.game("squarin-off", cols=layout.cols, rows=layout.rows, edition=edition).start().record

    def find_box(box: int) -> int:
        """Return the number of a layout's box in the record."""
        return GROUND_BOX if box == NONE else (box // layout.cols + 1) * (layout.cols + 1) + box % layout.cols + 1

    pairs = [tuple(sorted((find_box(int(one)), find_box(int(two))))) for one, two in layout.edges]

    def get_sort_key(i: int) -> float:
        """Return the sort key of edge i in the order of the strings; one without boxes has no distance, comes first."""
        return -1.0 if pairs[i] == (GROUND_BOX, GROUND_BOX) else measure_centre_distance(s, pairs[i][0], pairs[i][1])

    ordered = sorted(range(len(pairs)), key=get_sort_key)
    string_of = np.zeros(len(pairs), np.int64)
    string_of[ordered] = np.arange(len(pairs))
    value = {find_box(box): int(v) for box, v in enumerate(layout.value) if box in layout.edges}
    strings = [(pairs[i][0], pairs[i][1]) for i in ordered]
    boards = build_board(s, Graph(strings, value, set()), sum(value.values()), with_blockers=bool(states[:, 1:3].any()))
    number = {box: coin for coin, box in enumerate(sorted(value))}
    coin_of = np.array([number.get(find_box(box), -1) for box in range(len(layout.value))], np.int64)
    plies, rows = len(pairs) + 80, 1 << 13
    found = np.zeros(len(states), np.int64)
    _solve_each_state(
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
        layout.blocker_sets,
        layout.closed,
        coin_of,
        string_of,
        found,
    )
    return found


def compare_with_solver(
    rng: random.Random, layout: Layout, count: int, *, with_blockers: bool, memory: int = 1 << 20, always: int = 0
) -> int:
    """Assert that solver and table agree on `count` random states of a layout, or all if fewer; return how many.

    `always` is a set of edges (a mask) that are free in all of them; `memory` is the size of the solver's table in
    bytes.
    """
    values = tabulate_values(layout, with_blockers=with_blockers)
    # Both sides together begin with two blockers, laid or left.
    stocks = [
        (laid, own, others)
        for laid, blocker_set in enumerate(layout.blocker_sets)
        for own, others in np.ndindex(*values.shape[1:3])
        if own + others + int(blocker_set).bit_count() < _STOCKS
    ]
    if count < len(stocks) << len(layout.edges):
        states = [(*rng.choice(stocks), rng.randrange(values.shape[3])) for _ in range(count)]
    else:
        states = [(*stock, free) for stock in stocks for free in range(values.shape[3])]
    chosen = np.array(states, np.int64)
    chosen[:, 3] |= always
    expected = values[tuple(chosen.T)]
    found = solve_states(layout, chosen, memory)
    wrong = np.flatnonzero(expected != found)
    assert not len(wrong), (layout, states[wrong[0]], expected[wrong[0]], found[wrong[0]], len(wrong))
    return len(states)
