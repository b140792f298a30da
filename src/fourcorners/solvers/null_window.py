"""Null-window search: whether a node's value is at least some bound.

A question is one null-window search (Knuth and Moore 1975; Plaat et al., Best-first fixed-depth minimax algorithms,
1996) on an explicit stack, so that it can pause and continue anywhere. Before a child is searched, all children are
looked up in the table, as one may answer already; that saves a fifth of the nodes. Children are made a few at a time,
so that memory is prefetched for some while others are made. Several workers may share a table: all search a node's
first child, then each postpones the nodes that another is searching. `solvers/margin_protocol.py` defines the worth of
a link.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import Actions, State, States
from fourcorners.core.bits import ZERO
from fourcorners.core.jit import jitable_no_alloc, kernel_no_alloc, rare
from fourcorners.solvers import margin_protocol
from fourcorners.solvers.margin_protocol import GAIN, OTHER, SAME, TURN, Links
from fourcorners.solvers.transposition_table import UNKNOWN, Table, look_up, prefetch_bucket, store

Frame: TypeAlias = NDArray[np.int64]
FIRST, READY, END, TARGET, CHILD, NODES_BEFORE, FRAME_COLUMNS = range(7)
"""Columns of `Stack.frames`. A node's children have the rows FIRST to END; those before READY are made. TARGET is the
value asked about, CHILD the row that is searched now, NODES_BEFORE the node count on entry."""
DEPTH, NODES, FILLED, NEEDED_ROWS, FILL_LIMIT, WORKER, CONTROL_WORDS = range(7)  # words of `Stack.control`
PAUSED, DONE, NO_ROOM, CROWDED = 0, 1, -1, -2
_NOT_ENTERED = _NO_CHILD = -1
_BATCH = 4  # the number of children made at a time


class Rows(NamedTuple):
    """The nodes on the stack, one row each, R rows; row 0 is the root.

    - `nodes`: (R,) of the game's NODE.
    - `moves`: (R,) int64, the move that leads to the node.
    - `links`: (R, 2) int64, the worth of that move: see `solvers/margin_protocol.py`.
    - `bounds`: (R, 2) int64, the lower and the upper bound of the node's value.
    - `keys`: (R, 2) uint64.
    """

    nodes: States
    moves: Actions
    links: Links
    bounds: NDArray[np.int64]
    keys: NDArray[np.uint64]


class Stack(NamedTuple):
    """The stack of one worker, with room for D plies.

    - `boards`: (1,) of the game's BOARD; the worker's own copy, which it may work in.
    - `frames`: (D, 6) int64.
    - `busy`: (workers, D) uint64, shared by all workers: the first key words of what each is searching, or 0.
    - `control`: (6,) int64. DEPTH is the current level. NODES and FILLED count nodes and table entries filled. After
      NO_ROOM, NEEDED_ROWS is how many rows there must be. At FILL_LIMIT entries filled the search stops so that the
      table can grow. WORKER is the row in `busy`.
    """

    boards: States
    frames: NDArray[np.int64]
    busy: NDArray[np.uint64]
    control: NDArray[np.int64]


@jitable_no_alloc
def compute_link_bounds(link: NDArray[np.int64], lower: int, upper: int, step: int) -> tuple[int, int]:
    """Return the bounds of the worth of `link`, (2,), from its child's; with `step` 2 the value has their parity."""
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
def compute_child_question(link: NDArray[np.int64], target: int, upper: int) -> int:
    """Return the value to ask about next at a child whose value is at most `upper`.

    The question helps to decide whether `link` is worth at least `target`. For OTHER, yes means that it is not; a
    numeric turn may take two questions.
    """
    gain, turn = link[GAIN], link[TURN]
    if turn == SAME:
        return target - gain
    if turn == OTHER:
        return gain - target + 1
    # |turn + W| must not exceed this, which takes two questions.
    largest = gain - target
    return largest - turn + 1 if upper > largest - turn else -largest - turn


