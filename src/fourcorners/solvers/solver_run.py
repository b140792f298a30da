"""The run of a solver: the solution of positions within limits."""

from collections.abc import Callable, Iterable
from threading import Event, Thread

from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Position, View
from fourcorners.core.slices import Budget, run_slices
from fourcorners.solvers.solution import Solution
from fourcorners.solvers.solver_protocol import SolverBackend, SolveTask

ProgressCallback = Callable[[int, int, int, float, float], None]
"""A function that receives the proven lower and upper bound of the position's value for its seat to move, the nodes of
all tasks, the seconds, and the fill of the memory (0 to 1).
"""
_FIRST_SLICE = 16
_GRACE = 0.05  # the share of the time by which the search for a best move of proven value may exceed the limit


class SolveBudget(Budget):
    """The limits of one solve, shared by all its tasks (None: no limit), and the callback for its progress."""

    def __init__(
        self,
        seconds: float | None = None,
        stop: Event | None = None,
        progress: ProgressCallback | None = None,
        nodes: int | None = None,
    ) -> None:
        """Start the clock with no nodes spent; the values are not checked."""
        super().__init__(nodes, seconds, stop)
        self.spent = 0  # the nodes of finished tasks
        self.root: SolveTask | None = None  # the task whose bounds are reported; None: the current one
        self._progress = progress

    def report(self, task: SolveTask, fill: float) -> None:
        """Call `progress`, if given, with the root's bounds, the total nodes and seconds, and `fill`; it may raise."""
        if self._progress is not None:
            bounds = (self.root or task).lower, (self.root or task).upper
            self._progress(*bounds, self.spent + task.nodes, self.elapsed_seconds, fill)

    def explain_limit(self) -> str:
        """Return a clause that names the limit that ended the solve, such as `not solved within 5 s`.

        One limit must be reached. Of several, name the stop before the node limit, which counts only nodes added to
        `spent`, and the node limit before the time.
        """
        if self.is_stopped:
            return "stopped before it was solved"
        if self.seconds is None or self.nodes_left(self.spent) == 0:
            return f"not solved within {self.nodes} nodes"
        return f"not solved within {self.seconds:g} s"


def run_task(task: SolveTask, backend: SolverBackend, budget: SolveBudget) -> bool:
    """Search a task, in the backend's threads, until it is done or the budget is exhausted; return whether it is done.

    Add its nodes to those spent, unless this thread raises an error. Errors of the task in any thread, or of `progress`
    in this one, pass through after all threads have ended.
    """
    halt = Event()
    failures: list[BaseException] = []
    seconds = None if budget.seconds is None else budget.seconds_left()
    backend.limit_growth(seconds)

    def help_search(worker: int) -> None:
        """Search the task as a worker until it is done, the time is up or `halt` is set; store errors in `failures`."""
        own = Budget(None, seconds, halt)
        try:
            run_slices(lambda nodes: task.advance(nodes, worker), own, lambda: task.nodes, first_slice=_FIRST_SLICE)
        except BaseException as error:  # noqa: BLE001  # raised again in the caller's thread
            failures.append(error)
            halt.set()

    helpers = [Thread(target=help_search, args=(worker,), daemon=True) for worker in range(1, backend.threads)]
    for helper in helpers:
        helper.start()

    def advance(nodes: int) -> bool:
        """Search the task as worker 0; return whether it is done. Raise a helper's error."""
        if failures:
            raise failures[0]
        return task.advance(nodes, 0)

    try:
        done = run_slices(
            advance, budget, lambda: budget.spent + task.nodes, lambda: budget.report(task, backend.fill), _FIRST_SLICE
        )
    finally:
        halt.set()
        for helper in helpers:
            helper.join()
    budget.spent += task.nodes
    if failures:
        raise failures[0]
    return done


