"""Environments: batches, states and PettingZoo's loop, beside other libraries, and whether they reach their targets."""

import contextlib
import os
import random
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import fourcorners as fc
from benchmarks import env_peers
from benchmarks.env_peers import Loop
from benchmarks.rates import round_significant
from fourcorners.core.encoding import find_small_dtype
from fourcorners.envs import pettingzoo


class Board(NamedTuple):
    """A board and its targets."""

    title: str
    options: Mapping[str, int]
    steps: float
    """Million steps per processor second in a batch."""
    bytes: int
    """The record and the mask of a game."""
    aec: float = 1.5
    """Steps of PettingZoo's loop, divided by those of its tictactoe."""


BOARDS = {
    "dots-and-boxes": Board("Dots and Boxes 5 × 5", {"cols": 5, "rows": 5}, 30, 144 + 60),
    "square-off": Board("Square Off", {}, 20, 184 + 129),
    "squarin-off": Board("Squarin’ Off 10 × 10", {"cols": 10, "rows": 10}, 11, 344 + 620),
    "sqez": Board("Sqez 8 × 8", {"cols": 8, "rows": 8}, 2, 336 + 441),
    "squendo": Board("Squendo", {}, 0.8, 1416, 0.5),
}
COMPARED = "dots-and-boxes"
"""The game that is compared with other libraries."""
MIN_STATE_RATIO, MIN_THREAD_RATIO = 8.0, 1.8
SEARCH, MAX_SIMULATION = f"{COMPARED}, simulations of 64 searches", 5.0
"""The loop of guided searches, and the most microseconds that a simulation may take without its evaluation."""
SMALL = {64: 8.0, 1: 0.5}
"""Million steps per processor second in batches of this many games."""
PEERS = {
    env_peers.CPP: 18.0,
    env_peers.MASKS: 75.0,
    env_peers.TENSORS: 50.0,
    **dict.fromkeys(env_peers.NEAREST, 10.0),
}
"""How many times as many steps as others the compared game must make."""


class Effort(NamedTuple):
    """The rounds whose median is reported, the seconds of each loop in a round, and the games of a batch."""

    rounds: int
    seconds: float
    games: int


FULL, QUICK = Effort(7, 0.4, 4096), Effort(3, 0.02, 4096)
Rates = dict[str, list[float]]
Target = dict[str, Any]


def measure_environments(games: list[str], effort: Effort, report: Callable[[str], None]) -> dict[str, Any]:
    """Return the targets and the median rates, in steps per second, for games by id; this takes minutes.

    One core does all but what two threads do, for which the clock on the wall and the best of many short rounds count.
    `report` is told which libraries are not installed, and so left out. A target has "name", "target" and "measured" as
    text, and "met".
    """
    games = [game for game in BOARDS if game in games]
    with pin_to_one_core():
        loops = {name: loop for game in games for name, loop in build_loops(game, effort.games).items()}
        if COMPARED in games:
            loops |= build_small_loops(effort.games)
        loops |= env_peers.build_loops(effort.games, report)
        rates = measure_rates(loops, effort, time.process_time)
    if COMPARED in games:
        short = effort._replace(rounds=8 * effort.rounds, seconds=effort.seconds / 8)
        rates |= measure_rates(build_thread_loops(effort.games), short, time.perf_counter)
    return {
        "targets": [target for game in games for target in check_game(game, rates, effort.games)]
        + (check_compared(rates) if COMPARED in games else []),
        "steps_per_s": {name: round_significant(statistics.median(found)) for name, found in rates.items()},
    }


