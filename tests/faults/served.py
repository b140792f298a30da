"""Serve with wider limits than people need: `python -m tests.faults.served FOLDER PORT [DATABASE]`.

A soak and a load come from one address, begin many games and restart the server all the time.
"""

import sys
from pathlib import Path

from fourcorners.web.auth import limits
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.realtime import connection
from fourcorners.web.serve import bind, make_server, run
from fourcorners.web.settings import Settings

MANY = 10**6


def main(folder: str, port: str, database: str = "") -> None:
    """Serve until stopped."""
    connection.MOST_OF_A_BROWSER = MANY
    limits.RATE_LIMITS["tables"] = limits.RateLimit("", player=f"{MANY}/second")
    # What is compiled beforehand serves the computer and the solver, and nobody asks them here.
    Warmup.start = lambda self: self.done.set_result(None)  # type: ignore[method-assign]
    settings = Settings(Path(folder), 0.0, database, most_sockets=MANY, most_rooms=MANY)
    run(make_server(settings), bind("127.0.0.1", int(port)))


if __name__ == "__main__":
    main(*sys.argv[1:])
