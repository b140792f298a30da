"""Slow work: fair turns, bounded numbers, and budgets of processor time."""

import asyncio
import itertools
import math
import threading
from collections.abc import Awaitable, Callable

import pytest

import fourcorners as fc
from fourcorners.web.engine import hint_service
from fourcorners.web.engine.cancellable_query import BusyError
from fourcorners.web.engine.work_queue import BudgetError, Client, CpuBudget, QueueLimits, WorkQueue

LIMITS = QueueLimits(waiting=3, per_player=2, per_network=4, cpu_seconds=1.0)
WAIT = 30.0


class SlowWork:
    """Jobs for a queue with one thread: each notes its name when it begins, then waits until `go_on` is set."""

    def __init__(self) -> None:
        self.began: list[str] = []
        self.go_on = threading.Event()
        self.queue = WorkQueue("test", 1, "Busy.")
        self._names = itertools.count()

    def ask(self, player: str, network: str = "", limits: QueueLimits = LIMITS) -> asyncio.Task[str]:
        """Ask for a job in a task, which returns the player."""

        def work(budget: CpuBudget) -> str:
            self.began.append(player)
            assert self.go_on.wait(WAIT)
            return player

        return asyncio.ensure_future(self.queue.run(Client(player, network), work, threading.Event(), limits))

    async def collect(self, *tasks: Awaitable[str]) -> list[str]:
        """Let the jobs go on; return their results, "busy" for those that were refused, and close the queue."""
        await asyncio.sleep(0)  # all of them are in the queue
        self.go_on.set()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        self.queue.close()
        return ["busy" if isinstance(answer, BusyError) else str(answer) for answer in answers]


def run(test: Callable[[SlowWork], Awaitable[None]]) -> None:
    """Run a test in an event loop."""

    async def start() -> None:
        await test(SlowWork())

    asyncio.run(start())


def test_networks_take_turns_however_many_jobs_each_has() -> None:
    async def test(work: SlowWork) -> None:
        crowd = [work.ask(f"a{number}", "2001:db8::/48") for number in range(3)]
        single = work.ask("b", "203.0.113.0/24")
        assert await work.collect(*crowd, single) == ["a0", "a1", "a2", "b"]
        # The first one was running already.
        assert work.began[:2] == ["a0", "b"]

    run(test)


def test_job_of_the_network_with_most_jobs_makes_room_for_a_newcomer() -> None:
    async def test(work: SlowWork) -> None:
        crowd = [work.ask(f"a{number}", "2001:db8::/48") for number in range(4)]
        newcomers = [work.ask("b", "203.0.113.0/24"), work.ask("c", "198.51.100.0/24")]
        assert await work.collect(*crowd, *newcomers) == ["a0", "a1", "busy", "busy", "b", "c"]

    run(test)


def test_network_that_has_used_processor_time_comes_after_others_and_loses_its_place_first() -> None:
    async def test(work: SlowWork) -> None:
        work.queue._used = {f"2001:db8:{number}::/48": (5.0 + number, work.queue._monotonic()) for number in range(4)}
        attackers = [work.ask(f"a{number}", f"2001:db8:{number}::/48") for number in range(4)]
        newcomer = work.ask("b", "203.0.113.0/24")
        assert await work.collect(*attackers, newcomer) == ["a0", "a1", "a2", "busy", "b"]
        assert work.began[:2] == ["a0", "b"]

    run(test)


def test_a_job_counts_for_what_the_clock_of_its_queue_says() -> None:
    async def use_time() -> float:
        seconds = 1.0

        def work(_: CpuBudget) -> None:
            nonlocal seconds
            seconds += 9.0

        queue = WorkQueue("test", 1, "Busy.", lambda: 0.0, lambda: seconds)
        await queue.run(Client("a", "203.0.113.0/24"), work, threading.Event(), LIMITS)
        used = queue._read_used("203.0.113.0/24")
        queue.close()
        return used

    assert asyncio.run(use_time()) == 9.0


def test_jobs_of_one_player_and_of_one_network_are_limited() -> None:
    async def test(work: SlowWork) -> None:
        limits = LIMITS._replace(waiting=10)
        player = [work.ask("a", f"2001:db8:{number}::/48", limits) for number in range(3)]
        network = [work.ask(f"b{number}", "203.0.113.0/24", limits) for number in range(5)]
        local = [work.ask("c", "", limits), work.ask("d", "", limits)]
        expected = ["a", "a", "busy", "b0", "b1", "b2", "b3", "busy", "c", "d"]
        assert await work.collect(*player, *network, *local) == expected

    run(test)


def test_used_processor_time_is_forgotten() -> None:
    now = 0.0
    queue = WorkQueue("test", 1, "Busy.", lambda: now)
    queue._used["n"] = (8.0, 0.0)
    assert queue._read_used("n") == 8.0
    now = 120.0
    assert queue._read_used("n") == 2.0
    assert queue._read_used("other") == 0.0
    queue.close()


def test_closed_queue_refuses_running_and_waiting_jobs() -> None:
    async def test(work: SlowWork) -> None:
        tasks = [work.ask("a"), work.ask("b")]
        await asyncio.sleep(0)
        work.go_on.set()
        work.queue.close()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert [str(answer) for answer in answers] == ["This server is stopping. Try again in a minute."] * 2
        with pytest.raises(RuntimeError):
            await work.ask("c")

    run(test)


def test_error_of_a_job_reaches_who_asked_and_the_next_one_runs() -> None:
    async def test(work: SlowWork) -> None:
        def fail(budget: CpuBudget) -> str:
            raise ZeroDivisionError

        failing = asyncio.ensure_future(work.queue.run(Client("a"), fail, threading.Event(), LIMITS))
        after = work.ask("b")
        assert await work.collect(after) == ["b"]
        with pytest.raises(ZeroDivisionError):
            await failing

    run(test)


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


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("game", "options"), [("square-off", {"size": 12}), ("sqez", {"cols": 20, "rows": 20}), ("squendo", {"players": 4})]
)
def test_estimate_ends_with_its_budget_and_tells_how_many_simulations_it_made(
    game: str, options: dict[str, int]
) -> None:
    """However large the board is, a few slices and two random games are all that is done once the budget is used."""
    view = fc.game(game, **options).start(seed=1)
    clock = Clock(0.1)
    estimate = hint_service._estimate(view.view(view.seat), CpuBudget(threading.Event(), 0.4, clock))
    assert not estimate.solved
    assert 1 <= estimate.nodes < hint_service.ESTIMATE_NODES / 4
    # Each slice and each random game looks at the clock once.
    assert clock.looks < 12
    assert estimate.left > 0.9


def test_running_job_ends_with_the_queue_and_when_its_budget_is_used_up() -> None:
    async def test(work: SlowWork) -> None:
        began = threading.Event()

        def run_until_stopped(budget: CpuBudget) -> None:
            while True:
                began.set()
                budget.check()

        async def ask(limits: QueueLimits) -> None:
            await work.queue.run(Client("a"), run_until_stopped, threading.Event(), limits)

        with pytest.raises(BudgetError):
            await ask(LIMITS._replace(cpu_seconds=0.01))
        began.clear()
        endless = asyncio.ensure_future(ask(LIMITS._replace(cpu_seconds=math.inf)))
        assert await asyncio.to_thread(began.wait, WAIT)
        work.queue.close()
        with pytest.raises(BusyError, match="stopping"):
            await endless

    run(test)
