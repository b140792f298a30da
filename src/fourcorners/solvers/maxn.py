"""Max^n: the value of a position when three or more parties play, each for itself, with full information.

A party's payoff is its final points minus those of the best other party; each party maximises its payoff (Luckhardt and
Irani 1986). Among moves equally good for its party, the seat to move chooses the best for the party of the next seat in
the order of play, then the best for the party after that, and so on. So two moves are equal only if they are equal for
all parties, and every position has one tuple of payoffs, independent of the order in which moves are tried.

Pruning is shallow, because deep pruning is wrong for max^n (Korf 1991). The sum of any two payoffs is never above 0:
once the seat to move has found b for its party, the party that moved before gets at most -b here, and will avoid this
position if it has found more elsewhere. Equality is not enough: then the payoffs of other parties may decide.

Illegal moves that the game accepts, such as a forfeit, are not tried: like resigning, they are left to the match.
"""

from __future__ import annotations

import threading

import numpy as np

from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Game, Position
from fourcorners.solvers import maxn_search as search
from fourcorners.solvers.default_exact import get_default_exact

_FEWEST_ENTRIES = 64
_FIRST_ACTIONS = 256


class MaxNSolver:
    """A table for the positions of one game. Tasks take turns with it, so two workers are no faster than one."""

    threads = 1
    is_impartial = False
    checkpoint = None

    def __init__(self, game: Game, memory: int, threads: int = 1) -> None:
        """Set up the table in `memory` bytes minus a stack; if that is too small, `create_task` always raises."""
        self.game = game
        self.lock = threading.Lock()
        self.node = get_default_exact(game.spec).NODE
        self.parties = len(game.options.parties)
        self.depth = game.spec.rules.MAX_PLIES + 2
        stack = self.depth * search.compute_level_bytes(self.node.itemsize, self.parties)
        entry = search.compute_entry_bytes(self.parties)
        self._min_memory = stack + _FEWEST_ENTRIES * entry
        entries = max(memory - stack, 0) // entry
        slots = 1 << (entries.bit_length() - 1) if memory >= self._min_memory else 0
        self.table = search.create_table(slots, self.parties)

    @property
    def fill(self) -> float:
        """The fill of the table, 0 to 1."""
        return float(self.table.used[0]) / max(1, len(self.table.keys))

    def create_task(self, position: Position) -> MaxNTask:
        """Return the task of a position; raise SolverLimit if the memory is too small, ValueError for another game."""
        if position.game != self.game:
            raise ValueError(f"this memory is for {self.game!r}, not for {position.game!r}")
        task = MaxNTask(self, position)
        if len(self.table.keys) == 0:
            message = f"the memory is too small: this game needs at least {self._min_memory} bytes"
            raise SolverLimit(message, task.lower, task.upper)
        return task

    def load_known_values(self) -> None:
        """Do nothing, since games know values for two parties only."""

    def limit_growth(self, seconds: float | None) -> None:
        """Do nothing, since the table keeps its size."""


class MaxNTask:
    """A search for the value of one position to each party. The solver's lock protects it.

    `lower` and `upper` bound the change of the payoff of the seat to move from here to the end.
    """

    nimber = None

    def __init__(self, solver: MaxNSolver, position: Position) -> None:
        """Prepare the search; its stack is created when it begins. A finished game is done at once."""
        self._solver = solver
        self._position = position
        seats, parties = position.game.seats, position.game.options.parties
        party_of_seat = np.zeros(seats, np.int64)
        for number, party in enumerate(parties):
            party_of_seat[list(party)] = number
        firsts = np.array([party[0] for party in parties], np.int64)
        order = [list(dict.fromkeys(np.roll(party_of_seat, -seat).tolist())) for seat in range(seats)]
        self._seating = search.Seating(party_of_seat, firsts, np.array(order, np.int64))
        self._now = _compute_payoffs(self._party_scores())
        self._party = 0 if position.seat is None else int(party_of_seat[position.seat])
        self.payoffs: tuple[int, ...] | None = self._now if position.seat is None else None
        """Every party's final payoff; None until it is known."""
        self._root = np.zeros(1, solver.node)
        for name in position.states.dtype.names or ():
            self._root[name] = position.states[name]
        self._reach = 0 if position.seat is None else int(search.compute_root_reach(self._root))
        self._stack: search.Stack | None = None
        self._nodes = 0

    def _party_scores(self) -> list[int]:
        """Return the present points of every party, which each of its seats has."""
        return [self._position.scores[seat] for seat in self._seating.firsts]

    @property
    def nodes(self) -> int:
        """The number of positions searched; a move that ends the game counts with the position before it."""
        stack = self._stack  # another thread may remove it meanwhile
        return self._nodes if stack is None else int(stack.control[search.NODES])

    @property
    def lower(self) -> int:
        """The lower bound of the change of the mover's payoff: by its best move so far; before the first, minus the
        reach.
        """
        stack = self._stack  # read before `payoffs`: another thread sets that first and then removes the stack
        now = self._now[self._party]
        if self.payoffs is not None:
            return self.payoffs[self._party] - now
        best = search.UNKNOWN if stack is None else int(stack.best[0, self._party])
        return -self._reach if best == search.UNKNOWN else best - now

    @property
    def upper(self) -> int:
        """The upper bound of the change of the mover's payoff: the reach, until the payoffs are known."""
        return self._reach if self.payoffs is None else self.lower

    @property
    def is_done(self) -> bool:
        """Whether the payoffs are known."""
        return self.payoffs is not None

    @property
    def margins(self) -> tuple[int, ...] | None:
        """Every seat's final margin, which is the payoff of its party; None until it is known."""
        return None if self.payoffs is None else tuple(self.payoffs[party] for party in self._seating.parties.tolist())

    def advance(self, nodes: int, worker: int = 0) -> bool:
        """Search up to `nodes` positions under the solver's lock, for any worker; return whether it is done."""
        with self._solver.lock:
            if self.payoffs is None:
                self._search(nodes)
            return self.payoffs is not None

    def aim(self, value: int) -> None:
        """Do nothing, since the payoffs of other parties depend on exact values."""

    def skip_nimber(self) -> None:
        """Do nothing: margins have no nimbers."""

    def _search(self, nodes: int) -> None:
        """Continue the search for `nodes` positions, with longer arrays as needed; set `payoffs` once known."""
        if self._stack is None:
            totals, max_seats = np.array(self._party_scores(), np.int64), self._position.game.spec.rules.MAX_SEATS
            levels, seat = self._solver.depth, self._position.seat or 0
            self._stack = search.create_stack(self._root, levels, totals, seat, max_seats, _FIRST_ACTIONS)
        end = self.nodes + nodes
        while self.nodes < end:
            status = search.advance(self._stack, self._solver.table, self._seating, end - self.nodes)
            if status == search.DONE:
                self.payoffs = tuple(self._stack.best[0].tolist())
                self._nodes, self._stack = self.nodes, None
                return
            if status == search.NO_ROOM:
                length = 2 * int(self._stack.control[search.NEEDED_LENGTH])
                self._stack = self._stack._replace(
                    actions=np.resize(self._stack.actions, length), gains=np.resize(self._stack.gains, length)
                )


def _compute_payoffs(points: list[int]) -> tuple[int, ...]:
    """Return the points of each party, of two or more, minus those of the best other party."""
    return tuple(own - max(points[:i] + points[i + 1 :]) for i, own in enumerate(points))
