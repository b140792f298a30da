"""Compiled labels: the values of many records, and of their moves, in one call.

This is for games with `fill_board` and `fill_node`, and for positions that take few nodes; `labels.py` solves the rest.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch
from fourcorners.core.arrays import Actions, Points, State, States
from fourcorners.core.encoding import index_action
from fourcorners.core.game import Game
from fourcorners.core.jit import jitable_no_alloc, kernel_no_alloc
from fourcorners.solvers import margin_protocol
from fourcorners.solvers.margin_protocol import LINK_COLUMNS
from fourcorners.solvers.margins import MarginSolver
from fourcorners.solvers.null_window import (
    CONTROL_WORDS,
    DONE,
    FILL_LIMIT,
    FILLED,
    FRAME_COLUMNS,
    NODES,
    Rows,
    Stack,
    begin_question,
    choose_question,
    continue_question,
)
from fourcorners.solvers.transposition_table import UNKNOWN, Table

_PLIES, _ROWS = 256, 1 << 12
_ANY = -UNKNOWN  # in place of an aim: the exact value
_MOST_NODES, _RECORDS = 2000, 64  # for a record, and records for a call, as no call can be interrupted


class Columns(NamedTuple):
    """What is known of n positions and, if they are wanted, of their m moves, one list after the other.

    - `lower`, `upper`: (n,), bounds of the values.
    - `best`: (n,), the index of a best move; -1 as long as none is known.
    - `nodes`: (n,), the nodes searched.
    - `is_open`: (n,), whether anything wanted is still unknown.
    - `offsets`: (n + 1,), where the list of each position begins, and where the last one ends; (0,) without moves.
    - `actions`: (m,), the indices of the moves, -1 for those without one.
    - `lowers`, `uppers`: (m,), bounds of the values of the moves for the seat to move.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    best: NDArray[np.int64]
    nodes: NDArray[np.int64]
    is_open: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    actions: NDArray[np.int64]
    lowers: NDArray[np.int64]
    uppers: NDArray[np.int64]


class Scratch(NamedTuple):
    """Work space.

    - `states`: (1,), for a record after a move.
    - `actions`: for the legal actions of any record.
    - `points`: (2, MAX_SEATS), before and after a move.
    """

    states: States
    actions: Actions
    points: Points


class QuickLabels:
    """The compiled search for labels of one game, in its solver's table; one thread at a time may use it."""

    def __init__(self, solver: MarginSolver, game: Game) -> None:
        """Make stack and work space; `solver.exact` must have `fill_board`."""
        rules, exact = game.spec.rules, solver.exact
        self._solver = solver
        self._stack = Stack(
            np.zeros(1, exact.BOARD),
            np.zeros((_PLIES, FRAME_COLUMNS), np.int64),
            np.zeros((1, _PLIES), np.uint64),
            np.zeros(CONTROL_WORDS, np.int64),
        )
        self._rows = Rows(
            np.zeros(_ROWS, exact.NODE),
            np.zeros(_ROWS, np.int64),
            np.zeros((_ROWS, LINK_COLUMNS), np.int64),
            np.zeros((_ROWS, 2), np.int64),
            np.zeros((_ROWS, 2), np.uint64),
        )
        self._scratch = Scratch(
            np.zeros(1, rules.DTYPE), np.zeros(0, np.int64), np.zeros((2, rules.MAX_SEATS), np.int64)
        )

    def fill(self, states: States, columns: Columns, longest: int, nodes: int | None) -> None:
        """Fill in what a short search finds of the open records, with up to `nodes` nodes for each.

        `longest` is the largest `dispatch.bound` of all records.
        """
        solver, control = self._solver, self._stack.control
        most = _MOST_NODES if nodes is None else min(nodes, _MOST_NODES)
        scratch = self._scratch._replace(actions=np.zeros(longest, np.int64))
        first = 0
        while first < len(states):
            last = min(first + _RECORDS, len(states))
            before = int(control[FILLED])
            control[FILL_LIMIT] = before + solver.entries_left
            table = solver.table
            first = int(label_records(states, columns, self._stack, self._rows, table, scratch, most, first, last))
            solver.add_entries(int(control[FILLED]) - before)


@kernel_no_alloc
def label_records(  # noqa: PLR0913, PLR0917  # a kernel takes arrays, not objects
    states: States,
    columns: Columns,
    stack: Stack,
    rows: Rows,
    table: Table,
    scratch: Scratch,
    nodes: int,
    first: int,
    last: int,
) -> int:
    """Fill in the columns of the open records from `first` to before `last`, with up to `nodes` nodes for each.

    Return the first record that was left out because the table must grow; `last` if there is none.
    """
    control, board = stack.control, stack.boards[0]
    for i in range(first, last):
        if control[FILLED] >= control[FILL_LIMIT]:
            return i
        s = states[i]
        if not columns.is_open[i] or not margin_protocol.fill_board(s, board) or board.most_plies + 2 > _PLIES:
            continue
        before = control[NODES]
        margin_protocol.fill_node(s, board, rows.nodes[0])
        columns.lower[i], columns.upper[i] = _search(stack, rows, table, _ANY, before + nodes)
        if len(columns.offsets) > 0:
            _label_moves(states, columns, i, stack, rows, table, scratch, before + nodes)
        elif columns.lower[i] == columns.upper[i]:
            _find_best(states, columns, i, stack, rows, table, scratch, before + nodes)
        columns.nodes[i] = control[NODES] - before
    return last


