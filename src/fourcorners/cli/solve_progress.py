"""The progress display of a solve: its bounds, and its cost in nodes, time and memory."""

import sys
import time
from typing import Self

from rich.live import Live
from rich.text import Text

from fourcorners.cli.common import create_error_console
from fourcorners.core.game import Position
from fourcorners.solvers.checkpoint import SolveState

_REDRAW_INTERVAL = 0.2  # seconds
_MIN_LINE_INTERVAL, _MAX_LINE_INTERVAL = 10.0, 120.0  # seconds between lines that report nothing new
_BAR_WIDTH = 40


class ProgressDisplay:
    """Redraws itself on a terminal; elsewhere prints a line when something new is proven, and once in a while.

    It writes to standard error.
    """

    def __init__(self, position: Position) -> None:
        """Prepare to show the solve of a position; to show it, use it in a with statement."""
        self._title = position.game.title
        self._console = create_error_console()
        self._live: Live | None = None
        self._drawn_at = 0.0
        self._first_bounds: tuple[int, int] | None = None
        self._shown: tuple[int, int, int] | None = None
        self._line_interval = _MIN_LINE_INTERVAL
        self._moves = 0 if position.is_over else len(position.moves())

    def __enter__(self) -> Self:
        """Show on a terminal that the solve is being prepared, and return the display."""
        if self._console.is_terminal:
            text = Text(f"Solving {self._title}: preparing")
            self._live = Live(text, console=self._console, auto_refresh=False, transient=True)
            self._live.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Restore the terminal; it may be called more than once."""
        if self._live is not None:
            self._live.stop()

    def update(self, state: SolveState, seconds: float, nodes: int, fill: float, tried: int) -> None:
        """Redraw on a terminal, at most 5 times a second; elsewhere print a line for news, or now and then without.

        `state` has the totals of all runs, `seconds` and `nodes` are those of this run, `fill` is the used share of the
        memory, from 0 to 1, and `tried` the number of moves whose value is known.
        """
        now = time.monotonic()
        if self._first_bounds is None:
            self._first_bounds = state.lower, state.upper
        rate = nodes / max(seconds, 1e-3)  # no time may have passed yet
        if self._live is not None:
            if now - self._drawn_at >= _REDRAW_INTERVAL:
                self._drawn_at = now
                self._live.update(self._draw(state, rate, fill, tried), refresh=True)
            return
        shown = state.lower, state.upper, tried
        is_new, waited = shown != self._shown, now - self._drawn_at
        # Values of moves arrive fast, and the log of a long run should not repeat that nothing is new.
        too_soon = self._shown is not None and shown[:2] == self._shown[:2] and waited < 1
        if (is_new or waited >= self._line_interval) and not too_soon:
            self._line_interval = _MIN_LINE_INTERVAL if is_new else min(2 * self._line_interval, _MAX_LINE_INTERVAL)
            self._shown, self._drawn_at = shown, now
            print(self._format_line(state, rate, fill, tried), file=sys.stderr, flush=True)

    def _format_line(self, state: SolveState, rate: float, fill: float, tried: int) -> str:
        """Format the progress as one line; `rate` is in nodes per second, the others are as in `update`."""
        known = f"{state.lower} to {state.upper}"
        if state.lower == state.upper:
            known = f"{state.lower}, {tried} of {self._moves} moves done" if tried else f"{state.lower}"
        counts = f"{state.nodes:,} nodes, {rate:,.0f}/s, {state.seconds:.1f} s"
        return f"value {known}; {counts}, memory {fill:.1%} full"

    def _draw(self, state: SolveState, rate: float, fill: float, tried: int) -> Text:
        """Draw the progress as several lines; the arguments are those of `_format_line`."""
        lower, upper = state.lower, state.upper
        first, last = self._first_bounds or (lower, upper)
        plain = "default not bold"
        text = Text(f"Solving {self._title}", style="bold").append("\nvalue   ", style=plain)
        text.append_text(_draw_interval(first, last, lower, upper))
        text.append(f"  {lower}" if lower == upper else f"  {lower} to {upper}")
        if lower == upper and self._moves:
            text.append("\nmoves   ", style=plain).append_text(_draw_share(tried / self._moves))
            text.append(f"  {tried} of {self._moves}", style=plain)
        text.append("\nmemory  ", style=plain).append_text(_draw_share(fill))
        text.append(f"  {fill:.1%} full", style=plain)
        text.append(f"\n        {state.nodes:,} nodes   {rate:,.0f}/s   {state.seconds:,.1f} s", style=plain)
        return text.append("\n        Ctrl-C stops with what is proven so far", style="dim not bold")


def _draw_share(share: float) -> Text:
    """Draw a share, from 0 to 1, as a bar of 40 cells."""
    full = min(_BAR_WIDTH, round(share * _BAR_WIDTH))
    return Text("━" * full, "green").append("─" * (_BAR_WIDTH - full), "dim")


def _draw_interval(first: int, last: int, lower: int, upper: int) -> Text:
    """Draw `lower` to `upper` as a part, at least one cell wide, of a bar of 40 cells from `first` to `last`."""
    width = max(1, last - first)
    begin = max(0, min(_BAR_WIDTH - 1, (lower - first) * _BAR_WIDTH // width))
    end = max(begin + 1, min(_BAR_WIDTH, -(-(upper - first) * _BAR_WIDTH // width)))
    return Text("─" * begin, "dim").append("━" * (end - begin), "bold cyan").append("─" * (_BAR_WIDTH - end), "dim")
