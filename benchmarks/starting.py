"""How long a game takes to be ready in a fresh process: with an empty cache of compiled code, and with a full one."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks.rates import significant

_PROGRAM = """
import sys, time
begun = time.perf_counter()
import fourcorners as fc
imported = time.perf_counter()
position = fc.game(sys.argv[1]).start(seed=1)
position = position.play(position.moves()[0])
moved = time.perf_counter()
choice = fc.Computer(nodes=10, seed=1).choose(position)
print(imported - begun, moved - begun, time.perf_counter() - begun)
"""
_STEPS = ("import_s", "first_move_s", "first_answer_s")


def fresh(name: str, cache: str) -> dict[str, float]:
    """Run the program that plays a move and asks the computer; return the seconds since it began, by step."""
    env = {**os.environ, "FOURCORNERS_CACHE": cache}
    run = subprocess.run([sys.executable, "-c", _PROGRAM, name], env=env, capture_output=True, text=True, check=True)
    return dict(zip(_STEPS, map(float, run.stdout.split()), strict=True))


def measure(name: str, rounds: int) -> dict[str, Any]:
    """Return the seconds of one cold start, and the medians of some warm ones."""
    with tempfile.TemporaryDirectory() as cache:
        cold = fresh(name, cache)
        warm = [fresh(name, cache) for _ in range(rounds)]
    return {
        "cold": {step: significant(cold[step]) for step in _STEPS},
        "warm": {step: significant(statistics.median(one[step] for one in warm)) for step in _STEPS},
    }
