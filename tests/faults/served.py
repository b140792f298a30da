"""Serve with wider limits than people need: `python -m tests.faults.served FOLDER PORT [DATABASE]`.

A soak and a load come from one address, begin many games and restart the server all the time.
"""

import importlib
import sys
from pathlib import Path

from fourcorners.web.kernels import Warmth
from fourcorners.web.serve import bind, make_server
from fourcorners.web.settings import Settings

MANY = 10**6
WIDENED = {
    "fourcorners.web.live": ("MOST_SOCKETS", "MOST_OF_A_BROWSER", "MOST_AT_A_TABLE"),
    "fourcorners.web.hub": ("MOST_ROOMS",),
    "fourcorners.web.pages": ("MOST_NEW_OF_ONE", "MOST_NEW_OF_ALL"),
}


def widen() -> None:
    """Raise the limits that are there."""
    for module, names in WIDENED.items():
        for name in names:
            place = importlib.import_module(module)
            if hasattr(place, name):
                setattr(place, name, MANY)


def main(folder: str, port: str, *database: str) -> None:
    """Serve until stopped."""
    widen()
    # What is compiled beforehand serves the computer and the solver, and nobody asks them here.
    Warmth.start = lambda self: self.done.set_result(None)  # type: ignore[method-assign]
    more = {"database": database[0]} if database else {}
    make_server(Settings(Path(folder), 0.0, **more)).run([bind("127.0.0.1", int(port))])


if __name__ == "__main__":
    main(*sys.argv[1:])
