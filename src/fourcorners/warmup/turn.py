"""Whose turn it is to compile, when several processes of a machine could: the others load what it has compiled."""

import contextlib
import threading

from fourcorners.core.jit import hold_lock
from fourcorners.warmup.steps import find_turn_lock


class Turn:
    """A turn, which one process at a time has; when a process ends, its turn ends too."""

    def __init__(self) -> None:
        """Ask for nothing yet."""
        self._granted, self._over = threading.Event(), threading.Event()

    def request(self) -> None:
        """Ask for the turn; return at once."""
        threading.Thread(target=self._hold, name="turn", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Wait at most so many seconds for the turn; return whether it has come."""
        return self._granted.wait(seconds)

    def end(self) -> None:
        """Give the turn to another process, or ask for it no more."""
        self._over.set()

    def _hold(self) -> None:
        """Hold the lock while it is this process's turn; without a cache all processes have it."""
        with contextlib.suppress(OSError), hold_lock(find_turn_lock()):
            self._granted.set()
            self._over.wait()
        self._granted.set()
