"""The time of a computer for a whole game, which it spends where it matters: on moves that it cannot prove yet."""

from bisect import bisect_left

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.arrays import Rng, States, Weights
from fourcorners.core.bits import new_rng
from fourcorners.core.game import View
from fourcorners.players.exact_player import ExactPlayer
from fourcorners.players.levels import Level
from fourcorners.search import playouts

_LEAST_SECONDS = 0.001
_PLAYOUTS = 4
_PROOF_SHARE = 0.1  # of the time for a game: what a move will have at which proofs probably begin
_RESERVE = 3  # moves: proofs may begin later than the estimates say, and need time themselves
_LEAST_WEIGHT, _MORE_WEIGHT = (
    0.3,
    1.7,
)  # of the first move, and more of the last before proofs, which decides most games


class GameTime:
    """The time that is left for the moves of one game after the other, each with the same seconds."""

    def __init__(self, seconds: float) -> None:
        """Set the seconds for each game."""
        self._seconds = self._left = seconds
        self._unproven, self._made = 1.0, 0  # the moves before proofs probably begin, and those that are made
        self._last: View | None = None

    def allot(self, view: View, level: Level, exact_player: ExactPlayer, seed: int) -> float:
        """Return the seconds for a move: a part of what is left, with a reserve, which grows until proofs begin."""
        last = self._last
        if last is None or last.game != view.game or view.history[: len(last.history)] != last.history:
            self._left = self._seconds
            seconds = _PROOF_SHARE * self._seconds
            rng, weights = new_rng(seed), np.array(level.weights, np.float64)
            counts = [_count_unproven(view, exact_player, seconds, weights, rng) for _ in range(_PLAYOUTS)]
            self._unproven, self._made = max(1.0, sum(counts) / _PLAYOUTS), 0
        to_come = [self._weigh(move) for move in range(self._made, max(self._made + 1, round(self._unproven)))]
        share = to_come[0] / (sum(to_come) + _RESERVE * self._weigh(self._unproven))
        self._last, self._made = view, self._made + 1
        return max(_LEAST_SECONDS, share * self._left)

    def _weigh(self, move: float) -> float:
        """Return the weight of the time for a move, counted from 0 in the game."""
        return _LEAST_WEIGHT + _MORE_WEIGHT * min(1.0, (move + 1) / self._unproven) ** 2

    def spend(self, seconds: float) -> None:
        """Deduct what a move took."""
        self._left -= seconds


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
