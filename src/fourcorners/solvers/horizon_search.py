"""Null-window search to a limited depth: the value of a node if the game's estimates at the horizon are true.

It works on the nodes of `margin_protocol.py`, as `null_window.py` does, and shares its table. Besides proven bounds in
points, every node has *guesses*: bounds in UNIT that hold for the remaining depth. A question is about guesses. Bounds
proven on the way are stored for all depths, and both searches use them.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import Actions, State, States
from fourcorners.core.bits import mix
from fourcorners.core.jit import jitable_no_alloc, kernel_no_alloc, rare
from fourcorners.solvers import margin_protocol
from fourcorners.solvers.margin_protocol import GAIN, NEVER, OTHER, SAME, TURN, UNIT, Links, Work
from fourcorners.solvers.null_window import compute_child_question, compute_link_bounds, narrow_bounds
from fourcorners.solvers.transposition_table import UNKNOWN, Table, look_up, store

Frame: TypeAlias = NDArray[np.int64]
FIRST, END, TARGET, CHILD, NODES_BEFORE, LAST, FRAME_COLUMNS = range(7)
"""Columns of `Stack.frames`, as in `null_window.py`.

All children of a node are made before one is searched, the rows from FIRST to END so far, and up to LAST in the end.
"""
DEPTH, NODES, FILLED, NEEDED_ROWS, HORIZON, CONTROL_WORDS = range(6)
"""Words of `Stack.control`: HORIZON is the number of plies searched from the root."""
PAUSED, DONE, NO_ROOM = 0, 1, -1
WIDE = 250  # in points: the largest bounds that can be stored in UNIT
_NOT_ENTERED = _NO_CHILD = -1
_INCOMPLETE = -2  # some children have not been made yet
_PROOF_EFFORT = 4  # proofs stay in the table longer than guesses that took up to sixteen times the nodes


class Rows(NamedTuple):
    """The nodes on the stack, one row each, R rows; row 0 is the root.

    - `nodes`, `moves`, `links`, `bounds`, `keys`: as in `null_window.Rows`.
    - `scaled`: (R, 2) int64, `links` in UNIT.
    - `guesses`: (R, 2) int64, the lower and the upper bound at the depth of the search, in UNIT.
    - `scores`: (R,) int64, the estimated value of the move to the node, in UNIT.
    """

    nodes: States
    moves: Actions
    links: Links
    scaled: Links
    bounds: NDArray[np.int64]
    guesses: NDArray[np.int64]
    keys: NDArray[np.uint64]
    scores: NDArray[np.int64]


class Stack(NamedTuple):
    """The stack of a search, with room for D plies.

    - `boards`: (1,) of the game's BOARD.
    - `frames`: (D, 6) int64.
    - `control`: (5,) int64.
    - `excluded`: (m,) int64, moves left out of the root's search, unless it has no others.
    """

    boards: States
    frames: NDArray[np.int64]
    control: NDArray[np.int64]
    excluded: Actions


@rare
@kernel_no_alloc
def count_plies_to_estimates(stack: Stack, rows: Rows, work: Work) -> int:
    """Return the game's answer for the root, or NEVER if its limits are equal or not less than WIDE."""
    lower, upper = margin_protocol.limits(stack.boards[0], rows.nodes[0])
    if not -WIDE < lower < upper < WIDE:
        return NEVER
    return margin_protocol.count_plies_to_estimates(stack.boards[0], rows.nodes[0], work)


@rare
@kernel_no_alloc
def start(stack: Stack, rows: Rows, question: int, horizon: int) -> None:
    """Begin the question whether the root's value is at least `question`, in UNIT, at a depth of `horizon` plies.

    The horizon is at least 1. Writes the root's key, bounds and guesses into row 0.
    """
    board = stack.boards[0]
    rows.keys[0, 0], rows.keys[0, 1] = margin_protocol.key(board, rows.nodes[0])
    # Known bounds must not answer for the root itself, as its best child is wanted too.
    rows.bounds[0, 0], rows.bounds[0, 1] = -WIDE, WIDE
    rows.guesses[0, 0], rows.guesses[0, 1] = -WIDE * UNIT, WIDE * UNIT
    stack.control[DEPTH], stack.control[HORIZON] = 0, horizon
    stack.frames[0, CHILD], stack.frames[0, TARGET] = _NOT_ENTERED, question


