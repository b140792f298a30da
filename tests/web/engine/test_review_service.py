"""Reviews in a queue: one job for a game, progress, failures, and an end when nobody asks."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

import fourcorners as fc
from fourcorners.core.errors import GameError
from fourcorners.web.engine import review_service
from fourcorners.web.engine.cancellable_query import BusyError
from fourcorners.web.engine.review_service import Key, Make, Report, ReviewJob, ReviewService
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.engine.work_queue import Client, CpuBudget
from tests.study.games import review_small_game
from tests.waiting import wait_until

ADA, BOB = Client("ada", "10.0.0.0/24"), Client("bob", "10.0.1.0/24")
KEY = Key("t", 7)
GAME = "squarin-off"


class Workshop:
    """Makes reviews as the test says: each one is reported, waits for `go_on`, and is kept once it is finished."""

    def __init__(self) -> None:
        """Let every review wait."""
        self.go_on = threading.Event()
        self.began = threading.Semaphore(0)
        self.made = 0
        self.kept: list[fc.Review] = []

    def make(self, budget: CpuBudget, report: Report) -> fc.Review:
        self.made += 1
        report(review_small_game())
        self.began.release()
        while not self.go_on.wait(0.005):
            budget.check()
        return review_small_game()

    async def keep(self, review: fc.Review) -> None:
        self.kept.append(review)


def run(scenario: Callable[[ReviewService, Workshop], Awaitable[None]], idle_seconds: float = 60.0) -> None:
    """Run a scenario with a new service, and close that."""

    async def run_scenario() -> None:
        service, workshop = ReviewService(Warmup(), idle_seconds=idle_seconds), Workshop()
        try:
            await asyncio.wait_for(scenario(service, workshop), 30)
        finally:
            await asyncio.to_thread(workshop.go_on.set)
            service.close()

    review_small_game()
    asyncio.run(run_scenario())


async def begin(service: ReviewService, workshop: Workshop, client: Client = ADA, key: Key = KEY) -> ReviewJob:
    """Start a review and wait until a thread works on it."""
    job = service.start(client, key, GAME, workshop.make, workshop.keep)
    await asyncio.to_thread(workshop.began.acquire)
    return job


async def end(job: ReviewJob) -> None:
    """Wait until a job is over."""
    assert job.task is not None
    await job.task


def test_everybody_who_asks_gets_the_same_job_and_then_the_review_which_is_kept_once() -> None:
    async def scenario(service: ReviewService, workshop: Workshop) -> None:
        job = await begin(service, workshop)
        assert job.partial == review_small_game()
        assert service.start(BOB, KEY, GAME, workshop.make, workshop.keep) is service.find_job(KEY) is job
        assert service.find_review(KEY) is None
        workshop.go_on.set()
        await end(job)
        assert (workshop.made, workshop.kept) == (1, [review_small_game()])
        assert service.find_job(KEY) is None
        assert service.find_review(KEY) == review_small_game()
        # A takeback and another end make another game of it.
        assert service.find_review(KEY._replace(version=9)) is None

    run(scenario)


def test_a_review_stops_when_nobody_asks_about_it_and_can_be_started_again() -> None:
    async def scenario(service: ReviewService, workshop: Workshop) -> None:
        job = await begin(service, workshop)
        await end(job)
        assert job.failure == review_service._STOPPED
        assert workshop.kept == []
        workshop.go_on.set()
        again = await begin(service, workshop)
        assert again is not job
        await end(again)
        assert len(workshop.kept) == 1

    run(scenario, idle_seconds=0.05)


def test_whoever_asks_keeps_a_review_going() -> None:
    async def scenario(service: ReviewService, workshop: Workshop) -> None:
        job = await begin(service, workshop)
        assert job.timer is not None
        job.timer.cancel()
        job.asked_at -= 61
        assert service.find_job(KEY) is job
        service._stop_when_idle(job)
        assert not job.stop.is_set()
        job.asked_at -= 61
        service._stop_when_idle(job)
        assert job.stop.is_set()
        await end(job)

    run(scenario)


def test_a_player_and_a_network_may_have_few_reviews_at_once() -> None:
    async def scenario(service: ReviewService, workshop: Workshop) -> None:
        jobs = [await begin(service, workshop)]
        jobs.append(service.start(ADA, Key("u", 1), GAME, workshop.make, workshop.keep))
        with pytest.raises(BusyError):
            service.start(ADA, Key("v", 1), GAME, workshop.make, workshop.keep)
        for number in range(2):
            neighbour = Client(f"n{number}", ADA.network)
            jobs.append(service.start(neighbour, Key(f"n{number}", 1), GAME, workshop.make, workshop.keep))
        with pytest.raises(BusyError):
            service.start(Client("n3", ADA.network), Key("n3", 1), GAME, workshop.make, workshop.keep)
        jobs.append(service.start(BOB, Key("w", 1), GAME, workshop.make, workshop.keep))
        workshop.go_on.set()
        for job in jobs:
            await end(job)
        assert (workshop.made, len(workshop.kept)) == (5, 5)

    run(scenario)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (GameError("this game is still running"), "This game is still running."),
        (RuntimeError("secret"), "Something went wrong on the server. Try again."),
    ],
)
def test_what_goes_wrong_is_said_in_a_sentence(error: Exception, sentence: str) -> None:
    def fail(*_: object) -> fc.Review:
        raise error

    async def scenario(service: ReviewService, workshop: Workshop) -> None:
        make: Make = fail
        job = service.start(ADA, KEY, GAME, make, workshop.keep)
        await end(job)
        assert job.failure == sentence
        assert service.find_job(KEY) is job
        assert workshop.kept == []

    run(scenario)


def test_a_review_that_takes_too_much_processor_time_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_service, "CPU_LIMIT", 0.0)

    async def scenario(service: ReviewService, workshop: Workshop) -> None:
        job = await begin(service, workshop)
        await end(job)
        assert job.failure == "This game takes too long to review on this server."

    run(scenario)


def test_closing_ends_reviews_that_are_being_made_and_nothing_more_is_kept() -> None:
    async def scenario(service: ReviewService, workshop: Workshop) -> None:
        job = await begin(service, workshop)
        service.close()
        await end(job)
        assert "stopping" in job.failure
        assert workshop.kept == []

    run(scenario)


def test_a_review_made_again_replaces_one_that_judged_less_and_never_one_that_judged_more() -> None:
    whole = review_small_game()
    part = replace(whole, moves=(replace(whole.moves[0], label=None), *whole.moves[1:]), is_complete=False)

    async def scenario(service: ReviewService, workshop: Workshop) -> None:
        workshop.go_on.set()
        service.remember(KEY, part)
        await end(await begin(service, workshop))
        assert service.find_review(KEY) == whole
        assert workshop.kept == [whole]

        def make_less(*_: object) -> fc.Review:
            return part

        await end(service.start(ADA, KEY, GAME, make_less, workshop.keep))
        assert service.find_review(KEY) == whole
        assert workshop.kept == [whole]

    run(scenario)


def test_until_the_game_is_compiled_the_job_says_how_far_that_is() -> None:
    class SlowWarmup(Warmup):
        """Compiles when the test says so."""

        is_compiled = False

        def is_available(self, *_: object) -> bool:
            return self.is_compiled

        def measure_progress(self, *_: object) -> float:
            return 0.25

    async def scenario() -> None:
        warmup, workshop = SlowWarmup(), Workshop()
        service = ReviewService(warmup)
        workshop.go_on.set()
        job = service.start(ADA, KEY, GAME, workshop.make, workshop.keep)
        await asyncio.to_thread(wait_until, lambda: job.compiled < 1.0)
        assert (job.compiled, workshop.made) == (0.25, 0)
        warmup.is_compiled = True
        await end(job)
        assert (job.compiled, workshop.made) == (1.0, 1)
        service.close()

    review_small_game()
    asyncio.run(asyncio.wait_for(scenario(), 30))
