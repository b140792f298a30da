"""Allowances of frames and bytes, which refill with time: of a socket, of a player and of an address."""

import time
from typing import NamedTuple


class Rate(NamedTuple):
    """How many frames and bytes may be sent at once, and how many more in each second."""

    frames: float
    frames_per_second: float
    bytes: float
    bytes_per_second: float


PER_SOCKET = Rate(120, 60, 256 * 1024, 32 * 1024)
"""The page sends a few messages a second; the longest message has 64 KB."""
UNUSUAL_FRAMES = 4
"""For how many frames one counts that is no whole text: pages send none, and programs a ping now and then."""
PER_PLAYER = Rate(2400, 750, 1024 * 1024, 128 * 1024)
"""A program may play 24 games at once, with the 30 messages a second that each socket may send."""
PER_ADDRESS = Rate(6000, 1200, 4 * 1024 * 1024, 1024 * 1024)
_FORGET_AFTER, _FORGET_EVERY = 60.0, 1000
"""Seconds without use after which a shared allowance is forgotten, and how many new ones there are between searches."""


class Allowance:
    """What may still be sent; 40 bytes larger than its numbers, because each socket has one."""

    __slots__ = ("_bytes", "_frames", "_rate", "used_at")

    def __init__(self, rate: Rate) -> None:
        """Begin with everything that may be sent at once."""
        self._rate = rate
        self._frames, self._bytes = rate.frames, rate.bytes
        self.used_at = time.perf_counter()

    def spend(self, frames: int, size: int, now: float) -> bool:
        """Count frames and bytes at a time of `time.perf_counter`; return whether they were within the allowance."""
        rate, elapsed = self._rate, now - self.used_at
        self.used_at = now
        self._frames += elapsed * rate.frames_per_second
        self._frames = min(self._frames, rate.frames)
        self._bytes += elapsed * rate.bytes_per_second
        self._bytes = min(self._bytes, rate.bytes)
        self._frames -= frames
        self._bytes -= size
        return self._frames >= 0.0 and self._bytes >= 0.0

    @property
    def is_light(self) -> bool:
        """Whether most of the allowance was left when something was last counted."""
        return self._frames > 0.75 * self._rate.frames and self._bytes > 0.75 * self._rate.bytes


class SharedAllowances:
    """The allowances that several sockets share, by a key; unused ones are forgotten."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._allowances: dict[str, Allowance] = {}
        self._added = 0

    def find(self, key: str) -> Allowance:
        """Return the allowance of a key, a new one if nothing was counted for it lately."""
        allowance = self._allowances.get(key)
        if allowance is None:
            allowance = self._allowances[key] = Allowance(self._rate)
            self._added += 1
            if self._added % _FORGET_EVERY == 0:
                self._forget_unused()
        return allowance

    def _forget_unused(self) -> None:
        since = time.perf_counter() - _FORGET_AFTER
        self._allowances = {key: allowance for key, allowance in self._allowances.items() if allowance.used_at > since}
