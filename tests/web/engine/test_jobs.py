"""Slow work: done once for all who ask, in fair turns, within limits and budgets, and only while someone waits."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from fourcorners.web.engine.jobs import STOPPED, Jobs, Report
from fourcorners.web.engine.warmup import Feature, Warmup
from fourcorners.web.engine.work_queue import BudgetError, BusyError, Client, CpuBudget, Limits, WorkQueue
from tests.waiting import wait_until

LIMITS = Limits(threads=1, waiting=3, per_player=2, per_network=4, cpu_seconds=5.0)
ADA, BOB = Client("ada", "10.0.0.0/24"), Client("bob", "10.0.1.0/24")
WAIT = 30.0


class SlowWork:
    """Jobs for a queue, by default with one thread, that wait until `go_on` is set or their budget ends."""

    def __init__(self, limits: Limits = LIMITS, linger: float = 0.0, warmup: Warmup | None = None) -> None:
        self.began: list[str] = []
        self.stopped = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.queue = WorkQueue("test", limits, "Busy.")
        self.jobs: Jobs[str, str] = Jobs(warmup or Warmup(), Feature.HINT, self.queue, 2, linger)
        self._names = itertools.count()

    def work(self, key: str) -> Callable[[CpuBudget, Report[str]], str]:
        """Return work that reports and returns a key."""

        def work(budget: CpuBudget, report: Report[str]) -> str:
            self.began.append(key)
            report(f"part of {key}")
            while not self.go_on.wait(0.005):
                if budget.is_set():
                    self.stopped.release()
                    raise BudgetError
            return key

        return work

    def ask(self, key: str, client: Client = ADA, report: Report[str] = lambda _: None) -> asyncio.Task[str]:
        """Ask for a key in a task."""
        return asyncio.ensure_future(self.jobs.ask(client, key, "a-game", self.work(key), report))

    def crowd(self, player: str, network: str = "") -> asyncio.Task[str]:
        """Ask for something that no one else asks for, as a player from a network; the result begins with the player"""
        return self.ask(f"{player}-{next(self._names)}", Client(player, network))

    async def collect(self, *tasks: Awaitable[str]) -> list[str]:
        """Let the jobs go on; return the players of their results, "busy" for those that were refused."""
        await self.begin(1)
        self.go_on.set()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        return ["busy" if isinstance(answer, BusyError) else str(answer).partition("-")[0] for answer in answers]

    async def begin(self, count: int) -> None:
        """Wait until a number of jobs have begun."""
        await asyncio.to_thread(wait_until, lambda: len(self.began) >= count)


@pytest.fixture
async def work(request: pytest.FixtureRequest) -> AsyncIterator[SlowWork]:
    """New jobs, with the options that are a test's parameter, which are closed after it."""
    made = SlowWork(**getattr(request, "param", {}))
    yield made
    made.jobs.close()


async def test_networks_take_turns_however_many_jobs_each_has(work: SlowWork) -> None:
    crowd = [work.crowd(f"a{number}", "2001:db8::/48") for number in range(3)]
    single = work.crowd("b", "203.0.113.0/24")
    assert await work.collect(*crowd, single) == ["a0", "a1", "a2", "b"]
    # The first one was running already.
    assert [key[:2] for key in work.began] == ["a0", "b-", "a1", "a2"]


@pytest.mark.parametrize("work", [{"linger": 60.0}], indirect=True)
async def test_a_job_that_waits_knows_how_many_come_first(work: SlowWork) -> None:
    clients = [ADA, Client("eve", ADA.network), Client("fay", ADA.network), BOB]
    jobs = [work.jobs.start(client, key, "a-game", work.work(key)) for client, key in zip(clients, "wxyz", strict=True)]

    def count_ahead() -> list[int]:
        return [work.queue.count_ahead(job.stop) for job in jobs]

    await work.begin(1)
    # Of each network at most one comes before the first of another.
    assert count_ahead() == [0, 2, 3, 2]
    jobs[3].cancel()
    await asyncio.gather(jobs[3].task, return_exceptions=True)
    assert count_ahead() == [0, 1, 2, 0]
    work.go_on.set()
    assert await asyncio.gather(*(job.task for job in jobs[:3])) == ["w", "x", "y"]
    assert count_ahead() == [0, 0, 0, 0]


