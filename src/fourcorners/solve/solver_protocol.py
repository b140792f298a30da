"""What every way of solving offers: tasks that are worked on in slices, and the memory that they share."""

from __future__ import annotations

from typing import Protocol

from fourcorners.core.position import Position


class SolveTask(Protocol):
    """The question what one position is worth, worked on in slices.

    `lower` and `upper` are the bounds proven so far for the margin of the seat to move, from here to the end; they are
    equal when the task is done. They hold at any moment, so a task may be left off whenever one likes.
    """

    @property
    def lower(self) -> int: ...
    @property
    def upper(self) -> int: ...
    @property
    def nodes(self) -> int:
        """How many nodes were searched, those of the other tasks of the same memory not counted."""

    def advance(self, budget: int, worker: int = 0) -> bool:
        """Search about so many nodes more; tell whether the task is done. Workers 0 and 1 may call at the same time."""

    def aim(self, value: int) -> None:
        """Be content to know whether the value is below, equal to or above this one: ask nothing finer from now on."""


class SolverBackend(Protocol):
    """A way of solving the positions of one game, with the memory for what it has found.

    A method is made as `Method(game, memory, workers)`: `memory` is in bytes and is never exceeded by much; if it is
    too small to hold what a proof needs, `advance` raises SolverLimit with the bounds proven.
    """

    @property
    def fill(self) -> float:
        """How full the memory is, 0 to 1."""

    def task(self, position: Position) -> SolveTask:
        """Return the question what a position is worth; raise SolverLimit, with what is known, if it does not fit."""
