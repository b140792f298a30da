"""Processor time of compiling each step of the warm-up: `python -m benchmarks.compile_time [games]`.

One process compiles the games given, or all, with an empty cache, and prints a Markdown table.
"""

import os
import subprocess
import sys
import tempfile

_PROGRAM = """
import sys, time
from numba.core import event
from fourcorners.warmup import steps

steps._SOLVER_SECONDS = 600.0  # on a slow machine the solver must not stop before all is compiled
began = time.process_time()
compiled = 0
for step in steps.list_steps(sys.argv[1:]):
    before = time.process_time()
    with event.install_recorder("numba:compile") as recorder:
        steps.run_step(step)
    count = sum(found.is_start for _, found in recorder.buffer)
    compiled += count
    print(f"| {step} | {time.process_time() - before:.1f} | {count} |", flush=True)
print(f"| all | {time.process_time() - began:.1f} | {compiled} |")
"""


def main(games: list[str]) -> None:
    """Print the table for games, by id; none: for all. Raise CalledProcessError if the process fails."""
    print("| step | processor seconds | compiled functions |\n|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "FOURCORNERS_CACHE": cache, "NUMBA_DISABLE_JIT": "0"}
        subprocess.run([sys.executable, "-c", _PROGRAM, *games], check=True, env=environment)


if __name__ == "__main__":
    main(sys.argv[1:])
