"""Backpropagation: the outcome of a simulation goes up the tree, as means and, where it is certain, as proofs."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import Actions, Estimates
from fourcorners.core.jit import jitable_no_alloc
from fourcorners.search.tree import HIGH, LOW, MEAN, PRIOR, PRUNED, UNBOUNDED, WIDTH, Tree

MARGIN_SHARE = 0.2  # the part of the reward that depends on the margin; the rest depends on winning
MARGIN_KNEE = 0.125  # the share of all points at which a margin earns half of its greatest reward
_MOST_LOG_ODDS = 50.0  # prevents overflow

Parties = NDArray[np.int64]  # (seats,): the number of the party with which each seat wins
REWARD, WON, MARGIN, BEST, REWARD_ROWS = range(5)  # rows of `Payoffs.rewards`, and their number


class Payoffs(NamedTuple):
    """The value of a simulation's outcome to every seat.

    - `points`: (MAX_SEATS,) float64, the points of every seat at the end: whole numbers, or estimates.
    - `rewards`: (4, seats) float64. By row: the reward (0 to 1), the share of the win (0 to 1), the margin over the
      best other party, and the largest reward seen so far.
    - `parties`: (seats,) int64, the party of every seat.
    """

    points: Estimates
    rewards: NDArray[np.float64]
    parties: Parties


@jitable_no_alloc
def back_up_outcome(tree: Tree, path: Actions, depth: int, payoffs: Payoffs, spread: float) -> None:
    """Add the outcome in `payoffs.points` to the nodes `path[0]` (the root) to `path[depth]`; update all rewards.

    `spread` is as in `write_rewards`. Solved nodes and the root keep their MEAN and WIDTH.
    """
    write_rewards(payoffs, spread)
    rewards, seats = payoffs.rewards, len(payoffs.parties)
    for seat in range(seats):
        rewards[BEST, seat] = max(rewards[BEST, seat], rewards[REWARD, seat])
    for i in range(depth + 1):
        index = path[i]
        node: Any = tree.nodes[index]
        visits = np.int64(node.visits) + 1
        node.visits = visits
        for seat in range(seats):
            tree.sums[index, seat] += rewards[WON, seat]
            tree.sums[index, seats + seat] += rewards[MARGIN, seat]
        if i < depth:
            node.child_visits += 1
            node.child_rewards += rewards[REWARD, tree.nodes[path[i + 1]].seat]
        if i > 0 and node.solved == 0:
            tree.stats[index, MEAN] += (rewards[REWARD, np.int64(node.seat)] - tree.stats[index, MEAN]) / visits
            tree.stats[index, WIDTH] = 1.0 / math.sqrt(visits)


@jitable_no_alloc
def mark_solved(tree: Tree, index: int, payoffs: Payoffs) -> None:
    """Record that play from node `index` ends with `payoffs.points`, and its MEAN; overwrite all rewards but BEST."""
    node: Any = tree.nodes[index]
    seats = len(payoffs.parties)
    node.solved = 1
    write_rewards(payoffs, 0.0)
    for seat in range(seats):
        tree.proofs[index, seat] = np.int64(payoffs.points[seat])
    tree.proofs[index, seats + LOW] = tree.proofs[index, seats + HIGH] = np.int64(payoffs.rewards[MARGIN, 0])
    if node.seat >= 0:
        tree.stats[index, MEAN] = payoffs.rewards[REWARD, node.seat]
        tree.stats[index, WIDTH] = 0.0


@jitable_no_alloc
def propagate_proof(tree: Tree, path: Actions, depth: int, payoffs: Payoffs) -> None:
    """Update the proofs of the nodes above the solved node `path[depth]`, until one does not change or up to the root.

    Overwrite the points of `payoffs`, and its rewards except BEST; its parties must be numbered from 0. With two
    parties every node has bounds of the margin (score-bounded search, Cazenave and Saffidine 2010): a node is solved
    when they meet and a solved child has that margin, and a child that cannot beat the best is pruned. With more
    parties a node is solved when its best child is known, and with it the winner. With any number of parties it is also
    solved when the mover has a solved child with which it wins alone and gets at least the largest reward seen so far.
    The proof covers the winner; the margin of a win, and bounds derived from it, may be improvable.
    """
    parties, points = payoffs.parties, payoffs.points
    has_two_parties = True
    for party in parties:
        has_two_parties = has_two_parties and party < 2
    for i in range(depth - 1, -1, -1):
        child, index = path[i + 1], path[i]
        mover = np.int64(tree.nodes[child].seat)
        best = -1
        if tree.nodes[child].solved != 0:
            for seat in range(len(parties)):
                points[seat] = tree.proofs[child, seat]
            write_rewards(payoffs, 0.0)
            if is_best_possible(payoffs, mover):
                best = child
        sign = 1 if parties[mover] == parties[0] else -1
        if best < 0 and has_two_parties:
            if not _tighten_bounds(tree, index, sign, len(parties)):
                return
            best = _find_proven_child(tree, index, len(parties))
            if best < 0:
                continue
        elif best < 0:
            best = _find_best_of_solved(tree, index, parties, mover)
            if best < 0:
                return
        for seat in range(len(parties)):
            points[seat] = tree.proofs[best, seat]
        mark_solved(tree, index, payoffs)


@jitable_no_alloc
def _find_best_of_solved(tree: Tree, index: int, parties: Parties, mover: int) -> int:
    """Return the index of the best child for seat `mover` if all legal actions of node `index` are solved, else -1.

    Return -1, too, if the winner is uncertain: a mover that can only lose, or share the win, may choose any child that
    is equally good, so these must agree on the winners.
    """
    parent: Any = tree.nodes[index]
    if parent.child_count < parent.legal_count:
        return -1
    first, end = np.int64(parent.first_child), np.int64(parent.first_child) + np.int64(parent.child_count)
    best = first
    for child in range(first, end):
        if tree.nodes[child].solved == 0:
            return -1
        if tree.stats[child, MEAN] > tree.stats[best, MEAN]:
            best = child
    own, winners = 1 << parties[mover], _find_winners(tree.proofs[best], parties)
    if winners != own:
        for child in range(first, end):
            others = _find_winners(tree.proofs[child], parties)
            if others != winners and others & own == winners & own:
                return -1
    return best


@jitable_no_alloc
def _tighten_bounds(tree: Tree, index: int, sign: int, seats: int) -> bool:
    """Tighten a node's margin bounds by those of its children; return whether the bounds changed.

    If so, prune the unsolved children that cannot beat the certain margin of the seat to move. `sign` is 1 if that seat
    wants the margin of seat 0's party high, -1 if low. `seats` is the number of seats.
    """
    parent: Any = tree.nodes[index]
    proofs = tree.proofs
    first, end = np.int64(parent.first_child), np.int64(parent.first_child) + np.int64(parent.child_count)
    # For the mover, `sure` is the margin that it has for certain, and `hope` the best that it may still reach.
    worst, best = (seats + LOW, seats + HIGH) if sign > 0 else (seats + HIGH, seats + LOW)
    sure, hope, best_child = sign * proofs[index, worst], sign * proofs[index, best], -UNBOUNDED
    for child in range(first, end):
        sure, best_child = max(sure, sign * proofs[child, worst]), max(best_child, sign * proofs[child, best])
    if parent.child_count == parent.legal_count:
        hope = min(hope, best_child)
    if sure == sign * proofs[index, worst] and hope == sign * proofs[index, best]:
        return False
    proofs[index, worst], proofs[index, best] = sign * sure, sign * hope
    for child in range(first, end):
        if sign * proofs[child, best] <= sure and tree.nodes[child].solved == 0:
            tree.stats[child, PRIOR] = PRUNED
    return True


@jitable_no_alloc
def _find_proven_child(tree: Tree, index: int, seats: int) -> int:
    """Return, if a node's bounds meet, the index of the solved child with that margin and the most reward; else -1."""
    parent: Any = tree.nodes[index]
    value, best = tree.proofs[index, seats + LOW], -1
    if value != tree.proofs[index, seats + HIGH]:
        return best
    first = np.int64(parent.first_child)
    for child in range(first, first + np.int64(parent.child_count)):
        fits = tree.nodes[child].solved != 0 and tree.proofs[child, seats + LOW] == value
        if fits and (best < 0 or tree.stats[child, MEAN] > tree.stats[best, MEAN]):
            best = child
    return best


