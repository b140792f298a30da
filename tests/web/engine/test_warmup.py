"""The warm-up of a server: what is available meanwhile, and how far the rest is."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba import config

from fourcorners.core import jit
from fourcorners.players.levels import Level
from fourcorners.warmup.steps import STEPS, Step, list_steps
from fourcorners.web.engine import warmup as module
from fourcorners.web.engine.warmup import Feature, Warmup, find_level_feature
from tests.waiting import wait_until

GAMES = ["sqez", "square-off", "squendo"]


class FakeCompiler:
    """In place of the processes that compile: a test says which steps are done, or ends a process.

    `games` are those for which a process was started, `loaded` the steps that the server has loaded. With
    `compiles_all` the steps of each game are done once its process starts; then `failing` ones are not, and end it by
    the shell command `failure`.
    """

    def __init__(self) -> None:
        self.compiles_all = False
        self.done: set[Step] = set()
        self.failing: set[Step] = set()
        self.failure = "echo out of memory >&2; exit 1"
        self.games: list[str] = []
        self.loaded: list[Step] = []
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, game: str) -> subprocess.Popen[str]:
        """Start a process that does nothing, for a minute at most, or that ends at once if something fails."""
        self.games.append(game)
        failing = any(step.game == game for step in self.failing)
        command = self.failure if failing else "exec sleep 60"
        self.processes.append(subprocess.Popen(["sh", "-c", command], stderr=subprocess.PIPE, text=True))
        if self.compiles_all:
            self.done.update(step for step in list_steps([game]) if step not in self.failing)
        return self.processes[-1]

    def finish(self, warmup: Warmup, *names: str, game: str = "sqez") -> None:
        """Have steps of a game done, and wait until the warm-up has loaded them."""
        steps = {Step(game, name) for name in names}
        self.done |= steps
        wait_until(lambda: not steps & warmup._missing)

    def finish_all(self, warmup: Warmup) -> None:
        """Have everything done, and wait until the warm-up is."""
        self.done.update(warmup._steps)
        warmup.done.result(30)


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCompiler]:
    """Replace the processes that compile, the cache, which is empty, and loading."""
    fake = FakeCompiler()
    monkeypatch.setattr(config, "DISABLE_JIT", 0)
    monkeypatch.setattr(module, "_START_DELAY", 0.0)
    monkeypatch.setattr(module, "_POLL_EVERY", 0.01)
    monkeypatch.setattr(module, "_start_process", fake.start)
    monkeypatch.setattr(module, "is_done", lambda step: step in fake.done)
    monkeypatch.setattr(module, "run_step", fake.loaded.append)
    before = set(threading.enumerate())
    yield fake
    for process in fake.processes:
        process.kill()
        process.wait()
    # A thread that goes on would load steps during the next test.
    wait_until(lambda: before.issuperset(threading.enumerate()))


def start(compiler: FakeCompiler, *games: str) -> Warmup:
    """Start a warm-up of games, and wait until it compiles the first of them."""
    warmup = Warmup(games or GAMES)
    warmup.start()
    wait_until(lambda: len(compiler.games) > 0)
    return warmup


def test_feature_is_available_once_all_steps_it_needs_are_loaded(compiler: FakeCompiler) -> None:
    warmup = start(compiler)
    needed = {
        Feature.LEVELS: ["search"],
        Feature.SOLVE: ["solver"],
        Feature.SOLVING_LEVELS: ["proofs"],
        Feature.HINT: ["hints"],
        Feature.SLOW_LEVELS: ["levels"],
        Feature.REVIEW: ["rules"],
    }
    for feature, steps in needed.items():
        assert not warmup.is_available("sqez", feature)
        compiler.finish(warmup, *steps)
        assert warmup.is_available("sqez", feature)
        assert not warmup.is_available("squendo", feature)
    assert warmup.is_available("sqez")
    assert not warmup.ready
    compiler.finish_all(warmup)


def test_ready_means_that_all_steps_are_loaded_and_nothing_is_deferred_any_more(compiler: FakeCompiler) -> None:
    compiler.compiles_all = True
    warmup = start(compiler)
    warmup.done.result(30)
    assert warmup.ready
    assert compiler.games == GAMES
    assert compiler.loaded == list_steps(GAMES)
    assert not jit._is_deferring.is_set()
    assert all(process.poll() is not None for process in compiler.processes)


def test_what_is_in_the_cache_is_loaded_without_a_process(compiler: FakeCompiler) -> None:
    compiler.done.update(list_steps(["sqez"]))
    warmup = Warmup(["sqez"])
    warmup.start()
    warmup.done.result(30)
    assert compiler.games == []
    assert compiler.loaded == list_steps(["sqez"])


def test_rules_are_deferred_until_everything_is_compiled(compiler: FakeCompiler) -> None:
    warmup = start(compiler)
    assert jit._is_deferring.is_set()
    compiler.finish_all(warmup)
    wait_until(lambda: not jit._is_deferring.is_set())


def test_game_that_people_open_is_compiled_before_one_that_no_one_has_opened(compiler: FakeCompiler) -> None:
    """The other game's process ends at once, and it begins again later; of two open games the first goes on."""
    warmup = start(compiler)
    assert compiler.games == ["sqez"]
    warmup.prefer("squendo")
    wait_until(lambda: compiler.games == ["sqez", "squendo"])
    assert compiler.processes[0].poll() is not None
    warmup.prefer("square-off")
    compiler.finish(warmup, *STEPS, game="squendo")
    wait_until(lambda: len(compiler.games) == 3)
    compiler.finish(warmup, *STEPS, game="square-off")
    wait_until(lambda: len(compiler.games) == 4)
    assert compiler.games == ["sqez", "squendo", "square-off", "sqez"]
    compiler.finish_all(warmup)