@kernel_no_alloc
def advance(stack: Stack, rows: Rows, table: Table, work: Work, nodes: int) -> int:
    """Continue a question for up to `nodes` nodes; return DONE if `rows.guesses[0]` answers it, PAUSED or NO_ROOM.

    The effort of estimates counts as nodes; the last estimate may exceed the limit. PAUSED means that the nodes are
    used up, and NO_ROOM that `stack.control[NEEDED_ROWS]` rows are needed. After these two, call it again, with longer
    rows if necessary.
    """
    boards, frames, control, excluded = stack
    board = boards[0]
    depth, horizon = control[DEPTH], control[HORIZON]
    last = control[NODES] + nodes
    while True:
        frame = frames[depth]
        row = 0 if depth == 0 else frames[depth - 1, CHILD]
        left = horizon - depth
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
            if depth == 0:
                count = _exclude_moves(rows.moves[first : first + count], excluded)
            control[NODES] += 1
            frame[NODES_BEFORE] = control[NODES]
            frame[FIRST], frame[END], frame[LAST], frame[CHILD] = first, first, first + count, _INCOMPLETE
        if frame[CHILD] == _INCOMPLETE and not _make_children(stack, rows, frame, row, table, work, left - 1, last):
            control[DEPTH] = depth
            return PAUSED
        child = _choose_child(board, rows, frame, row, table, left - 1)
        if child >= 0:
            frame[CHILD] = child
            depth += 1
            frames[depth, CHILD] = _NOT_ENTERED
            frames[depth, TARGET] = compute_child_question(rows.scaled[child], frame[TARGET], rows.guesses[child, 1])
            continue
        effort, cost = 0, control[NODES] - frame[NODES_BEFORE]
        while cost > 0:
            effort, cost = effort + 1, cost >> 1
        bounds, guesses, keys = rows.bounds[row], rows.guesses[row], rows.keys[row]
        if bounds[0] * UNIT >= frame[TARGET] or bounds[1] * UNIT < frame[TARGET]:
            control[FILLED] += store(table, keys[0], keys[1], bounds[0], bounds[1], effort + _PROOF_EFFORT)
        else:
            second = _salt_key(keys[1], left)
            control[FILLED] += store(table, keys[0], second, guesses[0], guesses[1], effort)
        if depth == 0:
            return DONE
        depth -= 1


@jitable_no_alloc
def _exclude_moves(moves: Actions, excluded: Actions) -> int:
    """Move the `moves`, (n,), that are not in `excluded`, (m,), to the front, and return their number.

    If all are excluded, keep all and return n.
    """
    count = 0
    for i in range(len(moves)):
        is_excluded = False
        for code in excluded:
            is_excluded |= code == moves[i]
        if not is_excluded:
            moves[count] = moves[i]
            count += 1
    return count if count > 0 else len(moves)


@jitable_no_alloc
def _salt_key(second: np.uint64, left: int) -> np.uint64:
    """Return the second word of a node's key for guesses with some plies left; all entries of a node share a bucket."""
    return second ^ mix(np.uint64(left))


@jitable_no_alloc
def _assess(board: State, rows: Rows, row: int, table: Table, work: Work, left: int) -> int:
    """Write the bounds and guesses of a row: by its limits, the table and, if no plies are `left`, its estimate.

    Return the number of table entries filled.
    """
    filled = 0
    bounds, guesses, keys = rows.bounds[row], rows.guesses[row], rows.keys[row]
    bounds[0], bounds[1] = margin_protocol.limits(board, rows.nodes[row])
    if bounds[0] < bounds[1]:
        narrow_bounds(bounds, keys, table, board.step)
    guesses[0], guesses[1] = bounds[0] * UNIT, bounds[1] * UNIT
    if bounds[0] < bounds[1]:
        _narrow_guesses(guesses, keys, table, left)
        if left <= 0 and guesses[0] < guesses[1]:
            value = margin_protocol.estimate(board, rows.nodes[row], work)
            value = max(guesses[0], min(guesses[1], value))
            guesses[0], guesses[1] = value, value
            # Most nodes at the horizon occur several times, in this question and in others at this depth.
            filled += store(table, keys[0], _salt_key(keys[1], left), value, value, 0)
    return filled


@jitable_no_alloc
def _narrow_guesses(guesses: NDArray[np.int64], key: NDArray[np.uint64], table: Table, left: int) -> None:
    """Narrow guesses in place by the table's entry for this depth."""
    low, high = look_up(table, key[0], _salt_key(key[1], left))
    guesses[0], guesses[1] = max(guesses[0], min(low, guesses[1])), min(guesses[1], max(high, guesses[0]))


