"""`fourcorners warm`: compile everything now rather than when it is first needed."""

from __future__ import annotations

from fourcorners.cli.common import progress_bar
from fourcorners.core.jit import cache_folder
from fourcorners.web.kernels import steps


def warm() -> None:
    """Compile the rules and the search of all games, so that nothing has to wait for it later.

    It takes a minute or two the first time and after every change of the program, and a moment otherwise.
    """
    listed = steps()
    with progress_bar() as bar:
        task = bar.add_task("compiling", total=len(listed))
        for step in listed:
            bar.update(task, description=f"{step.title}: {step.name}")
            step.run()
            bar.advance(task)
    print(f"All games are compiled; what was compiled is kept in {cache_folder()}.")
