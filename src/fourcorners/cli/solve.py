"""`fourcorners solve`: solve a position exactly."""

import contextlib
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from fourcorners.cli.common import (
    INTERRUPTED,
    GameOptions,
    ResultAsJson,
    Seed,
    fail,
    get_position,
    handle_signals,
    load_record,
    parse_game,
    require_positive,
    say_written,
)
from fourcorners.cli.solve_progress import ProgressDisplay
from fourcorners.cli.solve_report import SolveReport, build_json, describe_report
from fourcorners.core.errors import GameError, SolverLimit, quote
from fourcorners.core.game import Position
from fourcorners.solvers import checkpoint
from fourcorners.solvers.checkpoint import SolveState
from fourcorners.solvers.solver import DEFAULT_MEMORY, MAX_THREADS, MIN_MEMORY, create_backend
from fourcorners.solvers.solver_protocol import SolverBackend
from fourcorners.solvers.solver_run import SolveBudget, SolverRun

_UNSOLVED, _USAGE_ERROR = 3, 2
"""Exit statuses."""
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def solve(
    game: Annotated[str | None, Argument(help="The id of a game; omit it with --record.")] = None,
    option: GameOptions = None,
    seed: Seed = 0,
    position: Annotated[str | None, Option(help="The text of a position to solve; by default, the start.")] = None,
    record: Annotated[Path | None, Option(help="Solve a position of this record; - reads standard input.")] = None,
    ply: Annotated[
        int | None, Option(min=0, help="Solve the record’s position after this many moves; by default, after the last.")
    ] = None,
    seconds: Annotated[float | None, Option(help="Stop after this many seconds; by default, never.")] = None,
    memory: Annotated[str | None, Option(help="Memory for the search, such as 4GiB or 500M; by default, 1GiB.")] = None,
    threads: Annotated[
        int | None, Option(min=1, max=MAX_THREADS, help="Number of threads; with 1, the node count is reproducible.")
    ] = None,
    moves: Annotated[bool, Option("--moves/--no-moves", help="Find all best moves, or only the value.")] = True,
    every_move: Annotated[bool, Option("--every-move", help="Find the value of every legal move.")] = False,
    as_data: ResultAsJson = False,
    save: Annotated[
        Path | None, Option(help="Save the progress to this file, and resume from it if it exists.")
    ] = None,
    resume: Annotated[
        bool | None,
        Option("--resume/--fresh", help="Require the --save file to exist, or ignore it and start again."),
    ] = None,
    every: Annotated[float, Option(help="The interval in minutes between saves.")] = 10.0,
) -> None:
    """Solve a position exactly: find the margin of the seat to move from there to the end, and the best moves.

    Ctrl-C stops with the bounds proven so far and saves; a second Ctrl-C exits at once. Exit status: 0 solved, 3 not
    solved within the limits, 130 interrupted (Ctrl-C or SIGTERM), 1 unusable file, 2 usage error. Games with three or
    more sides cannot be saved. Example: fourcorners solve GAME -o cols=3 -o rows=3 --memory 2GiB --save game.solve
    """
    require_positive("--seconds", seconds)
    require_positive("--every", every, "number of minutes")
    if resume is not None and save is None:
        fail("--resume and --fresh need --save", _USAGE_ERROR)
    limit = None if memory is None else _parse_bytes(memory)
    try:
        root = _load_position(game, option or [], seed, position, record, ply)
        saved = None if save is None else _read_saved_state(save, resume)
        if limit is None:
            limit = DEFAULT_MEMORY if saved is None else saved.memory
        count = threads or min(MAX_THREADS, os.cpu_count() or 1)
        backend = create_backend(root.game, limit, count)
        saver = None if save is None else _Saver(save, root, backend, every)
        previous = None if saved is None or saver is None else saver.load()
        report = _Job(root, backend, limit, count, seconds, saver, previous).run(moves, every_move)
    except SolverLimit as error:
        # The position was too large from the start.
        fail(error.message, _UNSOLVED)
    except GameError as error:
        fail(error.message, _USAGE_ERROR)
    except OSError as error:
        fail(f"{save} cannot be used: {error.strerror or error}")
    print(json.dumps(build_json(report), indent=2) if as_data else describe_report(report))
    if report.reason:
        sys.exit(INTERRUPTED if report.interrupted else _UNSOLVED)