@jitable_no_alloc
def _make_children(
    stack: Stack, rows: Rows, frame: Frame, row: int, table: Table, work: Work, left: int, last: int
) -> bool:
    """Make the next children of a row, with `left` plies below them, until one answers the question or all are made.

    Return False if it pauses because `last` nodes are reached.
    """
    board, control = stack.boards[0], stack.control
    for i in range(frame[END], frame[LAST]):
        if control[NODES] >= last:
            return False
        rows.nodes[i] = rows.nodes[row]
        link, scaled = rows.links[i], rows.scaled[i]
        margin_protocol.follow(board, rows.nodes[row], rows.moves[i], rows.nodes[i], link)
        scaled[GAIN] = UNIT * link[GAIN]
        scaled[TURN] = link[TURN] if link[TURN] in (SAME, OTHER) else UNIT * link[TURN]
        rows.keys[i, 0], rows.keys[i, 1] = margin_protocol.key(board, rows.nodes[i])
        control[FILLED] += _assess(board, rows, i, table, work, left)
        control[NODES] += work.effort[0]
        work.effort[0] = 0
        frame[END] = i + 1
        low, _ = compute_link_bounds(scaled, rows.guesses[i, 0], rows.guesses[i, 1], 1)
        if low >= frame[TARGET]:
            break
        if left > 0:
            rows.scores[i] = _score(rows, i, table, left - 1)
    frame[CHILD] = _NO_CHILD
    return True


@jitable_no_alloc
def _score(rows: Rows, i: int, table: Table, left: int) -> int:
    """Return the estimated value of a row's link from the search one ply less deep."""
    low, high = look_up(table, rows.keys[i, 0], _salt_key(rows.keys[i, 1], left))
    low, high = max(low, rows.guesses[i, 0]), min(high, rows.guesses[i, 1])
    low, high = compute_link_bounds(rows.scaled[i], low, high, 1)
    return (low + high) >> 1


@jitable_no_alloc
def _choose_child(board: State, rows: Rows, frame: Frame, row: int, table: Table, left: int) -> int:
    """Return the row of the child with the best score to search next; -1 once the guesses of `row` answer its question.

    Then its bounds are up to date, too.
    """
    target = frame[TARGET]
    while True:
        lower, upper = -UNKNOWN, -UNKNOWN
        proven_lower, proven_upper = -UNKNOWN, -UNKNOWN
        chosen, best = _NO_CHILD, -UNKNOWN
        for i in range(frame[FIRST], frame[END]):
            low, high = compute_link_bounds(rows.links[i], rows.bounds[i, 0], rows.bounds[i, 1], board.step)
            proven_lower, proven_upper = max(proven_lower, low), max(proven_upper, high)
            low, high = compute_link_bounds(rows.scaled[i], rows.guesses[i, 0], rows.guesses[i, 1], 1)
            lower, upper = max(lower, low), max(upper, high)
            if high >= target and left > 0 and rows.scores[i] > best:
                chosen, best = i, rows.scores[i]
        if lower >= target or chosen == _NO_CHILD:
            bounds, guesses = rows.bounds[row], rows.guesses[row]
            bounds[0], guesses[0] = max(bounds[0], proven_lower), max(guesses[0], lower)
            if lower < target:
                bounds[1], guesses[1] = min(bounds[1], proven_upper), min(guesses[1], upper)
            guesses[0], guesses[1] = max(guesses[0], bounds[0] * UNIT), min(guesses[1], bounds[1] * UNIT)
            if guesses[0] > guesses[1]:
                guesses[0] = guesses[1] = max(bounds[0] * UNIT, min(bounds[1] * UNIT, guesses[0]))
            return _NO_CHILD
        known = rows.guesses[chosen, 0], rows.guesses[chosen, 1]
        if rows.guesses[chosen, 0] < rows.guesses[chosen, 1]:
            narrow_bounds(rows.bounds[chosen], rows.keys[chosen], table, board.step)
            _narrow_guesses(rows.guesses[chosen], rows.keys[chosen], table, left)
            low, high = rows.bounds[chosen, 0] * UNIT, rows.bounds[chosen, 1] * UNIT
            rows.guesses[chosen, 0] = min(max(rows.guesses[chosen, 0], low), high)
            rows.guesses[chosen, 1] = max(min(rows.guesses[chosen, 1], high), low)
        if known == (rows.guesses[chosen, 0], rows.guesses[chosen, 1]):
            return chosen
