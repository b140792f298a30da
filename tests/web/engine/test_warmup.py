"""The warm-up of a server: what is available meanwhile, and how far the rest is."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import httpx
import pytest
from numba import config

from fourcorners.core import jit
from fourcorners.core.levels import Level
from fourcorners.warmup.steps import Step, list_steps
from fourcorners.web.engine import warmup as module
from fourcorners.web.engine.warmup import Feature, Warmup, find_level_feature
from tests.waiting import wait_until
from tests.web.client import Server


class FakePool:
    """A pool that compiles nothing; a test calls `on_done` for each step. `preferred` has games with steps."""

    def __init__(self, steps: list[Step], on_done: Callable[[Step, str], None]) -> None:
        self.steps = steps
        self.on_done = on_done
        self.preferred: list[tuple[str, ...]] = []
        self.is_started = False

    def start(self) -> None:
        self.is_started = True

    def prefer(self, game: str, names: Sequence[str] = ()) -> None:
        self.preferred.append((game, *names))

    def get_running_time(self, step: Step) -> float:
        return 5.0 if step.name == "search" else 0.0

    def close(self) -> None:
        pass


@pytest.fixture
def step_log(monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """Replace the pool, the cache, which is empty, and loading; return the list of the steps loaded so far."""
    steps: list[Step] = []
    monkeypatch.setattr(config, "DISABLE_JIT", 0)
    monkeypatch.setattr(module, "CompilerPool", FakePool)
    monkeypatch.setattr(module, "is_done", lambda _: False)
    monkeypatch.setattr(module, "run_step", steps.append)
    monkeypatch.setattr(module, "_QUIET_TIME", 0.0)
    return steps


def start(warmup: Warmup) -> FakePool:
    """Start a warm-up and return its pool."""
    warmup.start()
    return wait_for_pool(warmup)


def wait_for_pool(warmup: Warmup) -> FakePool:
    """Wait until a warm-up has started its pool, and return that."""
    wait_until(lambda: warmup._pool is not None and cast("FakePool", warmup._pool).is_started)
    return cast("FakePool", warmup._pool)


def finish(warmup: Warmup, pool: FakePool, *names: str, game: str = "sqez", error: str = "") -> None:
    """Have the pool report steps of a game, and wait until none of them is missing."""
    for name in names:
        pool.on_done(Step(game, name), error)
    wait_until(lambda: not any(Step(game, name) in warmup._missing for name in names))


@pytest.mark.usefixtures("step_log")
def test_feature_is_available_once_all_steps_it_needs_are_loaded() -> None:
    warmup = Warmup()
    pool = start(warmup)
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
        finish(warmup, pool, *steps)
        assert warmup.is_available("sqez", feature)
        assert not warmup.is_available("squendo", feature)
    assert warmup.is_available("sqez")
    assert not warmup.ready
    finish_all(warmup, pool)


def finish_all(warmup: Warmup, pool: FakePool) -> None:
    """Have the pool report all steps, and wait until the warm-up is done."""
    for step in list_steps():
        pool.on_done(step, "")
    warmup.done.result(30)


def test_ready_means_that_all_steps_are_loaded_and_nothing_is_deferred_any_more(step_log: list[Step]) -> None:
    warmup = Warmup()
    pool = start(warmup)
    assert jit._is_deferring.is_set()
    finish_all(warmup, pool)
    assert warmup.ready
    assert step_log == list_steps() == pool.steps
    assert not jit._is_deferring.is_set()


def report_all(warmup: Warmup, error: str) -> None:
    """Have the pool report an error for each of its steps, and wait until nothing waits for them any more."""
    pool = cast("FakePool", warmup._pool)
    for step in pool.steps:
        pool.on_done(step, error)
    wait_until(lambda: not jit._is_deferring.is_set())


@pytest.mark.usefixtures("step_log")
def test_steps_that_failed_leave_their_features_available_and_the_server_not_ready() -> None:
    warmup = Warmup()
    start(warmup)
    report_all(warmup, "no memory")
    assert not warmup.ready
    assert warmup.is_available("sqez")
    warmup.close()


def test_step_that_failed_once_is_compiled_again_and_makes_the_server_ready(
    step_log: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RETRY_PAUSE", 0.0)
    warmup = Warmup()
    pool = start(warmup)
    failed = Step("sqez", "solver")
    for step in list_steps():
        pool.on_done(step, "no memory" if step == failed else "")
    wait_until(lambda: cast("FakePool", warmup._pool) is not pool)
    again = wait_for_pool(warmup)
    assert again.steps == [failed]
    assert not warmup.done.done()
    again.on_done(failed, "")
    warmup.done.result(30)
    assert warmup.ready
    assert sorted(step_log) == sorted(list_steps())


def test_step_that_cannot_be_loaded_at_first_is_loaded_again(
    step_log: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RETRY_PAUSE", 0.0)
    monkeypatch.setattr(module, "is_done", lambda _: True)
    tried: list[Step] = []

    def fail_first(step: Step) -> None:
        tried.append(step)
        if tried.count(step) == 1 and step.name == "hints":
            raise OSError("the cache is broken")
        step_log.append(step)

    monkeypatch.setattr(module, "run_step", fail_first)
    warmup = Warmup()
    warmup.start()
    warmup.done.result(30)
    assert sorted(step_log) == sorted(list_steps())


@pytest.mark.usefixtures("step_log")
def test_pauses_before_steps_are_tried_again_double_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    warmup, pauses = Warmup(), list[float]()

    class FakeClosed(threading.Event):
        """Notes the pauses instead of waiting, and is set after eight."""

        def wait(self, timeout: float | None = None) -> bool:
            pauses.append(timeout or 0.0)
            if len(pauses) == 8:
                self.set()
            return self.is_set()

    monkeypatch.setattr(FakePool, "start", lambda self: [self.on_done(step, "no memory") for step in self.steps])
    monkeypatch.setattr(warmup, "_closed", FakeClosed())
    warmup.start()
    wait_until(warmup._closed.is_set)
    assert pauses == [10, 20, 40, 80, 160, 320, 600, 600]
    assert not warmup.ready


@pytest.mark.usefixtures("step_log")
def test_closing_ends_deferring_and_leaves_the_server_not_ready() -> None:
    warmup = Warmup()
    pool = start(warmup)
    finish(warmup, pool, "rules")
    warmup.close()
    wait_until(lambda: not jit._is_deferring.is_set())
    assert not warmup.done.done()


@pytest.mark.usefixtures("step_log")
def test_closing_before_the_pool_exists_leaves_no_process_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    warmup, may_go_on = Warmup(), threading.Event()
    monkeypatch.setattr(module, "is_done", lambda _: not may_go_on.wait(30))
    warmup.start()
    warmup.close()
    may_go_on.set()
    wait_until(lambda: not jit._is_deferring.is_set())
    assert warmup._pool is None or not cast("FakePool", warmup._pool).is_started


@pytest.mark.usefixtures("step_log")
def test_nothing_waits_for_a_pool_that_cannot_start_and_the_server_is_not_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: FakePool) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(FakePool, "start", fail)
    warmup = Warmup()
    warmup.start()
    wait_until(lambda: not jit._is_deferring.is_set())
    assert warmup.is_available("sqez")
    assert not warmup.ready
    warmup.close()


@pytest.mark.usefixtures("step_log")
def test_progress_counts_what_is_loaded_and_part_of_what_is_running() -> None:
    warmup = Warmup()
    pool = start(warmup)
    before = warmup.measure_progress("sqez", Feature.EVALUATE)
    assert 0 < before < 0.2  # the search runs
    finish(warmup, pool, "solver")
    between = warmup.measure_progress("sqez", Feature.EVALUATE)
    assert before + 0.3 < between < 1
    assert warmup.describe("sqez")["solve"] == 1
    assert warmup.describe("sqez")["evaluate"] == round(between, 2)
    finish(warmup, pool, "search", "proofs")
    assert warmup.describe("sqez")["evaluate"] == 1
    finish_all(warmup, pool)


@pytest.mark.usefixtures("step_log")
def test_waiting_for_a_feature_prefers_its_game_and_ends_with_the_feature_or_the_stop() -> None:
    warmup = Warmup()
    pool = start(warmup)
    stop, shares = threading.Event(), list[float]()

    async def wait_twice() -> None:
        """Wait for solving until the step is done, and for a hint until it is stopped."""
        reported = asyncio.Event()

        def report(share: float) -> None:
            shares.append(share)
            reported.set()

        waiting = asyncio.create_task(warmup.wait_for("sqez", Feature.SOLVE, threading.Event(), report))
        await asyncio.wait_for(reported.wait(), 30)
        pool.on_done(Step("sqez", "solver"), "")
        await asyncio.wait_for(waiting, 30)
        waiting = asyncio.create_task(warmup.wait_for("squendo", Feature.HINT, stop))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        stop.set()
        await asyncio.wait_for(waiting, 30)

    asyncio.run(wait_twice())
    assert pool.preferred == [("sqez", "solver"), ("squendo", "search", "solver", "proofs", "hints")]
    assert set(shares) == {0.0}
    finish_all(warmup, pool)


class FakeEvent:
    """The event that something is urgent; waiting for it lets the time of a fake clock pass, and `on_wait` happen."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, on_wait: Callable[[int], bool]) -> None:
        self.now = 100.0
        self.pauses: list[float] = []
        self._on_wait = on_wait
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.now))

    def wait(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        self.now += seconds
        return self._on_wait(len(self.pauses))


@pytest.mark.parametrize(
    ("requests", "urgent_at", "pauses"), [(0, 9, [2]), (3, 9, [2, 2, 2, 2]), (99, 99, [2] * 5), (99, 3, [2] * 3)]
)
def test_compiling_begins_two_seconds_after_the_last_request_or_after_ten_or_when_it_is_urgent(
    requests: int, urgent_at: int, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    warmup = Warmup()

    def happen(count: int) -> bool:
        if count <= requests:
            warmup.note_request()
        return count >= urgent_at

    event = FakeEvent(monkeypatch, happen)
    monkeypatch.setattr(warmup, "_is_urgent", event)
    warmup.note_request()
    warmup._wait_for_pause()
    assert event.pauses == pauses


@pytest.mark.usefixtures("step_log")
def test_whoever_waits_for_a_feature_ends_the_pause_and_games_opened_before_it_are_preferred(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_QUIET_TIME", 1000.0)
    monkeypatch.setattr(module, "_LONGEST_WAIT", 1000.0)
    warmup, stop = Warmup(), threading.Event()
    warmup.start()
    for game in ("sqez", "squendo", "sqez"):
        warmup.prefer(game)
    assert warmup._pool is None
    stop.set()
    asyncio.run(warmup.wait_for("sqez", Feature.SOLVE, stop))
    pool = wait_for_pool(warmup)
    assert pool.preferred == [("squendo",), ("sqez",), ("sqez", "solver")]
    finish_all(warmup, pool)


def test_each_request_to_the_server_is_noted(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        warmup = server.context.warmup
        for path in ("/healthz", "/static/page.css", "/games/sqez/cover.svg"):
            warmup._latest_request = 0.0
            assert httpx.get(f"http://127.0.0.1:{server.port}{path}").status_code == 200
            assert warmup._latest_request > 0


def test_everything_is_available_before_the_start_and_ready_at_once_without_compilation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    warmup = Warmup()
    assert warmup.is_available("sqez")
    asyncio.run(warmup.wait_for("sqez", Feature.HINT, threading.Event()))
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    assert not warmup.ready
    warmup.start()
    assert warmup.ready


def test_only_levels_that_search_or_are_slow_need_compiled_code() -> None:
    level = Level("", "", 0, 1.0)
    assert find_level_feature(level) is None
    assert find_level_feature(level._replace(slow=True)) is Feature.SLOW_LEVELS
    assert find_level_feature(level._replace(nodes=9)) is Feature.LEVELS
    assert find_level_feature(level._replace(nodes=9, solves=1.0)) is Feature.SOLVING_LEVELS
