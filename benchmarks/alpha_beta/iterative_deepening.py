"""Alpha-beta for Python callers: iterative deepening with an aspiration window around the value of the last depth."""

from collections.abc import Sequence
from threading import Event

import numpy as np

from benchmarks.alpha_beta import search
from benchmarks.alpha_beta.search import CONTROL_WORDS, INFINITY, NEEDED_LENGTH, NODES, POINT, PROVEN, VALUE
from fourcorners.core import compiled_api
from fourcorners.core.game import View
from fourcorners.core.slices import Budget, run_slices
from fourcorners.search.tree_search import ActionStats

MAX_DEPTH = 127
_ENTRIES, _HISTORY = 1 << 19, 1 << 12
_FIRST_WINDOW, _WINDOW_GROWTH, _FIRST_SLICE = POINT, 4, 256
_LIKELY_LEAD = 4  # the lead in points at which, unless it is proven, 3 of 4 games are assumed to be won


def can_search(view: View) -> bool:
    """Return whether alpha-beta can search what a view shows: nothing is hidden, and there are two parties."""
    return not view.game.spec.hidden and len(view.game.options.parties) == 2


class IterativeDeepening:
    """A search of what a view shows; its nodes count as simulations."""

    def __init__(self, view: View, weights: Sequence[float] = ()) -> None:
        """Set up an empty table and begin at the view's position. Not checked: `can_search(view)` holds, the game is
        not over, and `weights` are those of a `Level` of this game, or empty.
        """
        game = view.game
        rules, parties = game.spec.rules, game.options.parties
        party_of_seat = [next(i for i, party in enumerate(parties) if seat in party) for seat in range(game.seats)]
        self._evaluation = search.Evaluation(
            weights=np.array(weights, np.float64),
            estimates=np.zeros(rules.MAX_SEATS),
            parties=np.array([*party_of_seat, parties[0][0], parties[1][0]], np.int64),
        )
        self._memory = search.Memory(np.zeros(_ENTRIES, search.ENTRY), np.zeros(_HISTORY))
        self._stack = search.Stack(
            states=np.zeros(MAX_DEPTH + 1, rules.DTYPE),
            frames=np.zeros(MAX_DEPTH + 1, search.FRAME),
            actions=np.zeros(0, np.int64),
            priors=np.zeros(0),
            control=np.zeros(CONTROL_WORDS, np.int64),
        )
        self._set_root(view)

    def _set_root(self, view: View) -> None:
        """Begin again at depth 0, with no nodes, at another position of the same game; keep the table."""
        states = self._stack.states
        states[0] = view.states[0]
        self._stack.control[NODES] = 0
        self.depth, self.is_solved, self._value = 0, False, 0
        self._best: int | None = None
        own = next(party for party in view.game.options.parties if view.seat in party)
        self._own = [seat in own for seat in range(view.game.seats)]
        self._root_actions = np.zeros(compiled_api.bound(view.states, 0), np.int64)
        self.choices = int(compiled_api.legal(view.states, 0, self._root_actions))
        self._make_room(8 * len(self._root_actions))

    def _make_room(self, length: int) -> None:
        """Make the action buffer at least `length` long; the actions are in use and stay, the priors may be lost."""
        if length > len(self._stack.actions):
            actions = np.resize(self._stack.actions, length)
            self._stack = self._stack._replace(actions=actions, priors=np.zeros(length))

    @property
    def simulations(self) -> int:
        """The number of nodes searched since the root was set."""
        return int(self._stack.control[NODES])

    def follow(self, view: View) -> None:
        """Continue from a later position of the same game, not the end; keep the table."""
        self._set_root(view)

    def run(self, nodes: int | None, seconds: float | None, stop: Event | None = None) -> None:
        """Search ever deeper until a budget is used up (None: no limit), `stop` is set, or the value is proven.

        Then `rank_actions` has the result. Depth 1 is always finished; a later call begins an unfinished depth again,
        with at least one node unless the search is solved or at MAX_DEPTH. `nodes` limits those since the root was set.
        """
        budget = Budget(nodes, seconds, stop)
        while not self.is_solved and self.depth < MAX_DEPTH:
            if not self._deepen(budget if self.depth > 0 else Budget()) or budget.is_exhausted(self.simulations):
                return

    def _deepen(self, budget: Budget) -> bool:
        """Search one ply deeper; return whether the budget sufficed: `depth` grew."""
        depth, window = self.depth + 1, _FIRST_WINDOW
        low, high = (self._value - window, self._value + window) if self.depth > 0 else (-INFINITY, INFINITY)
        while True:
            search.start(self._stack, low, high, depth)
            if not run_slices(self._advance_slice, budget, lambda: self.simulations, None, _FIRST_SLICE):
                return False
            value = int(self._stack.control[VALUE])
            # A result below the window does not say which move is best.
            if value > low:
                self._best = int(self._stack.frames[0]["action"])
            window *= _WINDOW_GROWTH
            if value <= low:
                low = -INFINITY if window > INFINITY else value - window
            elif value >= high:
                high = INFINITY if window > INFINITY else value + window
            else:
                break
        self._value, self.depth, self.is_solved = value, depth, bool(self._stack.control[PROVEN])
        return True

    def _advance_slice(self, nodes: int) -> bool:
        """Continue the search on the stack for up to `nodes` nodes and grow the buffers; return whether it is done."""
        end = self.simulations + nodes
        while True:
            status = int(search.advance(self._stack, self._memory, self._evaluation, end - self.simulations))
            if status != search.NO_ROOM:
                return status == search.DONE
            self._make_room(2 * int(self._stack.control[NEEDED_LENGTH]))

    def rank_actions(self) -> list[ActionStats]:
        """Return the best action, then the other legal ones with zeros, as nothing is known of them.

        The best one has all nodes as its visits, the margin of the last finished depth in points, and a chance to win
        estimated from that. Before any search it is the first legal action, with the margin 0.
        """
        margin = self._value / POINT
        win = 0.5 if margin == 0 else 0.5 + 0.5 * margin / (abs(margin) + (0 if self.is_solved else _LIKELY_LEAD))
        best = int(self._root_actions[0]) if self._best is None else self._best
        others = [int(action) for action in self._root_actions[: self.choices] if action != best]
        margins = tuple(margin if is_own else -margin for is_own in self._own)
        wins = tuple(win if is_own else 1.0 - win for is_own in self._own)
        stats = ActionStats(best, self._own.index(True), self.simulations, margins, wins, win, self.is_solved)
        nothing = stats._replace(
            visits=0, margins=(0.0,) * len(wins), wins=(0.0,) * len(wins), reward=0.0, solved=False
        )
        return [stats, *(nothing._replace(action=action) for action in others)]
