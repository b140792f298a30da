"""Exact values of the positions of one game; the solver keeps its tables from one position to the next."""

from collections.abc import Iterable

from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Game, Position
from fourcorners.solvers.solver import create_backend
from fourcorners.solvers.solver_run import SolveBudget, compute_margin, run_task
from fourcorners.study.evaluation import Margins, compute_final_margins, find_party

_MEMORY = 1 << 28


class ExactValues:
    """A solver of positions of one game. Only one thread at a time may use it."""

    def __init__(self, game: Game, threads: int = 1) -> None:
        """Set up the tables with the game's static knowledge; of two `threads`, only margins use the second."""
        self._game = game
        self._backend = create_backend(game, _MEMORY, threads)
        self._backend.load_known_values()
        self._known: dict[bytes, Margins] = {}

    def find_margins(self, position: Position, budget: SolveBudget) -> Margins | None:
        """Return the final margins by seat with best play and open hands; None if the budget is too small."""
        key = position.states.tobytes()
        if key not in self._known:
            margins = self._solve(position, budget)
            if margins is None:
                return None
            self._known[key] = margins
        return self._known[key]

    def remember(self, position: Position, margins: Margins) -> None:
        """Store the proven final margins by seat of a position."""
        self._known[position.states.tobytes()] = margins

    def _solve(self, position: Position, budget: SolveBudget) -> Margins | None:
        seat = position.seat
        if seat is None:
            return compute_final_margins(position)
        try:
            task = self._backend.create_task(position)
            task.skip_nimber()
            if not run_task(task, self._backend, budget):
                return None
        except SolverLimit:
            return None
        if task.margins is not None:
            return task.margins
        if task.lower != task.upper:
            return None
        margin = compute_margin(position, seat) + task.lower
        party = find_party(self._game, seat)
        return tuple(margin if other in party else -margin for other in range(self._game.seats))

    def find_best_moves(
        self, position: Position, budget: SolveBudget, first: Iterable[str] = (), limit: int = 1
    ) -> list[str]:
        """List up to `limit` proven best moves of a running game, trying those of `first` before others.

        The list is shorter if there are fewer best moves or the budget is too small.
        """
        best = self.find_margins(position, budget)
        seat = position.seat or 0
        likely = list(first)
        found: list[str] = []
        for move in [*likely, *(move for move in position.moves() if move not in likely)]:
            if best is None or len(found) == limit or budget.is_exhausted(budget.spent):
                break
            after = position.play(move)
            margins = self._known.get(after.states.tobytes()) or self.match_margin(position, after, best[seat], budget)
            # With three or more parties, the solver's tie-break between equally good moves decides the others' margins.
            if margins == best:
                found.append(move)
        return found

    def match_margin(self, before: Position, after: Position, best: int, budget: SolveBudget) -> Margins | None:
        """Return the final margins after a move if it provably reaches the margin `best` for its seat, else None.

        Return None too if the budget is too small. With two parties this is faster than `find_margins`.
        """
        seat = before.seat or 0
        if after.seat is None or len(self._game.options.parties) != 2:
            return self.find_margins(after, budget)
        sign = 1 if after.seat in find_party(self._game, seat) else -1
        aim = sign * best - compute_margin(after, after.seat)
        try:
            task = self._backend.create_task(after)
            task.aim(aim)
            if not run_task(task, self._backend, budget) or not task.lower == task.upper == aim:
                return None
        except SolverLimit:
            return None
        party = find_party(self._game, seat)
        margins = tuple(best if other in party else -best for other in range(self._game.seats))
        self._known[after.states.tobytes()] = margins
        return margins

    def find_line(self, position: Position, budget: SolveBudget, length: int) -> list[str]:
        """Return best play from a position on, up to `length` moves or the end of the game; less on a small budget."""
        line: list[str] = []
        while position.seat is not None and len(line) < length:
            moves = self.find_best_moves(position, budget)
            if not moves:
                break
            line += moves
            position = position.play(moves[0])
        return line