@contextlib.contextmanager
def pin_to_one_core() -> Iterator[None]:
    """Keep this thread, and those that it starts, on one core: the threads of others would wait for each other."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def measure_rates(loops: Mapping[str, Loop], effort: Effort, clock: Callable[[], float]) -> Rates:
    """Return the steps per second of each loop in each round; a first call, which may compile, does not count.

    The loops take turns, so that a change of the machine's speed meets all of them.
    """
    for loop in loops.values():
        loop()
    rates: Rates = {name: [] for name in loops}
    for _ in range(effort.rounds):
        for name, loop in loops.items():
            start, steps = clock(), loop()
            while clock() - start < effort.seconds:
                steps += loop()
            rates[name].append(steps / (clock() - start))
    return rates


def make_batch(game: str, count: int, threads: int = 1) -> fc.envs.Batch:
    """Return a batch of a board."""
    return fc.envs.Batch(fc.game(game, **BOARDS[game].options), count, seed=1, threads=threads)


def step_batch(batch: fc.envs.Batch, times: int, look: Callable[[], object] | None = None) -> int:
    """Make random steps, each with its choice, its check and the masks that follow, and with `look` after it."""
    for _ in range(times):
        batch.step(batch.sample())
        if look is not None:
            look()
    return times * len(batch)


def roll_out(batch: fc.envs.Batch, times: int) -> int:
    """Make the same steps without leaving compiled code."""
    batch.rollout(times)
    return times * len(batch)


def search_batch(batch: fc.envs.Batch, simulations: int) -> int:
    """Search every game with an evaluation that knows nothing; return the number of simulations."""
    fc.envs.Search(batch, evaluate=know_nothing, simulations=simulations, seed=1).run()
    return simulations * len(batch)


def know_nothing(observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Evaluate all leaves of a game for two as even, and all actions as equally good."""
    return np.zeros(masks.shape, np.float32), np.zeros((len(observations), 2), np.float32)


def walk_states(start: fc.envs.State, rng: random.Random) -> int:
    """Play a random game with states; return its plies."""
    state, plies = start, 0
    while not state.is_over:
        state, plies = state.after(rng.choice(state.actions())), plies + 1
    return plies


def walk_positions(start: fc.Position, rng: random.Random) -> int:
    """Play a random game with positions; return its plies."""
    position, plies = start, 0
    while not position.is_over:
        position, plies = position.play(rng.choice(position.moves())), plies + 1
    return plies


def build_loops(game: str, count: int) -> dict[str, Loop]:
    """Return the loops that every game has: in batches of `count`, with states, with positions, and PettingZoo's."""
    board, batch = fc.game(game, **BOARDS[game].options), make_batch(game, count)
    planes = make_batch(game, count)
    loops: dict[str, Loop] = {
        "steps": partial(step_batch, batch, 16),
        "steps and planes": partial(step_batch, planes, 4, planes.observe),
        "rollout": partial(roll_out, make_batch(game, count), 16),
        "states": partial(walk_states, fc.envs.State(board, seed=1), random.Random(1)),
        "positions": partial(walk_positions, board.start(seed=1), random.Random(1)),
        "PettingZoo": partial(env_peers.play_aec, pettingzoo.env(board)),
    }
    if board.spec.hidden:
        lists = make_batch(game, count)
        loops["steps and lists"] = partial(step_batch, lists, 4, lambda: lists.legal_actions)
    return {f"{game}, {name}": loop for name, loop in loops.items()}


