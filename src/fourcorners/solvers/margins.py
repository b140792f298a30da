"""Exact margins of two parties: successive null-window questions about a position, until its bounds meet."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from fourcorners.core.arrays import States
from fourcorners.core.dispatch import view_record
from fourcorners.core.game import Game, Position
from fourcorners.solvers import margin_protocol, null_window
from fourcorners.solvers.default_exact import get_default_exact
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.solvers.margin_protocol import LINK_COLUMNS
from fourcorners.solvers.null_window import FILL_LIMIT, FILLED, FIRST, NEEDED_ROWS, NODES, READY, WORKER
from fourcorners.solvers.solver_protocol import Words
from fourcorners.solvers.transposition_table import UNKNOWN, Table, copy_entries, create_table, store_values

_FIRST_ROWS = 1 << 12
_FIRST_TABLE = 1 << 24
_GROWTH = 4
_NO_LIMIT = 1 << 60
_BYTES_PER_SECOND = 2.5e8  # limit for a growing table, which then takes about a fifth of the time
_KNOWN_WORK = 40  # more than the work of any search of less than days, so that known values are never replaced


class MarginSolver:
    """A solver of the positions of one game with two parties, which share a transposition table.

    - `exact`: the functions of `margin_protocol` for this game.
    - `has_known_values`: whether the table has values that the game knows without search.
    """

    is_impartial = False

    def __init__(self, game: Game, memory: int, threads: int = 1) -> None:
        """Create an empty table for `threads` workers; when half full it grows, within `memory` bytes for old and new.

        It starts small, because a small table stays in the cache and the system takes seconds to provide a large one.
        Raise MemoryError if the system has too little memory.
        """
        self.threads = threads
        self._largest = memory * _GROWTH // (_GROWTH + 1)
        size = self._largest
        while size > _FIRST_TABLE:
            size //= _GROWTH
        self.table, self.filled = create_table(size), 0
        self._largest_in_time: float = self._largest  # the largest table, in bytes, that the time allows
        self._proven: dict[str, tuple[int, int]] = {}  # bounds of an earlier run, which the table may have lost
        spec, declared = game.spec, game.spec.part(ExactPlay)
        # A game's own nodes are for two seats, not for two teams.
        own = declared.find_exact(game.options) if game.seats == 2 and spec.scoring == "points" else None
        self.exact: Any = own or get_default_exact(spec)
        self._list_known_values = declared.list_known_values if own else None
        self._options = game.options
        self.has_known_values = False

    @property
    def fill(self) -> float:
        """The fill of the table, 0 to 1, relative to its maximum size."""
        return 16 * self.filled / self._largest  # an entry has 16 bytes

    @property
    def checkpoint(self) -> MarginSolver:
        """This solver, since its table can be saved."""
        return self

    def create_task(self, position: Position) -> MarginTask:
        """Return the task of solving a position of the game, with its known bounds; raise SolverLimit if too large."""
        task = MarginTask(self, *self.exact.enter(self._options, position.record))
        if self._proven:  # a position's text takes a while
            lower, upper = self._proven.get(position.text, (task.lower, task.upper))
            task.lower, task.upper = max(task.lower, lower), min(task.upper, upper)
        return task

    def load_known_values(self) -> None:
        """Store the game's known values, if any, so that they are never replaced."""
        if self._list_known_values is not None:
            keys, values = self._list_known_values(self._options)
            self.filled += int(store_values(self.table, keys, values, _KNOWN_WORK))
            self.has_known_values = len(keys) > 0

    @contextlib.contextmanager
    def lock_words(self) -> Iterator[tuple[Words, int]]:
        """Yield the table's words and number of entries. A search may go on, as a half-written entry matches no key."""
        yield self.table.reshape(-1), self.filled

    def allocate_words(self, words: int, entries: int) -> Words | None:
        """Replace the table by one of `words` words and return these; None if that is too large or not a table's size.

        In the latter case, the table is lost as well. Raise MemoryError if the system has too little memory.
        """
        if not 0 < 8 * words <= self._largest:
            return None
        self.table = create_table(8 * words)
        return self.table.reshape(-1) if self.table.size == words else None

    def restore(self, words: int, entries: int, position: Position, bounds: tuple[int, int]) -> None:
        """Use `entries` entries read into the table, and the proven lower and upper bound of a position."""
        self.filled = entries
        self._proven[position.text] = bounds

    def limit_growth(self, seconds: float | None) -> None:
        """Limit the table's growth to about a fifth of these seconds; None means no limit."""
        self._largest_in_time = self._largest if seconds is None else max(0.0, seconds) * _BYTES_PER_SECOND

    @property
    def _next_size(self) -> int:
        """The size in bytes to which the table may grow; 0 if it cannot."""
        size = min(_GROWTH * self.table.nbytes, self._largest)
        return size if 2 * self.table.nbytes <= size <= self._largest_in_time else 0

    @property
    def entries_left(self) -> int:
        """The number of entries, 1 or more, to fill before the table should grow; no limit if it cannot."""
        return max(1, self.table.size // 4 - self.filled) if self._next_size else _NO_LIMIT

    def add_entries(self, filled: int) -> None:
        """Note that a search filled this many entries; if the table is half full, copy it into a larger one.

        If the memory does not allow that, keep the table.
        """
        self.filled += filled
        # Entries that another worker stores meanwhile may be lost, which costs nodes but not correctness.
        if 4 * self.filled >= self.table.size and self._next_size:
            try:
                larger = create_table(self._next_size)
            except MemoryError:
                # The limit allows it, but the system has too little memory: keep the table.
                self._largest = self.table.nbytes
                return
            self.filled = copy_entries(self.table, larger)
            self.table = larger


class MarginTask:
    """A search for the margin of one position. Its lock protects the bounds, which all workers read and narrow.

    If it `finds_move`, `move` is the code of a move worth at least `lower` as soon as `lower` is proven; the root's
    limits must then differ.
    """

    nimber = None
    margins = None

    def __init__(self, solver: MarginSolver, boards: States, root: States, *, finds_move: bool = False) -> None:
        """Set up one stack for each thread of the solver and look the root up; `boards` and `root` have one record."""
        self._solver = solver
        self.move: int | None = None
        self._finds_move = finds_move
        self._lock = threading.Lock()
        self._step = int(boards["step"][0])
        self._target: int | None = None
        busy = np.zeros((solver.threads, int(boards["most_plies"][0]) + 2), np.uint64)
        self._workers = [_Worker(boards, root, busy, number) for number in range(solver.threads)]
        self.lower, self.upper = self._workers[0].look_up_root(solver.table)
        if finds_move:
            # The root's entry in the table does not say which move reaches the bound.
            lowest, _ = margin_protocol.limits(view_record(boards), view_record(root))
            self.lower = int(lowest) - self._step

    @property
    def nodes(self) -> int:
        """The number of nodes searched by all workers."""
        return sum(worker.nodes for worker in self._workers)

    @property
    def key(self) -> tuple[int, int]:
        """The two words of the position's key in the table."""
        return self._workers[0].key

    def list_refuted_moves(self, value: int) -> list[int]:
        """Return the codes of the root's moves that a worker has proven to be worth less than this."""
        return max((worker.list_refuted_moves(value) for worker in self._workers), key=len)

    def aim(self, value: int) -> None:
        """Aim only to find whether the value is below, equal to or above this one; the bounds may then stay apart."""
        self._target = value

    def aim_at_value(self) -> None:
        """Aim for the exact value again, as before any `aim`."""
        self._target = None

    def skip_nimber(self) -> None:
        """Do nothing: margins have no nimbers."""

    @property
    def is_done(self) -> bool:
        """Whether no question remains."""
        if self.lower == self.upper:
            return True
        if self._target is None or self.lower <= self._target <= self.upper:
            return False
        return not self._finds_move or self.move is not None or self._target > self.upper

    def _choose_question(self) -> int:
        """Return the next value to ask about, above `lower` and up to `upper`: near the aim, if there is one."""
        if self._target is not None:
            return self._target if self.lower < self._target else self.lower + 1
        return int(null_window.choose_question(self.lower, self.upper, self._step))

    def advance(self, nodes: int, worker: int = 0) -> bool:
        """Search up to `nodes` nodes with one worker's stack, and grow the table; return whether the task is done.

        It stops early when a question is answered or the table must grow. No two threads may be the same worker.
        """
        search = self._workers[worker]
        with self._lock:
            if self.is_done:
                return True
            if search.question is None or not self.lower < search.question <= self.upper:
                search.start(self._solver.table, self._choose_question(), finds_move=self._finds_move)
        filled = search.advance(self._solver.table, self._solver.entries_left, nodes)
        with self._lock:
            self._solver.add_entries(filled)
            if search.question is None:
                if search.lower > self.lower:
                    self.lower, self.move = search.lower, search.move
                self.upper = min(self.upper, search.upper)
            return self.is_done


class _Worker:
    """One worker's stack, its current question (None: none), and the root's bounds after the last answer.

    `move` is the code of a move worth at least `lower`; None if only the table proves that bound.
    """

    def __init__(self, boards: States, root: States, busy: Words, number: int) -> None:
        """Set up an empty stack with room for as many plies as `busy` has columns; `number` is this worker's row."""
        self.question: int | None = None
        self.lower, self.upper = 0, 0
        self.move: int | None = None
        frames = np.zeros((busy.shape[1], null_window.FRAME_COLUMNS), np.int64)
        self._stack = null_window.Stack(boards.copy(), frames, busy, np.zeros(null_window.CONTROL_WORDS, np.int64))
        self._stack.control[WORKER] = number
        moves, links = np.zeros(1, np.int64), np.zeros((1, LINK_COLUMNS), np.int64)
        rows = null_window.Rows(root, moves, links, np.zeros((1, 2), np.int64), np.zeros((1, 2), np.uint64))
        self._rows = _grow_rows(rows, max(_FIRST_ROWS, int(boards["most_links"][0]) + 1))

    @property
    def nodes(self) -> int:
        return int(self._stack.control[NODES])

    @property
    def key(self) -> tuple[int, int]:
        return int(self._rows.keys[0, 0]), int(self._rows.keys[0, 1])

    def look_up_root(self, table: Table) -> tuple[int, int]:
        """Return the lower and upper bound of the root by its limits and the table; drop a question in progress."""
        null_window.start(self._stack, self._rows, table, 0)
        return int(self._rows.bounds[0, 0]), int(self._rows.bounds[0, 1])

    def start(self, table: Table, question: int, *, finds_move: bool) -> None:
        """Begin the question whether the root's value is at least this.

        If it `finds_move`, `move` is not None at the end unless the answer is no.
        """
        self.question = question
        null_window.start(self._stack, self._rows, table, question)
        if finds_move:
            self._rows.bounds[0] = -UNKNOWN, UNKNOWN

    def advance(self, table: Table, entries_left: int, nodes: int) -> int:
        """Search up to `nodes` nodes, or until `entries_left` entries are filled; return the number filled.

        When the question is answered, set `question` to None, and `lower` and `upper` to the root's bounds.
        """
        control = self._stack.control
        before, last = int(control[FILLED]), self.nodes + nodes
        control[FILL_LIMIT] = before + entries_left
        while self.question is not None and self.nodes < last:
            status = null_window.advance(self._stack, self._rows, table, last - self.nodes)
            if status == null_window.NO_ROOM:
                self._rows = _grow_rows(self._rows, 2 * int(control[NEEDED_ROWS]))
            elif status == null_window.CROWDED:
                break
            elif status == null_window.DONE:
                self.lower, self.upper = int(self._rows.bounds[0, 0]), int(self._rows.bounds[0, 1])
                self.move, self.question = self._find_move(), None
        return int(control[FILLED]) - before

    def list_refuted_moves(self, value: int) -> list[int]:
        """Return the codes of the root's moves that are proven to be worth less than this."""
        frame, rows = self._stack.frames[0], self._rows
        return [
            int(rows.moves[i])
            for i in range(int(frame[FIRST]), int(frame[READY]))
            if null_window.compute_link_bounds(rows.links[i], rows.bounds[i, 0], rows.bounds[i, 1], 1)[1] < value
        ]

    def _find_move(self) -> int | None:
        """Return the root's first move proven to be worth `lower`; None if only the table proves that bound."""
        frame, rows = self._stack.frames[0], self._rows
        for i in range(int(frame[FIRST]), int(frame[READY])):
            lower, _ = null_window.compute_link_bounds(rows.links[i], rows.bounds[i, 0], rows.bounds[i, 1], 1)
            if lower >= self.lower:
                return int(rows.moves[i])
        return None


def _grow_rows(rows: null_window.Rows, count: int) -> null_window.Rows:
    """Return a copy with `count` rows, at least as many as now; the new ones are zeros."""
    larger = null_window.Rows(*(np.zeros((count, *column.shape[1:]), column.dtype) for column in rows))
    for old, new in zip(rows, larger, strict=True):
        new[: len(old)] = old
    return larger