async def test_game_that_was_opened_last_is_compiled_first(
    compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler.compiles_all = True
    monkeypatch.setattr(module, "_START_DELAY", 60.0)
    warmup = Warmup(GAMES)
    warmup.start()
    for game in ("squendo", "square-off", "squendo"):
        warmup.prefer(game)
    # Someone waits, which ends the pause in which the first page is shown.
    await warmup.wait_for("square-off", Feature.SOLVE, threading.Event())
    warmup.done.result(30)
    assert compiler.games == ["square-off", "squendo", "sqez"]


def test_nothing_is_compiled_while_the_first_page_is_shown(
    compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_START_DELAY", 0.3)
    began = time.monotonic()
    warmup = start(compiler, "sqez")
    assert time.monotonic() - began >= 0.3
    compiler.finish_all(warmup)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        ("echo out of memory >&2; exit 1", "compiling sqez failed: out of memory"),
        ("head -c 300000 /dev/zero | tr '\\0' x >&2; exit 1", f"compiling sqez failed: {300_000 * 'x'}"),
        ("kill -9 $$", "compiling sqez failed: its process ended with status -9"),
    ],
)
def test_game_whose_process_fails_leaves_its_features_available_and_the_server_not_ready(
    compiler: FakeCompiler, caplog: pytest.LogCaptureFixture, failure: str, message: str
) -> None:
    compiler.failure = failure
    compiler.failing = {Step("sqez", "solver")}
    compiler.compiles_all = True
    warmup = start(compiler)
    wait_until(lambda: not jit._is_deferring.is_set())
    assert compiler.games == GAMES
    assert warmup.is_available("sqez")
    assert not warmup.ready
    assert [record.message for record in caplog.records] == [message]
    warmup.close()


