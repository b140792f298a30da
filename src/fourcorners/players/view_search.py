"""The tree search for programs: what it found of every move, and going on from there."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass

from fourcorners.core import arguments
from fourcorners.core.errors import OptionError
from fourcorners.core.game import Position, View
from fourcorners.players.computer import (
    MAX_LINE_LENGTH,
    MAX_NODES,
    MAX_SECONDS,
    MAX_THREADS,
    find_actions_between,
    format_line,
    require_own_view,
)
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search.root_parallel import RootParallelSearch
from fourcorners.search.tree_search import ActionStats, SearchProgress


@dataclass(frozen=True)
class SearchedMove:
    """What a search found of a move.

    `visits` counts the simulations that began with it. `wins`, the shares of the win from 0 to 1, and `final_margins`,
    the points at the end minus those of the best rival, are means over these by seat. If `solved`, they are those of
    best play instead: the winner is proven, but the margin of a win may be improvable.
    """

    move: str
    visits: int
    wins: tuple[float, ...]
    final_margins: tuple[float, ...]
    solved: bool


class Search:
    """A tree search of what the seat to move knows; the same view, seed and simulations give the same result.

    >>> import fourcorners as fc
    >>> search = fc.Search(fc.game(fc.games()[0], cols=2, rows=2).start(), seed=1).run(simulations=200)
    >>> search.simulations, sum(move.visits for move in search.moves)
    (200, 200)

    Unlike a `Computer`, it uses no solver, and its values are not calibrated. Not thread-safe.
    """

    def __init__(
        self, position: Position | View, *, knowledge: bool = True, seed: int | None = None, threads: int = 1
    ) -> None:
        """Set up a search for the seat to move, with as many trees as `threads`, 1 to 8.

        Simulations are played with the knowledge of the game's strongest level, or at random without `knowledge`. The
        seed, any integer, is random if None.

        Raise GameError if the game is over, for the view of a seat that is not to move and for anything but a Position
        or a View; raise OptionError for a wrong option.
        """
        self._threads = arguments.check_int("threads", threads, 1, MAX_THREADS)
        self._seed = arguments.check_seed(seed)
        self._has_knowledge = arguments.check_flag("knowledge", knowledge)
        self._begin(require_own_view(position))

    def _begin(self, view: View) -> None:
        """Begin a new search of a view."""
        weights = view.game.spec.part(ComputerPlay).levels[-1].weights if self._has_knowledge else ()
        self.view = view
        """What the search knows: the view of the seat to move."""
        seed = secrets.randbits(64) if self._seed is None else self._seed
        self._search = RootParallelSearch(view, seed, weights, self._threads)

    def run(
        self,
        simulations: int | None = None,
        seconds: float | None = None,
        stop: threading.Event | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> Search:
        """Search until there are so many simulations, the time is up, the winner is proven or `stop` is set.

        `simulations` counts all since the search began, or followed, and there is at least one. Later calls go on from
        there. `progress` is called every 10 ms or so. Return the search. Raise OptionError for a wrong limit, and if
        there is none.
        """
        arguments.check_stop(stop)
        arguments.check_callback("progress", progress)
        if simulations is not None:
            simulations = arguments.check_int("simulations", simulations, 1, MAX_NODES)
        seconds = arguments.check_seconds(seconds, MAX_SECONDS)
        if simulations is None and seconds is None and stop is None:
            raise OptionError("simulations", "a limit is needed: simulations, seconds or stop")
        self._search.run(simulations, seconds, stop, progress)
        return self

    @property
    def simulations(self) -> int:
        """The number of simulations since the search began or followed; visits of moves may be older."""
        return self._search.simulations

    @property
    def is_solved(self) -> bool:
        """Whether the winner is proven."""
        return self._search.is_solved

    @property
    def moves(self) -> tuple[SearchedMove, ...]:
        """All moves that were tried, the best first."""
        return tuple(self._describe(stats) for stats in self._search.rank_actions())

    def _describe(self, stats: ActionStats) -> SearchedMove:
        """Return what was found of an action."""
        move = format_line(self.view, [stats.action])[0]
        return SearchedMove(move, stats.visits, stats.wins, stats.margins, stats.solved)

    @property
    def policy(self) -> dict[str, float]:
        """The share of the visits of every legal move."""
        visits = {move.move: move.visits for move in self.moves}
        total = max(1, sum(visits.values()))
        return {move: visits.get(move, 0) / total for move in self.view.moves()}

    @property
    def wins(self) -> tuple[float, ...]:
        """The share of the win that each seat can expect; see `final_margins`."""
        return self._expect(lambda move: move.wins)

    @property
    def final_margins(self) -> tuple[float, ...]:
        """The margin at the end that each seat can expect: of best play if solved, else the mean over all visits."""
        return self._expect(lambda move: move.final_margins)

    def _expect(self, read: Callable[[SearchedMove], tuple[float, ...]]) -> tuple[float, ...]:
        """Return what each seat can expect of a value that moves have by seat; 0 for all before any simulation."""
        moves = self.moves[:1] if self.is_solved else self.moves
        total = max(1, sum(move.visits for move in moves))
        shares = [[value * move.visits / total for value in read(move)] for move in moves]
        return tuple(map(sum, zip(*shares, strict=True))) or (0.0,) * self.view.game.seats

    def line(self, limit: int = MAX_LINE_LENGTH) -> tuple[str, ...]:
        """Return the expected play, `limit` moves at most; the best move alone in a game with hidden information."""
        limit = arguments.check_int("limit", limit, 1, MAX_LINE_LENGTH)
        if not self._search.rank_actions():
            return ()
        hides = self.view.game.spec.hidden
        return format_line(self.view, self._search.principal_variation(1 if hides else limit))

    def follow(self, position: Position | View) -> bool:
        """Go on with a later position of the same game; return whether a part of the trees was kept.

        If not, as always in a game with hidden information, a new search begins there. Raise as the constructor does.
        """
        view = require_own_view(position)
        actions = find_actions_between(self.view, view)
        if actions is None or not self._search.follow(actions, view):
            self._begin(view)
            return False
        self.view = view
        return True
