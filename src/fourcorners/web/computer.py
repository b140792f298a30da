"""The computer at a table: what it is asked, and with which levels."""

from __future__ import annotations

import threading
from collections.abc import Callable

from fourcorners.core.reading import View
from fourcorners.players.computer import LEVELS as BUDGETS
from fourcorners.players.computer import Computer

LEVELS = tuple(BUDGETS)
USUAL_LEVEL = LEVELS[len(LEVELS) // 2 - 1]


def choose(level: int, view: View, stop: threading.Event, progress: Callable[[int], None]) -> str:
    """Find a move from what the seat to move may know; `progress` is told the number of simulations so far."""
    return Computer(level).choose(view, stop=stop, progress=lambda state: progress(int(state.nodes))).move


def level_label(level: int) -> str:
    """Name a level in a form."""
    word = {LEVELS[0]: ", easiest", LEVELS[-1]: ", hardest"}.get(level, "")
    return f"Level {level}{word}: {BUDGETS[level].nodes:,} tries"
