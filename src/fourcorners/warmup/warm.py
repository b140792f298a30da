"""Compile games ahead of time, from Python or from the command line."""

import queue
from collections.abc import Callable

from numba import config

from fourcorners.core import arguments
from fourcorners.warmup.compiler_pool import CompilerPool
from fourcorners.warmup.steps import Step, is_done, list_steps

ProgressCallback = Callable[[int, int, str], None]
"""Receives how many steps are done, how many there are, and the last one in words."""


def warm(*games: str, progress: ProgressCallback | None = None) -> None:
    """Compile some games (ids; none: all games) into the disk cache, so that nothing has to be compiled later.

    This starts a process for each processor and blocks until all is done; what is in the cache already takes no time.
    `progress` is called in this thread. Raise OptionError for an unknown game or a `progress` that cannot be called,
    OSError if the cache cannot be used, and RuntimeError if a game cannot be compiled.
    """
    arguments.check_callback("progress", progress)
    steps = list_steps(games)
    if config.DISABLE_JIT:
        return
    finished: queue.SimpleQueue[tuple[Step, str]] = queue.SimpleQueue()
    for step in steps:
        if is_done(step):
            finished.put((step, ""))
    pool = CompilerPool([step for step in steps if not is_done(step)], lambda step, error: finished.put((step, error)))
    pool.start()
    try:
        for done in range(1, len(steps) + 1):
            step, error = finished.get()
            if error:
                raise RuntimeError(f"{step} cannot be compiled: {error}")
            if progress is not None:
                progress(done, len(steps), str(step))
    finally:
        pool.close()
