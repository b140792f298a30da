"""`fourcorners warm`: compile everything now rather than when it is first needed."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator

from rich.progress import Progress

from fourcorners.cli.common import progress_bar
from fourcorners.core.jit import cache_folder
from fourcorners.web.engine.warmup import list_steps

_INTERRUPTED = 130


def warm() -> None:
    """Compile the rules and the search of all games, so that nothing has to wait for it later.

    It takes a minute or two the first time and after every change of the program, and a moment otherwise.
    """
    with progress_bar() as bar, _left_at_once(bar):
        task = bar.add_task("compiling", total=None)
        listed = list_steps()
        bar.update(task, total=len(listed))
        for step in listed:
            bar.update(task, description=f"{step.title}: {step.name}")
            step.run()
            bar.advance(task)
    print(f"All games are compiled; what was compiled is kept in {cache_folder()}.")


@contextlib.contextmanager
def _left_at_once(bar: Progress) -> Iterator[None]:
    """Let Ctrl-C end the program: an exception within the compiler's own callbacks gets lost there, or crashes it."""

    def leave(*_: object) -> None:
        bar.stop()
        os._exit(_INTERRUPTED)

    before = signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
