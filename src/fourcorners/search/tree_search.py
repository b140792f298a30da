"""Monte Carlo tree search for Python callers: budgets, stopping, progress, growing memory and results."""

from collections.abc import Callable, Sequence
from threading import Event
from typing import NamedTuple

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.arrays import Estimates
from fourcorners.core.bits import new_rng
from fourcorners.core.game import View
from fourcorners.core.slices import Budget, run_slices
from fourcorners.search import mcts, tree
from fourcorners.search.backpropagation import MARGIN, REWARD_ROWS, WON, Payoffs, write_rewards
from fourcorners.search.knowledge import SearchKnowledge

MAX_NODES = 1 << 19  # the nodes of a tree, 50 to 75 MB; a full tree stays as it is, and its simulations go on
_FIRST_NODES, _GROWTH = 1 << 10, 4
_SALT_BITS = 40  # the sum of this salt and a node's must not overflow


class SearchProgress(NamedTuple):
    """The progress of a search: simulations and seconds so far, and the used share of its budget, 0 to 1."""

    nodes: int
    seconds: float
    share: float


Reporter = Callable[[SearchProgress], None]


class ActionStats(NamedTuple):
    """The statistics of one action in a search; `seat` is the one to move.

    `margins` and `wins` (shares of the win), by seat, and `reward`, of the seat to move, are means over `visits`, or
    proven values if `solved`. More search of a pruned action cannot change the result: it is no better than another, or
    another is proven best.
    """

    action: int
    seat: int
    visits: int
    margins: tuple[float, ...]
    wins: tuple[float, ...]
    reward: float
    solved: bool
    pruned: bool = False

    @property
    def margin(self) -> float:
        """The margin of the seat to move."""
        return self.margins[self.seat]

    @property
    def win(self) -> float:
        """The share of the win of the seat to move."""
        return self.wins[self.seat]


