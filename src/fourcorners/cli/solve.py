"""`fourcorners solve`: what a position is worth, exactly."""

from __future__ import annotations

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

import typer

from fourcorners.cli.common import OPTIONS_HELP, fail, game_of, record_in
from fourcorners.cli.solve_progress import Watch
from fourcorners.cli.solve_report import Verdict, as_json, in_words
from fourcorners.core.errors import GameError, SolverLimit, quote
from fourcorners.core.position import Position
from fourcorners.solve import checkpoint
from fourcorners.solve.checkpoint import Checkpointable, SolveState
from fourcorners.solve.nimbers import NimberTask
from fourcorners.solve.solver import LEAST_MEMORY, MEMORY, Limits, Solver, create_backend
from fourcorners.solve.solver_protocol import SolverBackend

_INTERRUPTED, _LIMITED, _WRONG = 130, 3, 2
_MOST_THREADS = 2
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def solve(
    game: Annotated[str | None, typer.Argument(help="The id of a game; not with --record.")] = None,
    option: Annotated[list[str] | None, typer.Option("-o", "--option", help=OPTIONS_HELP)] = None,
    seed: Annotated[int, typer.Option(help="What shuffles the tiles of games that have some.")] = 0,
    position: Annotated[str | None, typer.Option(help="A position's line, instead of the start.")] = None,
    record: Annotated[
        Path | None, typer.Option(help="Solve a position of this record; - reads standard input.")
    ] = None,
    ply: Annotated[int | None, typer.Option(min=0, help="Of the record, after so many moves; usually all.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds; usually never.")] = None,
    memory: Annotated[
        str | None, typer.Option(help="Bytes for what is found, such as 4GiB or 500M; usually 1GiB.")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=_MOST_THREADS, help="With 1, nodes never vary.")] = None,
    moves: Annotated[bool, typer.Option("--moves/--no-moves", help="Find all best moves, or the value alone.")] = True,
    every_move: Annotated[bool, typer.Option("--every-move", help="Find the value of every legal move.")] = False,
    as_data: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    save: Annotated[Path | None, typer.Option(help="Keep what is found in this file, and go on with it.")] = None,
    resume: Annotated[
        bool | None, typer.Option("--resume/--fresh", help="Insist on going on with the file, or begin anew.")
    ] = None,
    every: Annotated[float, typer.Option(help="Save after so many minutes, again and again.")] = 10.0,
) -> None:
    """Solve a position exactly: the margin for the seat to move, from there to the end, and the best moves.

    Ctrl-C ends it with the bounds proven so far, and saves; a second one ends it at once. Exit status: 0 solved, 3 not
    solved within the limits, 130 interrupted (Ctrl-C or SIGTERM), 2 for what makes no sense. Games of three and more
    parties cannot be saved. Example: fourcorners solve GAME -o cols=3 -o rows=3 --memory 2GiB --save game.solve
    """
    if seconds is not None and not seconds > 0:
        fail(f"--seconds {seconds:g} is not allowed; it may be any number above 0", _WRONG)
    if not every > 0:
        fail(f"--every {every:g} is not allowed; it may be any number of minutes above 0", _WRONG)
    if resume is not None and save is None:
        fail("--resume and --fresh are about the file of --save, which is not given", _WRONG)
    asked = None if memory is None else _bytes(memory)
    try:
        found = _position(game, option or [], seed, position, record, ply)
        kept = None if save is None else _standing(save, resume)
        if asked is None:
            asked = MEMORY if kept is None else kept.memory
        count = threads or min(_MOST_THREADS, os.cpu_count() or 1)
        way = create_backend(found.game, asked, count)
        keeper = None if save is None else _Keeper(save, found, way, every)
        before = None if kept is None or keeper is None else keeper.load()
        verdict = _Job(found, way, asked, count, seconds, keeper, before).run(moves, every_move)
    except SolverLimit as error:
        # It was too large from the start.
        fail(error.message, _LIMITED)
    except GameError as error:
        fail(error.message, _WRONG)
    except OSError as error:
        fail(f"{error.filename or save} cannot be used: {error.strerror or error}")
    print(json.dumps(as_json(verdict), indent=2) if as_data else in_words(verdict))
    if verdict.why:
        sys.exit(_INTERRUPTED if verdict.interrupted else _LIMITED)


