"""Nimbers of positions of impartial games: sums of parts, with a memory that all tasks share."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Game
from fourcorners.core.nimber_protocol import Words, length_of, weight_of
from fourcorners.core.position import Position
from fourcorners.solve import nimber_search, nimber_table, proof_number_search
from fourcorners.solve.nimber_search import DEPTH, ENOUGH, NODES

_FIRST_WORDS, _FIRST_CHOICES, _FIRST_FRAMES = 1 << 14, 1 << 10, 1 << 6
_OPEN = -1
_NEVER = 1 << 62
MOST_WEIGHT = 1 << 12
"""A part with more moves is not begun: to expand it alone would take longer than anybody wants to wait."""


class NimberSolver:
    """The nimber search on the positions of one game whose `exact.py` tells their parts."""

    def __init__(self, game: Game, memory: int, workers: int = 1) -> None:
        """Set up the memory, in bytes. The search has one worker: of several callers all but one wait."""
        del workers
        self.game = game
        exact: Any = game.spec.exact
        self._by_proofs = game.spec.nimber_search == "proof-number"
        self._beforehand = exact.tabulate(game.options, memory) if self._by_proofs else np.zeros(0, np.uint8)
        self._memory = memory - self._beforehand.nbytes
        self.pool = nimber_table.new_pool(self._memory)
        self.search: Any = proof_number_search if self._by_proofs else nimber_search
        self.lock = threading.Lock()

    @property
    def fill(self) -> float:
        """How full the memory is, 0 to 1."""
        return nimber_table.fill(self.pool, self._memory)

    @property
    def enough(self) -> int:
        """With how many parts the table is to grow; never, once it is as large as it may be."""
        slots = len(self.pool.table)
        return slots // 2 if slots < nimber_table.most_slots(self._memory) else _NEVER

    @property
    def knowledge(self) -> tuple[NDArray[Any], ...]:
        """What the search reads and writes."""
        return (self._beforehand, *self.pool) if self._by_proofs else self.pool

    def grow(self) -> None:
        """Make the table larger."""
        self.pool = nimber_table.grown(self.pool)

    def task(self, position: Position) -> NimberTask:
        """Return the question what nimber a position has."""
        return NimberTask(self, position)

    @contextlib.contextmanager
    def kept(self) -> Iterator[tuple[Words, int]]:
        """Give all parts with what is known of them; nobody adds to them meanwhile."""
        with self.lock:
            stored, filled = (int(count) for count in self.pool.counts)
            yield self.pool.store[:stored], filled

    def room(self, words: int, entries: int) -> Words | None:
        """Return where so many parts belong, None if the memory is too small."""
        return self.pool.store[:words] if nimber_table.fits(self.pool, self._memory, words, entries) else None

    def take_up(self, words: int, entries: int, position: Position, bounds: tuple[int, int]) -> None:
        """Make a table for the parts that were read: they tell the bounds too."""
        self.pool = nimber_table.filled_with(self.pool, self._memory, words, entries)


class NimberTask:
    """The question what nimber a position has, or (see `aim`) whether it is 0."""

    def __init__(self, method: NimberSolver, position: Position) -> None:
        """Divide the position into its parts."""
        self.nimber: int | None = None
        self.lower, self.upper = -1, 1
        self._method = method
        self._only_outcome = False
        self._work = np.array(position.states)
        self._words = np.zeros(_FIRST_WORDS, np.uint64)
        self._make_work(_FIRST_CHOICES, _FIRST_FRAMES)
        self._heads = np.zeros(4, np.int64)
        used = self._divide(position)
        self._refuse_large(used)
        self._asked: tuple[int, int] | None = None
        self._open, self._known = self._parts(used), 0
        self._top = used
        self._is_over = position.is_over
        self._conclude()

    def _make_work(self, choices: int, frames: int) -> None:
        self._ends = np.zeros(choices, np.int64)
        self._choices = np.zeros((2 * choices, self._method.search.CHOICE), np.int64)
        self._frames = np.zeros(frames, self._method.search.FRAME)

    def _divide(self, position: Position) -> int:
        while True:
            self._work[:] = position.states
            used = int(nimber_search.divide(self._work, 0, self._words))
            if used >= 0:
                return used
            self._words = np.zeros(4 * len(self._words), np.uint64)

    def _refuse_large(self, used: int) -> None:
        at = 0
        while at < used:
            first = np.uint64(self._words[at])
            if int(weight_of(first)) > MOST_WEIGHT:
                message = (
                    f"the position is too large: {int(weight_of(first))} moves hang together, at most {MOST_WEIGHT} may"
                )
                raise SolverLimit(message, self.lower, self.upper)
            at += int(length_of(first))

    def _parts(self, used: int) -> list[int]:
        """Return where the parts begin, the one that is asked last at the end; equal ones cancel in pairs."""
        odd: dict[bytes, int] = {}
        at = 0
        while at < used:
            end = at + int(length_of(np.uint64(self._words[at])))
            text = self._words[at:end].tobytes()
            if odd.pop(text, None) is None:
                odd[text] = at
            at = end
        return sorted(odd.values(), key=lambda at: (int(weight_of(np.uint64(self._words[at]))), at))

    @property
    def nodes(self) -> int:
        """How many parts were expanded."""
        return int(self._heads[NODES])

    def aim(self, value: int) -> None:
        """Be content to know whether the seat to move wins: that the nimber is 0, or not."""
        self._only_outcome = True

    def advance(self, budget: int, worker: int = 0) -> bool:
        """Expand about so many parts more; tell whether the task is done."""
        with self._method.lock:
            last = self.nodes + budget
            while not self._is_done and self.nodes < last:
                self._step(last - self.nodes)
            return self._is_done

    @property
    def _is_done(self) -> bool:
        return self.nimber is not None or (self._only_outcome and self.lower == self.upper)

    def _step(self, budget: int) -> None:
        part = self._open[0]
        whole = self._only_outcome and len(self._open) == 1 and self._known <= nimber_table.LARGEST
        goal = self._known if whole else _OPEN
        if self._heads[DEPTH] == 0 or self._asked != (part, goal):
            self._asked = part, goal
            self._method.search.ask(self._frames, self._heads, part, goal, self._top)
        self._heads[ENOUGH] = self._method.enough
        work = (self._words, self._ends, self._choices, self._frames, self._heads)
        ended = int(self._method.search.advance(self._work, *self._method.knowledge, *work, budget))
        if ended == nimber_search.SHORT:
            self._grow()
        elif ended == nimber_search.CROWDED:
            self._method.grow()
        elif ended == nimber_search.FULL:
            raise SolverLimit("the memory is full", self.lower, self.upper, self.nodes)
        elif ended == nimber_search.LARGE:
            message = f"a part has a larger nimber than {nimber_table.LARGEST}"
            raise SolverLimit(message, self.lower, self.upper, self.nodes)
        self._conclude()

    def _grow(self) -> None:
        """Make the arrays to work in larger; what they hold stays."""
        self._words = np.concatenate([self._words, np.zeros_like(self._words)])
        self._ends = np.zeros(2 * len(self._ends), np.int64)
        self._choices = np.concatenate([self._choices, np.zeros_like(self._choices)])
        self._frames = np.concatenate([self._frames, np.zeros_like(self._frames)])

    def _conclude(self) -> None:
        """Draw from what is known of the parts what it means for the whole."""
        table, store, _ = self._method.pool
        while self._open:
            knowledge = nimber_search.known(table, store, self._words, self._open[0])
            nimber = int(nimber_table.nimber_in(np.uint64(knowledge)))
            if nimber < 0:
                weight = int(weight_of(np.uint64(self._words[self._open[0]])))
                asked = len(self._open) == 1 and self._known <= nimber_table.LARGEST
                if asked and (self._known > weight or nimber_table.excludes(np.uint64(knowledge), self._known)):
                    self.lower = 1
                return
            self._known ^= nimber
            del self._open[0]
        self.nimber = self._known
        self.lower = self.upper = 0 if self._is_over else 1 if self.nimber else -1
