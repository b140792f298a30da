"""The time of a computer for a whole game, which it spends where it matters: on moves that it cannot prove yet."""

from bisect import bisect_left

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.arrays import Rng, States, Weights
from fourcorners.core.bits import new_rng
from fourcorners.core.game import View
from fourcorners.core.slices import Budget
from fourcorners.players.exact_player import ExactPlayer
from fourcorners.players.levels import Level
from fourcorners.search import playouts

_LEAST_SECONDS = 0.001
_PLAYOUTS = 4
_COUNTING_SHARE = 0.02  # of the time for a game, after which no more playouts begin
_PROOF_SHARE = 0.1  # of the time for a game: what a move will have at which proofs probably begin
_RESERVE = 3  # moves: proofs may begin later than the estimates say, and need time themselves
_LEAST_WEIGHT = 0.3  # of the time for a move
_MORE_WEIGHT = 1.7  # how much more the last move before proofs weighs, which decides most games


class _Seat:
    """The time that is left for the moves of one seat in one game, and how many moves it has made."""

    def __init__(self, seconds: float, moves: float, view: View) -> None:
        self.left = seconds
        self.moves = moves  # before proofs probably begin, at least 1
        self.made = 0
        self.last = view

    def weigh(self, move: float) -> float:
        """Return the weight of the time for a move, counted from 0."""
        return _LEAST_WEIGHT + _MORE_WEIGHT * min(1.0, (move + 1) / self.moves) ** 2

    def divide(self) -> float:
        """Return the seconds for the next move."""
        to_come = [self.weigh(move) for move in range(self.made, max(self.made + 1, round(self.moves)))]
        share = to_come[0] / (sum(to_come) + _RESERVE * self.weigh(self.moves))
        return max(_LEAST_SECONDS, share * self.left)


class GameTime:
    """Divides a fixed time among the moves of each seat in a game."""

    def __init__(self, seconds: float) -> None:
        """Set the seconds of a seat for a game."""
        self._seconds = seconds
        self._seats: dict[int | None, _Seat] = {}

    def allot(self, view: View, level: Level, exact_player: ExactPlayer, seed: int) -> float:
        """Return the seconds for a move of a view's seat: more for each move until proofs begin, then less and less.

        A view whose history does not continue that of the seat's last one begins a game, as does one without history.
        The same history again is the same move, not the next one.
        """
        seat = self._seats.get(view.seat)
        if seat is None or not _continues(view, seat.last):
            moves = self._count_unproven(view, level, exact_player, seed)
            seat = self._seats[view.seat] = _Seat(self._seconds, moves, view)
        elif view.history != seat.last.history:
            seat.made += 1
        seat.last = view
        return seat.divide()

    def spend(self, view: View, seconds: float) -> None:
        """Deduct what a move in a view took."""
        self._seats[view.seat].left -= seconds

    def _count_unproven(self, view: View, level: Level, exact_player: ExactPlayer, seed: int) -> float:
        """Return how many moves the seat to move probably makes before it can prove one, at least 1."""
        budget = Budget(seconds=_COUNTING_SHARE * self._seconds)
        rng, weights = new_rng(seed), np.array(level.weights, np.float64)
        counts: list[int] = []
        while not counts or (len(counts) < _PLAYOUTS and budget.seconds_left() > 0):
            counts.append(_count_unproven(view, exact_player, _PROOF_SHARE * self._seconds, weights, rng))
        return max(1.0, sum(counts) / len(counts))


def _continues(view: View, last: View) -> bool:
    """Return whether a view is from the same game as an earlier one, by their histories."""
    past = last.history
    return view.game == last.game and len(view.history) > 0 and view.history[: len(past)] == past


def _count_unproven(view: View, exact_player: ExactPlayer, seconds: float, weights: Weights, rng: Rng) -> int:
    """Return how many moves the seat to move makes, in a random rest of the game, before it can afford a proof."""
    states = np.array(view.states)
    compiled_api.deal(states, 0, rng)
    record, work = dispatch.view_record(states), states.copy()
    positions: list[States] = []  # in which it moves
    while not dispatch.is_over(record):
        if dispatch.to_move(record) == view.seat:
            positions.append(states.copy())
        knows = len(weights) > 0
        action = (
            playouts.choose_rollout_action(states, work, weights, rng) if knows else compiled_api.pick(states, 0, rng)
        )
        compiled_api.play(states, 0, int(action))
    return bisect_left(positions, True, key=lambda each: exact_player.can_afford(dispatch.view_record(each), seconds))
