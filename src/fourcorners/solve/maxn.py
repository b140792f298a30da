"""Max^n: what a position is worth when several play against each other, each for itself, and all know all.

A party's payoff is its points less those of the best other party, at the end; each maximises its own (Luckhardt and
Irani 1986). Of moves equally good for it the seat to move chooses the one that is best for the party of the next seat
in the order of play, of those the one that is best for the party after that, and so on. So moves can only be equal if
they are so for all, and every position has one tuple of payoffs, in whatever order moves are tried.

Pruning is shallow, for with deep pruning max^n goes wrong (Korf 1991). The sum of any two payoffs is never above 0:
when the seat to move has found b for its party, the party that moved before gets no more than -b here, and will not
come here if it has found more elsewhere. As much is not enough: then the choice may be made by what the others get.

A move that is taken though it is not legal, such as a forfeit, is no choice here: like resigning it is left to the
match.
"""

from __future__ import annotations

import threading

import numpy as np

from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Game
from fourcorners.core.position import Position
from fourcorners.solve import maxn_search as search
from fourcorners.solve.default_exact import get_default_exact

_FEWEST_ENTRIES = 64
_FIRST_ACTIONS = 256


class MaxNSolver:
    """A memory for the positions of one game. Its tasks take turns with it: two workers are no faster than one."""

    def __init__(self, game: Game, memory: int, workers: int = 1) -> None:
        self.game = game
        self.lock = threading.Lock()
        self.node = get_default_exact(game.spec).NODE
        self.parties = len(game.options.parties)
        self.depth = game.spec.rules.MAX_PLIES + 2
        stack = self.depth * search.level_bytes(self.node.itemsize, self.parties)
        entry = search.entry_bytes(self.parties)
        self._least = stack + _FEWEST_ENTRIES * entry
        entries = max(memory - stack, 0) // entry
        self.table = search.new_table(1 << (entries.bit_length() - 1) if memory >= self._least else 0, self.parties)

    @property
    def fill(self) -> float:
        """How full the memory is, 0 to 1."""
        return float(self.table.used[0]) / max(1, len(self.table.keys))

    def task(self, position: Position) -> MaxNTask:
        """Return the question what a position is worth; raise SolverLimit if the memory is too small for any."""
        if position.game != self.game:
            message = f"this memory is for {self.game!r}, not for {position.game!r}"
            raise ValueError(message)
        task = MaxNTask(self, position)
        if len(self.table.keys) == 0:
            message = f"the memory is too small: this game needs at least {self._least} bytes"
            raise SolverLimit(message, task.lower, task.upper)
        return task


class MaxNTask:
    """The question what one position is worth to each party.

    `lower` and `upper` bound by how much the payoff of the seat to move changes from here to the end.
    """

    def __init__(self, memory: MaxNSolver, position: Position) -> None:
        self._memory = memory
        self._position = position
        parties = position.game.options.parties
        self._seats = np.zeros(position.game.seats, np.int64)
        for party, seats in enumerate(parties):
            self._seats[list(seats)] = party
        self._firsts = np.array([seats[0] for seats in parties], np.int64)
        self._order = np.array([self._order_from(seat) for seat in range(position.game.seats)], np.int64)
        self._now = _payoffs([position.scores[seat] for seat in self._firsts])
        self._party = 0 if position.seat is None else int(self._seats[position.seat])
        self._found = self._now if position.seat is None else None
        self._root = np.zeros(1, memory.node)
        for name in position.states.dtype.names or ():
            self._root[name] = position.states[name]
        self._reach = 0 if position.seat is None else int(search.root_reach(self._root))
        self._search: search.Search | None = None
        self._points = np.zeros(position.game.spec.rules.MAX_SEATS, np.int64)
        self._actions = np.zeros(_FIRST_ACTIONS, np.int64)
        self._gains = np.zeros(_FIRST_ACTIONS, np.int64)
        self._control = np.zeros(search.CONTROL, np.int64)

    def _order_from(self, seat: int) -> list[int]:
        """Return the parties in the order of play from a seat on."""
        return list(dict.fromkeys(np.roll(self._seats, -seat).tolist()))

    @property
    def nodes(self) -> int:
        """How many positions were looked into; the last move of a game is looked into with the position before it."""
        return int(self._control[search.NODES])

    @property
    def lower(self) -> int:
        """What the seat to move is sure of: the best of its moves that have been looked into."""
        now = self._now[self._party]
        if self._found is not None:
            return self._found[self._party] - now
        stack = self._search
        best = search.UNKNOWN if stack is None else int(stack.best[0, self._party])
        return -self._reach if best == search.UNKNOWN else best - now

    @property
    def upper(self) -> int:
        """What the seat to move may still hope for."""
        return self._reach if self._found is None else self.lower

    @property
    def payoffs(self) -> tuple[int, ...] | None:
        """Every party's payoff at the end; None until it is known."""
        return self._found

    @property
    def margins(self) -> tuple[int, ...] | None:
        """Every seat's payoff at the end, that of its party; None until it is known."""
        return None if self._found is None else tuple(self._found[party] for party in self._seats.tolist())

    def advance(self, budget: int, worker: int = 0) -> bool:
        """Look into about so many positions more; tell whether the task is done."""
        with self._memory.lock:
            if self._found is None:
                self._advance(budget)
            return self._found is not None

    def aim(self, value: int) -> None:
        """Go on as before: what the others get depends on exact values."""

    def _advance(self, budget: int) -> None:
        if self._search is None:
            self._search = self._begin()
        end = self.nodes + budget
        while self.nodes < end:
            status = search.advance(
                *self._search,
                *self._memory.table,
                self._seats,
                self._firsts,
                self._order,
                self._points,
                self._actions,
                self._gains,
                self._control,
                end - self.nodes,
            )
            if status == search.DONE:
                self._found = tuple(self._search.best[0].tolist())
                self._search = None
                return
            if status == search.NO_ROOM:
                length = 2 * int(self._control[search.WANTED])
                self._actions = np.resize(self._actions, length)
                self._gains = np.resize(self._gains, length)

    def _begin(self) -> search.Search:
        totals = np.array([self._position.scores[seat] for seat in self._firsts], np.int64)
        seat = self._position.seat or 0
        return search.new_search(self._root, self._memory.depth, totals, seat)


def _payoffs(points: list[int]) -> tuple[int, ...]:
    return tuple(own - max(points[:i] + points[i + 1 :]) for i, own in enumerate(points))