def _bytes(text: str) -> int:
    """Return a number of bytes from a text such as 4GiB."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,3})?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    count = 0 if match is None else int(float(match[1]) * _UNITS[match[2].upper()])
    if count < LEAST_MEMORY:
        fail(
            f"--memory {quote(text)} is not allowed; it may be {LEAST_MEMORY} bytes or more, such as 4GiB or 500M",
            _WRONG,
        )
    return count


def _position(
    game: str | None, options: list[str], seed: int, text: str | None, record: Path | None, ply: int | None
) -> Position:
    """Return the position that the command line names."""
    if record is None:
        if game is None:
            fail("name a game, or a record with --record", _WRONG)
        if ply is not None:
            fail("--ply is for a record, which is not given", _WRONG)
        chosen = game_of(game, options)
        return chosen.start(seed=seed) if text is None else chosen.position(text)
    if game is not None or options or text is not None:
        fail("a record says itself which game, options and position it has: leave those away", _WRONG)
    positions = record_in(record).match().positions
    count = len(positions) - 1
    if ply is not None and ply > count:
        fail(f"the record has {count} moves: --ply may be 0 to {count}, not {ply}", _WRONG)
    return positions[count if ply is None else ply]


def _standing(path: Path, resume: bool | None) -> SolveState | None:
    """Return how far the file is that is to be gone on with; None to begin anew."""
    checkpoint.check_writable(path)
    if resume is False or (resume is None and not path.exists()):
        return None
    return checkpoint.read_state(path)


class _Keeper:
    """Saves a solve from time to time."""

    def __init__(self, path: Path, position: Position, way: SolverBackend, minutes: float) -> None:
        if not isinstance(way, Checkpointable):
            fail("a game of three or more parties is solved in a way that cannot be saved: leave --save away", _WRONG)
        self.path = path
        self._position = position
        self._way: Checkpointable = way
        self._every = 60 * minutes
        self._next = self._every

    def load(self) -> SolveState:
        """Take up what the file holds."""
        return checkpoint.load(self.path, self._position, self._way)

    def is_due(self, seconds: float) -> bool:
        """Tell whether the time to save has come, so many seconds after the beginning."""
        if seconds < self._next:
            return False
        self._next = seconds + self._every
        return True

    def save(self, standing: SolveState) -> None:
        """Save; what went wrong is told, and the solve goes on."""
        try:
            checkpoint.save(self.path, self._position, self._way, standing)
        except OSError as error:
            older = " (the older file is as it was)" if self.path.exists() else ""
            print(f"fourcorners: {self.path} cannot be written: {error.strerror or error}{older}", file=sys.stderr)


class _Job:
    """One solve, watched, stopped by signals, and saved."""

    def __init__(
        self,
        position: Position,
        way: SolverBackend,
        memory: int,
        threads: int,
        seconds: float | None,
        keeper: _Keeper | None,
        before: SolveState | None,
    ) -> None:
        self._position = position
        self._way = way
        self._memory = memory
        self._threads = threads
        self._stop = threading.Event()
        self._keeper = keeper
        self._watch = Watch(position)
        self._limits = Limits(seconds, self._stop, self._progress)
        self._solver = Solver(way, self._limits, threads)
        self._before = before or SolveState(0, 0, 0, 0.0, memory)
        self._limits.nodes = self._before.nodes
        self._bounds = self._before.lower, self._before.upper

    def run(self, moves: bool, every_move: bool) -> Verdict:
        """Solve within the limits."""
        solution, limit = None, None
        with _signals(self._stop, self._watch), self._watch:
            try:
                solution = self._solver.solve(self._position, moves=moves, every_move=every_move)
                self._bounds = solution.value, solution.value
                self._limits.nodes = solution.nodes or self._limits.nodes
            except SolverLimit as error:
                if self._solver.root is None:
                    raise
                limit = error
                self._bounds = self._solver.root.lower, self._solver.root.upper
        why = ""
        if limit is not None:
            why = self._limits.sentence() if self._limits.are_reached() else limit.message
        standing = self._standing(max(self._limits.nodes, 0 if limit is None else limit.nodes))
        if self._keeper is not None:
            self._keeper.save(standing)
        return Verdict(
            self._position,
            standing,
            self._before,
            solution,
            why=why,
            interrupted=self._stop.is_set(),
            fill=self._way.fill,
            threads=self._threads,
            nimber=self._solver.root.nimber if isinstance(self._solver.root, NimberTask) else None,
        )

    def _standing(self, nodes: int) -> SolveState:
        return SolveState(*self._bounds, nodes, self._before.seconds + self._limits.elapsed, self._memory)

    def _progress(self, lower: int, upper: int, nodes: int, seconds: float, fill: float) -> None:
        root = self._solver.root
        self._bounds = (lower, upper) if root is None else (root.lower, root.upper)
        standing = self._standing(nodes)
        self._watch.tell(standing, seconds, nodes - self._before.nodes, fill, self._solver.tried)
        if self._keeper is not None and self._keeper.is_due(seconds):
            self._keeper.save(standing)


@contextlib.contextmanager
def _signals(stop: threading.Event, watch: Watch) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM stop the solve, and a second one the program."""

    def ask(*_: object) -> None:
        if stop.is_set():
            watch.close()
            # No exception: within the compiler's own callbacks it would get lost.
            os._exit(_INTERRUPTED)
        stop.set()

    before = {name: signal.signal(name, ask) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