class SolverRun:
    """The solution of positions of one game within the limits of one budget, in the memory of one backend."""

    def __init__(self, backend: SolverBackend, budget: SolveBudget) -> None:
        """Set up a run. Other threads may read its progress: `root`, its task or None, and all `moves_done`."""
        self._backend = backend
        self._budget = budget
        self.root: SolveTask | None = None
        self.moves_done = 0

    def solve(
        self, position: Position, *, moves: bool = True, every_move: bool = False, skip_nimber: bool = False
    ) -> Solution:
        """Return a position's value and, as requested, its best moves and (`every_move`) the values of all moves.

        Only impartial games have a nimber; with `skip_nimber`, solving them is much cheaper. Raise SolverLimit, with
        the proven bounds, if the budget or memory is too small or the position too large, and RuntimeError if the
        values of the position and of its moves contradict each other.
        """
        seat = position.seat
        if seat is None:
            margin = compute_margin(position, 0)
            return Solution(0, (), 0, nimber=0 if self._backend.is_impartial else None, final_margin=margin)
        task = self.solve_root(position, skip_nimber=skip_nimber)
        value = task.lower
        values: dict[str, int | None] = {}
        for move in position.moves() if moves or every_move else ():
            try:
                self._require_time(task)
                values[move] = self.solve_move(position, seat, position.play(move), None if every_move else value)
            except SolverLimit as error:
                raise self._create_move_limit(error, value) from None
            self.moves_done += 1
        best = tuple(move for move in sorted(values) if values[move] == value)
        if (values and not best) or any(worth is not None and worth > value for worth in values.values()):
            message = f"solver bug: {position.game!r} at {position.text!r} has the value {value}, but its moves do not"
            raise RuntimeError(message)
        return Solution(
            remaining_margin=value,
            final_margin=compute_margin(position, seat) + value,
            moves=best,
            nodes=self._budget.spent,
            seconds=self._budget.elapsed_seconds,
            nimber=task.nimber,
            values={move: worth for move, worth in values.items() if worth is not None} if every_move else {},
            margins=compute_margin_changes(task, position),
            open_hands=not position.game.spec.can_know_all(position.record, seat),
        )

    def find_best_move(self, position: Position, moves: Iterable[str]) -> tuple[str, int]:
        """Return the first best move among these legal moves, which must include one, and the position's value.

        If the value is proven but the budget is too small to find the first best move, return any known best move:
        finding one is fast, and ends soon after the time is up. Otherwise raise SolverLimit, and RuntimeError if none
        of the moves is best.
        """
        task = self.solve_root(position, skip_nimber=True)
        seat, moves = position.seat or 0, list(moves)
        try:
            for move in moves:
                self._require_time(task)
                if self.solve_move(position, seat, position.play(move), task.lower) is not None:
                    return move, task.lower
        except SolverLimit as error:
            # A child's bounds bound the move only with two parties; for nimbers they say too little to help.
            if len(position.game.options.parties) == 2 and not self._backend.is_impartial:
                for move in moves:
                    if self._budget.is_stopped or self._budget.seconds_left() < -_GRACE * (self._budget.seconds or 0.0):
                        break
                    if self._get_lower_bound(position, seat, move) >= task.lower:
                        return move, task.lower
            raise self._create_move_limit(error, task.lower) from None
        message = f"solver bug: {position.game!r} at {position.text!r} has the value {task.lower}, but no move does"
        raise RuntimeError(message)

    def solve_root(self, position: Position, *, skip_nimber: bool = False) -> SolveTask:
        """Solve a position, make its task `root` and return it; raise SolverLimit."""
        task = self.root = self._budget.root = self._backend.create_task(position)
        if skip_nimber:
            task.skip_nimber()
        if not run_task(task, self._backend, self._budget):
            raise self._create_limit(task.lower, task.upper)
        return task

    def bound_statically(self, position: Position) -> tuple[int, int]:
        """Return the bounds of a position's value that are known without a search."""
        try:
            task = self._backend.create_task(position)
        except SolverLimit as limit:
            return limit.lower, limit.upper
        return task.lower, task.upper

    def _require_time(self, task: SolveTask) -> None:
        """Raise SolverLimit if the time is up, since creating a move's task takes milliseconds even if its value is
        known.
        """
        if self._budget.is_stopped or self._budget.seconds_left() <= 0:
            raise self._create_limit(task.lower, task.upper)

    def _create_limit(self, lower: int, upper: int) -> SolverLimit:
        """Return the error for an exhausted budget, with the proven bounds and the nodes spent."""
        message = f"{self._budget.explain_limit()}: its value for the seat to move is {lower} to {upper}"
        return SolverLimit(message, lower, upper, self._budget.spent)

    def _create_move_limit(self, error: SolverLimit, value: int) -> SolverLimit:
        """Return the error for a position of proven value whose best moves were not found because of `error`."""
        why = self._budget.explain_limit() if self._budget.is_exhausted(self._budget.spent) else error.message
        message = f"its value for the seat to move is {value}, but the best moves are not known: {why}"
        return SolverLimit(message, value, value, self._budget.spent)

    def _get_lower_bound(self, position: Position, seat: int, move: str) -> int:
        """Return the static lower bound of a legal move's value for `seat`, the seat to move, with two parties.

        Raise SolverLimit if the position after the move is too large.
        """
        after = position.play(move)
        gain = compute_margin(after, seat) - compute_margin(position, seat)
        if after.seat is None:
            return gain
        task = self._backend.create_task(after)
        return gain + (task.lower if are_partners(position, seat, after.seat) else -task.upper)

    def solve_move(self, position: Position, seat: int, after: Position, aim: int | None) -> int | None:
        """Return the value for `seat` of the move by which it reaches `after` (with an aim: None for another value).

        Raise SolverLimit, with the bounds of that value; with more than two parties they mean nothing.
        """
        gain = compute_margin(after, seat) - compute_margin(position, seat)
        if after.seat is None:
            return gain if aim in (None, gain) else None
        sign = 1 if are_partners(position, seat, after.seat) else -1
        try:
            task = self._backend.create_task(after)
            if aim is None:
                task.skip_nimber()  # the value of a move is the winner
            else:
                task.aim(sign * (aim - gain))
            if not run_task(task, self._backend, self._budget):
                raise self._create_limit(task.lower, task.upper)
        except SolverLimit as limit:
            limit.lower, limit.upper = sorted((gain + sign * limit.lower, gain + sign * limit.upper))
            raise
        changes = compute_margin_changes(task, after)
        if changes is None and task.lower != task.upper:
            return None
        worth = gain + (sign * task.lower if changes is None else changes[seat])
        return worth if aim in (None, worth) else None


def are_partners(position: Position, first: int, second: int) -> bool:
    """Return whether two seats win together; a seat wins together with itself."""
    return any(first in party and second in party for party in position.game.options.parties)


def compute_margin(position: Position | View, seat: int) -> int:
    """Return a seat's present points minus those of its best opponent."""
    rivals = [party for party in position.game.options.parties if seat not in party]
    return position.scores[seat] - max(position.scores[party[0]] for party in rivals)


def compute_margin_changes(task: SolveTask, position: Position) -> tuple[int, ...] | None:
    """Return the change of every seat's margin from here on; None with two parties or an unfinished task."""
    if task.margins is None:
        return None
    return tuple(margin - compute_margin(position, seat) for seat, margin in enumerate(task.margins))
