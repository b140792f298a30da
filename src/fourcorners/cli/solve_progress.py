"""What a solve shows while it runs: its bounds closing in, and what it costs."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from fourcorners.core.position import Position
from fourcorners.solve.checkpoint import SolveState

_REDRAWN_EVERY = 0.2
_LINE_EVERY, _LINE_SELDOM = 10.0, 120.0
_BAR = 40


class Watch:
    """A display that redraws itself on a terminal; elsewhere a line whenever something is proven, and now and then."""

    def __init__(self, position: Position) -> None:
        self._title = position.game.title
        self._console = Console(stderr=True)
        self._live: Live | None = None
        self._drawn = 0.0
        self._widest: tuple[int, int] | None = None
        self._shown: tuple[int, int, int] | None = None
        self._pause = _LINE_EVERY
        self._moves = 0 if position.is_over else len(position.moves())

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            first = Text(f"Solving {self._title}: making ready")
            self._live = Live(first, console=self._console, auto_refresh=False, transient=True)
            self._live.start(refresh=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the terminal back as it was."""
        if self._live is not None:
            self._live.stop()

    def tell(self, standing: SolveState, seconds: float, nodes: int, fill: float, tried: int) -> None:
        """Show how far the solve is; `seconds` and `nodes` are those of this run."""
        now = time.monotonic()
        if self._widest is None:
            self._widest = standing.lower, standing.upper
        rate = nodes / max(seconds, 1e-3)
        if self._live is not None:
            if now - self._drawn >= _REDRAWN_EVERY:
                self._drawn = now
                self._live.update(self._picture(standing, rate, fill, tried), refresh=True)
            return
        shown = standing.lower, standing.upper, tried
        if shown != self._shown or now - self._drawn >= self._pause:
            # What moves are worth comes fast, and news that nothing is new should be rare in the log of a long run.
            fast = self._shown is not None and shown[:2] == self._shown[:2] and now - self._drawn < 1
            if not fast:
                self._pause = _LINE_EVERY if shown != self._shown else min(2 * self._pause, _LINE_SELDOM)
                self._shown, self._drawn = shown, now
                print(self._line(standing, rate, fill, tried), file=sys.stderr, flush=True)

    def _line(self, standing: SolveState, rate: float, fill: float, tried: int) -> str:
        known = f"{standing.lower} to {standing.upper}"
        if standing.lower == standing.upper:
            known = f"{standing.lower}, {tried} of {self._moves} moves done" if tried else f"{standing.lower}"
        counts = f"{standing.nodes:,} nodes, {rate:,.0f}/s, {standing.seconds:.1f} s"
        return f"value {known}; {counts}, memory {fill:.1%} full"

    def _picture(self, standing: SolveState, rate: float, fill: float, tried: int) -> Text:
        lower, upper = standing.lower, standing.upper
        first, last = self._widest or (lower, upper)
        text = Text(f"Solving {self._title}", style="bold")
        text.append("\nvalue   ", style="default not bold")
        text.append_text(_interval(first, last, lower, upper))
        text.append(f"  {lower}" if lower == upper else f"  {lower} to {upper}")
        if lower == upper and self._moves:
            done = tried / self._moves
            text.append("\nmoves   ", style="default not bold").append_text(_share(done))
            text.append(f"  {tried} of {self._moves}", style="default not bold")
        text.append("\nmemory  ", style="default not bold").append_text(_share(fill))
        text.append(f"  {fill:.1%} full", style="default not bold")
        counts = f"\n        {standing.nodes:,} nodes   {rate:,.0f}/s   {standing.seconds:,.1f} s"
        text.append(counts, style="default not bold")
        return text.append("\n        Ctrl-C ends it with what is proven", style="dim not bold")


def _share(share: float) -> Text:
    """Draw how much of a whole there is."""
    full = min(_BAR, round(share * _BAR))
    return Text("━" * full, "green").append("─" * (_BAR - full), "dim")


def _interval(first: int, last: int, lower: int, upper: int) -> Text:
    """Draw what is left of the interval in which the value may lie."""
    width = max(1, last - first)
    begin = max(0, min(_BAR - 1, (lower - first) * _BAR // width))
    end = max(begin + 1, min(_BAR, -(-(upper - first) * _BAR // width)))
    return Text("─" * begin, "dim").append("━" * (end - begin), "bold cyan").append("─" * (_BAR - end), "dim")
