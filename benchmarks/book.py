"""Write what the openings of 3 x 4 are worth into Squarin' Off's book: `python -m benchmarks.book`, some minutes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import fourcorners as fc
from fourcorners.core.position import Position
from fourcorners.games.squarin_off.exact.book import BOOK_FILE
from fourcorners.solve.margins import MarginSolver
from fourcorners.solve.solver import SolveBudget, run_task

LINES = 3
MEMORY = 1 << 29


def list_openings(solver: MarginSolver, lines: int = LINES) -> Iterator[tuple[tuple[int, int], Position]]:
    """List one position for every key with at most so many lines, fewest lines first."""
    layer = [fc.game("dots-and-boxes", cols=4, rows=3).start()]
    for drawn in range(lines + 1):
        alike = {solver.create_task(position).key: position for position in layer}
        yield from alike.items()
        if drawn < lines:
            after = (position.play(move) for position in alike.values() for move in position.moves())
            layer = list({position.text: position for position in after}.values())


def main() -> None:
    """Solve and write."""
    parser = argparse.ArgumentParser(description="Write the book of openings anew.")
    parser.add_argument("--lines", type=int, default=LINES, help="as many as are drawn at most")
    given = parser.parse_args()
    solver = MarginSolver(fc.game("dots-and-boxes", cols=4, rows=3), MEMORY)
    known = []
    # Those with most lines first: they are the quick ones, and help with the others.
    for (first, second), position in reversed(list(list_openings(solver, given.lines))):
        task = solver.create_task(position)
        run_task(task, solver, SolveBudget())
        known.append(f"{first:016x} {second:016x} {task.lower}\n")
    BOOK_FILE.write_text("".join(sorted(known)), encoding="ascii")
    print(f"{len(known)} positions in {BOOK_FILE}")


if __name__ == "__main__":
    main()
