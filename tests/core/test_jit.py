"""Compiled code in the disk cache, written by several processes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core.itanium_mangler import mangle
from numba.np import numpy_support

import fourcorners.core.jit  # noqa: F401  # it gives records stable names

# Solves the start of some games for three seats; each process meets the games, and so their dtypes, in another order.
PROGRAM = """
import sys
import fourcorners as fc
from fourcorners.solve.maxn import MaxNSolver
for name in sys.argv[1:]:
    options = {"cols": 4, "rows": 4} if name == "sqez" else {"cols": 1, "rows": 1, "blockers": 0}
    position = fc.game(name, players=3, **options).start()
    task = MaxNSolver(position.game, 1 << 21).create_task(position)
    task.advance(10000)
    print(name, task.margins)
"""


def mangle_dtype(dtype: np.dtype[np.void]) -> str:
    """Return the symbol that Numba gives a function `f` of one record of this dtype."""
    return str(mangle("f", [numpy_support.from_dtype(dtype)]))


def test_symbols_of_records_differ_by_their_fields_and_are_the_same_in_another_process() -> None:
    # This process has met other types before the fourth one, the new process only this one.
    names = [mangle_dtype(np.dtype([(f"field{i}", np.int64)])) for i in range(5)]
    assert len(set(names)) == 5
    program = "import tests.core.test_jit as t; print(t.mangle_dtype(t.np.dtype([('field3', t.np.int64)])))"
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True, capture_output=True, text=True, env=environment, cwd=root,
    )  # fmt: skip
    assert done.stdout.strip() == names[3]


@pytest.mark.slow
@pytest.mark.compiled
def test_processes_that_share_a_cache_get_the_same_results(tmp_path: Path) -> None:
    environment = {**os.environ, "FOURCORNERS_CACHE": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    found = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM, *names],
            check=True, capture_output=True, text=True, env=environment,
        ).stdout.split("\n")
        for names in (["sqez"], ["squarin-off"], ["sqez", "squarin-off"], ["squarin-off", "sqez"])
    ]  # fmt: skip
    # A result has a line for each game and the empty text after the last line feed. The third and fourth process load
    # what the first two have compiled.
    assert found[2] == [*found[3][1::-1], ""] == found[0][:1] + found[1]
    assert found[0][0] == "sqez (1, -1, -1)"  # on 4 x 4 dots the first rectangle is the last one
