"""The front of the solvers: the choice of a backend for a game, and the solution of positions within limits."""

from __future__ import annotations

import os
from collections.abc import Iterable
from threading import Event

from fourcorners.core import arguments
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Game, Position
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.solvers.labels import Labels, RecordBatch, find_labels, read_records
from fourcorners.solvers.margins import MarginSolver
from fourcorners.solvers.maxn import MaxNSolver
from fourcorners.solvers.nimbers import NimberSolver
from fourcorners.solvers.quick_labels import QuickLabels
from fourcorners.solvers.solution import Solution
from fourcorners.solvers.solver_protocol import SolverBackend
from fourcorners.solvers.solver_run import ProgressCallback, SolveBudget, SolverRun

DEFAULT_MEMORY = 1 << 30  # the default memory of a solve, in bytes
MIN_MEMORY, MAX_MEMORY = 1 << 16, 1 << 48
MAX_THREADS = 2
MAX_SECONDS = 1e9  # thirty years
_MAX_NODES = 1 << 60


def create_backend(game: Game, memory: int = DEFAULT_MEMORY, threads: int = 1) -> SolverBackend:
    """Return the solver for a game, with `memory` bytes; raise MemoryError. Not all solvers use 2 threads."""
    if len(game.options.parties) != 2:
        return MaxNSolver(game, memory, threads)
    if game.spec.scoring == "last-move" and game.spec.part(ExactPlay).find_exact(game.options) is not None:
        return NimberSolver(game, memory, threads)
    return MarginSolver(game, memory, threads)


class Solver:
    """A solver of the positions of one game that keeps what it finds, so that later ones take less time.

    Let only one thread at a time use it.
    """

    def __init__(self, game: Game, memory: int = DEFAULT_MEMORY, threads: int = 1) -> None:
        """Set up a solver with up to `memory` bytes, and 1 or 2 threads for positions that take long.

        With one thread, the number of nodes is reproducible. Raise OptionError for a wrong argument, and MemoryError if
        the system has too little memory.
        """
        if not isinstance(game, Game):
            raise OptionError("game", f"{quote(game)} is not allowed; it must be a Game, as fourcorners.game returns")
        self.game = game
        allowed = f"{MIN_MEMORY} bytes or more, at most {MAX_MEMORY}"
        memory = arguments.check_int("memory", memory, MIN_MEMORY, MAX_MEMORY, allowed)
        threads = arguments.check_int("threads", threads, 1, MAX_THREADS, f"1 or {MAX_THREADS}")
        backend = self._backend = create_backend(game, memory, threads)
        self._quick = None
        if isinstance(backend, MarginSolver) and hasattr(backend.exact, "fill_board"):
            self._quick = QuickLabels(backend, game)

    def solve(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        moves: bool = True,
        every_move: bool = False,
        progress: ProgressCallback | None = None,
        stop: Event | None = None,
    ) -> Solution:
        """Solve a position exactly; raise SolverLimit, with the proven bounds, if a limit is reached first.

        Compilation does not count towards `seconds`. With `moves` False, only the value is found; with `every_move`,
        the values of all legal moves are found, too. Setting `stop` ends the solve like a limit. `progress` is called
        in this thread; its errors pass through.

        Raise GameError if `position` is not a Position, and OptionError for one of another game and for other invalid
        arguments.
        """
        if not isinstance(position, Position):
            raise GameError(f"{quote(position)} cannot be solved: it is not a Position", "position")
        if position.game != self.game:
            raise OptionError("position", f"it is one of {position.game!r}, but this solver is for {self.game!r}")
        seconds = arguments.check_seconds(seconds, MAX_SECONDS)
        moves, every_move = arguments.check_flag("moves", moves), arguments.check_flag("every_move", every_move)
        arguments.check_callback("progress", progress)
        arguments.check_stop(stop)
        budget = SolveBudget(seconds, stop, progress, _check_nodes(nodes))
        return SolverRun(self._backend, budget).solve(position, moves=moves, every_move=every_move)

    def label(
        self, positions: Iterable[Position] | RecordBatch, *, every_move: bool = False, nodes: int | None = None
    ) -> Labels:
        """Return the values of many positions, or of the games of a batch, and with `every_move` those of all moves.

        `nodes` limits the search of each position, together with its moves, to about this number; what is not proven
        then has bounds. To look at a move takes time even so, on the largest boards a tenth of a second. As `solve`
        does, this looks into all hands. Raise OptionError for a wrong argument.
        """
        every_move, nodes = arguments.check_flag("every_move", every_move), _check_nodes(nodes)
        states = read_records(self.game, positions)
        return find_labels(self._backend, self._quick, self.game, states, every_move=every_move, nodes=nodes)

    def __repr__(self) -> str:
        return f"<Solver of {self.game!r}>"


def solve(
    position: Position,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    threads: int | None = None,
    moves: bool = True,
    every_move: bool = False,
    progress: ProgressCallback | None = None,
    stop: Event | None = None,
) -> Solution:
    """Solve a position exactly, as `Solver.solve` does, with a solver for this position alone.

    `memory` is in bytes (default: 1 GiB), and `threads` is 1 or 2 (default: the number of processors, at most 2).
    Raise as `Solver` and its `solve` do.
    """
    if not isinstance(position, Position):
        raise GameError(f"{quote(position)} cannot be solved: it is not a Position", "position")
    processors = min(MAX_THREADS, os.cpu_count() or 1)
    solver = Solver(
        position.game, DEFAULT_MEMORY if memory is None else memory, processors if threads is None else threads
    )
    return solver.solve(position, seconds=seconds, moves=moves, every_move=every_move, progress=progress, stop=stop)


def _check_nodes(nodes: object) -> int | None:
    """Return a limit of nodes, 1 or more, as a plain number, or None for none; raise OptionError for anything else."""
    return None if nodes is None else arguments.check_int("nodes", nodes, 1, _MAX_NODES, "None, or 1 or more")
