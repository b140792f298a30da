"""`fourcorners warm`: compile everything now instead of on first use."""

import contextlib
import os
import signal
from collections.abc import Iterator

from rich.progress import Progress

from fourcorners.cli.common import INTERRUPTED, create_progress_bar, handle_signals
from fourcorners.core.jit import cache_folder
from fourcorners.web.engine.warmup import list_steps


def warm() -> None:
    """Compile the rules and searches of all games, so that nothing has to wait for it later.

    This takes a minute or two the first time and after every update of the program, and otherwise only a moment.
    """
    with create_progress_bar() as bar, _exit_on_interrupt(bar):
        task = bar.add_task("compiling", total=None)
        steps = list_steps()
        bar.update(task, total=len(steps))
        for step in steps:
            bar.update(task, description=f"{step.title}: {step.name}")
            step.run()
            bar.advance(task)
    print(f"All games are compiled; the cache is in {cache_folder()}.")


@contextlib.contextmanager
def _exit_on_interrupt(bar: Progress) -> Iterator[None]:
    """Let Ctrl-C exit at once, since an exception inside the compiler's callbacks would be lost or crash it."""

    def exit_now(*_: object) -> None:
        bar.stop()
        os._exit(INTERRUPTED)

    with handle_signals(exit_now, signal.SIGINT):
        yield
