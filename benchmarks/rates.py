"""Speed of the rules and the searches: random games, simulations, single steps."""

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.alpha_beta.iterative_deepening import IterativeDeepening, can_search
from benchmarks.playouts import run_playouts
from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.game import Position
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search.root_parallel import RootParallelSearch
from fourcorners.search.tree_search import TreeSearch


class Effort(NamedTuple):
    """The amount of work: the rounds whose median is reported, and the playouts and simulations of one round."""

    rounds: int
    playouts: int
    simulations: int


FULL = Effort(7, 20_000, 10_000)
QUICK = Effort(3, 4_000, 2_000)


def measure_cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds that one call takes in this thread; other programs hardly change them."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def measure_rate(amount: float, rounds: int, work: Callable[[], object]) -> float:
    """Return `amount`, what one call of `work` does, per CPU second: the median of `rounds` calls, to three digits.

    A first call, which may compile, does not count.
    """
    work()
    return round_significant(amount / statistics.median(measure_cpu_seconds(work) for _ in range(rounds)))


def round_significant(number: float) -> float:
    """Round to three significant digits; from 100 on the result is an integer, for shorter JSON."""
    rounded = float(f"{number:.3g}")
    return int(rounded) if rounded >= 100 else rounded


def play_random_games(position: Position, count: int, seed: int = 1) -> int:
    """Play `count` random games from a position; return the number of plies of all together."""
    states = np.array(position.states)
    points = np.zeros(position.game.spec.rules.MAX_SEATS, np.int64)
    return int(run_playouts(states, states.copy(), points, count, new_rng(seed)))


def run_tree_search(position: Position, count: int, seed: int = 1, *, uses_knowledge: bool = False) -> TreeSearch:
    """Return a tree search, as the seat to move sees the position, after `count` simulations.

    With `uses_knowledge` it has the weights of the game's strongest level, otherwise none.
    """
    weights = position.game.spec.part(ComputerPlay).levels[-1].weights if uses_knowledge else ()
    search = TreeSearch(position.view(position.seat), seed, weights)
    search.advance(count)
    return search


def list_random_actions(position: Position, seed: int = 1) -> list[int]:
    """Return the actions of one random game from a position, in order."""
    states, rng = np.array(position.states), new_rng(seed)
    points = np.zeros(position.game.spec.rules.MAX_SEATS, np.int64)
    actions = []
    while compiled_api.status(states, 0, points) >= 0:
        actions.append(int(compiled_api.pick(states, 0, rng)))
        compiled_api.play(states, 0, actions[-1])
    return actions


def measure_rates(position: Position, effort: Effort) -> dict[str, Any]:
    """Return the rates of a game from a position on, and the counts that do not depend on the machine, by name.

    Alpha-beta is left out if it cannot search the game.
    """
    plies = play_random_games(position, effort.playouts)
    search = run_tree_search(position, effort.simulations)
    actions = list_random_actions(position)

    def replay_game() -> None:
        """Play all actions one by one, each with a call from Python."""
        states = np.array(position.states)
        for action in actions:
            compiled_api.play(states, 0, action)

    simulations = max(200, effort.simulations // 10)  # fewer, since with knowledge each takes longer
    result: dict[str, Any] = {
        "plies_per_playout": round_significant(plies / effort.playouts),
        "record_bytes": position.states.dtype.itemsize,
        "playouts_per_s": measure_rate(
            effort.playouts, effort.rounds, lambda: play_random_games(position, effort.playouts)
        ),
        "simulations_per_s": measure_rate(
            search.simulations, effort.rounds, lambda: run_tree_search(position, effort.simulations)
        ),
        "nodes_per_simulation": round_significant(search.used_nodes / search.simulations),
        "knowing_simulations_per_s": measure_rate(
            simulations, effort.rounds, lambda: run_tree_search(position, simulations, uses_knowledge=True)
        ),
        "two_threads_ratio": measure_two_threads(position, effort),
        "single_steps_per_s": measure_rate(len(actions), effort.rounds * 5, replay_game),
    }
    if can_search(position.view(position.seat)):
        nodes = 4 * effort.simulations
        result["alpha_beta_nodes_per_s"] = measure_rate(
            nodes, effort.rounds, lambda: search_alpha_beta(position, nodes)
        )
    return result


def search_alpha_beta(position: Position, nodes: int) -> IterativeDeepening:
    """Return an alpha-beta search of a position, with the strongest level's weights, after about `nodes` nodes."""
    search = IterativeDeepening(position.view(position.seat), position.game.spec.part(ComputerPlay).levels[-1].weights)
    search.run(nodes, None)
    return search


def measure_two_threads(position: Position, effort: Effort) -> float:
    """Return the ratio of simulations per second with two threads to those with one, by wall-clock time."""
    view = position.view(position.seat)
    # Fewer simulations would measure the time that threads take to start.
    amount = max(50_000, 10 * effort.simulations)

    def time_search(threads: int) -> float:
        """Return the wall-clock seconds of a new search with `amount` simulations per thread."""
        search = RootParallelSearch(view, 1, threads=threads)
        start = time.perf_counter()
        search.run(threads * amount, None)
        return time.perf_counter() - start

    time_search(2)  # a first search, which may compile, does not count
    return round_significant(statistics.median(2 * time_search(1) / time_search(2) for _ in range(effort.rounds)))
