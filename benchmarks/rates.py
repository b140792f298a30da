"""How fast the rules and the search run: random games, simulations, single steps, batches of steps."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.dispatch import Actions, States
from fourcorners.core.position import Position
from fourcorners.search import batches, playouts
from fourcorners.search.iterative_deepening import IterativeDeepening, can_search
from fourcorners.search.root_parallel import RootParallelSearch
from fourcorners.search.tree_search import TreeSearch

BATCH = 4096
WIDEST_MASK = 4096


class Effort(NamedTuple):
    """How much is done: rounds whose median counts, and the work of one."""

    rounds: int
    playouts: int
    simulations: int
    steps: int


FULL = Effort(7, 20_000, 10_000, 100)
QUICK = Effort(3, 4_000, 2_000, 10)


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds of one core that work takes: what else runs on the machine matters less than by the clock."""
    begun = time.thread_time()
    work()
    return time.thread_time() - begun


def rate(amount: float, rounds: int, work: Callable[[], object]) -> float:
    """Return the median of how much is done in a second; the first call compiles and does not count."""
    work()
    return significant(amount / statistics.median(seconds(work) for _ in range(rounds)))


def significant(number: float) -> float:
    """Round to three digits that mean something."""
    rounded = float(f"{number:.3g}")
    return int(rounded) if rounded >= 100 else rounded


def random_games(position: Position, count: int, seed: int = 1) -> int:
    """Play random games; return the number of plies."""
    states = np.array(position.states)
    points = np.zeros(position.game.spec.rules.MAX_SEATS, np.int64)
    return int(playouts.run_playouts(states, states.copy(), points, count, new_rng(seed)))


def simulate(position: Position, count: int, seed: int = 1, *, knows: bool = False) -> TreeSearch:
    """Search, with what the game knows or without; what a seat may not know is hidden first."""
    search = TreeSearch(position.view(position.seat), seed, position.game.spec.levels[-1].weights if knows else ())
    search.advance(count)
    return search


def random_actions(position: Position, seed: int = 1) -> list[int]:
    """Return the actions of one random game."""
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
        """Play a random action in every game."""
        batches.pick_actions(self.states, self.actions, self.rng)
        self.finished += int(batches.play_actions(self.states, self.starts, self.actions, self.over, self.points))

    def list_legal(self) -> None:
        """List the legal actions of every game; rows grow as the games need them."""
        longest = int(batches.list_legal(self.states, self.lists, self.counts))
        if longest > self.lists.shape[1]:
            self.lists = np.zeros((len(self.states), longest), np.int64)
            batches.list_legal(self.states, self.lists, self.counts)

    def mask_legal(self) -> int:
        """Mark the legal actions of every game; return how many had no place."""
        return int(batches.mask_legal(self.states, self.masks, self.lists[0]))


def measure(position: Position, effort: Effort) -> dict[str, Any]:
    """Return all rates of a game from a position, and the counts that do not depend on the machine."""
    plies = random_games(position, effort.playouts)
    found = simulate(position, effort.simulations)
    actions = random_actions(position)

    def one_game() -> None:
        states = np.array(position.states)
        for action in actions:
            compiled_api.play(states, 0, action)

    knowing = max(200, effort.simulations // 10)
    result: dict[str, Any] = {
        "plies_per_playout": significant(plies / effort.playouts),
        "record_bytes": position.states.dtype.itemsize,
        "playouts_per_s": rate(effort.playouts, effort.rounds, lambda: random_games(position, effort.playouts)),
        "simulations_per_s": rate(found.simulations, effort.rounds, lambda: simulate(position, effort.simulations)),
        "nodes_per_simulation": significant(found.used_nodes / found.simulations),
        "knowing_simulations_per_s": rate(knowing, effort.rounds, lambda: simulate(position, knowing, knows=True)),
        "two_threads_ratio": two_threads(position, effort),
        "single_steps_per_s": rate(len(actions), effort.rounds * 5, one_game),
    }
    if can_search(position.view(position.seat)):
        nodes = 4 * effort.simulations
        result["alpha_beta_nodes_per_s"] = rate(nodes, effort.rounds, lambda: look_deep(position, nodes))
    result["batch"] = measure_batch(position, effort)
    return result


def look_deep(position: Position, nodes: int) -> IterativeDeepening:
    """Search by alpha-beta."""
    search = IterativeDeepening(position.view(position.seat), position.game.spec.levels[-1].weights)
    search.run(nodes, None)
    return search


def two_threads(position: Position, effort: Effort) -> float:
    """Return how many times the simulations of one thread two make in the same time, by the clock."""
    view = position.view(position.seat)
    # Less would measure how long threads take to start.
    amount = max(50_000, 10 * effort.simulations)

    def clock(threads: int) -> float:
        forest = RootParallelSearch(view, 1, threads=threads)
        begun = time.perf_counter()
        forest.run(threads * amount, None)
        return time.perf_counter() - begun

    clock(2)
    return significant(statistics.median(2 * clock(1) / clock(2) for _ in range(effort.rounds)))


def measure_batch(position: Position, effort: Effort) -> dict[str, Any]:
    """Step a batch with random actions: alone, with lists of the legal actions, and with masks of them."""
    batch = Batch(position)
    amount = BATCH * effort.steps
    width = mask_width(position)

    def repeat(*work: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            for _ in range(effort.steps):
                for each in work:
                    each()

        return run

    result: dict[str, Any] = {
        "size": BATCH,
        "steps_per_s": rate(amount, effort.rounds, repeat(batch.step)),
        "steps_with_lists_per_s": rate(amount, effort.rounds, repeat(batch.step, batch.list_legal)),
    }
    if width:
        batch.masks = np.zeros((BATCH, width), np.uint8)
        result["mask_width"] = width
        result["steps_with_masks_per_s"] = rate(amount, effort.rounds, repeat(batch.step, batch.mask_legal))
    return result


def mask_width(position: Position, size: int = 64, steps: int = 250) -> int:
    """Return how many codes a mask needs, going by random games; 0 where codes are too great for one."""
    batch = Batch(position, size)
    greatest = 0
    for _ in range(steps):
        batch.list_legal()
        greatest = max(
            greatest, *(int(row[:count].max()) for row, count in zip(batch.lists, batch.counts, strict=True))
        )
        if greatest >= WIDEST_MASK:
            return 0
        batch.step()
    return greatest + 1