def test_game_that_failed_once_is_compiled_again_and_makes_the_server_ready(
    compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RETRY_PAUSE", 0.05)
    compiler.failing = {Step("sqez", "solver")}
    compiler.compiles_all = True
    warmup = start(compiler)
    wait_until(lambda: len(compiler.games) >= 5)
    compiler.failing.clear()
    warmup.done.result(30)
    assert set(compiler.games[3:]) == {"sqez"}
    assert set(compiler.loaded) == set(list_steps(GAMES))


def test_step_that_cannot_be_loaded_at_first_is_loaded_again(
    compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RETRY_PAUSE", 0.0)
    compiler.done.update(list_steps())
    tried: list[Step] = []

    def fail_first(step: Step) -> None:
        tried.append(step)
        if tried.count(step) == 1 and step.name == "hints":
            raise OSError("the cache is broken")
        compiler.loaded.append(step)

    monkeypatch.setattr(module, "run_step", fail_first)
    warmup = Warmup()
    warmup.start()
    warmup.done.result(30)
    assert set(compiler.loaded) == set(list_steps())


@pytest.mark.parametrize("name", ["is_done", "_start_process"])
def test_nothing_waits_for_a_cache_or_a_process_that_cannot_be_had(
    name: str, compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise OSError("not allowed")

    monkeypatch.setattr(module, name, refuse)
    warmup = Warmup(GAMES)
    warmup.start()
    wait_until(lambda: not jit._is_deferring.is_set())
    assert warmup.is_available("sqez")
    # Without a process, the server compiles.
    assert warmup.ready == (name == "_start_process")
    assert compiler.loaded == (list_steps(GAMES) if warmup.ready else [])
    warmup.close()


def test_closing_ends_the_process_and_deferring_and_leaves_the_server_not_ready(compiler: FakeCompiler) -> None:
    warmup = start(compiler)
    compiler.finish(warmup, "rules")
    warmup.close()
    assert compiler.processes[0].wait(30) == -9
    wait_until(lambda: not jit._is_deferring.is_set())
    assert not warmup.done.done()
    assert compiler.games == ["sqez"]


def test_progress_counts_what_is_loaded_and_part_of_what_is_running(
    compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_STEP_SECONDS", 10.0)
    warmup = start(compiler)
    assert warmup.measure_progress("squendo", Feature.EVALUATE) == 0
    before = warmup.measure_progress("sqez", Feature.EVALUATE)
    wait_until(lambda: before < warmup.measure_progress("sqez", Feature.EVALUATE) < 0.2)  # the search runs
    compiler.finish(warmup, "solver")
    between = warmup.measure_progress("sqez", Feature.EVALUATE)
    assert before + 0.3 < between < 1
    assert warmup.describe("sqez")["solve"] == 1
    assert warmup.describe("sqez")["evaluate"] == pytest.approx(between, abs=0.02)
    compiler.finish(warmup, "search", "proofs")
    assert warmup.describe("sqez")["evaluate"] == 1
    compiler.finish_all(warmup)


async def test_waiting_for_a_feature_ends_with_the_feature_or_the_stop(compiler: FakeCompiler) -> None:
    warmup = start(compiler)
    stop, shares, reported = threading.Event(), list[float](), asyncio.Event()

    def report(share: float) -> None:
        shares.append(share)
        reported.set()

    waiting = asyncio.create_task(warmup.wait_for("squendo", Feature.SOLVE, threading.Event(), report))
    await asyncio.wait_for(reported.wait(), 30)
    compiler.done.add(Step("squendo", "solver"))
    await asyncio.wait_for(waiting, 30)
    waiting = asyncio.create_task(warmup.wait_for("sqez", Feature.HINT, stop))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    stop.set()
    await asyncio.wait_for(waiting, 30)
    assert compiler.games == ["sqez", "squendo"]
    assert set(shares) == {0.0}
    compiler.finish_all(warmup)


async def test_everything_is_available_before_the_start_and_ready_at_once_without_compilation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    warmup = Warmup()
    assert warmup.is_available("sqez")
    await warmup.wait_for("sqez", Feature.HINT, threading.Event())
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    assert not warmup.ready
    warmup.start()
    assert warmup.ready


def test_process_compiles_a_game_at_a_low_priority_and_runs_no_file_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "queue.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # then there is nothing to do
    process = module._start_process("sqez")
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 5, 19)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 0
    process = module._start_process("chess")
    assert process.communicate(timeout=60)[1].startswith("fourcorners: game: 'chess' is not known")
    assert process.returncode == 2
    assert capfd.readouterr() == ("", "")


def test_only_levels_that_search_or_are_slow_need_compiled_code() -> None:
    level = Level("", "", 0, 1.0)
    assert find_level_feature(level) is None
    assert find_level_feature(level._replace(slow=True)) is Feature.SLOW_LEVELS
    assert find_level_feature(level._replace(nodes=9)) is Feature.LEVELS
    assert find_level_feature(level._replace(nodes=9, solves=1.0)) is Feature.SOLVING_LEVELS
