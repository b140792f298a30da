"""Games played on from a position: at random, to measure how open it is, or sensibly, to compare two moves."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean, pstdev, stdev
from typing import NamedTuple

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.arrays import Rng, States, Weights
from fourcorners.core.bits import new_rng
from fourcorners.core.game import Game, Position, View
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search import playouts

_GAMES = 12
_FEWEST_GAMES = 2
_FEWEST_WORLDS = 16
"""With fewer worlds, the standard error of a comparison is itself too uncertain."""


class Difference(NamedTuple):
    """The advantage of one move over another in the same worlds: means, and their standard errors."""

    margin: float
    margin_error: float
    win: float
    win_error: float


class RandomGames(NamedTuple):
    """The results of random games from a position: margins, points, and the mean number of plies.

    For each game there is the final margin of the seat to move (of seat 0 if the position is final), and the total
    points of all parties.
    """

    margins: list[float]
    totals: list[float]
    plies: float

    @property
    def spread(self) -> float:
        """The standard deviation of the margins."""
        return pstdev(self.margins)


def play_random_games(
    position: Position | View, seed: int, games: int = _GAMES, is_stopped: Callable[[], bool] = lambda: False
) -> RandomGames:
    """Play up to `games` random games, 2 or more, from a position or view.

    `is_stopped` is called before each game but the first two.
    """
    game, rng, seat = position.game, new_rng(seed), position.seat or 0
    ends = []
    for number in range(games):
        if number >= _FEWEST_GAMES and is_stopped():
            break
        ends.append(_play_on(position.states, rng, lambda states: compiled_api.pick(states, 0, rng)))
    return RandomGames(
        [compute_result(game, points, seat)[0] for points, _ in ends],
        [float(sum(points[party[0]] for party in game.options.parties)) for points, _ in ends],
        fmean(plies for _, plies in ends),
    )


def compare_moves(
    view: View, actions: tuple[int, int], seed: int, games: int, is_stopped: Callable[[], bool]
) -> Difference:
    """Play on from both of two actions in up to `games` worlds, 2 or more, and return the first one's advantage.

    The worlds fit the view of the seat to move. All seats play like the best level that does not look ahead.

    `is_stopped` is called before each world but the first 16.
    """
    game, seat = view.game, view.seat or 0
    simple = [level for level in game.spec.part(ComputerPlay).levels if level.nodes == 0]
    weights = np.array(simple[-1].weights if simple else (), np.float64)
    pairs = []
    for number in range(games):
        if number >= _FEWEST_WORLDS and is_stopped():
            break
        world = view.states.copy()
        compiled_api.deal(world, 0, new_rng(seed + number))
        results = []
        for action in actions:
            # The same random numbers for both actions reduce the variance of the difference.
            rng, after, work = new_rng(seed + number), world.copy(), world.copy()
            compiled_api.play(after, 0, action)
            choose = partial(_choose_sensibly, work, weights, rng)
            results.append(compute_result(game, _play_on(after, rng, choose)[0], seat))
        pairs.append((results[0][0] - results[1][0], results[0][1] - results[1][1]))
    margins, wins = zip(*pairs, strict=True)
    return Difference(fmean(margins), _find_error(margins), fmean(wins), _find_error(wins))


def compute_result(game: Game, points: Sequence[int], seat: int) -> tuple[float, float]:
    """Return a seat's final margin and its share of the win, given the final points by seat."""
    parties = game.options.parties
    best = max(points[party[0]] for party in parties)
    rival = max(points[party[0]] for party in parties if seat not in party)
    share = 1.0 / sum(points[party[0]] == best for party in parties) if points[seat] == best else 0.0
    margin = float(points[seat] - rival)
    return margin, share


def _choose_sensibly(work: States, weights: Weights, rng: Rng, states: States) -> int:
    """Return the action of a player with this knowledge who does not look ahead; `work` is scratch."""
    return int(playouts.choose_rollout_action(states, work, weights, rng))


def _find_error(values: Sequence[float]) -> float:
    return stdev(values) / math.sqrt(len(values))


def _play_on(states: States, rng: Rng, choose: Callable[[States], int]) -> tuple[list[int], int]:
    """Play a copy of a record to the end, dealing what is hidden first; return the final points and the plies."""
    work, plies = states.copy(), 0
    compiled_api.deal(work, 0, rng)
    points = np.zeros(16, np.int64)
    while compiled_api.status(work, 0, points) >= 0:
        compiled_api.play(work, 0, int(choose(work)))
        plies += 1
    return [int(value) for value in points], plies
