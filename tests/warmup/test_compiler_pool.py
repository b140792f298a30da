"""The pool of compiling processes, which compile nothing here: the order of the steps, failures, and its end."""

import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from fourcorners.warmup import compiler_pool
from fourcorners.warmup.compiler_pool import CompilerPool
from fourcorners.warmup.steps import AFTER, STEPS, Step, list_steps
from tests.waiting import wait_until

PROGRAM = Path(__file__).with_name("fake_compiler.py")

FIRST = next(iter(STEPS))
"""The step that is compiled first in every game."""

Finished = queue.SimpleQueue[tuple[Step, str]]


class Compilers:
    """Starts pools whose processes are `fake_compiler.py` in `folder`."""

    def __init__(self, folder: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let pools start the program in a folder; close them with `stack`."""
        self.folder = folder
        self.finished: Finished = queue.SimpleQueue()
        self.processes: list[subprocess.Popen[str]] = []
        self._stack = stack
        self._monkeypatch = monkeypatch
        monkeypatch.setattr(compiler_pool, "_start_process", self._start_process)

    def _start_process(self) -> subprocess.Popen[str]:
        command = [sys.executable, str(PROGRAM), str(self.folder)]
        self.processes.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return self.processes[-1]

    def start(self, steps: list[Step], processors: int = 1) -> CompilerPool:
        """Start a pool for some steps with a process for each of the processors."""
        self._monkeypatch.setattr(compiler_pool, "count_processors", lambda: processors)
        pool = CompilerPool(steps, lambda step, error: self.finished.put((step, error)))
        self._stack.enter_context(closing(pool))
        pool.start()
        return pool

    def read_log(self) -> list[Step]:
        """Return the steps that the processes have begun, in order."""
        log = self.folder / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [Step(*line.split()[:2]) for line in lines]

    def wait_for_log(self, count: int) -> list[Step]:
        """Wait until the processes have begun so many steps; return them."""
        wait_until(lambda: len(self.read_log()) >= count)
        return self.read_log()


@pytest.fixture
def compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Compilers]:
    """Pools of this test alone, which are closed at its end."""
    before = set(threading.enumerate())
    with ExitStack() as stack:
        yield Compilers(tmp_path, stack, monkeypatch)
    # A thread that goes on may start one more process, which the next test would count.
    wait_until(lambda: before.issuperset(threading.enumerate()))


def test_one_process_runs_all_steps_game_by_game_in_order(compilers: Compilers) -> None:
    steps = list_steps(["sqez", "square-off"])
    compilers.start(steps)
    assert [compilers.finished.get(timeout=30) for _ in steps] == [(step, "") for step in steps]
    assert compilers.read_log() == steps
    assert len(compilers.processes) == 1


def test_two_processes_begin_with_games_of_their_own_and_no_step_runs_before_those_it_needs(
    compilers: Compilers,
) -> None:
    steps = list_steps(["sqez", "square-off"])
    (compilers.folder / "hold").touch()
    compilers.start(steps, processors=2)
    assert set(compilers.wait_for_log(2)) == {Step("sqez", FIRST), Step("square-off", FIRST)}
    (compilers.folder / "hold").unlink()
    finished = [compilers.finished.get(timeout=30)[0] for _ in steps]
    assert sorted(finished) == sorted(steps)
    for game in ("sqez", "square-off"):
        assert finished.index(Step(game, "proofs")) > finished.index(Step(game, "search"))
        assert finished.index(Step(game, "proofs")) > finished.index(Step(game, "solver"))
        assert finished.index(Step(game, "hints")) > finished.index(Step(game, "proofs"))


def test_preferred_game_comes_next_even_if_every_process_is_busy(compilers: Compilers) -> None:
    """The step that is dropped for it runs again later, and does not count as failed."""
    steps = list_steps(["sqez", "square-off", "squendo"])
    (compilers.folder / "hold").touch()
    pool = compilers.start(steps)
    assert compilers.wait_for_log(1) == [Step("sqez", FIRST)]
    pool.prefer("squendo")
    assert compilers.wait_for_log(2)[1] == Step("squendo", FIRST)
    pool.prefer("square-off")  # comes next, but squendo is preferred as well
    (compilers.folder / "hold").unlink()
    finished = [compilers.finished.get(timeout=30) for _ in steps]
    assert {error for _, error in finished} == {""}
    assert [step for step, _ in finished] == [
        Step("squendo", FIRST),
        *[Step("square-off", name) for name in STEPS],
        *[Step("squendo", name) for name in STEPS if name != FIRST],
        *[Step("sqez", name) for name in STEPS],
    ]


def test_what_a_hint_needs_is_compiled_before_what_runs_in_python_meanwhile() -> None:
    """A player who opens a game may ask for a hint at once, and nothing else can be used only once it is compiled."""
    assert set(list(STEPS)[:4]) == {"search", "solver", "proofs", "hints"}
    for name, earlier in AFTER.items():
        assert all(list(STEPS).index(each) < list(STEPS).index(name) for each in earlier)


def test_steps_for_which_somebody_waits_come_before_all_others(compilers: Compilers) -> None:
    (compilers.folder / "hold").touch()
    pool = compilers.start(list_steps(["sqez", "square-off"]))
    compilers.wait_for_log(1)
    pool.prefer("square-off", ["search", "solver", "proofs"])
    pool.prefer("sqez")
    (compilers.folder / "hold").unlink()
    # The first step began before anybody waited, and was dropped.
    expected = [Step("square-off", name) for name in ("search", "solver", "proofs")]
    assert compilers.wait_for_log(5)[1:4] == expected


def test_step_whose_process_crashes_is_tried_again_in_another_process(compilers: Compilers) -> None:
    step = Step("sqez", "search")
    (compilers.folder / "crash-sqez-search").touch()
    compilers.start([step])
    assert compilers.finished.get(timeout=30) == (step, "")
    assert compilers.read_log() == [step, step]
    assert len(compilers.processes) == 2


def test_process_killed_between_steps_is_replaced_and_leaves_no_open_pipes(compilers: Compilers) -> None:
    compiler = compiler_pool._Compiler()
    assert compiler.run(Step("sqez", "rules")) == ""
    compilers.processes[0].kill()
    compilers.processes[0].wait(30)
    assert compiler.run(Step("sqez", "search")) == ""
    compiler.close()
    assert len(compilers.processes) == 2
    assert all(pipe is not None and pipe.closed for each in compilers.processes for pipe in (each.stdin, each.stdout))


def test_step_that_fails_twice_is_reported_and_the_others_go_on(compilers: Compilers) -> None:
    steps = list_steps(["sqez"])
    (compilers.folder / "fail-sqez-search").touch()
    compilers.start(steps)
    finished = dict(compilers.finished.get(timeout=30) for _ in steps)
    assert finished == {step: "out of memory" if step.name == "search" else "" for step in steps}


def test_processes_end_with_their_pool_even_while_they_compile(compilers: Compilers) -> None:
    (compilers.folder / "hold").touch()
    pool = compilers.start(list_steps(["sqez", "square-off"]), processors=2)
    compilers.wait_for_log(2)
    pool.close()
    assert [process.wait(30) for process in compilers.processes] == [-9, -9]
    assert compilers.finished.empty()


def test_steps_run_in_this_process_if_no_other_can_be_started(
    compilers: Compilers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise OSError("no more processes")

    ran: list[Step] = []
    monkeypatch.setattr(compiler_pool, "_start_process", refuse)
    monkeypatch.setattr(compiler_pool, "run_step", ran.append)
    steps = list_steps(["sqez"])
    compilers.start(steps)
    assert [compilers.finished.get(timeout=30) for _ in steps] == [(step, "") for step in steps]
    assert ran == steps


def test_running_time_is_that_of_a_running_step(compilers: Compilers) -> None:
    (compilers.folder / "hold").touch()
    pool = compilers.start(list_steps(["sqez"]))
    compilers.wait_for_log(1)
    assert pool.get_running_time(Step("sqez", FIRST)) > 0
    assert pool.get_running_time(Step("sqez", "rules")) == 0


def test_process_runs_no_file_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "queue.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    with compiler_pool._start_process() as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0
