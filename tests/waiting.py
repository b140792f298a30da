"""Waiting for what another thread, process or client does."""

import time
from collections.abc import Callable

SECONDS = 30.0


def wait_until(condition: Callable[[], bool], pause: float = 0.005) -> None:
    """Wait until a condition is true, which is asked every `pause` seconds; fail after 30 seconds, which is enough on a
    very busy machine.
    """
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(pause)