@jitable_no_alloc
def write_rewards(payoffs: Payoffs, spread: float) -> None:
    """Write the rows REWARD, WON and MARGIN of `payoffs.rewards` for the outcome in `payoffs.points`; keep BEST.

    With a `spread` of 0 the most points win. Above 0 the points are an estimate with this spread (see
    `dispatch.foresee`), and WON has chances.
    """
    points, parties, rewards = payoffs.points, payoffs.parties, payoffs.rewards
    seats, winners = len(parties), _find_winners(points, parties)
    total, winner_count = 0.0, 0.0
    for i in range(seats):
        total += abs(points[i])
        winner_count += (winners >> i) & 1
    for seat in range(seats):
        best_rival, rivals = 0.0, 0
        for rival in range(seats):
            if parties[rival] != parties[seat]:
                best_rival = points[rival] if rivals == 0 else max(best_rival, points[rival])
                rivals += 1
        margin = np.float64(points[seat] - best_rival)
        part = 0.5 if margin == 0.0 else 0.5 + 0.5 * margin / (abs(margin) + MARGIN_KNEE * total)
        if spread > 0.0:
            won = _estimate_win(points, parties, seat, spread)
        else:
            won = 1.0 / winner_count if (winners >> parties[seat]) & 1 else 0.0
        rewards[REWARD, seat] = (1.0 - MARGIN_SHARE) * won + MARGIN_SHARE * part
        rewards[WON, seat] = won
        rewards[MARGIN, seat] = margin


@jitable_no_alloc
def _estimate_win(points: Estimates, parties: Parties, seat: int, spread: float) -> float:
    """Return the chance that a seat's party wins, in proportion to exp(points / spread); `spread` is above 0."""
    total = 1.0
    for rival in range(len(parties)):
        is_counted = parties[rival] == parties[seat]
        for earlier in range(rival):
            is_counted = is_counted or parties[earlier] == parties[rival]
        if not is_counted:
            total += math.exp(min(_MOST_LOG_ODDS, (points[rival] - points[seat]) / spread))
    return 1.0 / total


@jitable_no_alloc
def _find_winners(points: Estimates, parties: Parties) -> int:
    """Return the parties with the most points as a bit set: bit p for party p. Partners have the same points."""
    best, winners = points[0], 0
    for seat in range(len(parties)):
        if points[seat] > best:
            best, winners = points[seat], 0
        if points[seat] == best:
            winners |= 1 << parties[seat]
    return winners


@jitable_no_alloc
def is_best_possible(payoffs: Payoffs, seat: int) -> bool:
    """Return whether a seat's party wins alone with the largest reward seen so far (BEST), by `payoffs.rewards`."""
    return payoffs.rewards[WON, seat] == 1.0 and payoffs.rewards[REWARD, seat] >= payoffs.rewards[BEST, seat]
