"""`fourcorners warm`: compile games now instead of on first use."""

import os
import signal
from typing import Annotated

from typer import Argument

import fourcorners as fc
from fourcorners.cli.common import INTERRUPTED, create_progress_bar, fail, handle_signals
from fourcorners.core.kernel_cache import cache_folder


def warm(
    games: Annotated[
        list[str] | None, Argument(metavar="[GAME]...", help="Ids of games; by default all games.")
    ] = None,
) -> None:
    """Compile the rules and searches of games, so that nothing has to be compiled later.

    This takes about a minute the first time and after every update of the program, otherwise only a moment.
    """

    def exit_at_once(*_: object) -> None:
        """End the process with status 130, even within the compiler."""
        bar.stop()
        os._exit(INTERRUPTED)

    with create_progress_bar() as bar, handle_signals(exit_at_once, signal.SIGINT):
        task = bar.add_task("compiling", total=None)

        def show(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=what)

        try:
            fc.warm(*games or (), progress=show)
        except fc.GameError as error:
            fail(error.message, 2)
        except (OSError, RuntimeError) as error:
            fail(str(error))
    done = "These games are compiled" if games else "All games are compiled"
    print(f"{done}; the cache is in {cache_folder()}.")
