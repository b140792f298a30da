"""Alpha-beta search by questions of yes and no: whether a node is worth at least so much.

A question is one null-window search (Knuth and Moore 1975; Plaat et al., Best-first fixed-depth minimax algorithms,
1996) on an explicit stack, so that it can stop and go on anywhere. Before a child is searched all are looked up in
the table, as one may answer already: that saves a fifth of the nodes. They are made a few at a time, so that memory is
on its way for some while others are made.
Several workers may share a table: all search a node's first child, then each leaves to later what another is at.
What a link is worth is defined in `core/exact.py`.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import margin_protocol
from fourcorners.core.bits import ZERO
from fourcorners.core.dispatch import Actions, State, States
from fourcorners.core.jit import jitable_no_alloc, kernel_no_alloc
from fourcorners.core.margin_protocol import GAIN, OTHER, SAME, TURN, Links
from fourcorners.solve.transposition_table import UNKNOWN, Table, fetch, look_up, store

Stack: TypeAlias = NDArray[np.int64]
FIRST, READY, END, ASKED, CHILD, BEFORE = range(6)
FRAME_COLUMNS = 6
"""A frame's children have the rows FIRST to END, those up to READY are made, and CHILD is being asked."""
Bounds: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[np.uint64]
Busy: TypeAlias = NDArray[np.uint64]
"""By worker and depth, the first words of the keys of what is being searched; 0 where nothing is."""
Control: TypeAlias = NDArray[np.int64]
DEPTH, NODES, FILLED, WANTED, ENOUGH = range(5)
CONTROL_WORDS = 5
PAUSED, DONE, NO_ROOM, CROWDED = 0, 1, -1, -2
_FRESH = -1
_AT_ONCE = 4
NOBODY = -1


@jitable_no_alloc
def link_bounds(link: NDArray[np.int64], lower: int, upper: int, step: int) -> tuple[int, int]:
    """Return the bounds of what a link is worth from those of its child."""
    gain, turn = link[GAIN], link[TURN]
    if turn == SAME:
        return gain + lower, gain + upper
    if turn == OTHER:
        return gain - upper, gain - lower
    low, high = turn + lower, turn + upper
    nearest = min(abs(low), abs(high))
    if low <= 0 <= high:
        nearest = low & 1 if step == 2 else 0
    return gain - max(abs(low), abs(high)), gain - nearest


@jitable_no_alloc
def question(link: NDArray[np.int64], asked: int, upper: int) -> int:
    """Return what to ask of a child, worth at most `upper`, to learn whether its link is worth at least `asked`."""
    gain, turn = link[GAIN], link[TURN]
    if turn == SAME:
        return asked - gain
    if turn == OTHER:
        return gain - asked + 1
    # |turn + W| must be at most this, which takes two questions.
    most = gain - asked
    if upper > most - turn:
        return most - turn + 1
    return -most - turn


@kernel_no_alloc
def advance(
    boards: States,
    nodes: States,
    moves: Actions,
    links: Links,
    bounds: Bounds,
    keys: Keys,
    stack: Stack,
    busy: Busy,
    table: Table,
    control: Control,
    worker: int,
    asked: int,
    budget: int,
) -> int:
    """Go on with the question whether `nodes[0]` is worth at least `asked`; return how it ended.

    `nodes`, `moves`, `links`, `bounds` and `keys` have a row for every node on the stack, `stack` and
    `busy[worker]` one for every depth; `control[DEPTH]` is -1 at the beginning. When done `bounds[0]` has the answer;
    after so many nodes more it pauses; for want of room `control[WANTED]` says how many rows are needed; and
    the table is crowded when `control[ENOUGH]` of its entries were filled by this worker.
    """
    board = boards[0]
    depth = control[DEPTH]
    if depth < 0:
        depth = 0
        keys[0, 0], keys[0, 1] = margin_protocol.key(board, nodes[0])
        _look_up(board, nodes[0], keys[0], bounds[0], table)
        stack[0, CHILD], stack[0, ASKED] = _FRESH, asked
    last = control[NODES] + budget
    while True:
        frame = stack[depth]
        at = 0 if depth == 0 else stack[depth - 1, CHILD]
        if frame[CHILD] == _FRESH:
            if control[NODES] >= last:
                control[DEPTH] = depth
                return PAUSED
            first = 1 if depth == 0 else stack[depth - 1, END]
            if first + board.most_links > len(nodes):
                control[DEPTH] = depth
                control[WANTED] = first + board.most_links
                return NO_ROOM
            count = margin_protocol.moves(board, nodes[at], moves[first:])
            if count < 0:
                control[DEPTH] = depth
                control[WANTED] = 2 * len(nodes)
                return NO_ROOM
            control[NODES] += 1
            frame[BEFORE] = control[NODES]
            frame[FIRST], frame[READY], frame[END] = first, first, first + count
            busy[worker, depth] = keys[at, 0]
        chosen = _choose(board, nodes, moves, links, bounds, keys, frame, at, busy, table, worker)
        if chosen >= 0:
            frame[CHILD] = chosen
            depth += 1
            stack[depth, CHILD] = _FRESH
            stack[depth, ASKED] = question(links[chosen], frame[ASKED], bounds[chosen, 1])
            continue
        work, cost = 0, control[NODES] - frame[BEFORE]
        while cost > 0:
            work, cost = work + 1, cost >> 1
        control[FILLED] += store(table, keys[at, 0], keys[at, 1], bounds[at, 0], bounds[at, 1], work)
        busy[worker, depth] = ZERO
        if depth == 0:
            control[DEPTH] = -1
            return DONE
        depth -= 1
        if control[FILLED] >= control[ENOUGH]:
            # Told at once, not at the end of the slice, so that the same question always takes the same nodes.
            control[DEPTH] = depth
            return CROWDED


