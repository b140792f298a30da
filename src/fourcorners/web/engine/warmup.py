"""What a server compiles when it starts: other processes compile, this one loads, and people play meanwhile."""

from __future__ import annotations

import asyncio
import logging
import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
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


_PROOFS = ("search", "solver", "proofs")
_NEEDS: Mapping[Feature, tuple[str, ...]] = {
    Feature.LEVELS: ("search",),
    Feature.SOLVING_LEVELS: _PROOFS,
    Feature.SLOW_LEVELS: ("levels",),
    Feature.HINT: (*_PROOFS, "hints"),
    Feature.EVALUATE: _PROOFS,
    Feature.SOLVE: ("solver",),
}
"""The steps that a feature needs."""


def find_level_feature(level: Level) -> Feature | None:
    """Return the feature that a level of a computer needs; None if it plays well enough in Python."""
    if level.nodes == 0:
        return Feature.SLOW_LEVELS if level.slow else None
    return Feature.SOLVING_LEVELS if level.solves else Feature.LEVELS


class Warmup:
    """Compiles all games; `done` finishes when everything is compiled, or fails with what went wrong.

    Until `start` is called, everything counts as available: what is not compiled then compiles on the first call.
    """

    def __init__(self) -> None:
        """Do nothing yet."""
        self.done: Future[None] = Future()
        self._missing: frozenset[Step] = frozenset()
        self._finished: queue.SimpleQueue[tuple[Step, str] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._pool: CompilerPool | None = None
        # Arguments of `prefer`, the latest one last, until there is a pool.
        self._preferences: dict[tuple[str, tuple[str, ...]], None] = {}
        self._latest_request = 0.0  # monotonic time
        self._is_urgent = threading.Event()
        self._is_closed = False

    @property
    def ready(self) -> bool:
        """Whether everything is compiled."""
        return self.done.done() and self.done.exception() is None

    def start(self) -> None:
        """Compile in the background, as soon as nobody loads pages or somebody waits; call this once. A process that
        stops does not wait for it.
        """
        if config.DISABLE_JIT:
            self.done.set_result(None)
            return
        self._missing = frozenset(list_steps())
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
        self._is_closed = True
        self._is_urgent.set()
        if self._pool is not None:
            self._pool.close()
        self._finished.put(None)

    def _run(self) -> None:
        """Load what is in the disk cache, have the rest compiled and load it, then complete `done` unless this has been
        closed; runs in a thread.
        """
        failure: Exception | None = None
        self._wait_for_pause()
        try:
            for step, error in self._compile():
                failure = self._load(step, error) or failure
        except Exception as error:
            # Such as OSError if the cache cannot be used: whoever waits compiles here.
            _logger.exception("compiling failed")
            failure = error
        is_closed = failure is None and bool(self._missing)
        self._missing = frozenset()
        jit.defer_compilation(defers=False)
        if failure is not None:
            self.done.set_exception(failure)
        elif not is_closed:
            self.done.set_result(None)

    def _wait_for_pause(self) -> None:
        """Wait until `_QUIET_TIME` has passed without requests, or somebody waits for a feature, or `_LONGEST_WAIT` has
        passed, or this is closed: compiling and loading would take the processors from who draws the first page.
        """
        end = time.monotonic() + _LONGEST_WAIT
        while (pause := min(self._latest_request + _QUIET_TIME, end) - time.monotonic()) > 0:
            if self._is_urgent.wait(pause):
                return

    def _compile(self) -> Iterator[tuple[Step, str]]:
        """Have all steps compiled that are not in the disk cache; yield every step once it is, with what went wrong or
        "", until this is closed. Raise OSError if the cache cannot be used, RuntimeError if no thread can be started.
        """
        to_compile = []
        for step in list_steps():
            if is_done(step):
                self._finished.put((step, ""))
            else:
                to_compile.append(step)
        pool = CompilerPool(to_compile, lambda step, error: self._finished.put((step, error)))
        with self._lock:
            self._pool = pool
            for preference in self._preferences:
                pool.prefer(*preference)
        # If this was closed before there was a pool, nobody else closes it.
        if self._is_closed:
            return
        pool.start()
        while self._missing and (finished := self._finished.get()) is not None:
            yield finished

    def _load(self, step: Step, error: str) -> Exception | None:
        """Load what a step has compiled, or log why it failed and return that; then the step is no longer missing."""
        failure: Exception | None = None
        try:
            if error:
                raise RuntimeError(error)
            with jit.allow_compilation():
                run_step(step)
        except Exception as caught:
            _logger.exception("a step of compiling failed", extra={"step": str(step)})
            failure = caught
        self._missing -= {step}
        return failure
