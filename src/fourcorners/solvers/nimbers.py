"""Nimbers of positions of impartial games, which are sums of parts; all tasks of a solver share a memory."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import numpy as np

from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Game, Position
from fourcorners.solvers import nimber_search, nimber_table
from fourcorners.solvers.nimber_protocol import Words, length_of, weight_of
from fourcorners.solvers.nimber_search import CONTROL_WORDS, DEPTH, FILL_LIMIT, NODES
from fourcorners.solvers.nimber_table import MAX_NIMBER

_FIRST_WORDS, _FIRST_OPTIONS, _FIRST_FRAMES = 1 << 14, 1 << 10, 1 << 6
_ANY_NIMBER, _NO_LIMIT = -1, 1 << 62
MAX_WEIGHT = 1 << 12  # larger parts are refused: expanding one alone would take too long


class NimberSolver:
    """The nimber search for the positions of one game, whose `exact` module divides them into parts."""

    threads = 1
    is_impartial = True

    def __init__(self, game: Game, memory: int, threads: int = 1) -> None:
        """Set up the memory, in bytes; raise MemoryError. All tasks share one lock, so `threads` has no effect."""
        self.game = game
        self._memory = memory
        self.table = nimber_table.create_table(memory)
        self.lock = threading.Lock()

    @property
    def fill(self) -> float:
        """The fill of the memory, 0 to 1."""
        return nimber_table.compute_fill(self.table, self._memory)

    @property
    def fill_limit(self) -> int:
        """The number of filled slots at which the search stops so that the table can grow; no limit if it cannot."""
        slots = len(self.table.slots)
        return slots // 2 if slots < nimber_table.compute_max_slots(self._memory) else _NO_LIMIT

    @property
    def checkpoint(self) -> NimberSolver:
        """This solver, since its table can be saved."""
        return self

    def create_task(self, position: Position) -> NimberTask:
        """Return the task of finding a position's nimber; raise SolverLimit if a part is too large."""
        return NimberTask(self, position)

    def load_known_values(self) -> None:
        """Do nothing, since there are none."""

    def limit_growth(self, seconds: float | None) -> None:
        """Do nothing, since growing takes less than a tenth of the time that filling the slots took."""

    @contextlib.contextmanager
    def lock_words(self) -> Iterator[tuple[Words, int]]:
        """Hold the lock and yield all parts with their knowledge, as words, and the number of parts."""
        with self.lock:
            stored, filled = (int(count) for count in self.table.counts)
            yield self.table.store[:stored], filled

    def allocate_words(self, words: int, entries: int) -> Words | None:
        """Return the beginning of the store, to read `words` words into; None if the memory is too small."""
        fits = nimber_table.can_hold(self.table, self._memory, words, entries)
        return self.table.store[:words] if fits else None

    def restore(self, words: int, entries: int, position: Position, bounds: tuple[int, int]) -> None:
        """Index the `entries` parts read into the first `words` words of the store; the bounds follow from them."""
        self.table = nimber_table.restore(self.table, self._memory, words, entries)