@pytest.mark.parametrize("work", [{"limits": LIMITS._replace(per_network=2)}], indirect=True)
async def test_queue_that_is_full_refuses_and_no_network_fills_it_alone(work: SlowWork) -> None:
    crowd = [work.crowd(f"a{number}", "2001:db8::/48") for number in range(4)]
    newcomers = [work.crowd("b", "203.0.113.0/24"), work.crowd("c", "198.51.100.0/24")]
    assert await work.collect(*crowd, *newcomers) == ["a0", "a1", "busy", "busy", "b", "c"]
    assert len(work.began) == 4


@pytest.mark.parametrize("work", [{"limits": LIMITS._replace(waiting=10)}], indirect=True)
async def test_jobs_of_one_player_and_of_one_network_are_limited_until_they_end(work: SlowWork) -> None:
    player = [work.crowd("a", f"2001:db8:{number}::/48") for number in range(3)]
    network = [work.crowd(f"b{number}", "203.0.113.0/24") for number in range(5)]
    local = [work.crowd("c"), work.crowd("d")]
    expected = ["a", "a", "busy", "b0", "b1", "b2", "b3", "busy", "c", "d"]
    assert await work.collect(*player, *network, *local) == expected
    assert await work.crowd("a", "2001:db8:1::/48")


async def test_those_who_ask_for_the_same_share_one_job_and_its_result_is_kept(work: SlowWork) -> None:
    parts: list[str] = []
    first = work.ask("x", ADA, parts.append)
    await work.begin(1)
    # More than one player may have jobs: those who join have none.
    others = [work.ask("x", Client("ada", ADA.network)) for _ in range(5)]
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    work.go_on.set()
    assert await asyncio.gather(*others) == ["x"] * 5
    assert parts == ["part of x"]
    assert await work.ask("x") == "x"
    assert work.began == ["x"]


async def test_few_results_are_kept(work: SlowWork) -> None:
    work.go_on.set()
    for key in "abca":
        await work.ask(key)
    assert work.began == ["a", "b", "c", "a"]


async def test_job_ends_when_the_last_one_who_waits_has_left_and_can_be_asked_for_again(work: SlowWork) -> None:
    askers = [work.ask("x", ADA), work.ask("x", BOB)]
    waiting = work.ask("y")
    await work.begin(1)
    askers[0].cancel()
    await asyncio.sleep(0.05)
    assert not work.stopped.acquire(blocking=False)
    for asker in (waiting, askers[1]):
        asker.cancel()
    assert await asyncio.to_thread(work.stopped.acquire, timeout=WAIT)
    await asyncio.gather(*askers, waiting, return_exceptions=True)
    assert (work.queue.waiting_jobs, work.jobs.find("x")) == (0, None)
    work.go_on.set()
    assert await work.ask("x") == "x"
    assert work.began == ["x", "x"]


@pytest.mark.parametrize("work", [{"linger": 0.5}], indirect=True)
async def test_job_that_lingers_goes_on_as_long_as_someone_looks_at_it(work: SlowWork) -> None:
    job = work.jobs.start(ADA, "x", "a-game", work.work("x"))
    for _ in range(6):
        await asyncio.sleep(0.1)
        assert work.jobs.find("x") is job
    assert (job.partial, job.error) == ("part of x", None)
    await asyncio.gather(job.task, return_exceptions=True)
    assert str(job.error) == STOPPED
    assert work.jobs.find("x") is job
    work.go_on.set()
    again = work.jobs.start(ADA, "x", "a-game", work.work("x"))
    assert again is not job
    assert await again.task == "x"
    assert (work.jobs.find("x"), work.jobs.results["x"]) == (None, "x")


@pytest.mark.parametrize("work", [{"linger": 60.0}], indirect=True)
async def test_players_may_start_few_jobs_that_linger_and_join_those_of_others(work: SlowWork) -> None:
    jobs = [work.jobs.start(ADA, key, "a-game", work.work(key)) for key in "xy"]
    with pytest.raises(BusyError):
        work.jobs.start(ADA, "z", "a-game", work.work("z"))
    other = work.jobs.start(BOB, "z", "a-game", work.work("z"))
    assert work.jobs.start(ADA, "z", "a-game", work.work("z")) is other
    work.go_on.set()
    assert await asyncio.gather(*(job.task for job in (*jobs, other))) == ["x", "y", "z"]


