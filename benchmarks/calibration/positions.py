"""Positions with exact values, from games between levels: `python -m benchmarks.calibration.positions SET`.

The games are small enough for the solvers and large enough for the estimates to matter. Each file has one line for a
position: the seed of its game, its text, and the margin at the end of the seat to move (in a game without points 1 or
-1) if all play their best, with tabs between them. A run that is stopped keeps its lines, and the next one goes on.

In the games of most files in `data` a level drew the same random numbers at every move. Now it draws new ones; the
positions of `dots-and-boxes` and half of those of `squendo` are from such games.
"""

import argparse
import gzip
import math
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

import fourcorners as fc
from fourcorners.builtin.squarin_off.calibration import has_safe_edge
from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.engine_match import change_seed
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.solvers.solver import create_backend
from fourcorners.solvers.solver_run import SolveBudget, SolverRun, compute_margin


class TestSet(NamedTuple):
    """Which positions to collect: those after some numbers of plies whose estimated cost, in nodes, is in a range, and
    which the solvers solve with `most_nodes`.

    Below the range, a few hundred simulations and the solver's nodes that they are worth prove who wins; above it, a
    proof takes too long. Without such a range, or if positions like these are left to simulations on larger boards, the
    estimates are those of the search without the solvers and the engine: then `solves` is False.
    """

    game: str
    options: dict[str, Any]
    plies: range
    least_cost: float
    most_cost: float
    most_nodes: int
    solves: bool = True
    is_wanted: Callable[[Any], bool] = lambda _: True  # receives the record


TEST_SETS: dict[str, TestSet] = {
    "dots-and-boxes": TestSet("dots-and-boxes", {"cols": 5, "rows": 5}, range(18, 27), 3e4, 1e6, 1_000_000),
    "dots-and-boxes-search": TestSet(
        "dots-and-boxes", {"cols": 5, "rows": 5}, range(21, 28), 4e3, 8e4, 100_000, solves=False
    ),
    "dots-and-boxes-chains": TestSet(
        "dots-and-boxes",
        {"cols": 6, "rows": 6},
        range(34, 60),
        1e1,
        1e5,
        50_000,
        solves=False,
        is_wanted=lambda record: not has_safe_edge(record),
    ),
    "squarin-off": TestSet("squarin-off", {"cols": 4, "rows": 4, "blockers": 2}, range(21, 29), 1e3, 2.3e3, 100_000),
    "square-off": TestSet("square-off", {"size": 8}, range(39, 47), 2.4e3, 1.5e4, 50_000),
    "squendo": TestSet("squendo", {"players": 2}, range(28, 36), 4e3, 1e5, 50_000),
    "sqez": TestSet("sqez", {"cols": 10, "rows": 10}, range(1, 8), 1e0, 5e2, 500, solves=False),
}
"""All for two seats. With hidden hands only positions count whose mover can infer them: its value is exact.

Where Dots and Boxes has come down to chains, proofs are quick on small boards, but larger ones are left to simulations.
"""
_FOLDER = Path(__file__).with_name("data")
_LEVELS = slice(-6, -2)  # the weakest levels play nearly at random, and the strongest take seconds for a move
_NODES = 50
_MEMORY = 1 << 23  # bytes, for solving a position
_RANDOM_MOVES = 0.05  # the share of moves played at random, so that games differ
SIMULATIONS = 300  # positions that these prove are left out
_PLAYOUTS = 24  # positions that the same party wins in this many random games are decided, and left out
_WRITE_SECONDS = 10.0


class ValuedPosition(NamedTuple):
    """A position and its exact outcome for the seat to move: the margin at the end, and the share of the win."""

    position: fc.Position
    margin: int

    @property
    def win(self) -> float:
        """The share of the win: 1, 0, or one half if the win is shared."""
        return 0.5 if self.margin == 0 else float(self.margin > 0)


def find_valued_position(name: str, seed: int) -> ValuedPosition | None:
    """Play a game between two levels, and solve one of its positions; None if it is not suitable. All follows from the
    seed.
    """
    rng = random.Random(f"{name}/{seed}")
    test_set = TEST_SETS[name]
    game = fc.game(test_set.game, **test_set.options)
    positions = [position for position in play_game(game, seed, rng) if position.ply_count in test_set.plies]
    rng.shuffle(positions)
    # Estimates may take long, so no more are made than it takes.
    position = next((each for each in positions if _is_suitable(each, test_set)), None)
    if position is None or _is_decided(position, test_set, seed):
        return None
    try:
        solver = SolverRun(create_backend(game, _MEMORY), SolveBudget(nodes=test_set.most_nodes))
        solution = solver.solve(position, moves=False)
    except fc.SolverLimit:
        return None
    return ValuedPosition(position, compute_margin(position, position.seat or 0) + solution.remaining_margin)