def build_small_loops(count: int) -> dict[str, Loop]:
    """Return the loops of the compared game in small batches; they repeat more often the larger `count` is."""
    searched = make_batch(COMPARED, min(64, count))
    loops: dict[str, Loop] = {SEARCH: partial(search_batch, searched, max(4, min(200, count // 16)))}
    for size in SMALL:
        times = max(4, min(1000, count // size))
        loops[f"{COMPARED}, steps, n = {size}"] = partial(step_batch, make_batch(COMPARED, size), times)
        loops[f"{COMPARED}, rollout, n = {size}"] = partial(roll_out, make_batch(COMPARED, size), times)
    return loops


def build_thread_loops(count: int) -> dict[str, Loop]:
    """Return the loops of the compared game with one thread and with two: steps of 16 x `count` games, rollouts."""
    loops: dict[str, Loop] = {}
    for threads in (1, 2):
        many, few = make_batch(COMPARED, 16 * count, threads), make_batch(COMPARED, count, threads)
        loops[f"steps, threads = {threads}"] = partial(step_batch, many, 2)
        loops[f"rollout, threads = {threads}"] = partial(roll_out, few, 64)
    return loops


def measure_bytes(game: str, count: int) -> float:
    """Return the bytes of memory that each game of a batch takes once it has been stepped."""
    tracemalloc.start()
    batch = make_batch(game, count)
    step_batch(batch, 1)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return taken / count


def divide(rates: Rates, ours: str, theirs: str) -> float | None:
    """Return the median ratio of two loops over the rounds; None if one of them was left out."""
    if ours not in rates or theirs not in rates:
        return None
    return statistics.median(a / b for a, b in zip(rates[ours], rates[theirs], strict=True))


def make_target(name: str, measured: float | None, limit: float, unit: str = "", *, is_most: bool = False) -> Target:
    """Return a target: the figure must be at least the limit, or at most; None means that it was not measured."""
    number = measured if measured is None or isinstance(measured, int) else round_significant(measured)
    is_met = None if measured is None else (measured <= limit if is_most else measured >= limit)
    return {
        "name": name,
        "target": f"{'≤' if is_most else '≥'} {limit:g}{unit}",
        "measured": None if number is None else f"{number}{unit}",
        "met": is_met,
    }


def check_game(game: str, rates: Rates, count: int) -> list[Target]:
    """Return the targets that every game has."""
    board, batch = BOARDS[game], make_batch(game, 1)
    taken = find_small_dtype(batch.game.spec, batch.game.options).itemsize
    with contextlib.suppress(fc.GameError):  # a batch without masks
        taken += batch.legal_mask.nbytes
    aec = divide(rates, f"{game}, PettingZoo", env_peers.TICTACTOE)
    states = divide(rates, f"{game}, states", f"{game}, positions")
    speed = statistics.median(rates[f"{game}, steps"]) / 1e6
    memory = f"bytes a game, record and mask ({measure_bytes(game, count):.0f} with all arrays)"
    return [
        make_target(f"{board.title}: million steps/s, steps, n = {count:,}", speed, board.steps),
        make_target(f"{board.title}: PettingZoo's loop / {env_peers.TICTACTOE}", aec, board.aec),
        make_target(f"{board.title}: actions and after / moves and play", states, MIN_STATE_RATIO),
        make_target(f"{board.title}: {memory}", taken, board.bytes, is_most=True),
    ]


def check_compared(rates: Rates) -> list[Target]:
    """Return the targets of the compared game: other libraries, small batches, two threads."""
    title, targets = BOARDS[COMPARED].title, []
    for peer, limit in PEERS.items():
        name = "steps and planes" if peer == env_peers.TENSORS else "steps"
        targets.append(make_target(f"{title}: {name} / {peer}", divide(rates, f"{COMPARED}, {name}", peer), limit))
    for size, limit in SMALL.items():
        for name in ("steps", "rollout"):
            speed = statistics.median(rates[f"{COMPARED}, {name}, n = {size}"]) / 1e6
            targets.append(make_target(f"{title}: million steps/s, {name}, n = {size}", speed, limit))
    simulation = 1e6 / statistics.median(rates[SEARCH])
    name = f"{title}: a simulation of a guided search"
    targets.append(make_target(name, simulation, MAX_SIMULATION, " µs", is_most=True))
    for name in ("steps", "rollout"):
        # The best rounds: whatever else the machine does makes only two threads slower.
        ratio = max(rates[f"{name}, threads = 2"]) / max(rates[f"{name}, threads = 1"])
        targets.append(make_target(f"{title}: {name} with two threads / one", ratio, MIN_THREAD_RATIO))
    return targets
