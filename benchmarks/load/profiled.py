"""Serve under a profile of every thread: `python -m benchmarks.load.profiled OUTPUT FOLDER PORT [DATABASE]`."""

from __future__ import annotations

import cProfile
import pstats
import signal
import sys
import threading
import time
from pathlib import Path

from tests.faults import run_server

_HEAD = 45


def main(output: str, *arguments: str) -> None:
    """Serve until stopped; then write what took how long, of the thread of the loop and of the others."""
    others: list[cProfile.Profile] = []
    run = threading.Thread.run

    def profiled(self: threading.Thread) -> None:
        profile = cProfile.Profile(time.thread_time)
        others.append(profile)
        profile.runcall(run, self)

    threading.Thread.run = profiled  # type: ignore[method-assign]  # those of libraries, too
    # Stopped in order, the server raises the signal again, which must not end this before the profile is kept.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    loop = cProfile.Profile(time.thread_time)
    try:
        loop.runcall(run_server.main, *arguments)
    finally:
        with Path(output).open("w") as file:
            for name, profiles in (("the loop", [loop]), ("the other threads", others)):
                for profile in profiles:
                    profile.create_stats()
                known = [profile for profile in profiles if profile.getstats()]
                if known:
                    file.write(f"== {name}\n")
                    stats = pstats.Stats(*known, stream=file)
                    stats.sort_stats("tottime").print_stats(_HEAD)
                    stats.sort_stats("cumulative").print_stats(_HEAD)


if __name__ == "__main__":
    main(*sys.argv[1:])
