"""Sliding windows that count requests: in memory, with the interface that the package `limits` has."""

import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, Protocol


class WindowStorage(Protocol):
    """Counts for each key how much happened in the present and in the previous window of some seconds.

    The storages of `limits` for sliding windows have these methods too.
    """

    async def get_sliding_window(self, key: str, expiry: int) -> tuple[int, float, int, float]:
        """Return the count of the previous window and the seconds for which it still counts, the count of the present
        window of `expiry` seconds and the seconds until that is forgotten, between one and two windows.
        """

    async def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Add `amount` to the present window, unless the sum would exceed the limit; return whether it was added."""


class _Windows:
    """The counts of all keys in the windows of one length: those of window `index` and of the one before."""

    def __init__(self) -> None:
        self.index = 0
        self.present: Counter[str] = Counter()
        self.previous: Counter[str] = Counter()

    def move_to(self, index: int) -> None:
        """Make window `index` the present one; counts older than one window are dropped."""
        if index != self.index:
            self.previous = self.present if index == self.index + 1 else Counter()
            self.present, self.index = Counter(), index


class MemoryWindows:
    """A `WindowStorage` in memory.

    That of `limits` looks at all keys with each request, so that somebody with many networks makes every request slow:
    with 100,000 keys each takes 13 ms, here 6 µs. Here all windows of one length begin together, and are dropped
    together.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        """Start empty; `now` returns seconds."""
        self._now = now
        self._windows: dict[int, _Windows] = {}

    async def get_sliding_window(self, key: str, expiry: int) -> tuple[int, float, int, float]:
        """Return the counts as `WindowStorage` says."""
        windows, left = self._get_windows(expiry)
        return windows.previous.get(key, 0), left, windows.present.get(key, 0), left + expiry

    async def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Add to the present window as `WindowStorage` says."""
        windows, left = self._get_windows(expiry)
        used = windows.previous.get(key, 0) * left / expiry + windows.present.get(key, 0)
        if int(used) + amount > limit:
            return False
        windows.present[key] += amount
        return True

    def _get_windows(self, expiry: int) -> tuple[_Windows, float]:
        """Return the windows of this length, the present one first, and the seconds until it ends."""
        now = self._now()
        windows = self._windows.setdefault(expiry, _Windows())
        windows.move_to(int(now // expiry))
        return windows, expiry - now % expiry


class Usage(NamedTuple):
    """How much of a limit has been used in the sliding window of `expiry` seconds.

    The previous window counts in proportion to the `previous_left` seconds for which it still counts; the present one
    ends after `left` seconds.
    """

    previous: int
    previous_left: float
    present: int
    left: float
    expiry: int

    @property
    def total(self) -> float:
        """The number of requests that count now."""
        return self.previous * self.previous_left / self.expiry + self.present

    def allows(self, limit: float) -> bool:
        """Return whether one more request is within a limit."""
        return int(self.total) + 1 <= limit

    def compute_wait(self, limit: float) -> float:
        """Return the seconds until one more request is within a limit of at least 1, if none is made meanwhile."""
        if self.allows(limit):
            return 0.0
        if self.present < limit:
            # Enough of the previous window is forgotten before the present one ends.
            return self.previous_left - (limit - self.present) * self.expiry / max(self.previous, 1)
        return self.left + self.expiry * (1 - limit / self.present)


async def read_usage(storage: WindowStorage, key: str, expiry: int) -> Usage:
    """Return the usage of a key in a window of `expiry` seconds; raise errors of the storage."""
    previous, previous_left, present, present_left = await storage.get_sliding_window(key, expiry)
    # A storage returns 0 for a key that it does not know.
    return Usage(previous, previous_left, present, max(present_left - expiry, 0.0) or float(expiry), expiry)
