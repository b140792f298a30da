"""Allowances of frames and bytes, which refill with time: of a socket, and of all sockets of an address."""

import time
from typing import NamedTuple


class Rate(NamedTuple):
    """The frames and bytes that may be sent at once, and those that may follow in each second."""

    frames: float
    frames_per_second: float
    bytes: float
    bytes_per_second: float


PER_SOCKET = Rate(120, 60, 256 * 1024, 32 * 1024)
"""The page sends a few messages a second; the longest message has 64 KB."""
UNUSUAL_FRAMES = 4
"""The number of frames that one counts as if it is not a whole text: pages send none, and programs few pings."""
PER_ADDRESS = Rate(6000, 1200, 4 * 1024 * 1024, 1024 * 1024)


class Allowance:
    """What may still be sent."""

    __slots__ = ("_bytes", "_frames", "_rate", "_used_at")

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._frames, self._bytes = rate.frames, rate.bytes
        self._used_at = time.perf_counter()

    def spend(self, frames: int, size: int) -> bool:
        """Count frames and bytes; return whether they were within the allowance."""
        rate, now = self._rate, time.perf_counter()
        elapsed, self._used_at = now - self._used_at, now
        self._frames = min(self._frames + elapsed * rate.frames_per_second, rate.frames) - frames
        self._bytes = min(self._bytes + elapsed * rate.bytes_per_second, rate.bytes) - size
        return self._frames >= 0.0 and self._bytes >= 0.0