def _parse_bytes(text: str) -> int:
    """Parse a number of bytes such as 4GiB (G, GB and GiB are 2**30); exit with status 2 if wrong or too small."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,3})?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    count = 0 if match is None else int(float(match[1]) * _UNITS[match[2].upper()])
    if count < MIN_MEMORY:
        allowed = f"it must be {MIN_MEMORY} bytes or more, such as 4GiB or 500M"
        fail(f"--memory {quote(text)} is not allowed; {allowed}", _USAGE_ERROR)
    return count


def _load_position(
    game: str | None, options: list[str], seed: int, text: str | None, record: Path | None, ply: int | None
) -> Position:
    """Return the position named by a game with a seed or `text`, or by a record and a ply. A ply of None is the last.
    Exit with status 1 for a wrong record, or 2, or raise GameError, for wrong arguments.
    """
    if record is None:
        if game is None:
            fail("name a game, or a record with --record", _USAGE_ERROR)
        if ply is not None:
            fail("--ply needs --record", _USAGE_ERROR)
        chosen = parse_game(game, options)
        return chosen.start(seed=seed) if text is None else chosen.position(text)
    if game is not None or options or text is not None:
        fail("--record already determines the game, the options and the position: omit those", _USAGE_ERROR)
    return get_position(load_record(record).match().positions, ply)[1]


def _read_saved_state(path: Path, resume: bool | None) -> SolveState | None:
    """Return the state in a file to resume, or None to start again.

    `resume` is True if the file must exist, False to ignore it, None to resume if it exists. Raise OSError, even if
    the file cannot be written, or GameError if it is not a saved solve.
    """
    checkpoint.check_writable(path)
    if resume is False or (resume is None and not path.exists()):
        return None
    return checkpoint.read_state(path)


class _Saver:
    """Saves the progress of a solve to a file at intervals."""

    def __init__(self, path: Path, position: Position, backend: SolverBackend, minutes: float) -> None:
        """Prepare to save at intervals of `minutes`, or exit with status 2 if the backend cannot be saved."""
        memory = backend.checkpoint
        if memory is None:
            fail("the progress of a game of three or more sides cannot be saved: omit --save", _USAGE_ERROR)
        self.path = path
        self._position = position
        self._memory = memory
        self._interval = 60 * minutes
        self._next = self._interval

    def load(self) -> SolveState:
        """Load the file into the backend's memory and return its state; raise GameError if it does not fit, OSError."""
        return checkpoint.load(self.path, self._position, self._memory)

    def save_if_due(self, state: SolveState, seconds: float) -> None:
        """Save the progress, as `save` does, if the interval is over; `seconds` is the time since this run began."""
        if seconds >= self._next:
            self._next = seconds + self._interval
            self.save(state)

    def save(self, state: SolveState) -> bool:
        """Save the progress, and block meanwhile; return whether that succeeded. Print an error instead of raising it,
        so that the solve can go on.
        """
        try:
            checkpoint.save(self.path, self._position, self._memory, state)
        except OSError as error:
            older = " (the previous file is unchanged)" if self.path.exists() else ""
            print(f"fourcorners: {self.path} cannot be written: {error.strerror or error}{older}", file=sys.stderr)
            return False
        return True


class _Job:
    """One run of a solve, with progress display, signal handling and saving."""

    def __init__(
        self,
        position: Position,
        backend: SolverBackend,
        memory: int,
        threads: int,
        seconds: float | None,
        saver: _Saver | None,
        previous: SolveState | None,
    ) -> None:
        """Set up a run, whose clock starts now: `memory` is in bytes, `seconds` None without a limit.

        Without a `saver` nothing is saved; `previous` is the state of the runs before, if there were any.
        """
        self._position = position
        self._backend = backend
        self._memory = memory
        self._threads = threads
        self._stop = threading.Event()
        self._saver = saver
        self._display = ProgressDisplay(position)
        self._budget = SolveBudget(seconds, self._stop, self._show_progress)
        self._solver = SolverRun(backend, self._budget)
        self._previous = previous or SolveState(0, 0, 0, 0.0, memory)
        self._budget.spent = self._previous.nodes
        self._bounds = self._previous.lower, self._previous.upper

    def run(self, moves: bool, every_move: bool) -> SolveReport:
        """Solve within the limits, save, and return the report; it has a reason unless the position was solved.

        `moves` asks for the best moves, `every_move` for the value of every move. Call it once, in the main thread, for
        the signals. Raise SolverLimit if the position does not fit.
        """
        solution, reason, nodes = None, "", 0
        with _handle_signals(self._stop, self._display), self._display:
            try:
                solution = self._solver.solve(self._position, moves=moves, every_move=every_move)
                self._bounds = solution.remaining_margin, solution.remaining_margin
            except SolverLimit as error:
                if self._solver.root is None:
                    raise  # the position does not fit
                self._bounds = self._solver.root.lower, self._solver.root.upper
                reason, nodes = error.message, error.nodes
        # The clause alone, since the report has the bounds, which the error's message repeats.
        if reason and self._budget.is_exhausted(self._budget.spent):
            reason = self._budget.explain_limit()
        state = self._build_state(max(self._budget.spent, nodes))
        if self._saver is not None and self._saver.save(state):
            say_written(self._saver.path)
        return SolveReport(
            self._position,
            state,
            self._previous,
            solution,
            reason=reason,
            interrupted=self._stop.is_set(),
            fill=self._backend.fill,
            threads=self._threads,
            nimber=None if self._solver.root is None else self._solver.root.nimber,
        )

    def _build_state(self, nodes: int) -> SolveState:
        """Return the state so far, of all runs together; `nodes` is the number of nodes in all of them."""
        return SolveState(*self._bounds, nodes, self._previous.seconds + self._budget.elapsed_seconds, self._memory)

    def _show_progress(self, lower: int, upper: int, nodes: int, seconds: float, fill: float) -> None:
        """Show the progress and, if it is time, save it; see `solve.solver.ProgressCallback` for the arguments."""
        self._bounds = lower, upper
        state = self._build_state(nodes)
        self._display.update(state, seconds, nodes - self._previous.nodes, fill, self._solver.moves_done)
        if self._saver is not None:
            self._saver.save_if_due(state, seconds)


@contextlib.contextmanager
def _handle_signals(stop: threading.Event, display: ProgressDisplay) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM set `stop` within a with statement, and a second one exit at once; main thread only."""

    def request_stop(*_: object) -> None:
        """Set `stop`; if it is set already, close the display and exit the process with status 130."""
        if stop.is_set():
            display.close()
            # Not an exception, which would be lost inside the compiler's callbacks.
            os._exit(INTERRUPTED)
        stop.set()

    with handle_signals(request_stop, signal.SIGINT, signal.SIGTERM):
        yield