class TreeSearch:
    """A tree search of a view, for the seat to move.

    It uses only the view's game and record, and its moves if the game weighs hidden worlds by them.
    """

    def __init__(self, view: View, seed: int, weights: Sequence[float] = (), max_nodes: int = MAX_NODES) -> None:
        """Set up a tree with its root alone, for at most `max_nodes` nodes (1 or more); the game must not be over.

        `seed`, any integer, determines all random numbers. Without `weights` (see `Root`), only the rules are used.
        """
        game = view.game
        self.simulations = 0  # since the root was set
        self._is_hidden = game.spec.hidden
        self._rules = game.spec.rules
        self._max_nodes = max_nodes
        knowledge, weigh = np.array(weights, np.float64), game.spec.part(SearchKnowledge).weigh_worlds
        beliefs = np.zeros((0, 0)) if weigh is None else weigh(view, knowledge)
        self._root = mcts.Root(np.array(view.states), knowledge, beliefs)
        self._tree = tree.create_tree(min(_FIRST_NODES, max_nodes), game.seats)
        parties = np.zeros(game.seats, np.int64)
        for party, seats in enumerate(game.options.parties):
            parties[list(seats)] = party
        points, rewards = np.zeros(self._rules.MAX_SEATS), np.zeros((REWARD_ROWS, game.seats), np.float64)
        self._payoffs = Payoffs(points, rewards, parties)
        self._rng = new_rng(seed)
        self._salt = int(self._rng[0]) >> (64 - _SALT_BITS)
        self._grows = True
        self._make_buffers(int(compiled_api.bound(view.states, 0)))
        self.choices = len(compiled_api.list_legal(view.states, 0))  # how many actions are legal at the root

    def _make_buffers(self, length: int) -> None:
        """Replace all buffers by empty ones for up to `length` legal actions."""
        self._buffers = mcts.Buffers(
            work=np.zeros(2, self._rules.DTYPE),
            path=np.zeros(self._rules.MAX_PLIES + 1, np.int64),
            actions=np.zeros(length, np.int64),
            priors=np.zeros(length),
        )

    @property
    def used_nodes(self) -> int:
        """The number of nodes in all blocks, including unused places and free blocks."""
        return int(self._tree.allocator[tree.USED])

    @property
    def is_solved(self) -> bool:
        """Whether the outcome is proven, so that more simulations are useless."""
        return bool(self._tree.nodes[0]["solved"])

    def advance(self, simulations: int) -> bool:
        """Run `simulations` more, fewer if the outcome is proven; return whether it is. Memory grows as needed."""
        end = self.simulations + simulations
        while self.simulations < end and not self.is_solved:
            self.simulations += self._run_simulations(end - self.simulations)
            if self.simulations < end and not self.is_solved:
                self._make_room()
        return self.is_solved

    def _run_simulations(self, simulations: int) -> int:
        """Run up to `simulations` until the outcome is proven or an array is too short; return the number that ran."""
        state = self._root, self._tree, self._buffers, self._payoffs, self._rng, simulations
        if self._is_hidden:
            return int(mcts.advance_hidden(*state, int(self._grows)))
        return int(mcts.advance(*state, self._salt, int(self._grows)))

    def _make_room(self) -> None:
        """Enlarge the buffers, or the tree up to `max_nodes`, after which it no longer grows."""
        needed = int(self._tree.allocator[tree.NEEDED_LENGTH])
        if needed > len(self._buffers.actions):
            self._make_buffers(needed + needed // 2)
        elif len(self._tree.nodes) < self._max_nodes:
            self._tree = self._tree.grow(min(_GROWTH * len(self._tree.nodes), self._max_nodes))
        else:
            self._grows = False

    def run(
        self, nodes: int | None, seconds: float | None, stop: Event | None = None, progress: Reporter | None = None
    ) -> None:
        """Run until a budget is used up (None: no limit), the outcome is proven, or `stop` is set.

        At least one simulation has then run since the root was set. `nodes` limits all simulations since then.
        `progress` is called in this thread; its errors pass through.
        """
        budget = Budget(nodes, seconds, stop)
        if self.simulations == 0:
            self.advance(1)

        def report() -> None:
            if progress is not None:
                progress(SearchProgress(self.simulations, budget.elapsed_seconds, budget.usage(self.simulations)))

        report()
        if self.is_solved or budget.is_exhausted(self.simulations):
            return
        if run_slices(self.advance, budget, lambda: self.simulations, report):
            report()

    def follow(self, actions: Sequence[int], view: View) -> bool:
        """Move the root to the position after some actions, shown by `view`, and keep its subtree; return True.

        Return False, with the search unchanged, if the tree lacks the actions, if they lead to a solved node without
        children, or after any action in a game with hidden information, as other worlds were possible. Otherwise
        `simulations` is 0 again. This does not check that `view` shows the position; the game must not be over there.
        """
        node = 0
        for action in actions:
            tried = [int(code) for code in tree.get_children(self._tree, node)["action"]]
            if self._is_hidden or action not in tried:
                return False
            node = int(self._tree.nodes[node]["first_child"]) + tried.index(action)
        if self._tree.nodes[node]["solved"] and self._tree.nodes[node]["child_count"] == 0:
            return False
        self._root = self._root._replace(states=np.array(view.states))
        if node != 0:
            self._tree = self._tree.extract_subtree(node)
        self._grows, self.simulations = True, 0
        self.choices = len(compiled_api.list_legal(view.states, 0))
        return True

    def rank_actions(self) -> list[ActionStats]:
        """Return the statistics of every action tried, the best first by `tree.order_actions`; [] if there is none."""
        first, pruned = int(self._tree.nodes[0]["first_child"]), tree.find_pruned(self._tree, 0)
        children = np.array(tree.rank_children(self._tree, 0), np.int64)
        nodes = self._tree.nodes[children]
        # There may be thousands, so columns are read at once: one field of one node takes as long as a simulation.
        visits = nodes["visits"]
        wins, margins = np.hsplit(self._tree.sums[children] / visits[:, None], 2)
        for row in np.flatnonzero(nodes["solved"]).tolist():
            margins[row], wins[row] = self._find_proven_end(int(children[row]))
        sides = (map(tuple, column.tolist()) for column in (margins, wins))
        means, solved = self._tree.stats[children, tree.MEAN], nodes["solved"] != 0
        columns = (column.tolist() for column in (means, solved, pruned[children - first] != 0))
        heads = (nodes[name].tolist() for name in ("action", "seat", "visits"))
        return [ActionStats(*row) for row in zip(*heads, *sides, *columns, strict=True)]

    def _find_proven_end(self, child: int) -> tuple[Estimates, Estimates]:
        """Return every seat's margin and share of the win at the proven end of the node `child`."""
        rewards = np.zeros_like(self._payoffs.rewards)
        points = self._tree.proofs[child].astype(np.float64)
        write_rewards(self._payoffs._replace(points=points, rewards=rewards), 0.0)
        return rewards[MARGIN], rewards[WON]

    def principal_variation(self, limit: int, first: int | None = None) -> list[int]:
        """Return up to `limit` expected actions from the root, or from an action tried there.

        With hidden information, later actions may be illegal.
        """
        return tree.find_principal_variation(self._tree, limit, first)
