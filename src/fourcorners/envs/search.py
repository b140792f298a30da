"""Search of many positions at once, guided by a program's own evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import arguments
from fourcorners.core.bits import new_rng
from fourcorners.core.encoding import copy_records
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Position, View
from fourcorners.envs import search_kernels
from fourcorners.envs.batch import MOST_MASKED_ACTIONS, Batch
from fourcorners.envs.encoding import Encoding, describe_values, list_actions, make_array
from fourcorners.envs.rewards import number_parties
from fourcorners.envs.search_kernels import Forest
from fourcorners.players.computer import MAX_NODES, require_own_view
from fourcorners.players.view_search import Search as ViewSearch

Lists = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Lists of the indices of many positions, one after the other: offsets, (m + 1,), and indices."""
Evaluate = Callable[[NDArray[np.float32], Any], tuple[Any, Any]]
_NOTHING = np.zeros(0, np.int64)
_NOISE_ACTIONS = 10.0  # about so many actions of a root share most of its noise


class Search:
    """Tree searches of many positions, which grow together; the same seed gives the same results.

    >>> import fourcorners as fc
    >>> def evaluate(observations, masks):
    ...     return np.zeros(masks.shape), np.zeros((len(masks), 2))
    >>> batch = fc.envs.Batch(fc.games()[1], 8, seed=1)
    >>> search = fc.envs.Search(batch, evaluate=evaluate, simulations=50, seed=1).run()
    >>> search.visits.shape, set(search.visits.sum(axis=1).tolist()), search.values.shape
    ((8, 60), {50}, (8, 2))

    With hidden information, each simulation deals anew what the seat to move at the root does not know.
    """

    def __init__(
        self,
        roots: Batch | Iterable[Position | View],
        *,
        evaluate: Evaluate | None = None,
        simulations: int,
        seed: int,
        noise: float = 0.0,
        exploration: float = 1.25,
    ) -> None:
        """Set up the search of each game of a batch, or of each position or view, for the seat to move.

        `evaluate(observations, masks)` is called with leaves of many trees at once: what the seat to move knows, as
        `Batch.observe` writes it, and which indices are legal, (m, count). It returns logits, (m, count), of which only
        the legal ones count, and the value of each leaf for every seat, (m, seats), in the rewards "win" of a batch.
        `seat` then has the seats to move. A game of more than MOST_MASKED_ACTIONS indices has no masks: it passes
        lists, as `Batch.legal_actions` has them, and gets a logit for each entry. `evaluate` must not keep the arrays.

        Without `evaluate`, each tree is that of a `fourcorners.Search`. Tree i has the seed + i.

        `noise`, 0 to 1, is the share of random numbers in the priors of the roots. `exploration` is the constant of
        PUCT: how much a prior counts.

        Raise OptionError for a wrong argument, and GameError for a position whose game is over, or if `evaluate` is
        given for a game without an encoding. Games of a batch may be over; they are left out.
        """
        arguments.check_callback("evaluate", evaluate)
        self._evaluate = evaluate
        self._simulations = arguments.check_int("simulations", simulations, 1, MAX_NODES)
        number = arguments.as_int(seed)
        if number is None:
            raise OptionError("seed", f"{quote(seed)} is not allowed; it must be a whole number")
        self._seed = number
        self._noise = _check_number("noise", noise, 1)
        self._exploration = _check_number("exploration", exploration, 1_000_000)
        self._views: list[View | None]
        if isinstance(roots, Batch):
            self.encoding = roots.encoding
            self._views = [roots.view(i) if seat >= 0 else None for i, seat in enumerate(roots.seat)]
        else:
            views = _list_views(roots)
            self.encoding, self._views = Encoding(views[0].game), [*views]
        if evaluate is not None:
            _ = self.encoding.shape  # raises GameError without an encoding
        count = self.encoding.count
        self.has_masks = count is not None and count <= MOST_MASKED_ACTIONS
        """Whether `evaluate` gets masks, and `visits` and `policy` have an entry for every index."""
        self.seat = _NOTHING
        """(m,): the seats to move at the leaves, while `evaluate` is called."""
        self._lists = [(_NOTHING, _NOTHING) if view is None else _list_indexed(view) for view in self._views]
        self._visits = [np.zeros(len(indices), np.int64) for _, indices in self._lists]
        self.values = np.zeros((len(self), self.encoding.game.seats))
        """(n, seats): what each seat can expect of the reward "win"; 0 where the game is over."""
        self.best = np.full(len(self), -1)
        """(n,): the index of the best action that has one; -1 where the game is over."""

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self._views)

    @property
    def legal_actions(self) -> Lists:
        """The legal indices of all roots, one list after the other, as `Batch.legal_actions` has them."""
        lists = [indices for _, indices in self._lists]
        return np.cumsum([0, *map(len, lists)]), np.concatenate([_NOTHING, *lists])

    @property
    def visits(self) -> NDArray[np.int64]:
        """How many simulations began with each index, (n, count); without masks, with each entry of `legal_actions`."""
        if not self.has_masks:
            return np.concatenate([_NOTHING, *self._visits])
        result = np.zeros((len(self), self.encoding.count or 0), np.int64)
        for row, (_, indices), visits in zip(result, self._lists, self._visits, strict=True):
            row[indices] = visits
        return result

    @property
    def policy(self) -> NDArray[np.float64]:
        """The visits of each tree as shares."""
        totals = np.array([max(1, visits.sum()) for visits in self._visits])
        lengths = [len(visits) for visits in self._visits]
        shares: NDArray[np.float64] = self.visits / (totals[:, None] if self.has_masks else np.repeat(totals, lengths))
        return shares

    def run(self) -> Search:
        """Run the simulations anew; return the search.

        Raise OptionError if `evaluate` returns anything but numbers of these shapes. Its own errors pass through.
        """
        running = [(i, view) for i, view in enumerate(self._views) if view is not None]
        if self._evaluate is None:
            for i, view in running:
                self._run_alone(i, view)
        elif running:
            self._run_together(self._evaluate, running)
        return self

    def _run_alone(self, i: int, view: View) -> None:
        """Run a tree without an evaluation."""
        search = ViewSearch(view, seed=self._seed + i).run(simulations=self._simulations)
        actions, indices = self._lists[i]
        moves = [view.game.spec.notation.format(view.record, action) for action in actions.tolist()]
        visits = {move.move: move.visits for move in search.moves}  # the best move first
        self._visits[i][:] = [visits.get(move, 0) for move in moves]
        self.best[i] = next((indices[moves.index(move)] for move in visits if move in moves), -1)
        parties = len(view.game.options.parties)
        self.values[i] = (parties * np.array(search.wins) - 1) / (parties - 1)

    def _run_together(self, evaluate: Evaluate, running: list[tuple[int, View]]) -> None:
        """Run trees round by round: one leaf of each, and the evaluation of all."""
        game, size = self.encoding.game, len(running)
        forest = self._plant(running)
        rows, seats = np.zeros(size, np.int64), np.zeros(size, np.int64)
        planes = np.zeros((size, *self.encoding.shape), np.float32)
        masks = np.zeros((size, (self.encoding.count or 0) if self.has_masks else 0), np.bool_)
        is_first = True
        while m := int(search_kernels.descend(forest, self._exploration, int(game.spec.hidden), rows)):
            actions = np.zeros(search_kernels.find_most_legal(forest, rows[:m]), np.int64)
            indices, offsets = np.zeros_like(actions), np.zeros(m + 1, np.int64)
            search_kernels.list_legal(forest, rows[:m], actions, indices, offsets)
            search_kernels.observe(forest, rows[:m], planes.reshape(size, len(planes[0]), -1), masks, seats)
            self.seat = seats[:m]
            # The lists are needed again below, so `evaluate` gets copies, which it may write to.
            legal = masks[:m] if self.has_masks else (offsets.copy(), indices[: offsets[-1]].copy())
            logits, values = self._check(evaluate(planes[:m], legal), m, offsets, indices)
            forest = _make_room(forest, rows[:m], offsets)
            search_kernels.expand(forest, rows[:m], actions, offsets, logits, values)
            if is_first:
                self._add_noise(forest)
                is_first = False
        self.seat = _NOTHING
        for row, (i, _) in enumerate(running):
            self._read(forest, row, i)

    def _plant(self, running: list[tuple[int, View]]) -> Forest:
        """Return trees of a root each."""
        game, size = self.encoding.game, len(running)
        roots = np.zeros(size, self.encoding.dtype)
        copy_records(np.concatenate([view.states for _, view in running]), roots)
        shape = size, self._simulations + 1
        return Forest(
            roots=roots,
            leaves=roots.copy(),
            rngs=np.concatenate([new_rng(self._seed + i) for i, _ in running]),
            parties=number_parties(game),
            left=np.full(size, shape[1]),
            sizes=np.tile([1, 0], (size, 1)),
            visits=np.zeros(shape, np.int32),
            totals=np.zeros((*shape, game.seats)),
            edges=np.zeros((*shape, 2), np.int64),
            actions=np.zeros((size, 0), np.int64),
            priors=np.zeros((size, 0), np.float32),
            children=np.zeros((size, 0), np.int32),
            paths=np.zeros((size, game.spec.rules.MAX_PLIES + 1), np.int32),
            depths=np.zeros(size, np.int64),
            points=np.zeros(game.spec.rules.MAX_SEATS, np.int64),
            values=np.zeros(game.seats, np.float32),
        )

    def _check(
        self, answer: object, m: int, offsets: NDArray[np.int64], indices: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the logits of the legal actions, one list after the other, and the values; raise OptionError."""
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise OptionError("evaluate", f"it returned {quote(answer)}; it must return logits and values")
        shape = (m, self.encoding.count) if self.has_masks else (int(offsets[-1]),)
        logits = _check_numbers("logits", answer[0], shape)
        if self.has_masks:
            logits = logits[np.repeat(np.arange(m), np.diff(offsets)), indices[: offsets[-1]]]
        values = _check_numbers("values", answer[1], (m, self.encoding.game.seats))
        for name, numbers in (("logits of legal actions", logits), ("values", values)):
            if not np.isfinite(numbers).all():
                raise OptionError("evaluate", f"it returned {name} that are not finite")
        return np.ascontiguousarray(logits), np.ascontiguousarray(values)

    def _add_noise(self, forest: Forest) -> None:
        """Mix random numbers into the priors of the roots."""
        for row, size in enumerate(forest.edges[:, 0, 1].tolist()):
            if self._noise > 0 and size > 0:
                rng = np.random.default_rng(int(forest.rngs[row]))
                random = rng.dirichlet(np.full(size, _NOISE_ACTIONS / size))
                forest.priors[row, :size] = (1 - self._noise) * forest.priors[row, :size] + self._noise * random

    def _read(self, forest: Forest, row: int, i: int) -> None:
        """Read the results of a tree."""
        actions, indices = self._lists[i]
        first, size = forest.edges[row, 0].tolist()
        children = forest.children[row, first : first + size]
        visits = np.where(children > 0, forest.visits[row, children], 0)
        found = dict(zip(forest.actions[row, first : first + size].tolist(), visits.tolist(), strict=True))
        self._visits[i][:] = [found.get(action, 0) for action in actions.tolist()]
        self.values[i] = forest.totals[row, 0] / forest.visits[row, 0]
        self.best[i] = indices[self._visits[i].argmax()]


def _list_views(roots: object) -> list[View]:
    """Return the views of the seats to move in positions or views; raise GameError for anything else."""
    if not isinstance(roots, Iterable):
        raise OptionError(
            "roots", f"{quote(roots)} is not allowed; it must be a batch, or a list of positions or views"
        )
    views = [require_own_view(root) for root in roots]
    if len({view.game for view in views}) != 1:
        raise OptionError("roots", "there must be at least one position, and all must be of the same game")
    return views


def _list_indexed(view: View) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the legal actions that have an index, and their indices."""
    actions, indices = list_actions(view.states)
    return actions[indices >= 0], indices[indices >= 0]


def _make_room(forest: Forest, rows: NDArray[np.int64], offsets: NDArray[np.int64]) -> Forest:
    """Return trees with room for the edges that the leaves of some may get."""
    ends = forest.paths[rows, forest.depths[rows]]
    needed = int((forest.sizes[rows, 1] + forest.edges[rows, ends, 1] + np.diff(offsets)).max())
    room = forest.actions.shape[1]
    if needed <= room:
        return forest
    wide = [np.zeros((len(old), 2 * needed), old.dtype) for old in (forest.actions, forest.priors, forest.children)]
    for new, old in zip(wide, (forest.actions, forest.priors, forest.children), strict=True):
        new[:, :room] = old
    return forest._replace(actions=wide[0], priors=wide[1], children=wide[2])


def _check_numbers(name: str, values: object, shape: tuple[int | None, ...]) -> NDArray[np.float32]:
    """Return what `evaluate` returned as numbers; raise OptionError for another shape or type."""
    array = make_array(values)
    if array.shape != shape or array.dtype.kind not in "fiu":
        found = describe_values(values, array)
        raise OptionError("evaluate", f"it returned the {name} {found}; they must be numbers of the shape {shape}")
    with np.errstate(over="ignore"):  # what becomes infinite is refused where it counts
        return array.astype(np.float32)


def _check_number(name: str, value: object, most: int) -> float:
    """Return a number; raise OptionError unless it is from 0 to `most`."""
    number = arguments.as_number(value)
    if number is None or not 0 <= number <= most:
        raise OptionError(name, f"{quote(value)} is not allowed; it must be a number from 0 to {most}")
    return float(number)
