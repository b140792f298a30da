"""Speed of the rules and the searches: random games, simulations, single steps, batches of steps."""

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks import batches
from benchmarks.alpha_beta.iterative_deepening import IterativeDeepening, can_search
from fourcorners.core import compiled_api
from fourcorners.core.arrays import Actions, States
from fourcorners.core.bits import new_rng
from fourcorners.core.game import Position
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search.root_parallel import RootParallelSearch
from fourcorners.search.tree_search import TreeSearch

BATCH = 4096
WIDEST_MASK = 4096
"""Masks are not measured for games with actions of this code or more."""


class Effort(NamedTuple):
    """The amount of work: the rounds whose median is reported, and the playouts, simulations and steps of one round."""

    rounds: int
    playouts: int
    simulations: int
    steps: int


FULL = Effort(7, 20_000, 10_000, 100)
QUICK = Effort(3, 4_000, 2_000, 10)


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
    return int(batches.run_playouts(states, states.copy(), points, count, new_rng(seed)))


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


class Batch:
    """Many games of one kind, stepped together."""

    def __init__(self, position: Position, size: int = BATCH, seed: int = 1) -> None:
        """Set up `size` games that begin at the position, and buffers for their legal actions.

        After `list_legal` the first `counts[i]` entries of `lists[i]` are the legal actions of game i. `masks` has no
        rows until its user creates them, one for each game, before `mask_legal`. `finished` counts games that ended.
        """
        self.starts: States = np.array(position.states)
        self.states: States = np.repeat(self.starts, size)
        self.rng = new_rng(seed)
        self.actions: Actions = np.zeros(size, np.int64)
        self.over = np.zeros(size, np.uint8)
        self.points = np.zeros((size, position.game.spec.rules.MAX_SEATS), np.int64)
        self.counts: Actions = np.zeros(size, np.int64)
        self.finished = 0
        self.lists = np.zeros((size, int(compiled_api.bound(self.starts, 0))), np.int64)
        self.masks = np.zeros((0, 0), np.uint8)

    def step(self) -> None:
        """Play a random action in every game; start each game again that ends, and count it in `finished`."""
        batches.pick_actions(self.states, self.actions, self.rng)
        self.finished += int(batches.play_actions(self.states, self.starts, self.actions, self.over, self.points))

    def list_legal(self) -> None:
        """Write the legal actions of every game into `lists` and how many into `counts`; widen `lists` if necessary."""
        longest = int(batches.list_legal(self.states, self.lists, self.counts))
        if longest > self.lists.shape[1]:
            self.lists = np.zeros((len(self.states), longest), np.int64)
            batches.list_legal(self.states, self.lists, self.counts)

    def mask_legal(self) -> int:
        """Mark the legal actions of every game by 1 in its row of `masks`; return how many codes exceed its width.

        `lists` must be wide enough, as it is after `list_legal`; its first row is overwritten.
        """
        return int(batches.mask_legal(self.states, self.masks, self.lists[0]))


def measure_rates(position: Position, effort: Effort) -> dict[str, Any]:
    """Return the rates of a game from a position on, and the counts that do not depend on the machine, by name.

    "batch" has the figures of `measure_batch`; alpha-beta is left out if it cannot search the game.
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
    result["batch"] = measure_batch(position, effort)
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


def measure_batch(position: Position, effort: Effort) -> dict[str, Any]:
    """Return the steps per second of a batch with random actions: alone, and with lists or masks of legal actions.

    A step is one move in one game. Masks are left out, with their width, if `compute_mask_width` returns 0.
    """
    batch = Batch(position)
    amount = BATCH * effort.steps
    width = compute_mask_width(position)

    def repeat(*functions: Callable[[], object]) -> Callable[[], None]:
        """Return a function that calls all these in turn, `effort.steps` times."""

        def run() -> None:
            """Call all functions once for each step."""
            for _ in range(effort.steps):
                for function in functions:
                    function()

        return run

    result: dict[str, Any] = {
        "size": BATCH,
        "steps_per_s": measure_rate(amount, effort.rounds, repeat(batch.step)),
        "steps_with_lists_per_s": measure_rate(amount, effort.rounds, repeat(batch.step, batch.list_legal)),
    }
    if width:
        batch.masks = np.zeros((BATCH, width), np.uint8)
        result["mask_width"] = width
        result["steps_with_masks_per_s"] = measure_rate(amount, effort.rounds, repeat(batch.step, batch.mask_legal))
    return result


def compute_mask_width(position: Position, size: int = 64, steps: int = 250) -> int:
    """Return one more than the largest code of a legal action that `size` random games meet in `steps` steps.

    Return 0 if a code reaches WIDEST_MASK, which is too wide for masks.
    """
    batch = Batch(position, size)
    largest = 0
    for _ in range(steps):
        batch.list_legal()
        largest = max(largest, *(int(row[:count].max()) for row, count in zip(batch.lists, batch.counts, strict=True)))
        if largest >= WIDEST_MASK:
            return 0
        batch.step()
    return largest + 1
