"""Solve the openings of 3 x 4 boxes and write Squarin' Off's opening book (minutes): `python -m benchmarks.book`."""

import argparse
from collections.abc import Iterator

import numpy as np

import fourcorners as fc
from fourcorners.builtin.squarin_off.exact.book import BOOK_FILE, ENTRY
from fourcorners.core.game import Position
from fourcorners.solvers.margins import MarginSolver
from fourcorners.solvers.solver_run import SolveBudget, run_task

MAX_EDGES = 3
MEMORY = 1 << 29


def list_openings(solver: MarginSolver, max_edges: int = MAX_EDGES) -> Iterator[tuple[tuple[int, int], Position]]:
    """Yield the solver's keys of all openings of 3 x 4 boxes, each once with one of its positions; fewest edges first.

    An opening has at most `max_edges` edges drawn; equal keys mean equal values.
    """
    layer = [fc.game("dots-and-boxes", cols=4, rows=3).start()]
    for edges in range(max_edges + 1):
        by_key = {solver.create_task(position).key: position for position in layer}
        yield from by_key.items()
        if edges < max_edges:
            children = (position.play(move) for position in by_key.values() for move in position.moves())
            layer = list({position.text: position for position in children}.values())


def main() -> None:
    """Solve the openings and write their keys and values, sorted, to BOOK_FILE, over an older book."""
    parser = argparse.ArgumentParser(description="Solve the openings of 3 x 4 boxes and write the opening book.")
    parser.add_argument("--lines", type=int, default=MAX_EDGES, help="the maximum number of edges drawn in an opening")
    arguments = parser.parse_args()
    solver = MarginSolver(fc.game("dots-and-boxes", cols=4, rows=3), MEMORY)
    entries = []
    # Openings with most lines are solved first: they are quick, and what the table then holds helps with the others.
    for key, position in reversed(list(list_openings(solver, arguments.lines))):
        task = solver.create_task(position)
        run_task(task, solver, SolveBudget())
        entries.append((key, task.lower))
    np.save(BOOK_FILE, np.array(sorted(entries), ENTRY), allow_pickle=False)
    print(f"{len(entries)} positions in {BOOK_FILE}")


if __name__ == "__main__":
    main()
