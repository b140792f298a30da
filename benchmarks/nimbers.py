"""Find the nimber of an empty field of Sqez: `python -m benchmarks.nimbers 9 9 --memory 4 --seconds 3600`.

Print as JSON the nimber, the nodes (parts expanded), the seconds and the bytes of memory used; if the time or the
memory does not suffice, the bounds proven.
"""

import argparse
import json
import sys
import time

import fourcorners as fc
from fourcorners.core.errors import SolverLimit
from fourcorners.solvers.nimber_table import STORED
from fourcorners.solvers.nimbers import NimberSolver

_SLICE_NODES, _REPORT_SECONDS = 500, 30.0


def search_field(cols: int, rows: int, sides: str, enclose: str, memory: int, seconds: float) -> dict[str, object]:
    """Search one field of Sqez within `memory` bytes and `seconds`; return the figures to print, by name.

    `sides` and `enclose` are options of the game. "limit" is empty if the nimber was found; otherwise it is "seconds"
    or a clause, "nimber" is None, and "lower" and "upper" are the bounds of the value. Progress goes to stderr. A small
    field is searched first, so that the time of compilation does not count. Raise OptionError for wrong options.
    """
    small = fc.game("sqez", cols=6, rows=5, sides="own").start()
    NimberSolver(small.game, 1 << 20).create_task(small).advance(100)
    position = fc.game("sqez", cols=cols, rows=rows, sides=sides, enclose=enclose).start()
    solver = NimberSolver(position.game, memory)
    task = solver.create_task(position)
    start = last_report = time.perf_counter()
    limit = ""
    try:
        while not task.advance(_SLICE_NODES):
            now = time.perf_counter()
            if now - start > seconds:
                limit = "seconds"
                break
            if now - last_report > _REPORT_SECONDS:
                last_report = now
                print(f"{now - start:.0f} s, {task.nodes} nodes, {solver.fill:.1%} full", file=sys.stderr, flush=True)
    except SolverLimit as error:
        limit = error.message
    return {
        "cols": cols,
        "rows": rows,
        "sides": sides,
        "enclose": enclose,
        "nimber": task.nimber,
        "lower": task.lower,
        "upper": task.upper,
        "nodes": task.nodes,
        "seconds": round(time.perf_counter() - start, 3),
        "bytes": 8 * int(solver.table.counts[STORED]) + solver.table.slots.nbytes,
        "limit": limit,
    }


def main() -> None:
    """Read the command line, search the field and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cols", type=int)
    parser.add_argument("rows", type=int)
    parser.add_argument("--sides", default="own")
    parser.add_argument("--enclose", default="free")
    parser.add_argument("--memory", type=float, default=1.0, help="GiB")
    parser.add_argument("--seconds", type=float, default=60.0)
    args = parser.parse_args()
    memory = int(args.memory * (1 << 30))
    print(json.dumps(search_field(args.cols, args.rows, args.sides, args.enclose, memory, args.seconds)))


if __name__ == "__main__":
    main()
