"""Compile games ahead of time, from Python or from the command line."""

from collections.abc import Callable

from numba import config

from fourcorners.core import arguments, jit, kernel_cache
from fourcorners.warmup.steps import Step, find_lock, is_done, list_steps, mark_done, run_step

ProgressCallback = Callable[[int, int, str], None]
"""A function that receives the number of finished steps, the total, and the last step in words."""


def warm(*games: str, progress: ProgressCallback | None = None) -> None:
    """Compile games (by id; all games if none is given) into the disk cache, so that nothing is compiled later.

    The call blocks until everything is compiled, game by game in the order given; code already in the cache takes no
    time. Raise OptionError for an unknown game or a `progress` that is not callable, OSError if the cache cannot be
    used, and RuntimeError if a game cannot be compiled.
    """
    arguments.check_callback("progress", progress)
    steps = list_steps(games)
    if config.DISABLE_JIT:
        return
    for done, step in enumerate(steps, 1):
        # Processes that share a cache wait here for each other, instead of compiling the same code.
        with kernel_cache.hold_lock(find_lock(step)):
            if not is_done(step):
                _compile(step)
                mark_done(step)
        if progress is not None:
            progress(done, len(steps), str(step))


def _compile(step: Step) -> None:
    """Compile a step without a notice to waiting users; raise RuntimeError if it cannot be compiled."""
    try:
        with jit.allow_compilation():
            run_step(step)
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise RuntimeError(f"{step} cannot be compiled: {reason}") from error