@kernel_no_alloc
def look(boards: States, nodes: States, bounds: Bounds, keys: Keys, table: Table) -> None:
    """Write the key of `nodes[0]`, and what is known of its value."""
    keys[0, 0], keys[0, 1] = margin_protocol.key(boards[0], nodes[0])
    _look_up(boards[0], nodes[0], keys[0], bounds[0], table)


@jitable_no_alloc
def _look_up(board: State, node: State, key: Keys, bounds: Bounds, table: Table) -> None:
    """Write what is known of a node's value."""
    bounds[0], bounds[1] = margin_protocol.limits(board, node)
    if bounds[0] < bounds[1]:
        _look_again(bounds, key, table, board.step)


@jitable_no_alloc
def _look_again(bounds: Bounds, key: Keys, table: Table, step: int) -> None:
    """Narrow a node's bounds by what the table holds."""
    lower, upper = look_up(table, key[0], key[1])
    if step == 2:
        # What was found from a board with step 1 may lack the parity that the value has.
        lower, upper = lower + ((lower - bounds[0]) & 1), upper - ((upper - bounds[0]) & 1)
    bounds[0], bounds[1] = max(bounds[0], lower), min(bounds[1], upper)


@jitable_no_alloc
def _make(
    board: State,
    nodes: States,
    moves: Actions,
    links: Links,
    bounds: Bounds,
    keys: Keys,
    frame: NDArray[np.int64],
    at: int,
    table: Table,
) -> None:
    """Make the next few children of a node, and look them up."""
    first, end = frame[READY], min(frame[END], frame[READY] + _AT_ONCE)
    for i in range(first, end):
        nodes[i] = nodes[at]
        margin_protocol.follow(board, nodes[at], moves[i], nodes[i], links[i])
        keys[i, 0], keys[i, 1] = margin_protocol.key(board, nodes[i])
        fetch(table, keys[i, 0])
    for i in range(first, end):
        _look_up(board, nodes[i], keys[i], bounds[i], table)
    frame[READY] = end


@jitable_no_alloc
def _choose(
    board: State,
    nodes: States,
    moves: Actions,
    links: Links,
    bounds: Bounds,
    keys: Keys,
    frame: NDArray[np.int64],
    at: int,
    busy: Busy,
    table: Table,
    worker: int,
) -> int:
    """Return the child to be asked next, or NOBODY if the answer to the frame's question is in the node's bounds."""
    asked = frame[ASKED]
    while True:
        lower, upper = -UNKNOWN, -UNKNOWN
        chosen, waiting = NOBODY, False
        i = frame[FIRST]
        while i < frame[END] and lower < asked:
            if i == frame[READY]:
                _make(board, nodes, moves, links, bounds, keys, frame, at, table)
            low, high = link_bounds(links[i], bounds[i, 0], bounds[i, 1], board.step)
            lower, upper = max(lower, low), max(upper, high)
            if high >= asked and (chosen < 0 or waiting):
                # The eldest child is for all: mostly it decides, and then the younger ones are not needed.
                taken = i > frame[FIRST] and _is_taken(busy, keys[i, 0], worker)
                if chosen < 0 or not taken:
                    chosen, waiting = i, taken
            i += 1
        if lower >= asked or chosen == NOBODY:
            bounds[at, 0] = max(lower, bounds[at, 0])
            if i == frame[END]:
                bounds[at, 1] = min(upper, bounds[at, 1])
            return NOBODY
        # Since the child was made the table may have learnt of it.
        known = bounds[chosen, 0], bounds[chosen, 1]
        _look_again(bounds[chosen], keys[chosen], table, board.step)
        if bounds[chosen, 0] == known[0] and bounds[chosen, 1] == known[1]:
            return chosen


@jitable_no_alloc
def _is_taken(busy: Busy, key: np.uint64, worker: int) -> bool:
    """Tell whether another worker is searching this just now."""
    for other in range(len(busy)):
        if other != worker:
            for depth in range(busy.shape[1]):
                if busy[other, depth] == key:
                    return True
    return False
