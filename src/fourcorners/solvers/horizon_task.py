"""Iterative deepening over the solvers' nodes: null-window questions to increasing depths, for Python callers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import States
from fourcorners.core.dispatch import view_record
from fourcorners.solvers import horizon_search, margin_protocol
from fourcorners.solvers.horizon_search import (
    CONTROL_WORDS,
    END,
    FILLED,
    FIRST,
    FRAME_COLUMNS,
    LAST,
    NEEDED_ROWS,
    NODES,
    WIDE,
)
from fourcorners.solvers.margin_protocol import LINK_COLUMNS, UNIT, create_work
from fourcorners.solvers.margins import MarginSolver
from fourcorners.solvers.null_window import compute_link_bounds

_FIRST_ROWS = 1 << 12
_STEP = UNIT // 2
"""The largest gap between the bounds of a depth's value with which the next depth begins."""
_FAR = WIDE * UNIT


class HorizonTask:
    """A search of one position to increasing depths, which proves bounds of its value on the way.

    - `depth`: the last depth that is finished, in plies; 0 before the first.
    - `value`: the estimated value of the position at that depth, in UNIT, to within half a point.
    - `move`: the code of the move that seems best, including the next depth so far; None before the first yes.
    - `lower` and `upper`: proven bounds of the value, in points.
    - `proven_move`: the code of a move with the proven value `lower`; None until the proof exceeds the root's
      limits.
    """

    def __init__(
        self, solver: MarginSolver, boards: States, root: States, memory: NDArray[np.uint64], enough: int = WIDE
    ) -> None:
        """Prepare a search. `boards` and `root` have one record each; `memory` is that of `Work`.

        Do not search if `count_plies_to_estimates` is NEVER. The search is done once a value of `enough` points is
        proven.
        """
        self._solver = solver
        self._enough = enough
        plies = int(boards["most_plies"][0])
        frames, control = np.zeros((plies + 2, FRAME_COLUMNS), np.int64), np.zeros(CONTROL_WORDS, np.int64)
        self._stack = horizon_search.Stack(boards.copy(), frames, control, np.zeros(0, np.int64))
        self._rows = _create_rows(max(_FIRST_ROWS, int(boards["most_links"][0]) + 1), root)
        self._work = create_work(root.dtype, plies, memory)
        self._most_plies = plies
        self.depth, self.value = 0, 0
        lower, upper = margin_protocol.limits(view_record(boards), view_record(root))
        # A little less, so that a move with the value of the lower limit is found.
        self.lower, self.upper = int(lower) - 1, int(upper)
        self._most_excluded = -WIDE
        self.move: int | None = None
        self.proven_move: int | None = None
        self._question: int | None = None
        self._begin_depth()

    @property
    def nodes(self) -> int:
        """The number of nodes searched."""
        return int(self._stack.control[NODES])

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to search."""
        if self.lower >= self._enough or self.lower == self.upper:
            return self.proven_move is not None
        return self.depth > self._most_plies

    @property
    def latest_value(self) -> int:
        """The value, in UNIT, changed as little as what the next depth has found so far demands."""
        return min(max(self.value, self._low), self._high - 1)

    def count_plies_to_estimates(self) -> int:
        """Return the approximate number of plies to meaningful estimates; NEVER if there are none or the value is
        known.
        """
        return int(horizon_search.count_plies_to_estimates(self._stack, self._rows, self._work))

    def compile(self) -> None:
        """Compile everything that a search needs, or load it from disk, without a search."""
        self.count_plies_to_estimates()
        horizon_search.start(self._stack, self._rows, 0, 1)
        horizon_search.advance(self._stack, self._rows, self._solver.table, self._work, 0)

    def exclude(self, moves: list[int], most: int) -> None:
        """Leave these moves of the root, which have a proven value of at most `most` points, out of the search.

        They are searched as well once no other move can be worth more. Call this only before the first `advance`.
        """
        self._stack = self._stack._replace(excluded=np.array(moves, np.int64))
        self._most_excluded = most

    def advance(self, nodes: int) -> bool:
        """Search up to `nodes` nodes, or up to MOST_EFFORT more; return whether the task is done."""
        control, last = self._stack.control, self.nodes + nodes
        while not self.is_done and self.nodes < last:
            if self._question is None:
                self._question = self._choose_question()
                horizon_search.start(self._stack, self._rows, self._question, self.depth + 1)
            status = horizon_search.advance(self._stack, self._rows, self._solver.table, self._work, last - self.nodes)
            if status == horizon_search.NO_ROOM:
                self._rows = _grow_rows(self._rows, 2 * int(control[NEEDED_ROWS]))
            elif status == horizon_search.DONE:
                self._use_answer(self._question)
                self._question = None
                # Only between questions, so that the size of slices makes no difference.
                self._solver.add_entries(int(control[FILLED]))
                control[FILLED] = 0
        return self.is_done

    def measure_refuted_share(self) -> float:
        """Return the share, 0 to 1, of the root's moves that the first question of the next depth has found so far to
        be worth less than `enough` points, if the last depth found more than one point less; otherwise 0.
        """
        almost = UNIT * (self._enough - 1)
        if self._question is None or self._low > -_FAR or self._high < _FAR or self.value <= almost:
            return 0.0
        rows, (first, end, last) = self._rows, map(int, self._stack.frames[0, [FIRST, END, LAST]])
        highest = (
            compute_link_bounds(rows.scaled[i], rows.guesses[i, 0], rows.guesses[i, 1], 1)[1] for i in range(first, end)
        )
        return sum(int(high) <= almost for high in highest) / (last - first)

    def find_likely_move(self) -> int:
        """Return `move` or, while there is none, the move tried with the highest estimate."""
        return self._find_move(self._guess) if self.move is None else self.move

    def _begin_depth(self) -> None:
        """Forget the bounds of the last depth's value."""
        self._low, self._high, self._width = -_FAR, _FAR, _STEP

    def _choose_question(self) -> int:
        """Return the next question: first the value of the last depth, then values farther and farther away, then
        between.
        """
        if self._low == -_FAR and self._high == _FAR:
            return self.value
        if self._low == -_FAR:
            # The guesses of the moves may already say that the answer will be yes.
            return max(self._high - self._width, int(self._rows.guesses[0, 0]), 1 - _FAR)
        if self._high == _FAR:
            return min(self._low + self._width, _FAR - 1)
        return (self._low + self._high + 1) // 2

    def _use_answer(self, question: int) -> None:
        """Narrow the bounds by the answer to a question, and go on to the next depth if they are close enough."""
        lower, upper = map(int, self._rows.bounds[0])
        least, most = map(int, self._rows.guesses[0])
        if self.depth >= self._most_plies:
            # No node is estimated at such a depth, so guesses are proven, even where the table has lost the proofs.
            lower, upper = max(lower, -(-least // UNIT)), min(upper, most // UNIT)
        if lower > self.lower:
            self.lower, self.proven_move = lower, self._find_move(self._prove)
        self.upper = min(self.upper, max(upper, self._most_excluded))
        self._width *= 2
        if least >= question:
            self._low, self.move = least, self._find_move(self._guess)
        if most < self._high:
            self._high = most + 1
        if upper <= self._most_excluded:
            # No other move is better, so the excluded ones may be the best: search all from the next question on.
            self.exclude([], -WIDE)
            self._begin_depth()
        elif self._low > -_FAR and self._high - self._low <= _STEP:
            self.depth, self.value = self.depth + 1, self._low
            self._begin_depth()

    def _find_move(self, rate: Callable[[int], int]) -> int:
        """Return the code of the root's move whose row has the highest rate among those made; the first if none is
        made.
        """
        first, end = int(self._stack.frames[0, FIRST]), int(self._stack.frames[0, END])
        return int(self._rows.moves[max(range(first, end), key=rate, default=first)])

    def _guess(self, i: int) -> int:
        """Return the lower guess of the value of the move to row i, in UNIT."""
        rows = self._rows
        return int(compute_link_bounds(rows.scaled[i], rows.guesses[i, 0], rows.guesses[i, 1], 1)[0])

    def _prove(self, i: int) -> int:
        """Return the proven lower bound of the value of the move to row i, in points."""
        rows = self._rows
        lower = int(compute_link_bounds(rows.links[i], rows.bounds[i, 0], rows.bounds[i, 1], 1)[0])
        return max(lower, -(-self._guess(i) // UNIT)) if self.depth >= self._most_plies else lower


def _create_rows(count: int, root: States) -> horizon_search.Rows:
    """Return `count` rows, 1 or more: the first has the node `root`, (1,), and the others are zeros."""
    nodes = np.zeros(count, root.dtype)
    nodes[0] = root[0]
    links, scaled = np.zeros((2, count, LINK_COLUMNS), np.int64)
    bounds, guesses = np.zeros((2, count, 2), np.int64)
    moves, scores = np.zeros((2, count), np.int64)
    return horizon_search.Rows(nodes, moves, links, scaled, bounds, guesses, np.zeros((count, 2), np.uint64), scores)


def _grow_rows(rows: horizon_search.Rows, count: int) -> horizon_search.Rows:
    """Return a copy with `count` rows, at least as many as now; the new ones are zeros."""
    larger = horizon_search.Rows(*(np.zeros((count, *column.shape[1:]), column.dtype) for column in rows))
    for old, new in zip(rows, larger, strict=True):
        new[: len(old)] = old
    return larger
