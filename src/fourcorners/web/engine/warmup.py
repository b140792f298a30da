"""What a server or a terminal compiles when it starts: another process compiles, this one loads, and people play on."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from enum import Enum

from numba import config

from fourcorners.core import jit
from fourcorners.players.levels import Level
from fourcorners.warmup.steps import WEIGHTS, Step, is_done, list_steps, run_step

_POLL_EVERY = 0.1
_START_DELAY = 3.0
"""Seconds before anything is compiled or loaded, unless someone waits for it: the first page needs the processors."""
_NICENESS = 5
"""With a lower priority, a busy machine would never compile anything."""
_STEP_SECONDS = 0.5
"""About how many seconds a step of weight 1 takes; only progress depends on it."""
_RETRY_PAUSE = 60.0
"""Seconds before games that failed are compiled again."""
_logger = logging.getLogger(__name__)

ShareCallback = Callable[[float], None]
"""Receives how much of what a feature needs is compiled, from 0 to 1."""


class Feature(Enum):
    """What people can ask the server for that waits until it is compiled. The rules, which run in Python, do not."""

    LEVELS = "levels"
    SOLVING_LEVELS = "solving_levels"
    SLOW_LEVELS = "slow_levels"
    HINT = "hint"
    EVALUATE = "evaluate"
    SOLVE = "solve"
    REVIEW = "review"


_PROOFS = ("search", "solver", "proofs")
_NEEDS: Mapping[Feature, tuple[str, ...]] = {
    Feature.LEVELS: ("search",),
    Feature.SOLVING_LEVELS: _PROOFS,
    Feature.SLOW_LEVELS: ("levels",),
    Feature.HINT: (*_PROOFS, "hints"),
    Feature.EVALUATE: _PROOFS,
    Feature.SOLVE: ("solver",),
    Feature.REVIEW: (*_PROOFS, "hints", "levels", "rules"),
}
"""The steps that a feature needs."""


def find_level_feature(level: Level) -> Feature | None:
    """Return the feature that a level of a computer needs; None if it plays well enough in Python."""
    if level.nodes == 0:
        return Feature.SLOW_LEVELS if level.slow else None
    return Feature.SOLVING_LEVELS if level.solves else Feature.LEVELS


class Warmup:
    """Compiles games, one after the other; `done` finishes when everything is compiled. What fails is tried again.

    Until `start` is called, everything counts as available: what is not compiled then compiles on the first call. So
    does what has failed.
    """

    def __init__(self, games: Iterable[str] = ()) -> None:
        """Do nothing yet; `games` are ids, none for all games. Raise OptionError."""
        self._steps = list_steps(games)
        self.done: Future[None] = Future()
        self._missing: frozenset[Step] = frozenset()
        self._left: list[str] = []  # games that are yet to be compiled
        self._wanted: list[str] = []  # games that people look at, the latest last
        self._game, self._step_began = "", 0.0  # what is being compiled, and since when, in monotonic time
        self._process: subprocess.Popen[str] | None = None
        self._is_urgent = threading.Event()
        self._closed = threading.Event()

    @property
    def ready(self) -> bool:
        """Whether everything is compiled."""
        return self.done.done()

    def start(self) -> None:
        """Compile in the background; call this once. A process that stops does not wait for it."""
        if config.DISABLE_JIT:
            self.done.set_result(None)
            return
        self._missing = frozenset(self._steps)
        jit.defer_compilation(defers=True)
        threading.Thread(target=self._run, name="warmup", daemon=True).start()

    def prefer(self, game: str) -> None:
        """Compile a game (its id) before those that no one has opened."""
        self._wanted = [*(each for each in self._wanted if each != game), game]

    def is_available(self, game: str, feature: Feature | None = None) -> bool:
        """Return whether all that a feature (None: any) of a game needs is compiled, or failed and is tried again."""
        names = [name for needed in _NEEDS.values() for name in needed] if feature is None else _NEEDS[feature]
        return not any(Step(game, name) in self._missing for name in names)

    def measure_progress(self, game: str, feature: Feature) -> float:
        """Return how much of what a feature of a game needs is compiled, from 0 to 1; a running step's share is guessed
        from the time it has run.
        """
        missing, done, total = self._missing, 0.0, 0.0
        running = next((step for step in self._steps if step.game == self._game and step in missing), None)
        for name in _NEEDS[feature]:
            step, weight = Step(game, name), WEIGHTS[name]
            total += weight
            if step not in missing:
                done += weight
            elif step == running:
                seconds = time.monotonic() - self._step_began
                done += weight * (1 - math.exp(-seconds / (weight * _STEP_SECONDS)))
        return done / total

    def describe(self, game: str) -> dict[str, float]:
        """Return the progress of all features of a game by their values, in hundredths."""
        return {feature.value: round(self.measure_progress(game, feature), 2) for feature in Feature}

    async def wait_for(
        self, game: str, feature: Feature | None, stop: threading.Event, on_share: ShareCallback | None = None
    ) -> None:
        """Wait until a feature of a game is available (None: it is) or `stop` is set, reporting the progress."""
        if feature is None or self.is_available(game, feature):
            return
        self.prefer(game)
        self._is_urgent.set()
        while not (self.is_available(game, feature) or stop.is_set()):
            if on_share is not None:
                on_share(self.measure_progress(game, feature))
            await asyncio.sleep(_POLL_EVERY)

    def close(self) -> None:
        """End the process that compiles, at once. What it was compiling is lost, and `done` never finishes."""
        self._closed.set()
        self._is_urgent.set()
        if self._process is not None:
            self._process.kill()

    def _run(self) -> None:
        """Have all games compiled and load them, those that fail again and again; then complete `done`, unless this has
        been closed. Runs in a thread.
        """
        self._is_urgent.wait(_START_DELAY)
        failed = self._prepare(dict.fromkeys(step.game for step in self._steps))
        self._missing = frozenset()
        jit.defer_compilation(defers=False)
        while failed and not self._closed.wait(_RETRY_PAUSE):
            failed = self._prepare(failed)
        if not failed:
            self.done.set_result(None)

    def _prepare(self, games: Iterable[str]) -> list[str]:
        """Have games compiled and load them; return those that failed (logged), or that were left when this closed."""
        self._left, failed = list(games), list[str]()
        while self._left and not self._closed.is_set():
            self._game = game = self._choose_game()
            try:
                is_loaded = self._prepare_game(game)
            except Exception:
                # Such as OSError if the cache cannot be used.
                _logger.exception("compiling %s failed", game)
                is_loaded = False
            if is_loaded or not self._gives_way(game):
                self._left.remove(game)
                # No one waits for what has failed: the first call compiles it here.
                self._missing = frozenset(step for step in self._missing if step.game != game)
                failed += [] if is_loaded else [game]
        return failed + self._left

    def _choose_game(self) -> str:
        """Return the game to compile next: the one that was opened last, or else the first."""
        return next((game for game in reversed(self._wanted) if game in self._left), self._left[0])

    def _gives_way(self, game: str) -> bool:
        """Return whether another game comes before one that is being compiled: only before one that no one opened."""
        return game not in self._wanted and self._choose_game() != game

    def _prepare_game(self, game: str) -> bool:
        """Have a game compiled by another process, unless it is in the disk cache, and load each step once it is done.

        Return whether all are loaded, False if another game came first. Raise OSError if the cache cannot be used.
        """
        steps = [step for step in self._steps if step.game == game]
        is_cached = all(map(is_done, steps))
        self._step_began = time.monotonic()
        try:
            self._process = process = None if is_cached else _start_process(game)
        except OSError:
            return [self._load(step) for step in steps].count(True) == len(steps)  # which compiles them here
        all_loaded, said = True, list[str]()
        # A pipe that no one reads would fill up and block the process.
        reader = threading.Thread(target=lambda: said.append(process.communicate()[1] if process else ""), daemon=True)
        reader.start()
        try:
            while True:
                has_ended = process is None or process.poll() is not None
                for step in filter(is_done, list(steps)):
                    steps.remove(step)
                    all_loaded &= self._load(step)
                if not steps or has_ended or self._closed.is_set() or self._gives_way(game):
                    break
                self._closed.wait(_POLL_EVERY)
        finally:
            if process is not None:
                process.kill()
                reader.join()
        if steps and has_ended and process is not None:
            errors = "".join(said).strip() or f"its process ended with status {process.returncode}"
            _logger.error("compiling %s failed: %s", game, errors)
        return all_loaded and not steps

    def _load(self, step: Step) -> bool:
        """Load what a step has compiled; then it is no longer missing. Return False, and log it, if that fails."""
        is_loaded = False
        try:
            with jit.allow_compilation():
                run_step(step)
            is_loaded = True
        except Exception:
            _logger.exception("compiling %s failed", step)
        self._missing -= {step}
        self._step_began = time.monotonic()
        return is_loaded


def _start_process(game: str) -> subprocess.Popen[str]:
    """Start `fourcorners warm` for a game at a low priority, with the import path of this process; raise OSError.

    If this process is killed, that one still ends once the game is compiled.
    """
    if not sys.executable:
        raise OSError("the Python interpreter is not known")
    process = subprocess.Popen(  # noqa: S603  # this interpreter and this package
        # Without -P, files in the current folder would take the place of modules that have their names.
        [sys.executable, "-P", "-m", "fourcorners", "warm", game],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        process_group=0,  # Ctrl-C in a terminal is for this process, which then ends that one
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS)
    return process