@pytest.mark.parametrize("work", [{"linger": 60.0}], indirect=True)
async def test_what_is_kept_is_what_the_last_step_returns_even_if_there_is_a_result(work: SlowWork) -> None:
    async def finish(result: str) -> str:
        return f"{result}, stored"

    work.go_on.set()
    work.jobs.results["x"] = "old"
    await work.jobs.start(ADA, "x", "a-game", work.work("x"), finish).task
    await asyncio.sleep(0)
    assert work.jobs.results["x"] == "x, stored"


@pytest.mark.parametrize("work", [{"linger": 60.0}], indirect=True)
async def test_error_reaches_all_who_ask_and_the_next_job_runs(
    work: SlowWork, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> str:
        raise ZeroDivisionError

    failing = [asyncio.ensure_future(work.jobs.ask(client, "x", "a-game", fail)) for client in (ADA, BOB)]
    work.go_on.set()
    for task in failing:
        with pytest.raises(ZeroDivisionError):
            await task
    assert await work.ask("x") == "x"
    job = work.jobs.start(ADA, "y", "a-game", fail)
    await asyncio.gather(job.task, return_exceptions=True)
    await asyncio.sleep(0)
    assert isinstance(job.error, ZeroDivisionError)
    assert work.jobs.find("y") is job
    # No one waits for the second one.
    assert [record.message for record in caplog.records] == ["a job failed"] * 2


async def test_nothing_begins_before_the_game_is_compiled_and_the_job_says_how_far_that_is() -> None:
    class SlowWarmup(Warmup):
        """Compiles when the test says so."""

        is_compiled = False

        def is_available(self, *_: object) -> bool:
            return self.is_compiled

        def measure_progress(self, *_: object) -> float:
            return 0.25

    warmup = SlowWarmup()
    work = SlowWork(warmup=warmup, linger=60.0)
    work.go_on.set()
    job = work.jobs.start(ADA, "x", "a-game", work.work("x"))
    await asyncio.to_thread(wait_until, lambda: job.compiled < 1.0)
    assert (job.compiled, work.began) == (0.25, [])
    warmup.is_compiled = True
    assert await job.task == "x"
    assert job.compiled == 1.0
    work.jobs.close()


@pytest.mark.parametrize("work", [{"limits": LIMITS._replace(cpu_seconds=0.01)}], indirect=True)
async def test_work_ends_once_its_budget_is_used_up(work: SlowWork) -> None:
    def run_for_ever(budget: CpuBudget) -> None:
        while True:
            budget.check()

    with pytest.raises(BudgetError):
        await work.queue.run(ADA, run_for_ever)


async def test_closing_refuses_what_runs_waits_or_comes_later(work: SlowWork) -> None:
    tasks = [work.crowd("a"), work.crowd("b")]
    await work.begin(1)
    work.jobs.close()
    tasks.append(work.crowd("c"))
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert [str(answer) for answer in answers] == ["This server is stopping. Try again in a minute."] * 3


class Clock:
    """A clock of processor time that advances by `step` seconds with each look, and counts the looks."""

    def __init__(self, step: float) -> None:
        self.step = step
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return self.step * self.looks


def test_budget_is_set_by_its_signal_or_once_its_thread_has_used_it_up() -> None:
    stop, clock = threading.Event(), Clock(0.25)
    budget = CpuBudget(stop, 1.0, clock)
    assert [budget.is_set() for _ in range(5)] == [False, False, False, True, True]
    fresh = CpuBudget(stop, 1000.0, clock)
    assert not fresh.is_set()
    stop.set()
    assert fresh.is_set()
    # In another thread the clock says something else.
    found: list[bool] = []
    other = threading.Thread(target=lambda: found.append(CpuBudget.is_set(budget)))
    stop.clear()
    other.start()
    other.join()
    assert found == [False]
