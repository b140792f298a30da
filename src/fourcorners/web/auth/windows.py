"""Fixed windows in memory, for the package `limits`."""

import time
from collections import defaultdict
from dataclasses import dataclass

from limits.aio.storage import MemoryStorage


@dataclass(slots=True)
class _Window:
    """How much of a limit has been used until the time at which the window ends."""

    end: float
    count: int = 0


class WindowStorage(MemoryStorage):
    """Counts fixed windows of `limits` in memory.

    The storage of the package looks at all keys with each request, so that clients with many keys make every request
    slow: with 100,000 keys each takes 13 ms. Windows of one length end in the order in which they began, so here only
    the oldest ones are looked at.
    """

    def __init__(self) -> None:
        super().__init__()
        self._windows: defaultdict[float, dict[str, _Window]] = defaultdict(dict)

    async def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """Add to the window of a key, which begins with the first request, and return its count."""
        windows, now = self._windows[expiry], time.time()
        while windows and windows[oldest := next(iter(windows))].end <= now:
            del windows[oldest]
        window = windows.setdefault(key, _Window(now + expiry))
        window.count += amount
        return window.count

    async def get(self, key: str) -> int:
        """Return the count of a key, 0 if its window has ended."""
        window = self._find(key)
        return 0 if window is None or window.end <= time.time() else window.count

    async def get_expiry(self, key: str) -> float:
        """Return when the window of a key ends, in the seconds of `time.time`."""
        window = self._find(key)
        return time.time() if window is None else window.end

    def _find(self, key: str) -> _Window | None:
        return next((windows[key] for windows in self._windows.values() if key in windows), None)
