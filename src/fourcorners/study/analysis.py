"""The analysis of a position: its best moves, each with proven bounds and estimates."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from fourcorners.core import arguments
from fourcorners.core.errors import GameError, quote
from fourcorners.core.game import Position, View
from fourcorners.core.slices import Budget
from fourcorners.players.computer import MAX_NODES, MAX_SECONDS, require_own_view
from fourcorners.players.exact_player import ExactPlayer
from fourcorners.study.analysis_run import AnalysisLine, AnalysisProgress, AnalysisRun

MAX_LINES = 100
_SECONDS = 1.0
_SEED_BITS = 64


@dataclass(frozen=True)
class Analysis(Sequence[AnalysisLine]):
    """The best moves of a position, the best first: `analysis[0].move`, or `for line in analysis`.

    `seat` is the seat to move. `lower` and `upper` are the proven bounds of its final margin with best play; they are
    equal if the value of the position is proven. `nodes` counts simulations; eight solver nodes count as one
    simulation. Comparisons ignore `seconds`.
    """

    lines: tuple[AnalysisLine, ...]
    seat: int
    nodes: int
    seconds: float = field(compare=False)
    lower: int
    upper: int

    @property
    def exact(self) -> bool:
        """Whether the value of the position is proven."""
        return self.lower == self.upper

    @overload
    def __getitem__(self, index: int) -> AnalysisLine: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[AnalysisLine, ...]: ...
    def __getitem__(self, index: int | slice) -> AnalysisLine | tuple[AnalysisLine, ...]:
        """Return a line, or several."""
        return self.lines[index]

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[AnalysisLine]:
        return iter(self.lines)


class Analyser:
    """An analyser of positions. Without a seed, it keeps proven results for the next position of the same game.

    It is not thread-safe: only one thread at a time may use it.
    """

    def __init__(self, seed: int | None = None) -> None:
        """Set the seed, any integer. The same view, lines, nodes and seed give the same analysis. Raise OptionError."""
        self.seed = arguments.check_seed(seed)
        self._exact_player: ExactPlayer | None = None

    def analyse(
        self,
        position: Position | View,
        lines: int = 3,
        seconds: float | None = None,
        nodes: int | None = None,
        stop: threading.Event | None = None,
        progress: Callable[[AnalysisProgress], None] | None = None,
    ) -> Analysis:
        """Find the best moves for the seat to move; see the function `analyse`."""
        if not isinstance(position, Position | View):
            raise GameError(f"{quote(position)} cannot be analysed: it is neither a Position nor a View", "position")
        lines = arguments.check_int("lines", lines, 1, MAX_LINES)
        seconds = arguments.check_seconds(seconds, MAX_SECONDS)
        nodes = None if nodes is None else arguments.check_int("nodes", nodes, 1, MAX_NODES)
        arguments.check_stop(stop)
        arguments.check_callback("progress", progress)
        view = require_own_view(position)
        if self.seed is not None or self._exact_player is None or self._exact_player.game != view.game:
            self._exact_player = ExactPlayer(view.game)
        seed = secrets.randbits(_SEED_BITS) if self.seed is None else self.seed
        budget = Budget(nodes, _SECONDS if seconds is None and nodes is None else seconds, stop)
        run = AnalysisRun(view, lines, budget, self._exact_player, seed, progress)
        run.search_briefly()
        run.look_ahead()
        run.prove()
        run.estimate()
        run.bound_lines()
        run.extend_lines()
        bounds = run.bound_value()
        return Analysis(run.list_lines(), view.seat or 0, run.count_nodes(), budget.elapsed_seconds, *bounds)


def analyse(
    position: Position | View,
    lines: int = 3,
    seconds: float | None = None,
    nodes: int | None = None,
    seed: int | None = None,
    stop: threading.Event | None = None,
    progress: Callable[[AnalysisProgress], None] | None = None,
) -> Analysis:
    """Find up to `lines` best moves for the seat to move, with their values.

    Solvers prove exact values where they can, and bounds elsewhere; a search, or the engine for two parties, estimates
    the rest. The analysis uses only information that the seat to move may have. `seconds` and `nodes`, which mean the
    same as for a Computer, limit the whole analysis; without either it takes one second.

    The call blocks. It returns its results so far within about 50 ms after `stop` is set, and calls `progress` in the
    same thread after every slice of about 10 ms.

    Raise GameError if the game is over, if the view belongs to another seat than the one to move, or if `position` is
    neither a Position nor a View. Raise OptionError for other invalid arguments.
    """
    return Analyser(seed).analyse(position, lines, seconds, nodes, stop, progress)
