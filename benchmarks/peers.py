"""Comparison with OpenSpiel: random games and UCT on dots and boxes, one thread each."""

import statistics
from collections.abc import Callable
from typing import Any

import fourcorners as fc
from benchmarks.rates import Effort, measure_cpu_seconds, play_random_games, round_significant, run_tree_search

SIZES = (5, 10)
PRESET = "dots-and-boxes"
EXPLORATION = 2.0
_MEMORY_MB = 2000


def search_with_openspiel(game: Any, state: Any, rollouts: int, count: int) -> None:
    """Run OpenSpiel's UCT from a state for `count` simulations, each with this many random games.

    Raise ImportError without OpenSpiel.
    """
    import pyspiel  # noqa: PLC0415  # not on every system

    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    pyspiel.MCTSBot(game, evaluator, EXPLORATION, count, _MEMORY_MB, False, 1, False).mcts_search(state)


def compare_with_openspiel(size: int, effort: Effort) -> dict[str, Any]:
    """Measure OpenSpiel and us in turns on a board of `size` x `size` boxes; return median rates and ratios, by name.

    The work is random games from the start and UCT searches of the start. Raise ImportError without OpenSpiel.
    """
    import pyspiel  # noqa: PLC0415  # not on every system

    game = pyspiel.load_game(f"dots_and_boxes(num_rows={size},num_cols={size})")
    start = game.new_initial_state()
    position = fc.game(PRESET, cols=size, rows=size).start()
    games = effort.playouts
    # OpenSpiel is slower, so it gets less work: rates are compared. On the larger board a search gets less, too.
    peer_games = max(1, games // 20)
    simulations = effort.simulations if size <= SIZES[0] else effort.simulations // 5

    def play_their_games() -> None:
        # A search of one simulation only evaluates the start: the only way to run playouts without leaving C++.
        search_with_openspiel(game, start, peer_games, 1)

    def play_our_games() -> None:
        play_random_games(position, games)

    result: dict[str, Any] = {"simulations": simulations}
    for name, ours, amount, theirs, peer_amount in (
        ("playouts", play_our_games, games, play_their_games, peer_games),
        (
            "simulations",
            lambda: run_tree_search(position, simulations),
            simulations,
            lambda: search_with_openspiel(game, start, 1, simulations),
            simulations,
        ),
    ):
        result |= _compare_rates(name, effort.rounds, ours, amount, theirs, peer_amount)
    return result


def _compare_rates(
    name: str, rounds: int, ours: Callable[[], object], amount: int, theirs: Callable[[], object], peer_amount: int
) -> dict[str, Any]:
    """Return the median rates of both functions, in amounts of work per second, and the median ratio of ours to theirs.

    Each function does its amount of work in one call, is called once to warm up and then `rounds` times, in turns. The
    keys begin with `name`, or with "openspiel_" and `name`.
    """
    ours()
    theirs()
    pairs = [(amount / measure_cpu_seconds(ours), peer_amount / measure_cpu_seconds(theirs)) for _ in range(rounds)]
    return {
        f"{name}_per_s": round_significant(statistics.median(our_rate for our_rate, _ in pairs)),
        f"openspiel_{name}_per_s": round_significant(statistics.median(peer_rate for _, peer_rate in pairs)),
        f"{name}_ratio": round_significant(statistics.median(our_rate / peer_rate for our_rate, peer_rate in pairs)),
    }
