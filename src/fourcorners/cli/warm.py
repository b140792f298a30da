"""`fourcorners warm`: compile everything now instead of on first use."""

import os
import signal

from fourcorners.cli.common import INTERRUPTED, create_progress_bar, handle_signals
from fourcorners.core.jit import cache_folder
from fourcorners.web.engine.warmup import list_steps


def warm() -> None:
    """Compile the rules and searches of all games, so that nothing has to be compiled later.

    This takes a minute or two the first time and after every update of the program, and otherwise only a moment.
    """

    def exit_at_once(*_: object) -> None:
        """End the process with status 130; the compiler's callbacks would lose an exception, or crash with it."""
        bar.stop()
        os._exit(INTERRUPTED)

    with create_progress_bar() as bar, handle_signals(exit_at_once, signal.SIGINT):
        task = bar.add_task("compiling", total=None)  # shown while `list_steps` loads all games
        steps = list_steps()
        bar.update(task, total=len(steps))
        for step in steps:
            bar.update(task, description=f"{step.title}: {step.name}")
            step.run()
            bar.advance(task)
    print(f"All games are compiled; the cache is in {cache_folder()}.")
