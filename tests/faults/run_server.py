"""Run a server without limits for test clients: `python -m tests.faults.run_server FOLDER PORT DATABASE REDIS`.

The clients of soak and load tests share one address, create many games, and often restart the server. DATABASE and
REDIS may be empty.
"""

import sys
from pathlib import Path

from fourcorners.web.auth import limits
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.realtime import connection_pool
from fourcorners.web.serve import make_server, run_server
from fourcorners.web.settings import Settings
from fourcorners.web.wire import guard
from fourcorners.web.wire.listening import bind_socket

UNLIMITED = 10**6


def lift_limits() -> None:
    """Change limits of the imported modules, in a separate process."""
    connection_pool.MAX_PER_PLAYER = UNLIMITED
    guard.PER_ADDRESS = (1000 * UNLIMITED, 1000 * UNLIMITED)
    limits.RATE_LIMITS["tables"] = limits.RateLimit("", player=f"{UNLIMITED}/second")
    # Warming up compiles what only computer players and solvers need, which are not used here.
    Warmup.start = lambda self: self.done.set_result(None)  # type: ignore[method-assign]


def main(folder: str, port: str, database: str, redis: str) -> None:
    """Serve games in a folder, or in the database at an address if one is given, until a signal; block."""
    settings = Settings(Path(folder), 0.0, database, redis=redis, max_sockets=UNLIMITED, max_rooms=UNLIMITED)
    run_server(make_server(settings), bind_socket("127.0.0.1", int(port)))


if __name__ == "__main__":
    lift_limits()
    main(*sys.argv[1:])