@jitable_no_alloc
def _search(stack: Stack, rows: Rows, table: Table, aim: int, end: int) -> tuple[int, int]:
    """Return bounds of the value of the node in row 0, searched until `control[NODES]` is `end` or the table is full.

    With an aim, the search ends when it is known whether the value is at least that.
    """
    control, step = stack.control, stack.boards[0].step
    # This first question is not searched: it only looks up the bounds.
    begin_question(stack, rows, table, 0)
    lower, upper = rows.bounds[0, 0], rows.bounds[0, 1]
    while lower < upper and (aim == _ANY or lower < aim <= upper):
        if control[NODES] >= end or control[FILLED] >= control[FILL_LIMIT]:
            break
        begin_question(stack, rows, table, choose_question(lower, upper, step) if aim == _ANY else aim)
        status = continue_question(stack, rows, table, end - control[NODES])
        lower, upper = max(lower, rows.bounds[0, 0]), min(upper, rows.bounds[0, 1])
        if status != DONE:
            break
    return lower, upper


@jitable_no_alloc
def _search_move(
    s: State, action: int, stack: Stack, rows: Rows, table: Table, scratch: Scratch, aim: int, end: int
) -> tuple[int, int]:
    """Return bounds of the value of an action for the seat to move in a record, searched as by `_search`.

    The stack has the board of the record, or of one before it.
    """
    before, after = scratch.points[0], scratch.points[1]
    seat = dispatch.to_move(s)
    dispatch.points(s, before)
    scratch.states[0] = s
    child = scratch.states[0]
    dispatch.play(child, action)
    dispatch.points(child, after)
    gain = after[seat] - after[1 - seat] - (before[seat] - before[1 - seat])
    if dispatch.is_over(child):
        return gain, gain
    margin_protocol.fill_node(child, stack.boards[0], rows.nodes[0])
    if dispatch.to_move(child) == seat:
        lower, upper = _search(stack, rows, table, _ANY if aim == _ANY else aim - gain, end)
        return gain + lower, gain + upper
    lower, upper = _search(stack, rows, table, _ANY if aim == _ANY else gain - aim + 1, end)
    return gain - upper, gain - lower


@jitable_no_alloc
def _find_best(
    states: States, columns: Columns, i: int, stack: Stack, rows: Rows, table: Table, scratch: Scratch, end: int
) -> None:
    """Find a best move of record i, whose value is known, and close the record."""
    s, value = states[i], columns.lower[i]
    count = dispatch.legal(s, scratch.actions)
    # Of most moves, the search for the value has found whether they are best: look all up before searching any.
    for limit in (stack.control[NODES], end):
        for k in range(count):
            action = scratch.actions[k]
            lower, _ = _search_move(s, action, stack, rows, table, scratch, value, limit)
            if lower >= value:
                columns.best[i], columns.is_open[i] = index_action(s, action), False
                return


@jitable_no_alloc
def _label_moves(
    states: States, columns: Columns, i: int, stack: Stack, rows: Rows, table: Table, scratch: Scratch, end: int
) -> None:
    """Find the values of all moves of record i, and close the record if that succeeds."""
    s, first = states[i], columns.offsets[i]
    count, is_open = dispatch.legal(s, scratch.actions), False
    for k in range(count):
        action = scratch.actions[k]
        lower, upper = _search_move(s, action, stack, rows, table, scratch, _ANY, end)
        columns.actions[first + k] = index_action(s, action)
        columns.lowers[first + k], columns.uppers[first + k] = lower, upper
        is_open = is_open or lower < upper
    columns.is_open[i] = is_open


@kernel_no_alloc
def measure_lists(states: States, bounds: Actions) -> None:
    """Write `dispatch.bound` of every record into `bounds`, (n,); 0 where the game is over."""
    for i in range(len(states)):
        bounds[i] = 0 if dispatch.is_over(states[i]) else dispatch.bound(states[i])


@kernel_no_alloc
def count_moves(states: States, is_open: NDArray[np.bool_], buffer: Actions, offsets: Actions) -> None:
    """Write where the list of moves of each record begins, and where the last one ends, into `offsets`, (n + 1,)."""
    offsets[0] = 0
    for i in range(len(states)):
        offsets[i + 1] = offsets[i] + (dispatch.legal(states[i], buffer) if is_open[i] else 0)
