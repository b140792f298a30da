"""Exact margins of two parties: questions asked of a position, one after another, until its bounds meet."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fourcorners.core.dispatch import Actions, States
from fourcorners.core.game import Game
from fourcorners.core.margin_protocol import LINK_COLUMNS, Links
from fourcorners.core.position import Position
from fourcorners.solve import null_window
from fourcorners.solve.default_exact import get_default_exact
from fourcorners.solve.transposition_table import Table, new_table, note, pour

_FIRST_ROWS = 1 << 12
_FIRST_TABLE = 1 << 24
_GROWTH = 4
_NO_END = 1 << 60
_WORK_OF_BOOKS = 40
"""More than any search that is not left to itself for days."""


class MarginSolver:
    """The positions of one game with two parties, and the transposition table for them."""

    def __init__(self, game: Game, memory: int, workers: int = 1) -> None:
        """Set up an empty table; when half full it grows, never to more than `memory` with the one before.

        A small table is quicker: its memory is warm, and a large one takes seconds to be had at all.
        """
        self.workers = workers
        self._largest = memory * _GROWTH // (_GROWTH + 1)
        size = self._largest
        while size > _FIRST_TABLE:
            size //= _GROWTH
        self.table = new_table(size)
        self.filled = 0
        # What was proven in an earlier run, whatever the table may have forgotten of it.
        self._proven: dict[str, tuple[int, int]] = {}
        spec = game.spec
        # A game's own nodes are for two seats, not for two teams.
        has_own = game.seats == 2 and spec.exact is not None and spec.scoring == "points"
        self._exact: Any = spec.exact if has_own else get_default_exact(spec)
        self._list_known_values = spec.list_known_values if has_own else None
        self._options = game.options

    @property
    def fill(self) -> float:
        """How full the table is, 0 to 1."""
        return 16 * self.filled / self._largest

    def task(self, position: Position) -> MarginTask:
        """Return the question what a position is worth; raise SolverLimit if it is too large."""
        task = MarginTask(self, *self._exact.enter(self._options, position.record))
        lower, upper = self._proven.get(position.text, (task.lower, task.upper))
        task.lower, task.upper = max(task.lower, lower), min(task.upper, upper)
        return task

    def learn(self) -> None:
        """Take in what the game knows before anything is solved."""
        if self._list_known_values is not None:
            keys, values = self._list_known_values(self._options)
            self.filled += int(note(self.table, keys, values, _WORK_OF_BOOKS))

    @contextlib.contextmanager
    def kept(self) -> Iterator[tuple[null_window.Keys, int]]:
        """Give the table's words; an entry that is just being written will match no key."""
        yield self.table.reshape(-1), self.filled

    def room(self, words: int, entries: int) -> null_window.Keys | None:
        """Return a table's words if there may be as many: where an entry is depends on that."""
        if not 0 < 8 * words <= self._largest:
            return None
        self.table = new_table(8 * words)
        return self.table.reshape(-1) if self.table.size == words else None

    @property
    def room_left(self) -> int:
        """How many entries may be filled before the table should grow."""
        size = self.table.nbytes
        return _NO_END if 2 * size > self._largest else max(1, self.table.size // 4 - self.filled)

    def grow(self) -> None:
        """Pour the table into a larger one if it is half full and there is memory."""
        if 4 * self.filled >= self.table.size and 2 * self.table.nbytes <= self._largest:
            try:
                larger = new_table(min(_GROWTH * self.table.nbytes, self._largest))
            except MemoryError:
                # It was allowed, but is not to be had: then the table stays as it is.
                self._largest = self.table.nbytes
                return
            self.filled = pour(self.table, larger)
            self.table = larger

    def take_up(self, words: int, entries: int, position: Position, bounds: tuple[int, int]) -> None:
        """Count what was read into the table, and keep the bounds of a position."""
        self.filled = entries
        self._proven[position.text] = bounds


class MarginTask:
    """The question what one position is worth."""

    def __init__(self, method: MarginSolver, boards: States, root: States) -> None:
        self._method = method
        self._lock = threading.Lock()
        self._step = int(boards["step"][0])
        self._aim: int | None = None
        plies = int(boards["most_plies"][0]) + 2
        busy = np.zeros((method.workers, plies), np.uint64)
        self._searches = [_Search(boards, root, busy, worker) for worker in range(method.workers)]
        self.lower, self.upper = self._searches[0].known(method.table)

    @property
    def nodes(self) -> int:
        """How many nodes were searched."""
        return sum(search.nodes for search in self._searches)

    @property
    def key(self) -> tuple[int, int]:
        """The two words by which the table knows the position."""
        return self._searches[0].key

    def aim(self, value: int) -> None:
        """Ask only whether the value is below, equal to or above this one."""
        self._aim = value

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be asked."""
        return self.lower == self.upper or (self._aim is not None and not self.lower <= self._aim <= self.upper)

    def _question(self) -> int:
        """Return what to ask next, above `lower` and up to `upper`: near the aim, else near 0 as most values are."""
        lower, upper = self.lower, self.upper
        if self._aim is not None:
            return self._aim if lower < self._aim else self._aim + 1
        if lower >= 0:
            return lower + self._step
        return min(upper, upper % self._step)

    def advance(self, budget: int, worker: int = 0) -> bool:
        """Search about so many nodes more; tell whether the task is done."""
        search = self._searches[worker]
        with self._lock:
            if self.is_done:
                return True
            if search.asked is None or not self.lower < search.asked <= self.upper:
                search.ask(self._question())
        filled = search.advance(self._method.table, self._method.room_left, budget)
        with self._lock:
            self._method.filled += filled
            self._method.grow()
            if search.asked is None:
                self.lower, self.upper = max(self.lower, search.lower), min(self.upper, search.upper)
            return self.is_done


class _Rows(NamedTuple):
    """What every node on a stack has."""

    nodes: States
    moves: Actions
    links: Links
    bounds: null_window.Bounds
    keys: null_window.Keys

    @classmethod
    def of(cls, root: States) -> _Rows:
        """Make the one row of a root."""
        moves, links = np.zeros(1, np.int64), np.zeros((1, LINK_COLUMNS), np.int64)
        return cls(root, moves, links, np.zeros((1, 2), np.int64), np.zeros((1, 2), np.uint64))

    def grown(self, count: int) -> _Rows:
        """Return a copy with so many rows."""
        grown = _Rows(*(np.zeros((count, *column.shape[1:]), column.dtype) for column in self))
        for old, new in zip(self, grown, strict=True):
            new[: len(old)] = old
        return grown


class _Search:
    """One worker's stack."""

    def __init__(self, boards: States, root: States, busy: null_window.Busy, worker: int) -> None:
        plies = busy.shape[1]
        self.asked: int | None = None
        self.lower, self.upper = 0, 0
        self._boards = boards.copy()  # with room to work in
        self._busy = busy
        self._worker = worker
        self._control = np.zeros(null_window.CONTROL_WORDS, np.int64)
        self._stack = np.zeros((plies, null_window.FRAME_COLUMNS), np.int64)
        self._rows = _Rows.of(root).grown(max(_FIRST_ROWS, int(boards["most_links"][0]) + 1))

    @property
    def nodes(self) -> int:
        return int(self._control[null_window.NODES])

    @property
    def key(self) -> tuple[int, int]:
        return int(self._rows.keys[0, 0]), int(self._rows.keys[0, 1])

    def known(self, table: Table) -> tuple[int, int]:
        """Return what the limits and the table tell of the root."""
        null_window.look(self._boards, self._rows.nodes, self._rows.bounds, self._rows.keys, table)
        return int(self._rows.bounds[0, 0]), int(self._rows.bounds[0, 1])

    def ask(self, value: int) -> None:
        """Begin with the question whether the root is worth at least this."""
        self.asked = value
        self._control[null_window.DEPTH] = -1
        self._busy[self._worker] = 0

    def advance(self, table: Table, room: int, budget: int) -> int:
        """Go on for about so many nodes, or until so many entries of the table were filled; return how many were.

        `asked` is None when the answer is in `lower` and `upper`.
        """
        before = int(self._control[null_window.FILLED])
        self._control[null_window.ENOUGH] = before + room
        last = self.nodes + budget
        while self.asked is not None and self.nodes < last:
            status = null_window.advance(
                self._boards,
                *self._rows,
                self._stack,
                self._busy,
                table,
                self._control,
                self._worker,
                self.asked,
                last - self.nodes,
            )
            if status == null_window.NO_ROOM:
                self._rows = self._rows.grown(2 * int(self._control[null_window.WANTED]))
            elif status == null_window.CROWDED:
                break
            elif status == null_window.DONE:
                self.asked = None
                self.lower, self.upper = int(self._rows.bounds[0, 0]), int(self._rows.bounds[0, 1])
        return int(self._control[null_window.FILLED]) - before
