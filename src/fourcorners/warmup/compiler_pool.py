"""Processes that compile steps, one for each processor, and the order in which they take them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable

from fourcorners.core import jit
from fourcorners.warmup.steps import AFTER, Step, run_step

_ATTEMPTS = 2
"""How often a step is tried: a process may have been killed because memory was short."""
_MAX_PROCESSES = 8
"""Each needs a few hundred megabytes, and there is not much more that can be compiled at once."""
_WORKER = "fourcorners.warmup.worker"

DoneCallback = Callable[[Step, str], None]
"""Receives a step that is done and "", or one that failed and what went wrong; called in a thread of the pool."""


def count_processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class CompilerPool:
    """Compiles steps into the disk cache in several processes. Its methods may be called from any thread."""

    def __init__(self, steps: Iterable[Step], on_done: DoneCallback) -> None:
        """Prepare to compile the steps; `on_done` is called once for each, unless the pool is closed before."""
        self._waiting = list(steps)
        self._games = list(dict.fromkeys(step.game for step in self._waiting))
        self._on_done = on_done
        self._failures: Counter[Step] = Counter()
        self._preferred: list[str] = []  # games, the one that was preferred last first
        self._wanted: set[Step] = set()  # for these somebody waits
        self._lock = threading.Condition()
        self._is_closed = False
        count = min(count_processors(), _MAX_PROCESSES, len(self._waiting))
        self._compilers = [_Compiler() for _ in range(count)]

    def start(self) -> None:
        """Start compiling in the background; call this once."""
        for number, compiler in enumerate(self._compilers):
            threading.Thread(target=self._work, args=(compiler,), name=f"compiler-{number}", daemon=True).start()

    def prefer(self, game: str, names: Iterable[str] = ()) -> None:
        """Compile the steps of a game (its id) before those of others; before all, its steps with these names.

        If all processes are busy with games that nobody has preferred, the one that began its step last drops it.
        """
        with self._lock:
            if game in self._preferred:
                self._preferred.remove(game)
            self._preferred.insert(0, game)
            self._wanted.update(Step(game, name) for name in names)
            busy = [compiler for compiler in self._compilers if compiler.step is not None]
            if not self._list_available(game) or len(busy) < len(self._compilers):
                return
            if any(compiler.step is not None and compiler.step.game in self._preferred for compiler in busy):
                return
            max(busy, key=lambda compiler: compiler.began).interrupt()

    def get_running_time(self, step: Step) -> float:
        """Return for how many seconds a step has been running, 0 if it is not."""
        now = time.monotonic()
        return next((now - each.began for each in self._compilers if each.step == step), 0.0)

    def close(self) -> None:
        """Stop compiling for good and end the processes at once; return before they have ended."""
        with self._lock:
            self._is_closed = True
            self._waiting.clear()
            for compiler in self._compilers:
                compiler.interrupt()
            self._lock.notify_all()

    def _work(self, compiler: _Compiler) -> None:
        """Have steps compiled by one process until none is left; runs in a thread."""
        while (step := self._take(compiler)) is not None:
            error = compiler.run(step)
            with self._lock:
                was_interrupted = compiler.finish()
                if self._is_closed:
                    break
                if error:
                    self._failures[step] += not was_interrupted
                is_final = not error or self._failures[step] >= _ATTEMPTS
                if not is_final:
                    # A step that was dropped for another one keeps its place; one that failed waits until the last.
                    self._waiting.insert(0 if was_interrupted else len(self._waiting), step)
                self._lock.notify_all()
            if is_final:
                self._on_done(step, error)
        compiler.close()

    def _take(self, compiler: _Compiler) -> Step | None:
        """Wait for the next step for a compiler and return it; None if there will be none."""
        with self._lock:
            while True:
                steps = self._list_available()
                if steps:
                    step = min(steps, key=lambda step: self._rank(step, compiler))
                    self._waiting.remove(step)
                    compiler.begin(step)
                    return step
                # A running step may fail and be tried again, or others may begin after it.
                if self._is_closed or all(each.step is None for each in self._compilers):
                    return None
                self._lock.wait()

    def _list_available(self, game: str = "") -> list[Step]:
        """Return the waiting steps, of one game or all, whose predecessors are neither waiting nor running."""
        unfinished = {*self._waiting, *(each.step for each in self._compilers if each.step is not None)}
        return [
            step
            for step in self._waiting
            if game in {"", step.game}
            and not any(Step(step.game, name) in unfinished for name in AFTER.get(step.name, ()))
        ]

    def _rank(self, step: Step, compiler: _Compiler) -> tuple[int, ...]:
        """Return by what a compiler chooses among steps: the smallest first.

        Steps for which somebody waits come first, then preferred games. Apart from them, each process keeps to games of
        its own: it would have to compile again what another process has compiled for the same game.
        """
        preference = self._preferred.index(step.game) if step.game in self._preferred else len(self._preferred)
        others = sum(each is not compiler and each.game == step.game for each in self._compilers)
        return step not in self._wanted, preference, step.game != compiler.game, others, self._games.index(step.game)


class _Compiler:
    """One process, started when it is needed, and the step that it runs. `began` is monotonic time."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self.step: Step | None = None
        self.game = ""  # that of the last step, which the process knows best
        self.began = 0.0
        self._process: subprocess.Popen[str] | None = None
        self._is_interrupted = False

    def begin(self, step: Step) -> None:
        """Note the step that `run` will run; needs the pool's lock."""
        self.step, self.game, self.began = step, step.game, time.monotonic()
        self._is_interrupted = False

    def finish(self) -> bool:
        """Note that the step has ended; return whether it was interrupted. Needs the pool's lock."""
        self.step = None
        return self._is_interrupted

    def interrupt(self) -> None:
        """End the process at once, if there is one, with its step, if it runs one."""
        self._is_interrupted = True
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the process, if there is one, and wait until it has ended."""
        # A process that has crashed cannot take what is still in the pipe.
        with contextlib.suppress(OSError):
            if self._process is not None:
                with self._process as process:
                    process.kill()

    def run(self, step: Step) -> str:
        """Run a step in the process, or in this one if no process can be started; return what went wrong, or ""."""
        if self._process is None or self._process.poll() is not None:
            self.close()  # it may have been killed between two steps
            try:
                self._process = _start_process()
            except OSError:
                return _run_here(step)
            if self._is_interrupted:  # while the process was being started
                self._process.kill()
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            return "the process has no pipes"  # never happens; for the type checker
        answer = ""
        with contextlib.suppress(OSError):
            stdin.write(f"{step.game} {step.name}\n")
            stdin.flush()
            answer = stdout.readline()
        if answer.endswith("\n"):
            return answer.rstrip("\n")
        status = self._process.wait()
        self.close()
        return f"the process that compiled it ended with status {status}"


def _start_process() -> subprocess.Popen[str]:
    """Start a process that compiles, with the import path of this one; raise OSError if that is not possible."""
    if not sys.executable:
        raise OSError("the Python interpreter is not known")
    return subprocess.Popen(  # noqa: S603  # this interpreter and a module of this package
        # Without -P, files in the current folder would take the place of modules that have their names.
        [sys.executable, "-P", "-m", _WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def _run_here(step: Step) -> str:
    """Run a step in this thread; return what went wrong, or ""."""
    try:
        with jit.allow_compilation():
            run_step(step)
    except Exception as error:  # noqa: BLE001  # the caller reports it
        return f"{type(error).__name__}: {error}"
    return ""