class NimberTask:
    """A search for a position's nimber or, after `skip_nimber`, for its winner. The solver's lock protects it.

    `lower` and `upper` are -1 (loss) to 1 (win) for the seat to move; both are 0 when the game is over.
    """

    margins = None

    def __init__(self, solver: NimberSolver, position: Position) -> None:
        """Divide the position into its parts and add up the known ones; raise SolverLimit if a part is too large.

        This takes no lock, so no other task of the solver may run meanwhile.
        """
        self.nimber: int | None = None
        self.lower, self.upper = -1, 1
        self._solver, self._only_outcome = solver, False
        self._stack = nimber_search.Stack(
            work=np.array(position.states),
            words=np.zeros(_FIRST_WORDS, np.uint64),
            ends=np.zeros(_FIRST_OPTIONS, np.int64),
            options=np.zeros((2 * _FIRST_OPTIONS, nimber_search.OPTION_COLUMNS), np.int64),
            frames=np.zeros(_FIRST_FRAMES, nimber_search.FRAME),
            control=np.zeros(CONTROL_WORDS, np.int64),
        )
        self._top = self._divide_position(position)
        self._question: tuple[int, int] | None = None
        self._open, self._known = self._list_parts(), 0
        self._is_over = position.is_over
        self._add_known_nimbers()

    def _divide_position(self, position: Position) -> int:
        """Write the parts of the position into the stack's words, lengthened to fit; return the words used."""
        while True:
            self._stack.work[:] = position.states
            used = int(nimber_search.divide_into_parts(self._stack.work, 0, self._stack.words))
            if used >= 0:
                return used
            self._stack = self._stack._replace(words=np.zeros(4 * len(self._stack.words), np.uint64))

    def _weigh(self, at: int) -> int:
        """Return the weight of the part at `words[at]`."""
        return int(weight_of(np.uint64(self._stack.words[at])))

    def _list_parts(self) -> list[int]:
        """Return where the parts begin, lightest first, without equal pairs; raise SolverLimit if one is too large."""
        odd: dict[bytes, int] = {}
        at = 0
        while at < self._top:
            if self._weigh(at) > MAX_WEIGHT:
                size = f"a component has {self._weigh(at)} moves; the limit is {MAX_WEIGHT}"
                raise SolverLimit(f"the position is too large: {size}", self.lower, self.upper)
            end = at + int(length_of(np.uint64(self._stack.words[at])))
            text = self._stack.words[at:end].tobytes()
            if odd.pop(text, None) is None:
                odd[text] = at
            at = end
        return sorted(odd.values(), key=lambda at: (self._weigh(at), at))

    @property
    def nodes(self) -> int:
        """The number of parts expanded."""
        return int(self._stack.control[NODES])

    @property
    def is_done(self) -> bool:
        """Whether the nimber is known, or after `skip_nimber` at least the winner."""
        return self.nimber is not None or (self._only_outcome and self.lower == self.upper)

    def aim(self, value: int) -> None:
        """Aim only to find the winner, for any value."""
        self._only_outcome = True

    def skip_nimber(self) -> None:
        """Aim only to find the winner."""
        self._only_outcome = True

    def advance(self, nodes: int, worker: int = 0) -> bool:
        """Expand about `nodes` parts; return whether it is done. Raise SolverLimit if the memory is full or a nimber
        too large.
        """
        with self._solver.lock:
            last = self.nodes + nodes
            while not self.is_done and self.nodes < last:
                self._search_open_part(last - self.nodes)
            return self.is_done

    def _search_open_part(self, nodes: int) -> None:
        """Search the lightest open part, which must exist, for up to `nodes` nodes; update the bounds and `nimber`.

        A step may only lengthen arrays. Raise SolverLimit as `advance` does.
        """
        part = self._open[0]
        # If only the last part is open, the outcome depends on whether its nimber equals the others' sum.
        is_last = self._only_outcome and len(self._open) == 1 and self._known <= MAX_NIMBER
        goal = self._known if is_last else _ANY_NIMBER
        control = self._stack.control
        if control[DEPTH] == 0 or self._question != (part, goal):
            self._question = part, goal
            nimber_search.start(self._stack, part, goal, self._top)
        control[FILL_LIMIT] = self._solver.fill_limit
        status = int(nimber_search.advance(self._stack, self._solver.table, nodes))
        if status == nimber_search.NO_ROOM:
            self._grow_arrays()
        elif status == nimber_search.CROWDED:
            self._solver.table = nimber_table.grow_slots(self._solver.table)
        elif status == nimber_search.FULL:
            raise SolverLimit("the memory is full", self.lower, self.upper, self.nodes)
        elif status == nimber_search.TOO_LARGE:
            raise SolverLimit(f"a component has a nimber above {MAX_NIMBER}", self.lower, self.upper, self.nodes)
        self._add_known_nimbers()

    def _grow_arrays(self) -> None:
        """Double all work arrays except `work` and `control`; keep their contents, except that of `ends`."""
        stack = self._stack
        self._stack = stack._replace(
            words=np.concatenate([stack.words, np.zeros_like(stack.words)]),
            ends=np.zeros(2 * len(stack.ends), np.int64),
            options=np.concatenate([stack.options, np.zeros_like(stack.options)]),
            frames=np.concatenate([stack.frames, np.zeros_like(stack.frames)]),
        )

    def _add_known_nimbers(self) -> None:
        """Add up the known nimbers of the lightest parts until one is unknown; set `nimber` and the bounds by them."""
        while self._open:
            at = self._open[0]
            knowledge = np.uint64(nimber_search.look_up_part(self._stack, self._solver.table, at))
            nimber = int(nimber_table.decode_nimber(knowledge))
            if nimber < 0:
                is_last = len(self._open) == 1 and self._known <= MAX_NIMBER
                # The sum is not 0 if this part cannot have the others' nimber.
                if is_last and (self._known > self._weigh(at) or nimber_table.is_excluded(knowledge, self._known)):
                    self.lower = 1
                return
            self._known ^= nimber
            del self._open[0]
        self.nimber = self._known
        self.lower = self.upper = 0 if self._is_over else 1 if self.nimber else -1
