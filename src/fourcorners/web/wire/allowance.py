"""Allowances of what may be sent, which refill with time: of a socket, and of all sockets of an address."""

import time

PER_SOCKET, PER_ADDRESS = (256 * 1024, 64 * 1024), (4 * 1024 * 1024, 1024 * 1024)
"""The bytes that may be sent at once, and those that may follow in each second. The page sends a few messages a second;
the longest message has 64 KB.
"""
FRAME, UNUSUAL_FRAME = 1024, 4096
"""The bytes that a frame costs besides its own, and one that is not a whole text: pages send none, programs few pings.
"""


class Allowance:
    """What may still be sent."""

    __slots__ = ("_burst", "_left", "_per_second", "_used_at")

    def __init__(self, burst: float, per_second: float) -> None:
        self._burst = self._left = burst
        self._per_second, self._used_at = per_second, time.perf_counter()

    def spend(self, cost: float) -> bool:
        """Count bytes; return whether they were within the allowance."""
        elapsed, self._used_at = time.perf_counter() - self._used_at, time.perf_counter()
        self._left = min(self._left + elapsed * self._per_second, self._burst) - cost
        return self._left >= 0.0
