"""Compiled code in the disk cache, written by several processes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import config
from numba.core.itanium_mangler import mangle
from numba.np import numpy_support

import fourcorners as fc
from fourcorners.core import compiled_api, jit, slices

# Solves the start of some games for three seats; each process meets the games, and so their dtypes, in another order.
PROGRAM = """
import sys
import fourcorners as fc
from fourcorners.solvers.maxn import MaxNSolver
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


# Compiles one function for the start of a game. Between reading the index of the cache and writing it, it waits for the
# other process, which does the same, to begin as well.
WRITER = """
import sys, time
from pathlib import Path
from numba.core.caching import IndexDataCacheFile
import fourcorners as fc
from fourcorners.core import compiled_api

load = IndexDataCacheFile._load_index
save = IndexDataCacheFile.save

def save_slowly(self, key, data):
    def load_slowly():
        found = load(self)
        Path(sys.argv[1], sys.argv[2]).touch()
        end = time.monotonic() + 2
        while time.monotonic() < end and len(list(Path(sys.argv[1]).iterdir())) < 2:
            time.sleep(0.01)
        return found
    self._load_index = load_slowly
    save(self, key, data)

IndexDataCacheFile.save = save_slowly
position = fc.game(sys.argv[2]).start(seed=0)
print(compiled_api.bound(position.states, 0), compiled_api.bound.run_interpreted(position.states, 0))
"""
READER = """
import fourcorners as fc
from fourcorners.core import compiled_api

for name in ("sqez", "square-off"):
    position = fc.game(name).start(seed=0)
    assert compiled_api.bound(position.states, 0) == compiled_api.bound.run_interpreted(position.states, 0)
print(sum(compiled_api.bound._dispatcher.stats.cache_hits.values()))
"""


@pytest.mark.ci
@pytest.mark.compiled
def test_two_processes_that_write_to_the_index_of_a_function_at_once_both_find_their_code_later(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "FOURCORNERS_CACHE": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "NUMBA_DISABLE_JIT": "0",
    }
    (tmp_path / "begun").mkdir()
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "begun"), name], env=environment, stdout=subprocess.PIPE
        )
        for name in ("sqez", "square-off")
    ]
    for writer in writers:
        answers = writer.communicate(timeout=300)[0].split()
        assert writer.returncode == 0
        assert answers[0] == answers[1]
    done = subprocess.run(
        [sys.executable, "-c", READER], check=True, capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.stdout == "2\n"


@pytest.fixture
def deferral() -> Iterator[None]:
    """Defer compilation during the test."""
    jit.defer_compilation(defers=True)
    yield
    jit.defer_compilation(defers=False)


def test_code_that_cannot_be_saved_is_used_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FOURCORNERS_CACHE", str(tmp_path))
    kernel = jit.kernel_no_alloc(halve)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", fail)
    monkeypatch.setattr("numba.core.config.DISABLE_JIT", 0)
    jit._warn_of_saving.cache_clear()
    assert kernel(3) == 1.5
    assert kernel(2.5) == 1.25
    assert [record.getMessage().count("No space left on device") for record in caplog.records] == [1]


def test_brief_interpretation_ends_when_its_time_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(100))
    monkeypatch.setattr("time.process_time", lambda: float(next(now)))
    monkeypatch.setattr("numba.core.config.DISABLE_JIT", 0)
    kernel = jit.kernel_no_alloc(halve)
    with jit.interpret_briefly(2.0):
        assert [kernel(3), kernel(3), kernel._dispatcher] == [1.5, 1.5, None]
        assert kernel(3) == 1.5
        assert kernel._dispatcher is not None
    assert jit._patience == 0.0


def halve(number: float) -> float:
    return number / 2


@pytest.mark.compiled
@pytest.mark.usefixtures("deferral")
def test_deferrable_kernel_runs_in_python_until_it_is_compiled_for_exactly_these_types() -> None:
    kernel = jit.deferrable(jit.kernel_no_alloc(halve))
    assert kernel(3) == 1.5
    assert kernel._dispatcher.signatures == []  # type: ignore[union-attr]  # made by the first call
    with jit.allow_compilation():
        assert kernel(3) == 1.5
    compiled = list(kernel._dispatcher.signatures)  # type: ignore[union-attr]
    assert len(compiled) == 1
    # A dispatcher that may not compile would convert 2.5 to the integer 2.
    assert kernel(2.5) == 1.25
    assert kernel._dispatcher.signatures == compiled  # type: ignore[union-attr]


@pytest.mark.compiled
@pytest.mark.usefixtures("deferral")
def test_kernel_that_is_not_deferrable_compiles_at_once() -> None:
    kernel = jit.kernel_no_alloc(halve)
    assert kernel(3) == 1.5
    assert len(kernel._dispatcher.signatures) == 1  # type: ignore[union-attr]


@pytest.mark.compiled
def test_kernel_that_only_reads_is_compiled_once_for_arrays_that_can_be_written_to_and_others() -> None:
    """Positions have read-only records, and games played on from them have others; each would compile for seconds."""
    position = fc.game("sqez", cols=4, rows=4).start()
    points = np.zeros(position.game.spec.rules.MAX_SEATS, np.int64)
    assert not position.states.flags.writeable
    assert compiled_api.status(position.states, 0, points) == 0
    dispatcher: Any = compiled_api.status._dispatcher
    count = len(dispatcher.overloads)
    work = position.states.copy()
    assert compiled_api.status(work, 0, points) == 0
    assert len(dispatcher.overloads) == count
    assert work.flags.writeable


def add_one(number: int) -> int:
    """Return the next number."""
    return number + 1


@pytest.mark.compiled
def test_budgets_stand_still_while_a_kernel_is_compiled_or_loaded() -> None:
    kernel, pauses = jit.kernel(add_one), slices._thread.pauses
    before = pauses.seconds
    assert kernel(1) == 2
    compiled = pauses.seconds
    assert compiled > before
    assert kernel(2) == 3
    assert pauses.seconds == compiled


@pytest.mark.compiled
def test_bound_kernel_is_the_compiled_function_for_these_types() -> None:
    states = fc.game("sqez").start().states
    out = np.zeros(441, np.int64)
    count = compiled_api.legal(states, 0, out)
    bound = compiled_api.legal.bind(states, 0, out)
    assert bound is not compiled_api.legal
    assert bound(states, 0, out) == count == 441
    # It is not compiled for lists, so that the kernel itself finds the types and refuses them.
    assert compiled_api.legal.bind(states, 0, [0]) is compiled_api.legal  # type: ignore[arg-type]  # that is tested


def test_bound_kernel_is_itself_where_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", True)
    assert compiled_api.play.bind(fc.game("sqez").start().states, 0, 0) is compiled_api.play
