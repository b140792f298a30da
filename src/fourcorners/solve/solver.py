"""The front of the solvers: which way of solving fits a position, and how its task is driven within limits."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from fourcorners.core.errors import GameError, OptionError, SolverLimit, quote
from fourcorners.core.game import Game
from fourcorners.core.position import Position
from fourcorners.solve.margins import MarginSolver, MarginTask
from fourcorners.solve.maxn import MaxNSolver, MaxNTask
from fourcorners.solve.nimbers import NimberSolver, NimberTask
from fourcorners.solve.solution import Solution
from fourcorners.solve.solver_protocol import SolverBackend, SolveTask

Progress = Callable[[int, int, int, float, float], None]
"""Is told the bounds proven so far, the nodes, the seconds, and how full the memory is, 0 to 1."""

MEMORY = 1 << 30
"""The bytes a solve may use for what it has found, unless it is told otherwise."""
LEAST_MEMORY = 1 << 16
_MOST_THREADS = 2
_SLICE_SECONDS = 0.01
_FIRST_SLICE = 16
_LONGEST_SLICE = 1 << 30


def create_backend(game: Game, memory: int = MEMORY, threads: int = 1) -> SolverBackend:
    """Return the way of solving that fits a game, with an empty memory of so many bytes."""
    exact = game.spec.exact
    if len(game.options.parties) != 2:
        return MaxNSolver(game, memory, threads)
    if exact is not None and game.spec.scoring == "last-move":
        return NimberSolver(game, memory, threads)
    return MarginSolver(game, memory, threads)


class Limits:
    """How long a solve may take, who may stop it, and who is told of its progress."""

    def __init__(
        self,
        seconds: float | None = None,
        stop: threading.Event | None = None,
        progress: Progress | None = None,
        most_nodes: int | None = None,
    ) -> None:
        self.begun = time.perf_counter()
        self.nodes = 0
        self._most_nodes = most_nodes
        self._seconds = seconds
        self._stop = stop
        self._progress = progress

    @property
    def elapsed(self) -> float:
        """How many seconds have passed."""
        return time.perf_counter() - self.begun

    def are_reached(self, task: SolveTask | None = None) -> bool:
        """Tell whether it is time to stop, with the nodes of a task that is being worked on."""
        over = self._seconds is not None and self.elapsed >= self._seconds
        return over or self.left(task) == 0 or (self._stop is not None and self._stop.is_set())

    def left(self, task: SolveTask | None = None) -> int:
        """Return how many nodes may yet be searched."""
        if self._most_nodes is None:
            return _LONGEST_SLICE
        return max(0, self._most_nodes - self.nodes - (task.nodes if task is not None else 0))

    def tell(self, task: SolveTask, fill: float) -> None:
        """Report how far a task is."""
        if self._progress is not None:
            self._progress(task.lower, task.upper, self.nodes + task.nodes, self.elapsed, fill)

    def sentence(self) -> str:
        """Say why the solve ended."""
        if self._stop is not None and self._stop.is_set():
            return "stopped before it was solved"
        if self._seconds is None:
            return f"not solved within {self._most_nodes} nodes"
        return f"not solved within {self._seconds:g} s"


def run_task(task: SolveTask, way: SolverBackend, limits: Limits, threads: int = 1) -> bool:
    """Work on a task until it is done or the limits are reached; tell whether it is done."""
    halt = threading.Event()
    failures: list[BaseException] = []

    def help_out(worker: int) -> None:
        try:
            _work(task, worker, halt.is_set)
        except BaseException as error:  # noqa: BLE001  # raised again in the caller's thread
            failures.append(error)
            halt.set()

    helpers = [threading.Thread(target=help_out, args=(worker,), daemon=True) for worker in range(1, threads)]
    for helper in helpers:
        helper.start()

    def enough() -> bool:
        limits.tell(task, way.fill)
        return limits.are_reached(task) or bool(failures)

    try:
        done = _work(task, 0, enough, lambda: limits.left(task))
    finally:
        halt.set()
        for helper in helpers:
            helper.join()
    limits.nodes += task.nodes
    if failures:
        raise failures[0]
    return done


def _work(
    task: SolveTask, worker: int, enough: Callable[[], bool], left: Callable[[], int] = lambda: _LONGEST_SLICE
) -> bool:
    """Call a task in slices of about the same time."""
    budget = _FIRST_SLICE
    while True:
        before = time.perf_counter()
        if task.advance(min(budget, max(1, left())), worker):
            return True
        if enough():
            return False
        took = max(time.perf_counter() - before, 1e-7)
        budget = max(1, min(4 * budget, int(budget * _SLICE_SECONDS / took), _LONGEST_SLICE))


def solve(
    position: Position,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    threads: int | None = None,
    moves: bool = True,
    every_move: bool = False,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
) -> Solution:
    """Solve a position exactly; raise SolverLimit, with the bounds proven, when the limits given do not suffice.

    `memory` is in bytes, `threads` 1 or 2 (usually as many as there are processors); with one the same question takes
    the same nodes always. With `moves` False the value alone is found; with `every_move` those of all legal moves, too.
    `stop` ends it at once, as a limit does.
    """
    threads = _checked(position, seconds, memory, threads)
    limits = Limits(seconds, stop, progress)
    way = create_backend(position.game, MEMORY if memory is None else memory, threads)
    return Solver(way, limits, threads).solve(position, moves=moves, every_move=every_move)


def _checked(position: object, seconds: float | None, memory: int | None, threads: int | None) -> int:
    """Raise for arguments that make no sense; return how many threads to use."""
    if not isinstance(position, Position):
        message = f"{quote(position)} cannot be solved: it is no position"
        raise GameError(message, "position")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0):
        raise OptionError("seconds", f"{quote(seconds)} is not allowed; it may be any number above 0")
    if memory is not None and (type(memory) is not int or memory < LEAST_MEMORY):
        raise OptionError("memory", f"{quote(memory)} is not allowed; it may be {LEAST_MEMORY} bytes or more")
    if threads is not None and (type(threads) is not int or not 1 <= threads <= _MOST_THREADS):
        raise OptionError("threads", f"{quote(threads)} is not allowed; it may be 1 or {_MOST_THREADS}")
    return threads or min(_MOST_THREADS, os.cpu_count() or 1)


class Solver:
    """Solves positions of one game with the same memory."""

    def __init__(self, way: SolverBackend, limits: Limits, threads: int = 1) -> None:
        self._way = way
        self._limits = limits
        self._threads = threads
        # For whoever watches: the question of the position itself, and how many of its moves are done.
        self.root: SolveTask | None = None
        self.tried = 0

    def solve(self, position: Position, *, moves: bool = True, every_move: bool = False) -> Solution:
        """Return a position's value, its best moves, all moves' values, as is asked for; raise SolverLimit."""
        seat = position.seat
        if seat is None:
            return Solution(0, (), 0, nimber=0 if isinstance(self._way, NimberSolver) else None)
        task = self.root = self._way.task(position)
        if not run_task(task, self._way, self._limits, self._threads):
            raise self._limit(task.lower, task.upper)
        value = task.lower
        found: dict[str, int | None] = {}
        for move in position.moves() if moves or every_move else ():
            try:
                found[move] = self._worth(position, seat, move, None if every_move else value)
            except SolverLimit as error:
                # The value is proven; which moves reach it is not.
                why = self._limits.sentence() if self._limits.are_reached() else error.message
                message = f"it is worth {value} to the seat to move, but which moves reach that is not known: {why}"
                raise SolverLimit(message, value, value, self._limits.nodes) from None
            self.tried += 1
        best = tuple(move for move in sorted(found) if found[move] == value)
        if (found and not best) or any(worth is not None and worth > value for worth in found.values()):
            message = (
                f"a fault of the solver: {position.game!r} at {position.text!r} is worth {value}, its moves are not"
            )
            raise RuntimeError(message)
        return Solution(
            value=value,
            moves=best,
            nodes=self._limits.nodes,
            seconds=self._limits.elapsed,
            nimber=task.nimber if isinstance(task, NimberTask) else None,
            values={move: worth for move, worth in found.items() if worth is not None} if every_move else {},
            margins=_changes(task, position) if isinstance(task, MaxNTask) else None,
            open_hands=_is_open_handed(position, seat),
        )

    def one(self, position: Position, moves: Iterable[str]) -> tuple[str, int]:
        """Return the first of these legal moves that is a best one, and the position's value; raise SolverLimit.

        When the value is proven but the limits do not suffice to find the first, it is any best one that is known.
        """
        task = self.root = self._way.task(position)
        if isinstance(task, NimberTask):
            # Whether there is a winning move is known long before the nimber is.
            task.aim(0)
        if not run_task(task, self._way, self._limits, self._threads):
            raise self._limit(task.lower, task.upper)
        moves = list(moves)
        try:
            for move in moves:
                if self._worth(position, position.seat or 0, move, task.lower) is not None:
                    return move, task.lower
        except SolverLimit:
            for move in moves:
                if isinstance(task, MarginTask) and self._sure(position, position.seat or 0, move) >= task.lower:
                    return move, task.lower
            raise
        message = f"a fault of the solver: {position.game!r} at {position.text!r} is worth {task.lower}, no move is"
        raise RuntimeError(message)

    def _sure(self, position: Position, seat: int, move: str) -> int:
        """Return what a move is worth at least, as far as that is known without search."""
        after = position.play(move)
        gain = current_margin(after, seat) - current_margin(position, seat)
        if after.seat is None:
            return gain
        task = self._way.task(after)
        return gain + (task.lower if _are_partners(position, seat, after.seat) else -task.upper)

    def _limit(self, lower: int, upper: int) -> SolverLimit:
        message = f"{self._limits.sentence()}: it is worth {lower} to {upper} to the seat to move"
        return SolverLimit(message, lower, upper, self._limits.nodes)

    def _worth(self, position: Position, seat: int, move: str, aim: int | None) -> int | None:
        """Return what a move is worth to the seat to move; with an aim, None if it is worth anything else."""
        after = position.play(move)
        gain = current_margin(after, seat) - current_margin(position, seat)
        if after.seat is None:
            return gain if aim in (None, gain) else None
        task = self._way.task(after)
        sign = 1 if _are_partners(position, seat, after.seat) else -1
        if aim is not None and not isinstance(task, MaxNTask):
            task.aim(sign * (aim - gain))
        if not run_task(task, self._way, self._limits, self._threads):
            raise self._limit(gain + task.lower, gain + task.upper)
        if isinstance(task, MaxNTask):
            worth = gain + _changes(task, after)[seat]
        elif task.lower != task.upper:
            return None
        else:
            worth = gain + sign * task.lower
        return worth if aim in (None, worth) else None


def _are_partners(position: Position, seat: int, other: int) -> bool:
    """Tell whether two seats, or one and itself, win together."""
    return any(seat in party and other in party for party in position.game.options.parties)


def current_margin(position: Position, seat: int) -> int:
    """Return a seat's points less those of the best opponent, as they stand."""
    others = [party for party in position.game.options.parties if seat not in party]
    return position.scores[seat] - max(position.scores[party[0]] for party in others)


def _changes(task: MaxNTask, position: Position) -> tuple[int, ...]:
    """Return by how much every seat's margin changes from a position to the end."""
    margins: Any = task.margins
    return tuple(margin - current_margin(position, seat) for seat, margin in enumerate(margins))


def _is_open_handed(position: Position, seat: int) -> bool:
    """Tell whether the value may depend on something that the seat to move cannot see."""
    spec = position.game.spec
    return spec.hidden and not spec.can_infer_hands(position.record, seat)
