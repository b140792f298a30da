"""An engine for other programs: it analyses the positions that lines of JSON ask for, by priority, in threads."""

import heapq
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

from fourcorners.core.errors import GameError, OptionError
from fourcorners.core.game import View
from fourcorners.players.hints import describe_merit
from fourcorners.study.analysis import Analyser
from fourcorners.study.analysis_run import AnalysisProgress
from fourcorners.study.engine_messages import (
    Acknowledgement,
    Answer,
    Failure,
    NoResults,
    Query,
    QueryVersion,
    Terminate,
    TerminateAll,
    build_request,
    build_result,
    find_id,
    list_views,
    parse_line,
)

MAX_WAITING = 1000
"""The positions that may wait; further queries are refused."""
MAX_THREADS = 64
_PATIENCE = 1.0  # seconds to wait for the threads to stop; those that are compiling do not


@dataclass(order=True)
class _Job:
    """One turn of a query; the least job is the next."""

    rank: tuple[int, int]  # the negative priority, and the number of the job
    query: Query = field(compare=False)
    turn: int = field(compare=False)
    view: View = field(compare=False)
    stop: threading.Event = field(default_factory=threading.Event, compare=False)


class AnalysisEngine:
    """Answers the lines that `accept` takes; `write` gets each answer, from any thread but never from two at once.

    Each thread keeps proven results for the next position without a seed, at most 256 MB of them.
    """

    def __init__(self, write: Callable[[str], object], version: str, threads: int = 1) -> None:
        """Start `threads` threads, each of which analyses one position at a time."""
        self._write, self._version = write, version
        self._changed = threading.Condition()  # guards all that follows
        self._waiting: list[_Job] = []
        self._running: list[_Job] = []
        self._count = 0
        self._is_ending = False
        self._failure: OSError | None = None
        self._output = threading.Lock()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def accept(self, line: bytes) -> None:
        """Take a request, or answer with what is wrong with it; ignore an empty line.

        Raise the OSError of an answer that could not be written.
        """
        if self._failure is not None:
            raise self._failure
        if not line.strip():
            return
        message_id = None
        try:
            content = parse_line(line)
            message_id = find_id(content)
            request = build_request(content)
            if isinstance(request, Query):
                self._add(request)
            elif isinstance(request, QueryVersion):
                self._send(Acknowledgement(**dict(request), version=self._version))
            else:
                self._terminate(request)
        except OptionError as error:
            self._send(Failure(id=message_id, error=error.message, field=error.option))
        except GameError as error:
            self._send(Failure(id=message_id, error=error.message))

    def finish(self) -> None:
        """Wait until all queries are answered; raise the OSError of an answer that could not be written."""
        with self._changed:
            self._changed.wait_for(lambda: self._failure or not (self._waiting or self._running))
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Give up what is not answered, and end the threads; write nothing more."""
        with self._changed:
            self._is_ending = True
            self._waiting.clear()
            for job in self._running:
                job.stop.set()
            self._changed.notify_all()
        until = time.monotonic() + _PATIENCE
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _add(self, query: Query) -> None:
        """Let the turns of a query wait for a thread; raise GameError if it cannot be analysed."""
        views = list_views(query)
        with self._changed:
            if len(self._waiting) + len(views) > MAX_WAITING:
                raise GameError(f"too much is waiting: at most {MAX_WAITING} positions may wait; ask again later")
            for turn, view in views:
                heapq.heappush(self._waiting, _Job((-query.priority, self._count), query, turn, view))
                self._count += 1
            self._changed.notify_all()

    def _terminate(self, request: Terminate | TerminateAll) -> None:
        """Stop the analyses that a request names, and answer for those that wait."""

        def is_meant(job: _Job) -> bool:
            turns = request.turn_numbers
            is_named = isinstance(request, TerminateAll) or request.terminate_id == job.query.id
            return is_named and (turns is None or job.turn in turns)

        self._send(Acknowledgement(**request.model_dump(exclude_unset=True)))
        with self._changed:
            given_up = sorted(filter(is_meant, self._waiting))
            self._waiting = [job for job in self._waiting if not is_meant(job)]
            heapq.heapify(self._waiting)
            for job in filter(is_meant, self._running):
                job.stop.set()
        for job in given_up:
            self._send(NoResults(id=job.query.id, turn_number=job.turn, is_during_search=False, no_results=True))

    def _send(self, answer: Answer) -> None:
        """Write an answer, unless the engine is ending; raise OSError."""
        with self._output:
            if not self._is_ending:
                self._write(answer.write())

    def _work(self) -> None:
        """Analyse what waits until the engine ends; the work of one thread."""
        keeper = Analyser()
        while (job := self._take()) is not None:
            try:
                self._analyse(job, keeper if job.query.seed is None else Analyser(job.query.seed))
            except OSError as error:
                self._failure = error
            finally:
                with self._changed:
                    self._running.remove(job)
                    self._changed.notify_all()

    def _take(self) -> _Job | None:
        """Wait for the next job, and return it; None if the engine ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_ending)
            if self._is_ending:
                return None
            job = heapq.heappop(self._waiting)
            self._running.append(job)
            return job

    def _analyse(self, job: _Job, analyser: Analyser) -> None:
        """Analyse a job's position and send what is found; raise OSError if that cannot be written."""
        query, view, reported = job.query, job.view, 0.0

        def report(progress: AnalysisProgress) -> None:
            nonlocal reported
            every = query.report_during_search_every
            if every is not None and progress.lines and progress.seconds - reported >= every:
                reported = progress.seconds
                self._send(build_result(query, job.turn, view, progress, ("",) * len(progress.lines)))

        answer: Answer
        try:
            limits = query.lines, query.seconds, query.max_visits
            analysis = analyser.analyse(view, *limits, job.stop, report)
            reasons = [describe_merit(view, line.move) for line in analysis]
            answer = build_result(query, job.turn, view, analysis, tuple(reasons))
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001  # one position that cannot be analysed must not end the others
            cause = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1][:200]
            answer = Failure(id=query.id, error=f"internal error ({cause})", turn_number=job.turn)
        self._send(answer)