@rare
@kernel_no_alloc
def start(stack: Stack, rows: Rows, table: Table, question: int) -> None:
    """Do what `begin_question` does."""
    begin_question(stack, rows, table, question)


@kernel_no_alloc
def advance(stack: Stack, rows: Rows, table: Table, nodes: int) -> int:
    """Do what `continue_question` does."""
    return continue_question(stack, rows, table, nodes)


@jitable_no_alloc
def choose_question(lower: int, upper: int, step: int) -> int:
    """Return the next value to ask about, above `lower` and up to `upper`: near 0, like most values."""
    return lower + step if lower >= 0 else min(upper, upper % step)


@jitable_no_alloc
def begin_question(stack: Stack, rows: Rows, table: Table, question: int) -> None:
    """Begin the question whether the root's value is at least `question`; write its key and known bounds into row 0."""
    board, worker = stack.boards[0], stack.control[WORKER]
    rows.keys[0, 0], rows.keys[0, 1] = margin_protocol.key(board, rows.nodes[0])
    _look_up(board, rows.nodes[0], rows.keys[0], rows.bounds[0], table)
    stack.control[DEPTH] = 0
    stack.frames[0, CHILD], stack.frames[0, TARGET] = _NOT_ENTERED, question
    for depth in range(stack.busy.shape[1]):
        stack.busy[worker, depth] = ZERO


@jitable_no_alloc
def continue_question(stack: Stack, rows: Rows, table: Table, nodes: int) -> int:
    """Continue a question for up to `nodes` nodes; return DONE if `rows.bounds[0]` answers it, else why it paused.

    PAUSED means that the nodes are used up, NO_ROOM that `stack.control[NEEDED_ROWS]` rows are needed, and CROWDED that
    this worker filled FILL_LIMIT table entries. After these three, call it again, with longer rows or a larger table if
    necessary. The root's bounds must differ at the start.
    """
    boards, frames, busy, control = stack
    board = boards[0]
    bounds, keys = rows.bounds, rows.keys
    worker, depth = control[WORKER], control[DEPTH]
    last = control[NODES] + nodes
    while True:
        frame = frames[depth]
        row = 0 if depth == 0 else frames[depth - 1, CHILD]
        if frame[CHILD] == _NOT_ENTERED:
            if control[NODES] >= last:
                control[DEPTH] = depth
                return PAUSED
            first = 1 if depth == 0 else frames[depth - 1, END]
            if first + board.most_links > len(rows.nodes):
                control[DEPTH], control[NEEDED_ROWS] = depth, first + board.most_links
                return NO_ROOM
            count = margin_protocol.moves(board, rows.nodes[row], rows.moves[first:])
            if count < 0:
                control[DEPTH], control[NEEDED_ROWS] = depth, 2 * len(rows.nodes)
                return NO_ROOM
            control[NODES] += 1
            frame[NODES_BEFORE] = control[NODES]
            frame[FIRST], frame[READY], frame[END] = first, first, first + count
            busy[worker, depth] = keys[row, 0]
        child = _choose_child(stack, rows, table, frame, row)
        if child >= 0:
            frame[CHILD] = child
            depth += 1
            frames[depth, CHILD] = _NOT_ENTERED
            frames[depth, TARGET] = compute_child_question(rows.links[child], frame[TARGET], bounds[child, 1])
            continue
        work, cost = 0, control[NODES] - frame[NODES_BEFORE]
        while cost > 0:
            work, cost = work + 1, cost >> 1
        control[FILLED] += store(table, keys[row, 0], keys[row, 1], bounds[row, 0], bounds[row, 1], work)
        busy[worker, depth] = ZERO
        if depth == 0:
            return DONE
        depth -= 1
        if control[FILLED] >= control[FILL_LIMIT]:
            # Stop here, not at the end of the slice, so that the same question always takes the same nodes.
            control[DEPTH] = depth
            return CROWDED


