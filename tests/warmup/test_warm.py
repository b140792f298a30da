"""`fc.warm`: what it compiles, and what it reports."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numba
import pytest

import fourcorners as fc
from fourcorners.core import kernel_cache
from fourcorners.warmup import warm as module
from fourcorners.warmup.steps import STEPS, Step, find_lock, list_steps, mark_done


def run_python(code: str, *arguments: str, cache: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run compiled code in a new process, which must succeed, with a cache in a folder or this process's; return its
    output.
    """
    folder = {} if cache is None else {"FOURCORNERS_CACHE": str(cache)}
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **folder, "PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "0"},
        check=True,
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_steps_are_those_of_the_games_named_each_once_and_of_all_games_without_names() -> None:
    names = list(STEPS)
    assert list_steps(["dots-and-boxes", "squarin-off"]) == [Step("squarin-off", name) for name in names]
    assert {step.game for step in list_steps()} >= {"squarin-off", "square-off", "squendo", "sqez"}
    assert str(Step("sqez", "search")) == "Sqez: search"


def test_unknown_game_is_refused_in_one_sentence() -> None:
    with pytest.raises(fc.OptionError, match=r"^game: 'chess' is not known; it must be .* or sqez"):
        fc.warm("sqez", "chess")


def test_without_compilation_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    monkeypatch.setattr(module, "run_step", None)
    fc.warm("sqez")


@pytest.fixture
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let `fc.warm` work although tests may run without compilation; return the folder of its marks."""
    monkeypatch.setenv("FOURCORNERS_CACHE", str(tmp_path))
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)
    return tmp_path


def test_failure_is_raised_with_the_step_and_the_reason_and_later_calls_go_on_with_it(
    monkeypatch: pytest.MonkeyPatch, marks: Path
) -> None:
    ran: list[str] = []

    def run(step: Step) -> None:
        ran.append(step.name)
        if ran == ["search", "solver"]:
            raise OSError("no\n memory")

    monkeypatch.setattr(module, "run_step", run)
    with pytest.raises(RuntimeError, match=r"^Sqez: solver cannot be compiled: OSError: no memory$"):
        fc.warm("sqez")
    assert [path.name.rpartition("-")[0] for path in marks.rglob("*.done")] == ["sqez-search"]
    fc.warm("sqez")
    assert ran == ["search", "solver", *(name for name in STEPS if name != "search")]


@pytest.mark.usefixtures("marks")
def test_step_waits_for_another_process_that_compiles_it_and_is_not_compiled_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[Step] = []
    monkeypatch.setattr(module, "run_step", ran.append)
    step = Step("sqez", next(iter(STEPS)))
    with kernel_cache.hold_lock(find_lock(step)):
        other = threading.Thread(target=fc.warm, args=("sqez",))
        other.start()
        other.join(0.2)
        assert other.is_alive()
        mark_done(step)
    other.join(30)
    assert ran == list_steps(["sqez"])[1:]


def test_what_a_hint_needs_is_compiled_before_what_runs_in_python_meanwhile() -> None:
    """A player who opens a game may ask for a hint at once, and nothing else can be used only once it is compiled."""
    assert list(STEPS)[:4] == ["search", "solver", "proofs", "hints"]


WARM = """
import fourcorners as fc
fc.warm("sqez", progress=lambda done, total, what: print(done, total, what, sep="|"))
"""
PLAY = """
import fourcorners as fc
position = fc.game("sqez", cols=4, rows=4).start()
fc.Computer(nodes=50, seed=1).choose(position)
"""


@pytest.mark.compiled
@pytest.mark.slow
def test_warm_compiles_a_game_once_and_later_calls_load_it_without_a_word(tmp_path: Path) -> None:
    warmed = run_python(WARM, cache=tmp_path)
    assert warmed.stderr == ""
    first = warmed.stdout.splitlines()
    assert [line.split("|")[:2] for line in first] == [
        [str(number + 1), str(len(STEPS))] for number in range(len(STEPS))
    ]
    assert {line.split("|")[2] for line in first} == {f"Sqez: {name}" for name in STEPS}
    files = {path: path.stat().st_mtime for path in tmp_path.rglob("*.nbc")}
    assert files
    assert len(run_python(WARM, cache=tmp_path).stdout.splitlines()) == len(STEPS)
    assert run_python(PLAY, cache=tmp_path).stderr == ""
    assert {path: path.stat().st_mtime for path in tmp_path.rglob("*.nbc")} == files


LIST_TWICE = """
import logging, sys
if len(sys.argv) > 1: logging.getLogger("fourcorners.core.compile_notice").setLevel(logging.ERROR)
import fourcorners as fc
for name in ("sqez", "square-off"):
    fc.game(name).start(seed=0).is_over
"""


@pytest.mark.compiled
def test_first_call_that_compiles_says_so_once_and_a_call_that_loads_says_nothing(tmp_path: Path) -> None:
    said = (
        "Compiling for this computer, once for each game and kind of search; it may take a minute"
        " (`fourcorners warm` does it ahead of time).\n"
    )
    assert run_python(LIST_TWICE, cache=tmp_path / "cache").stderr == said
    assert run_python(LIST_TWICE, cache=tmp_path / "cache").stderr == ""
    assert run_python(LIST_TWICE, "silent", cache=tmp_path / "other").stderr == ""
