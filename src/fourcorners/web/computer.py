"""The computer at a table: what it is asked, and with which levels."""

from __future__ import annotations

import threading
from collections.abc import Callable

from fourcorners.core.reading import View
from fourcorners.core.spec import Spec
from fourcorners.players.computer import Computer

GENTLE_LEVEL = 3
"""The level that a form proposes."""


def choose(level: int, view: View, stop: threading.Event, progress: Callable[[int], None]) -> str:
    """Find a move from what the seat to move may know; `progress` is told the number of simulations so far."""
    return Computer(level).choose(view, stop=stop, progress=lambda state: progress(int(state.nodes))).move


def levels_of(spec: Spec) -> tuple[int, ...]:
    """List the levels of a game."""
    return tuple(range(1, len(spec.levels) + 1))


def level_label(spec: Spec, level: int) -> str:
    """Name a level in a form."""
    return f"Level {level}: {spec.levels[level - 1].name}"