def play_game(game: fc.Game, seed: int, rng: random.Random) -> list[fc.Position]:
    """Return all positions but the last of a game between two levels that are neither very weak nor very strong."""
    levels = game.spec.part(ComputerPlay).levels[_LEVELS]
    players = []
    for seat in range(game.seats):
        level = rng.choice(levels)
        players.append(fc.Computer.from_level(level, nodes=min(level.nodes, _NODES) or None, seed=2 * seed + seat))
    position, positions = game.start(seed=seed), []
    while position.seat is not None:
        positions.append(position)
        player = players[position.seat]
        is_random = rng.random() < _RANDOM_MOVES
        position = position.play(rng.choice(position.moves()) if is_random else player.choose_move(position))
        change_seed(player)
    return positions


def _is_suitable(position: fc.Position, test_set: TestSet) -> bool:
    """Return whether a position is in the set's range, and wanted."""
    return (
        test_set.is_wanted(position.record)
        and test_set.least_cost <= _estimate_cost(position) <= test_set.most_cost
        and len(position.moves()) > 1
    )


def _estimate_cost(position: fc.Position) -> float:
    """Return about how many nodes a proof takes; infinity if the mover cannot infer all that is hidden."""
    spec, record = position.game.spec, position.record
    estimate_cost = spec.part(ExactPlay).estimate_cost
    if estimate_cost is None or not spec.can_know_all(record, position.seat or 0):
        return math.inf
    return estimate_cost(record)


def _is_decided(position: fc.Position, test_set: TestSet, seed: int) -> bool:
    """Return whether random games always have the same result, or a choice of a few simulations is proven."""
    rng, points = new_rng(seed), np.zeros(position.game.spec.rules.MAX_SEATS, np.int64)
    results: set[int] = set()
    for _ in range(_PLAYOUTS):
        if len(results) > 1:
            break
        states = position.states.copy()
        while compiled_api.status(states, 0, points) >= 0:
            compiled_api.play(states, 0, compiled_api.pick(states, 0, rng))
        results.add(int(np.sign(points[0] - points[1])))
    return len(results) == 1 or create_computer(position.game, test_set, SIMULATIONS, seed).choose(position).solved


def create_computer(
    game: fc.Game, test_set: TestSet, nodes: int, seed: int, *, uses_engine: bool = True
) -> fc.Computer:
    """Return the computer whose estimates are measured: the strongest level, perhaps without the solvers.

    Without the engine for two parties all estimates come from simulations.
    """
    strongest = game.spec.part(ComputerPlay).levels[-1]
    level = strongest._replace(solves=test_set.solves, estimates=strongest.estimates if uses_engine else 0.0)
    return fc.Computer.from_level(level, nodes=nodes, seed=seed)


def get_path(name: str) -> Path:
    """Return the file with the positions of a set."""
    return _FOLDER / f"{name}.txt.gz"


def read_positions(name: str, part: slice = slice(None)) -> list[ValuedPosition]:
    """Return a part of the positions of a set; raise OSError if there is no file."""
    game = fc.game(TEST_SETS[name].game, **TEST_SETS[name].options)
    rows = (line.split("\t") for line in _read_lines(get_path(name))[part])
    return [ValuedPosition(game.position(text), int(margin)) for _, text, margin in rows]


def read_fitted_positions(name: str) -> list[ValuedPosition]:
    """Return the half of a set to which parameters are fitted; raise OSError if there is no file."""
    return read_positions(name, slice(0, None, 2))


def read_tested_positions(name: str) -> list[ValuedPosition]:
    """Return the other half, from which the figures are; raise OSError if there is no file."""
    return read_positions(name, slice(1, None, 2))


def _read_lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def _write_lines(path: Path, lines: list[str]) -> None:
    """Replace a file at once, so that a stopped run leaves the old one or the new one."""
    temporary = path.with_suffix(".part")
    # Without a name and a time, the same positions always make the same file.
    with temporary.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        file.write("".join(f"{line}\n" for line in lines).encode())
    temporary.replace(path)


def find_lines(name: str, known: list[str]) -> Iterator[str]:
    """Yield the lines of positions that differ from all others, in the order of their seeds, for ever.

    `known` are the lines found so far, which the seeds follow.
    """
    texts = {line.split("\t")[1] for line in known}
    seed = int(known[-1].split("\t")[0]) + 1 if known else 0
    while True:
        found = find_valued_position(name, seed)
        if found is not None and found.position.text not in texts:
            texts.add(found.position.text)
            yield f"{seed}\t{found.position.text}\t{found.margin}"
        seed += 1


def main() -> None:
    """Read the command line, and extend the file of a set."""
    parser = argparse.ArgumentParser(description="Collect positions with exact values; this takes about an hour.")
    parser.add_argument("set", choices=TEST_SETS)
    parser.add_argument("--count", type=int, default=2000, help="the number of positions (%(default)s)")
    args = parser.parse_args()
    _FOLDER.mkdir(exist_ok=True)
    path = get_path(args.set)
    lines = _read_lines(path) if path.exists() else []
    written = monotonic()
    try:
        for line in find_lines(args.set, list(lines)):
            if len(lines) >= args.count:
                break
            lines.append(line)
            if monotonic() - written > _WRITE_SECONDS:
                _write_lines(path, lines)
                written = monotonic()
                sys.stderr.write(f"\r{len(lines)} of {args.count} positions")
                sys.stderr.flush()
    finally:
        _write_lines(path, lines)


if __name__ == "__main__":
    main()
