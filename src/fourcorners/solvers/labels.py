"""Exact values of many positions as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import compiled_api, compiled_encoding
from fourcorners.core.arrays import States
from fourcorners.core.errors import OptionError, SolverLimit, quote
from fourcorners.core.game import Game, Position, copy_states
from fourcorners.solvers import quick_labels
from fourcorners.solvers.quick_labels import Columns, QuickLabels
from fourcorners.solvers.solver_protocol import SolverBackend
from fourcorners.solvers.solver_run import SolveBudget, SolverRun
from fourcorners.solvers.transposition_table import UNKNOWN


class RecordBatch(Protocol):
    """Many games of one kind, such as `fourcorners.envs.Batch`."""

    @property
    def game(self) -> Game:
        """Their rules and options."""

    @property
    def records(self) -> NDArray[np.void]:
        """(n,): their positions, as full records of the rules."""


@dataclass(frozen=True, eq=False)
class Labels:
    """The values of n positions and, if they are wanted, of their m legal moves.

    A value is the remaining margin for the seat to move, as in a `Solution`: the margin at the end of the game minus
    the present one, or 1 for a win and -1 for a loss in a game without points. It is 0 in a finished game.
    """

    value: NDArray[np.int64]
    """(n,): the value; 0 where it is not exact."""
    lower: NDArray[np.int64]
    """(n,): the proven lower bound of the value."""
    upper: NDArray[np.int64]
    """(n,): the proven upper bound."""
    exact: NDArray[np.bool_]
    """(n,): whether the bounds are equal, and so the value is proven."""
    best: NDArray[np.int64]
    """(n,): the index of a best move, the first one known; -1 if none is proven to be best, in a finished game, and for
    a move that has no index. Indices are those of the game's encoding, or codes of its rules if it has none.
    """
    offsets: NDArray[np.int64] | None = None
    """(n + 1,): the moves of position i are those from `offsets[i]` to before `offsets[i + 1]`, in the order of the
    rules. This and what follows is None unless every move is wanted.
    """
    actions: NDArray[np.int64] | None = None
    """(m,): the index of each move, -1 if it has none."""
    values: NDArray[np.int64] | None = None
    """(m,): the value of each move for the seat that makes it; 0 where it is not exact."""
    lowers: NDArray[np.int64] | None = None
    """(m,): the proven lower bounds of `values`."""
    uppers: NDArray[np.int64] | None = None
    """(m,): the proven upper bounds of `values`."""
    is_best: NDArray[np.bool_] | None = None
    """(m,): whether each move is proven to be best; all best moves are, where all values of a position are exact."""


def read_records(game: Game, positions: object) -> States:
    """Return the records of positions of a game, or of a batch of it, as (n,); raise OptionError for anything else."""
    allowed = f"it must be a list of Positions of {game!r}, or a batch of its games"
    records: States | None = getattr(positions, "records", None)
    if records is not None:
        other = getattr(positions, "game", None)
        if other != game:
            raise OptionError("positions", f"a batch of {other!r} is not allowed; {allowed}")
        return records
    if not isinstance(positions, Iterable):
        raise OptionError("positions", f"{quote(positions)} is not allowed; {allowed}")
    content = bytearray()
    for i, position in enumerate(positions):
        if not isinstance(position, Position) or position.game != game:
            raise OptionError("positions", f"positions[{i}], {quote(position)}, is not allowed; {allowed}")
        content += position.states.tobytes()
    return np.frombuffer(content, game.spec.rules.DTYPE)


def find_labels(
    backend: SolverBackend,
    quick: QuickLabels | None,
    game: Game,
    states: States,
    *,
    every_move: bool,
    nodes: int | None,
) -> Labels:
    """Return the labels of records, (n,), of a game, with about `nodes` nodes for each at most; None means no limit.

    `quick` shares the memory of `backend`; None for a game without compiled labels.
    """
    backend.limit_growth(None)
    bounds = np.zeros(len(states), np.int64)
    quick_labels.measure_lists(states, bounds)
    longest = int(bounds.max(initial=0))
    columns = _create_columns(states, bounds > 0, longest, every_move=every_move)
    if quick is not None:
        quick.fill(states, columns, longest, nodes)
    for i in np.flatnonzero(columns.is_open).tolist():
        left = None if nodes is None else nodes - int(columns.nodes[i])
        if left is None or left > 0:
            _label_position(SolverRun(backend, SolveBudget(nodes=left)), game, states[i : i + 1], columns, i)
    return _make_labels(columns)


def _create_columns(states: States, is_open: NDArray[np.bool_], longest: int, *, every_move: bool) -> Columns:
    """Return the columns for records, of which those that are not open are finished games: nothing else is known."""
    n = len(states)
    offsets = np.zeros(n + 1 if every_move else 0, np.int64)
    if every_move:
        quick_labels.count_moves(states, is_open, np.zeros(longest, np.int64), offsets)
    m = int(offsets[-1]) if every_move else 0
    return Columns(
        lower=np.where(is_open, -UNKNOWN, 0),
        upper=np.where(is_open, UNKNOWN, 0),
        best=np.full(n, -1),
        nodes=np.zeros(n, np.int64),
        is_open=is_open,
        offsets=offsets,
        actions=np.full(m, -1),
        lowers=np.full(m, -UNKNOWN),
        uppers=np.full(m, UNKNOWN),
    )


def _label_position(run: SolverRun, game: Game, states: States, columns: Columns, i: int) -> None:
    """Fill in the columns of position i, with the record `states[0]`, within the limits of the run."""
    position = Position(game, copy_states(states), ())
    seat = position.seat or 0
    try:
        task = run.solve_root(position, skip_nimber=True)
        lower, upper = task.lower, task.upper
    except SolverLimit as limit:
        lower, upper = limit.lower, limit.upper
    columns.lower[i], columns.upper[i] = max(columns.lower[i], lower), min(columns.upper[i], upper)
    every_move = len(columns.offsets) > 0
    if not every_move and lower < upper:
        return
    actions = np.zeros(compiled_api.bound(states, 0), np.int64)
    indices = np.zeros_like(actions)
    for k in range(compiled_encoding.list_actions(states, 0, actions, indices)):
        played = copy_states(states)
        compiled_api.play(played, 0, int(actions[k]))
        after = Position(game, played, ())
        try:
            worth = run.solve_move(position, seat, after, None if every_move else lower)
        except SolverLimit as limit:
            if not every_move:
                return
            low, high = (limit.lower, limit.upper) if len(game.options.parties) == 2 else run.bound_statically(position)
        else:
            if not every_move and worth is not None:
                columns.best[i] = indices[k]
                return
            low = high = worth or 0
        if every_move:
            at = columns.offsets[i] + k
            columns.actions[at] = indices[k]
            columns.lowers[at], columns.uppers[at] = max(columns.lowers[at], low), min(columns.uppers[at], high)


def _make_labels(columns: Columns) -> Labels:
    """Return the labels of filled columns, whose bounds this narrows."""
    lower, upper, lowers, uppers = columns.lower, columns.upper, columns.lowers, columns.uppers
    if not len(columns.offsets):
        exact = lower == upper
        return Labels(np.where(exact, lower, 0), lower, upper, exact, columns.best)
    # A position is worth as much as its best move, and no move is worth more.
    rows = np.repeat(np.arange(len(lower)), np.diff(columns.offsets))
    highest = np.where(np.diff(columns.offsets) > 0, -UNKNOWN, upper)
    np.maximum.at(highest, rows, uppers)
    np.maximum.at(lower, rows, lowers)
    np.minimum(upper, highest, out=upper)
    np.minimum(uppers, upper[rows], out=uppers)
    exact = lower == upper
    is_best = exact[rows] & (lowers == lower[rows])
    firsts = np.flatnonzero(is_best)[::-1]  # of several values for an index, NumPy keeps the last
    columns.best[rows[firsts]] = columns.actions[firsts]
    return Labels(
        np.where(exact, lower, 0),
        lower,
        upper,
        exact,
        columns.best,
        columns.offsets,
        columns.actions,
        np.where(lowers == uppers, lowers, 0),
        lowers,
        uppers,
        is_best,
    )
