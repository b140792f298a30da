"""The nimber of one empty field of Sqez, as JSON: `python -m benchmarks.nimbers 9 9 --memory 4 --seconds 3600`.

The answer is the nimber with the parts expanded, the seconds and the bytes of memory used; if the seconds or the memory
do not suffice, what was proven until then.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import fourcorners as fc
from fourcorners.core.errors import SolverLimit
from fourcorners.solve.nimber_table import STORED
from fourcorners.solve.nimbers import NimberSolver

_SLICE, _REPORT = 500, 30.0


def run(cols: int, rows: int, sides: str, enclose: str, memory: int, seconds: float) -> dict[str, object]:
    """Search one field; what compiles is compiled before."""
    small = fc.game("sqez", cols=6, rows=5, sides="own").start()
    NimberSolver(small.game, 1 << 20).create_task(small).advance(100)
    position = fc.game("sqez", cols=cols, rows=rows, sides=sides, enclose=enclose).start()
    solver = NimberSolver(position.game, memory)
    task = solver.create_task(position)
    begun = last = time.perf_counter()
    limit = ""
    try:
        while not task.advance(_SLICE):
            now = time.perf_counter()
            if now - begun > seconds:
                limit = "seconds"
                break
            if now - last > _REPORT:
                last = now
                print(f"{now - begun:.0f} s, {task.nodes} nodes, {solver.fill:.1%} full", file=sys.stderr, flush=True)
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
        "seconds": round(time.perf_counter() - begun, 3),
        "bytes": 8 * int(solver.table.counts[STORED]) + solver.table.slots.nbytes,
        "limit": limit,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cols", type=int)
    parser.add_argument("rows", type=int)
    parser.add_argument("--sides", default="own")
    parser.add_argument("--enclose", default="free")
    parser.add_argument("--memory", type=float, default=1.0, help="GiB")
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    memory = int(given.memory * (1 << 30))
    print(json.dumps(run(given.cols, given.rows, given.sides, given.enclose, memory, given.seconds)))


if __name__ == "__main__":
    main()
