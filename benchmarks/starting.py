"""Start-up time of a game in a new process, with an empty cache of compiled code (cold) and a full one (warm)."""

import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks.rates import round_significant

_PROGRAM = """
import sys, time
start = time.perf_counter()
import fourcorners as fc
imported = time.perf_counter()
position = fc.game(sys.argv[1]).start(seed=1)
position = position.play(position.moves()[0])
moved = time.perf_counter()
choice = fc.Computer(nodes=10, seed=1).choose(position)
print(imported - start, moved - start, time.perf_counter() - start)
"""
_STEPS = ("import_s", "first_move_s", "first_answer_s")


def time_start_up_steps(name: str, cache: str) -> dict[str, float]:
    """Import, play a move of a game and ask the computer in a new process; return the seconds until each of _STEPS.

    `cache` is the folder for compiled code. The time that Python itself takes to start does not count. Raise
    CalledProcessError if the process fails.
    """
    env = {**os.environ, "FOURCORNERS_CACHE": cache}
    process = subprocess.run(
        [sys.executable, "-c", _PROGRAM, name], env=env, capture_output=True, text=True, check=True
    )
    return dict(zip(_STEPS, map(float, process.stdout.split()), strict=True))


def measure_start_up(name: str, rounds: int) -> dict[str, Any]:
    """Return the seconds of one start of a game, by its id, with an empty cache, and the medians of `rounds` warm ones.

    The figures are by "cold" and "warm", then by step.
    """
    with tempfile.TemporaryDirectory() as cache:
        cold = time_start_up_steps(name, cache)
        warm = [time_start_up_steps(name, cache) for _ in range(rounds)]
    return {
        "cold": {step: round_significant(cold[step]) for step in _STEPS},
        "warm": {step: round_significant(statistics.median(seconds[step] for seconds in warm)) for step in _STEPS},
    }