@jitable_no_alloc
def _look_up(board: State, node: State, key: NDArray[np.uint64], bounds: NDArray[np.int64], table: Table) -> None:
    """Write a node's bounds into `bounds`, (2,), by its limits and, if these differ, by the table."""
    bounds[0], bounds[1] = margin_protocol.limits(board, node)
    if bounds[0] < bounds[1]:
        narrow_bounds(bounds, key, table, board.step)


@jitable_no_alloc
def narrow_bounds(bounds: NDArray[np.int64], key: NDArray[np.uint64], table: Table, step: int) -> None:
    """Narrow a node's bounds, (2,), in place by the table's entry for its key, (2,); `step` is as in BOARD_FIELDS."""
    lower, upper = look_up(table, key[0], key[1])
    if step == 2:
        # Bounds from a board with step 1 may lack the value's parity.
        lower, upper = lower + ((lower - bounds[0]) & 1), upper - ((upper - bounds[0]) & 1)
    bounds[0], bounds[1] = max(bounds[0], lower), min(bounds[1], upper)


@jitable_no_alloc
def _make_children(board: State, rows: Rows, frame: Frame, row: int, table: Table) -> None:
    """Make the next _BATCH children, or all remaining ones, of the node in a row: write their rows, advance READY."""
    nodes, keys = rows.nodes, rows.keys
    first, end = frame[READY], min(frame[END], frame[READY] + _BATCH)
    for i in range(first, end):
        nodes[i] = nodes[row]
        margin_protocol.follow(board, nodes[row], rows.moves[i], nodes[i], rows.links[i])
        keys[i, 0], keys[i, 1] = margin_protocol.key(board, nodes[i])
        prefetch_bucket(table, keys[i, 0])
    for i in range(first, end):
        _look_up(board, nodes[i], keys[i], rows.bounds[i], table)
    frame[READY] = end


@jitable_no_alloc
def _choose_child(stack: Stack, rows: Rows, table: Table, frame: Frame, row: int) -> int:
    """Return the row of the child to search next, made if needed; -1 once `rows.bounds[row]` is an answer."""
    board = stack.boards[0]
    bounds, keys = rows.bounds, rows.keys
    target = frame[TARGET]
    while True:
        lower, upper = -UNKNOWN, -UNKNOWN
        chosen, chosen_is_busy = _NO_CHILD, False
        i = frame[FIRST]
        while i < frame[END] and lower < target:
            if i == frame[READY]:
                if board.is_lazy != 0 and chosen >= 0 and not chosen_is_busy:
                    break
                _make_children(board, rows, frame, row, table)
            low, high = compute_link_bounds(rows.links[i], bounds[i, 0], bounds[i, 1], board.step)
            lower, upper = max(lower, low), max(upper, high)
            if high >= target and (chosen < 0 or chosen_is_busy):
                # All workers search the first child, as it usually decides and makes the others unnecessary.
                is_busy = i > frame[FIRST] and _is_busy(stack, keys[i, 0])
                if chosen < 0 or not is_busy:
                    chosen, chosen_is_busy = i, is_busy
            i += 1
        if lower >= target or chosen == _NO_CHILD:
            bounds[row, 0] = max(lower, bounds[row, 0])
            if i == frame[END]:
                bounds[row, 1] = min(upper, bounds[row, 1])
            return _NO_CHILD
        # Another worker or line of play may have stored more since the child was made.
        known = bounds[chosen, 0], bounds[chosen, 1]
        narrow_bounds(bounds[chosen], keys[chosen], table, board.step)
        if bounds[chosen, 0] == known[0] and bounds[chosen, 1] == known[1]:
            return chosen


@jitable_no_alloc
def _is_busy(stack: Stack, key: np.uint64) -> bool:
    """Return whether another worker has the node with this first key word on its stack."""
    busy, worker = stack.busy, stack.control[WORKER]
    for other in range(len(busy)):
        for depth in range(busy.shape[1]):
            if busy[other, depth] == key and other != worker:
                return True
    return False
