"""Allowances that refill with time: of the bytes and the messages of a socket, and of the bytes of an address."""

import time


class Allowance:
    """What may still be sent: `burst` at once, and `per_second` in the long run."""

    __slots__ = ("_burst", "_left", "_per_second", "_used_at")

    def __init__(self, burst: float, per_second: float) -> None:
        self._burst = self._left = burst
        self._per_second, self._used_at = per_second, time.perf_counter()

    def spend(self, cost: float) -> float:
        """Take `cost`, allowed or not; return the seconds after which it is allowed, 0 if it is at once."""
        elapsed, self._used_at = time.perf_counter() - self._used_at, time.perf_counter()
        self._left = min(self._left + elapsed * self._per_second, self._burst) - cost
        return max(0.0, -self._left / self._per_second)
