"""Who wins a board of Dots and Boxes after every three moves: `python -m benchmarks.three_moves COLS ROWS`.

Positions that differ only by a rotation or reflection of the board are solved once and counted as often as they occur.
The result is printed as JSON: how many first moves win, draw and lose for the first player, and who wins how many of
the positions after three moves. The first player moves third in all of them, since three edges complete no box.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import fourcorners as fc
from fourcorners.solvers.solver import create_backend
from fourcorners.solvers.solver_run import SolveBudget, SolverRun

Dot = tuple[int, int]
Edge = tuple[Dot, Dot]
"""Two neighbouring dots as (column, row), from 0, in order."""

MEMORY = 4 << 30
RESULTS = {1: "first", 0: "draw", -1: "second"}


def list_edges(cols: int, rows: int) -> list[Edge]:
    """Return the edges of a board of cols x rows boxes."""
    across = [((x, y), (x + 1, y)) for y in range(rows + 1) for x in range(cols)]
    return across + [((x, y), (x, y + 1)) for y in range(rows) for x in range(cols + 1)]


def list_images(edges: Iterable[Edge], cols: int, rows: int) -> list[tuple[Edge, ...]]:
    """Return a set of edges, sorted, as each symmetry of the board maps it: four images, or eight on a square board."""
    images = [list(edges)]
    images += [[_map_edge(edge, lambda x, y: (cols - x, y)) for edge in image] for image in images]
    images += [[_map_edge(edge, lambda x, y: (x, rows - y)) for edge in image] for image in images]
    if cols == rows:
        images += [[_map_edge(edge, lambda x, y: (y, x)) for edge in image] for image in images]
    return [tuple(sorted(image)) for image in images]


def _map_edge(edge: Edge, image: Callable[[int, int], Dot]) -> Edge:
    """Return the edge between the images of the dots of an edge."""
    one, two = sorted(image(*dot) for dot in edge)
    return one, two


def format_edge(edge: Edge) -> str:
    """Return an edge as a move, such as "a1b1"."""
    return "".join(f"{chr(ord('a') + x)}{y + 1}" for x, y in edge)


def count_results(cols: int, rows: int, moves: int) -> Counter[str]:
    """Return who wins how many of the positions after a number of moves, 1 to 3, with best play from there."""
    game = fc.game("dots-and-boxes", cols=cols, rows=rows)
    found: Counter[str] = Counter()
    classes = Counter(min(list_images(edges, cols, rows)) for edges in combinations(list_edges(cols, rows), moves))
    solver = SolverRun(create_backend(game, MEMORY), SolveBudget())
    for edges, count in classes.items():
        position = game.start()
        for edge in edges:
            position = position.play(format_edge(edge))
        value = solver.solve(position, moves=False).remaining_margin
        mover = (value > 0) - (value < 0)
        found[RESULTS[mover if moves % 2 == 0 else -mover]] += count
    return found


def describe(cols: int, rows: int) -> dict[str, Any]:
    """Return what the program prints about a board of cols x rows boxes."""
    after = {f"after {moves}": dict(sorted(count_results(cols, rows, moves).items())) for moves in (1, 3)}
    return {"cols": cols, "rows": rows, **after}


def main() -> None:
    """Read the command line and print the result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.three_moves", description=__doc__)
    parser.add_argument("cols", type=int, help="boxes across")
    parser.add_argument("rows", type=int, help="boxes up")
    args = parser.parse_args()
    print(json.dumps(describe(args.cols, args.rows)))


if __name__ == "__main__":
    main()
