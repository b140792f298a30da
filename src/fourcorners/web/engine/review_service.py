"""Review finished games: one at a time in a thread, for as long as somebody asks about it."""

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from fourcorners.core.errors import GameError
from fourcorners.study.review import Review
from fourcorners.web.engine.cancellable_query import BusyError
from fourcorners.web.engine.warmup import Feature, Warmup
from fourcorners.web.engine.work_queue import BudgetError, Client, CpuBudget, QueueLimits, WorkQueue

SECONDS, NODES = 30.0, 20_000
"""The limits of one review: about so many seconds of processor time, and simulations of each estimate. With both it
takes one thread.
"""
CPU_LIMIT = 40.0
"""The seconds of processor time after which a review ends in any case, with what it takes to replay the game."""
THREADS, MAX_WAITING, MAX_PER_PLAYER, MAX_PER_NETWORK = 1, 16, 2, 4
"""How many reviews are made at once and how many may wait, and how many of these one player or network may have."""
IDLE_SECONDS = 60.0
"""The seconds after which a review stops about which nobody asks any more."""
_CAPACITY = 16
"""How many reviews stay in memory: those of long games take megabytes."""
_BUSY = "Too many games are being reviewed on this server. Try again in a minute."
_STOPPED = "Nobody was waiting for this review any more, so it was stopped."
_logger = logging.getLogger(__name__)

Report = Callable[[Review], None]
Make = Callable[[CpuBudget, Report], Review]
"""Makes a review in a thread, and reports the review so far several times a second."""


class Key(NamedTuple):
    """What is reviewed: what was played at a table up to a version."""

    table_id: str
    version: int


class ReviewJob:
    """A review that waits, or is being made, or has failed for the reason `failure`, a sentence."""

    def __init__(self, client: Client) -> None:
        """Wait; the client has asked just now."""
        self.client = client
        self.partial: Review | None = None
        self.failure = ""
        self.compiled = 1.0
        """How much of what a review needs is compiled, from 0 to 1: until it is, the review has not begun."""
        self.stop = threading.Event()
        self.asked_at = time.monotonic()
        self.timer: asyncio.TimerHandle | None = None
        self.task: asyncio.Task[None] | None = None  # the event loop itself keeps only weak references to tasks

    def note_compiled(self, share: float) -> None:
        """Take how much is compiled while the review waits for that."""
        self.compiled = share

    def report(self, review: Review) -> None:
        """Take the review so far; any thread may call this."""
        self.partial = review


class ReviewService:
    """A queue of games to review, and the latest reviews. All methods belong to the event loop."""

    def __init__(self, warmup: Warmup, idle_seconds: float = IDLE_SECONDS) -> None:
        """Start with an empty queue; `warmup` says what is compiled."""
        self._warmup = warmup
        self._idle_seconds = idle_seconds
        self._queue = WorkQueue("review", THREADS, _BUSY)
        self._jobs: dict[Key, ReviewJob] = {}
        self._reviews: OrderedDict[Key, Review] = OrderedDict()

    def find_job(self, key: Key) -> ReviewJob | None:
        """Return what is being made of a game, or has failed, and note that somebody asks; None if nothing is."""
        job = self._jobs.get(key)
        if job is not None:
            job.asked_at = time.monotonic()
        return job

    def find_review(self, key: Key) -> Review | None:
        """Return a finished review that is still in memory."""
        review = self._reviews.get(key)
        if review is not None:
            self._reviews.move_to_end(key)
        return review

    def remember(self, key: Key, review: Review) -> None:
        """Keep a finished review in memory for a while."""
        self._reviews[key] = review
        while len(self._reviews) > _CAPACITY:
            self._reviews.popitem(last=False)

    def start(
        self, client: Client, key: Key, game: str, make: Make, keep: Callable[[Review], Awaitable[None]]
    ) -> ReviewJob:
        """Return the job for a game, given by id; a new one unless it is being reviewed already. `keep` stores the
        finished review. Raise BusyError if the client has too many, or if the service is closed.
        """
        job = self.find_job(key)
        if job is not None and not job.failure:
            return job
        self._forget_failures()
        running = [job.client for job in self._jobs.values() if not job.failure]
        same_player = sum(other.player == client.player for other in running)
        same_network = sum(other.group == client.group for other in running)
        if same_player >= MAX_PER_PLAYER or same_network >= MAX_PER_NETWORK:
            raise BusyError(_BUSY)
        job = self._jobs[key] = ReviewJob(client)
        job.task = asyncio.create_task(self._run(key, job, game, make, keep))
        return job

    def close(self) -> None:
        """Stop for good, blocking: all reviews end, and nothing more is stored."""
        for job in self._jobs.values():
            job.stop.set()
        self._queue.close()

    async def _run(
        self, key: Key, job: ReviewJob, game: str, make: Make, keep: Callable[[Review], Awaitable[None]]
    ) -> None:
        """Make a review, keep it and forget the job, or say in the job why it failed."""
        self._stop_when_idle(job)
        limits = QueueLimits(MAX_WAITING, MAX_PER_PLAYER, MAX_PER_NETWORK, CPU_LIMIT)
        try:
            await self._warmup.wait_for(game, Feature.REVIEW, job.stop, job.note_compiled)
            job.compiled = 1.0
            if job.stop.is_set():
                job.failure = _STOPPED
                return
            review = await self._queue.run(job.client, lambda budget: make(budget, job.report), job.stop, limits)
            if job.stop.is_set():
                job.failure = _STOPPED
                return
            await self._take(key, review, keep)
            del self._jobs[key]
        except BusyError as error:
            job.failure = str(error)
        except BudgetError:
            job.failure = _STOPPED if job.stop.is_set() else "This game takes too long to review on this server."
        except GameError as error:
            job.failure = f"{error.message[:1].upper()}{error.message[1:]}."
        except Exception:
            _logger.exception("a review failed", extra={"table": key.table_id})
            job.failure = "Something went wrong on the server. Try again."
        finally:
            if job.timer is not None:
                job.timer.cancel()

    async def _take(self, key: Key, review: Review, keep: Callable[[Review], Awaitable[None]]) -> None:
        """Remember and keep a review, unless there is one that judges more: a review that was not finished in its time
        can be made again.
        """
        known = self._reviews.get(key)
        if known is None or review.judged_plies >= known.judged_plies:
            self.remember(key, review)
            await keep(review)

    def _stop_when_idle(self, job: ReviewJob) -> None:
        """Stop a job if nobody has asked about it for a while, or else look again later."""
        rest = job.asked_at + self._idle_seconds - time.monotonic()
        if rest <= 0:
            job.stop.set()
        else:
            job.timer = asyncio.get_running_loop().call_later(rest, self._stop_when_idle, job)

    def _forget_failures(self) -> None:
        """Forget the failed jobs about which nobody asks any more."""
        end = time.monotonic() - self._idle_seconds
        for key in [key for key, job in self._jobs.items() if job.failure and job.asked_at < end]:
            del self._jobs[key]
