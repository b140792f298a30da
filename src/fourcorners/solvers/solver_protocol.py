"""The interface of every solver: tasks that advance in slices, and a backend with their shared memory."""

from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.game import Position

Words = NDArray[np.uint64]


class SolveTask(Protocol):
    """A search for the value of one position, in slices.

    The value is the margin from here to the end for the seat to move; in an impartial game it is 1 for a win and -1 for
    a loss. `lower` and `upper` are its bounds at any moment, so a task may be abandoned at any time; they are equal
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
        """Whether the search is finished."""

    @property
    def nimber(self) -> int | None:
        """The nimber of a position of an impartial game, once it is known."""

    @property
    def margins(self) -> tuple[int, ...] | None:
        """The margin of every seat at the end of a game of three or more parties, once they are known."""

    def advance(self, nodes: int, worker: int = 0) -> bool:
        """Search about `nodes` nodes; return whether the task is done.

        Workers 0 to `SolverBackend.threads` - 1 may call at the same time. Raise SolverLimit, with the proven bounds,
        if the memory is too small.
        """

    def aim(self, value: int) -> None:
        """Aim only to find whether the value is below, equal to or above this one, where that is less work.

        In an impartial game, that is the winner, not the nimber.
        """

    def skip_nimber(self) -> None:
        """Aim only for the value: in an impartial game, do not determine the nimber."""


class Checkpointable(Protocol):
    """A solver's memory that can be saved to disk."""

    def lock_words(self) -> AbstractContextManager[tuple[Words, int]]:
        """Yield the words to save, (n,), and their number of entries; they stay consistent within the context."""

    def allocate_words(self, words: int, entries: int) -> Words | None:
        """Return an array, (words,), to read into, all 0 in a new solver; None if the memory is too small for it."""

    def restore(self, words: int, entries: int, position: Position, bounds: tuple[int, int]) -> None:
        """Use the entries read into the allocated words, and the proven bounds of a position: lower, upper."""


class SolverBackend(Protocol):
    """A solver for the positions of one game, with its memory.

    A backend is created as `Backend(game, memory, threads)`. `memory` is in bytes and is never exceeded by much.
    """

    @property
    def threads(self) -> int:
        """The number of workers that can usefully share a task."""

    @property
    def is_impartial(self) -> bool:
        """Whether tasks find winners and nimbers instead of margins."""

    @property
    def fill(self) -> float:
        """The fill of the memory, 0 to 1."""

    @property
    def checkpoint(self) -> Checkpointable | None:
        """The memory as words that can be saved to disk; None if this solver does not support that."""

    def create_task(self, position: Position) -> SolveTask:
        """Return the task of solving a position; raise SolverLimit, with the known bounds, if it is too large."""

    def load_known_values(self) -> None:
        """Store the game's known values, if any."""

    def limit_growth(self, seconds: float | None) -> None:
        """Limit the memory's growth to a small part of these seconds; None means no limit.

        Growing cannot be interrupted, so without a limit it could take longer than a whole move.
        """
