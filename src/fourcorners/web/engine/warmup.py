"""What a server or a terminal compiles when it starts: other processes compile, this one loads, and people play on."""

from __future__ import annotations

import asyncio
import logging
import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from enum import Enum

from numba import config

from fourcorners.core import jit
from fourcorners.core.levels import Level
from fourcorners.warmup.compiler_pool import CompilerPool
from fourcorners.warmup.steps import WEIGHTS, Step, is_done, list_steps, run_step

_POLL_EVERY = 0.1
_QUIET_TIME, _LONGEST_WAIT = 2.0, 10.0
"""Seconds without requests after which compiling begins, and after which it begins in any case."""
_STEP_SECONDS = 3.0
"""About how many seconds a step of weight 1 takes; only progress depends on it."""
_RETRY_PAUSE, _LONGEST_RETRY_PAUSE = 10.0, 600.0
"""Seconds before steps that failed are compiled again. The pause doubles each time, up to the second number."""
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
    """Compiles games; `done` finishes when everything is compiled. What fails is tried again after growing pauses.

    Until `start` is called, everything counts as available: what is not compiled then compiles on the first call. So
    does what has failed.
    """

    def __init__(self, games: Iterable[str] = ()) -> None:
        """Do nothing yet; `games` are ids, none for all games. Raise OptionError."""
        self._steps = list_steps(games)
        self.done: Future[None] = Future()
        self._missing: frozenset[Step] = frozenset()
        self._finished: queue.SimpleQueue[tuple[Step, str] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._pool: CompilerPool | None = None
        # Arguments of `prefer`, the latest one last, until there is a pool.
        self._preferences: dict[tuple[str, tuple[str, ...]], None] = {}
        self._latest_request = 0.0  # monotonic time
        self._is_urgent = threading.Event()
        self._closed = threading.Event()

    @property
    def ready(self) -> bool:
        """Whether everything is compiled."""
        return self.done.done()

    def start(self) -> None:
        """Compile in the background, as soon as nobody loads pages or somebody waits; call this once. A process that
        stops does not wait for it.
        """
        if config.DISABLE_JIT:
            self.done.set_result(None)
            return
        self._missing = frozenset(self._steps)
        self.note_request()
        jit.defer_compilation(defers=True)
        threading.Thread(target=self._run, name="warmup", daemon=True).start()

    def note_request(self) -> None:
        """Note that somebody loads a page or a part of one: what has not begun to compile waits for a pause."""
        self._latest_request = time.monotonic()

    def prefer(self, game: str, names: Iterable[str] = ()) -> None:
        """Compile the steps of a game (its id) before those of others, because somebody looks at it; before all, its
        steps with these names.
        """
        with self._lock:
            if self._pool is not None:
                self._pool.prefer(game, names)
                return
            preference = game, tuple(names)
            self._preferences.pop(preference, None)
            self._preferences[preference] = None

    def is_available(self, game: str, feature: Feature | None = None) -> bool:
        """Return whether all that a feature (None: any) of a game needs is compiled, or failed and is tried again."""
        names = [name for needed in _NEEDS.values() for name in needed] if feature is None else _NEEDS[feature]
        return not any(Step(game, name) in self._missing for name in names)

    def measure_progress(self, game: str, feature: Feature) -> float:
        """Return how much of what a feature of a game needs is compiled, from 0 to 1; a running step's share is guessed
        from the time it has run.
        """
        missing, done, total = self._missing, 0.0, 0.0
        for name in _NEEDS[feature]:
            step, weight = Step(game, name), WEIGHTS[name]
            total += weight
            if step not in missing:
                done += weight
            elif self._pool is not None:
                done += weight * (1 - math.exp(-self._pool.get_running_time(step) / (weight * _STEP_SECONDS)))
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
        self.prefer(game, _NEEDS[feature])
        self._is_urgent.set()
        while not (self.is_available(game, feature) or stop.is_set()):
            if on_share is not None:
                on_share(self.measure_progress(game, feature))
            await asyncio.sleep(_POLL_EVERY)

    def close(self) -> None:
        """End the processes that compile, at once. What they were compiling is lost, and `done` never finishes."""
        self._closed.set()
        self._is_urgent.set()
        with self._lock:
            pool, finished = self._pool, self._finished
        if pool is not None:
            pool.close()
        finished.put(None)

    def _run(self) -> None:
        """Load what is in the disk cache, have the rest compiled and load it, again and again until nothing fails; then
        complete `done`, unless this has been closed. Runs in a thread.
        """
        self._wait_for_pause()
        failed = self._prepare(self._steps)
        # Nobody waits for what has failed: whoever needs it compiles it here.
        self._missing = frozenset()
        jit.defer_compilation(defers=False)
        pause = _RETRY_PAUSE
        while failed and not self._closed.is_set():
            _logger.warning("%d steps of compiling failed; they are tried again in %g s", len(failed), pause)
            if not self._closed.wait(pause):
                failed = self._prepare(failed)
                pause = min(2 * pause, _LONGEST_RETRY_PAUSE)
        if not failed:
            self.done.set_result(None)

    def _prepare(self, steps: Sequence[Step]) -> list[Step]:
        """Have steps compiled and load them; return those that failed (logged), or that were left when this closed."""
        loaded = set()
        try:
            for step, error in self._compile(steps):
                if self._load(step, error):
                    loaded.add(step)
        except Exception:
            # Such as OSError if the cache cannot be used.
            _logger.exception("compiling failed")
        return [step for step in steps if step not in loaded]

    def _wait_for_pause(self) -> None:
        """Wait until `_QUIET_TIME` has passed without requests, or somebody waits for a feature, or `_LONGEST_WAIT` has
        passed, or this is closed: compiling and loading would take the processors from who draws the first page.
        """
        end = time.monotonic() + _LONGEST_WAIT
        while (pause := min(self._latest_request + _QUIET_TIME, end) - time.monotonic()) > 0:
            if self._is_urgent.wait(pause):
                return

    def _compile(self, steps: Sequence[Step]) -> Iterator[tuple[Step, str]]:
        """Have those steps compiled that are not in the disk cache; yield every step once it is, with what went wrong
        or "", until this is closed. Raise OSError if the cache cannot be used, RuntimeError if no thread can start.
        """
        finished: queue.SimpleQueue[tuple[Step, str] | None] = queue.SimpleQueue()
        to_compile = []
        for step in steps:
            if is_done(step):
                finished.put((step, ""))
            else:
                to_compile.append(step)
        pool = CompilerPool(to_compile, lambda step, error: finished.put((step, error)))
        with self._lock:
            self._pool, self._finished = pool, finished
            for preference in self._preferences:
                pool.prefer(*preference)
        # If this was closed before there was a pool, nobody else closes it.
        if self._closed.is_set():
            return
        pool.start()
        waiting = set(steps)
        while waiting and (report := finished.get()) is not None:
            waiting.discard(report[0])
            yield report

    def _load(self, step: Step, error: str) -> bool:
        """Load what a step has compiled, or log why it failed; then the step is no longer missing. Return whether it is
        loaded.
        """
        is_loaded = False
        try:
            if error:
                raise RuntimeError(error)
            with jit.allow_compilation():
                run_step(step)
            is_loaded = True
        except Exception:
            _logger.exception("a step of compiling failed", extra={"step": str(step)})
        self._missing -= {step}
        return is_loaded
