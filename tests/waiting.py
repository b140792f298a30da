"""Waiting for what another thread, process or client does."""

import time
from collections.abc import Callable

SECONDS = 30.0


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true; fail after 30 seconds, which is enough on a very busy machine."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(0.005)
