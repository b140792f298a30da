"""What every solver offers: tasks that advance in slices, and a backend with the memory that they share."""

from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.position import Position

Words = NDArray[np.uint64]


class SolveTask(Protocol):
    """The value of one position, searched in slices.

    The value is a margin, or in an impartial game 1 for a win and -1 for a loss, for the seat to move and counted from
    here to the end. `lower` and `upper` bound it at any moment, so a task may be abandoned at any time; they are equal
    once the value is proven.
    """

    @property
    def lower(self) -> int: ...
    @property
    def upper(self) -> int: ...
    @property
    def nodes(self) -> int:
        """The number of nodes searched by this task."""

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to search."""

    @property
    def nimber(self) -> int | None:
        """The nimber of a position of an impartial game, once it is known."""

    @property
    def margins(self) -> tuple[int, ...] | None:
        """The margin of every seat at the end of a game of three or more parties, once they are known."""

    def advance(self, nodes: int, worker: int = 0) -> bool:
        """Search about `nodes` nodes; return whether the task is done.

        Workers 0 to `SolverBackend.threads` - 1 may call at the same time. Raise SolverLimit, with the bounds proven,
        if the memory is too small.
        """

    def aim(self, value: int) -> None:
        """Settle for whether the value is below, equal to or above this one, where that is less work.

        In an impartial game that means: the winner, not the nimber.
        """

    def skip_nimber(self) -> None:
        """Settle for the value: in an impartial game do not determine the nimber."""


class Checkpointable(Protocol):
    """A solver's memory that can be saved to disk."""

    def lock_words(self) -> AbstractContextManager[tuple[Words, int]]:
        """Give the words to save, (n,), and how many entries they hold; they stay consistent within the context."""

    def allocate_words(self, words: int, entries: int) -> Words | None:
        """Return an array, (words,), to read into, all 0 in a new solver; None if the memory is too small for it."""

    def restore(self, words: int, entries: int, position: Position, bounds: tuple[int, int]) -> None:
        """Use what was read into the allocated words, and the bounds proven for a position: lower, upper."""


class SolverBackend(Protocol):
    """A solver for the positions of one game, with the memory for what it has found.

    A backend is created as `Backend(game, memory, threads)`. `memory` is in bytes and is never exceeded by much.
    """

    @property
    def threads(self) -> int:
        """How many workers can usefully share a task."""

    @property
    def is_impartial(self) -> bool:
        """Whether tasks find who wins, and nimbers, instead of margins."""

    @property
    def fill(self) -> float:
        """How full the memory is, 0 to 1."""

    @property
    def checkpoint(self) -> Checkpointable | None:
        """The memory as words that can be saved to disk; None if this solver does not support that."""

    def create_task(self, position: Position) -> SolveTask:
        """Return the task of solving a position; raise SolverLimit, with the known bounds, if it is too large."""

    def load_known_values(self) -> None:
        """Store what the game knows without search, if anything."""

    def limit_growth(self, seconds: float | None) -> None:
        """Let the memory grow only as far as a small part of these seconds allows; None means no limit.

        Growing cannot be interrupted, so that otherwise it could take longer than a whole move.
        """
