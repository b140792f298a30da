"""The same work on OpenSpiel, side by side: random games and UCT on dots and boxes, one thread each."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import fourcorners as fc
from benchmarks.rates import Effort, random_games, seconds, significant, simulate

SIZES = (5, 10)
PRESET = "dots-and-boxes"
EXPLORATION = 2.0
_MEMORY_MB = 2000


def compare(size: int, effort: Effort) -> dict[str, Any]:
    """Return the rates of both on a square board, in turns, and the medians of their ratios."""
    import pyspiel  # noqa: PLC0415  # not on every system

    game = pyspiel.load_game(f"dots_and_boxes(num_rows={size},num_cols={size})")
    start = game.new_initial_state()
    position = fc.game(PRESET, cols=size, rows=size).start()
    games = effort.playouts
    peer_games = max(1, games // 20)
    simulations = effort.simulations if size <= SIZES[0] else effort.simulations // 5

    def search(rollouts: int, count: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
        pyspiel.MCTSBot(game, evaluator, EXPLORATION, count, _MEMORY_MB, False, 1, False).mcts_search(start)

    def their_games() -> None:
        # A search of one simulation evaluates the start alone: it is the only way to roll out without leaving C++.
        search(peer_games, 1)

    def their_search() -> None:
        search(1, simulations)

    def our_games() -> None:
        random_games(position, games)

    def our_search() -> None:
        simulate(position, simulations)

    result: dict[str, Any] = {"simulations": simulations}
    for name, ours, amount, theirs, peer_amount in (
        ("playouts", our_games, games, their_games, peer_games),
        ("simulations", our_search, simulations, their_search, simulations),
    ):
        result |= _both(name, effort.rounds, ours, amount, theirs, peer_amount)
    return result


def _both(
    name: str, rounds: int, ours: Callable[[], None], amount: int, theirs: Callable[[], None], peer_amount: int
) -> dict[str, Any]:
    ours()
    theirs()
    pairs = [(amount / seconds(ours), peer_amount / seconds(theirs)) for _ in range(rounds)]
    return {
        f"{name}_per_s": significant(statistics.median(mine for mine, _ in pairs)),
        f"openspiel_{name}_per_s": significant(statistics.median(other for _, other in pairs)),
        f"{name}_ratio": significant(statistics.median(mine / other for mine, other in pairs)),
    }
