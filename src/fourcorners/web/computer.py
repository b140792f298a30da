"""The computer at a table: what it is asked, and with which levels."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

from fourcorners.core.reading import View

LEVELS = range(1, 7)
USUAL_LEVEL = 3


def choose(level: int, view: View, stop: threading.Event, progress: Callable[[int], None]) -> str:
    """Find a move; `progress` is told the number of simulations so far."""
    progress(0)
    return random.choice(view.moves())


def level_label(level: int) -> str:
    """Name a level in a form."""
    return f"Level {level}"
