"""Collecting candidates with several processes, in a file that a stopped run leaves usable."""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import count
from pathlib import Path
from typing import TypeVar

import fourcorners as fc
from benchmarks.puzzles.candidates import Candidate, find_candidate, find_candidate_of_record
from fourcorners.study.puzzles.identity import compute_id

_AHEAD = 4
"""Tasks for each process that wait: enough to keep it busy, and few enough for any number of seeds."""
_TASKS_PER_PROCESS = 200
"""A process ends after this many tasks, because the games' caches of what they have met grow."""

T = TypeVar("T")
R = TypeVar("R")
Task = tuple[str, str]
"""A game's id and either a seed or the path of a record."""


def list_tasks(game_id: str, seed: int, records: Path | None) -> Iterator[Task]:
    """Yield the records of a folder in the order of their names, then seeds from the first one on, for ever."""
    if records is not None:
        yield from ((game_id, str(path)) for path in sorted(records.glob("*.txt")))
    yield from ((game_id, str(number)) for number in count(seed))


def run_task(task: Task) -> str:
    """Return the line of the candidate that a task finds, or "" if it finds none; raise RecordError and OSError."""
    game_id, name = task
    found = find_candidate(game_id, int(name)) if name.isdigit() else find_candidate_of_record(game_id, Path(name))
    return found.to_json() if found is not None else ""


def collect_candidates(
    game_id: str, wanted: int, tasks: Iterator[Task], path: Path, jobs: int, report: Callable[[int], None]
) -> list[Candidate]:
    """Return candidates of which none are equivalent, in the order of the tasks, until there are as many as `wanted`.

    The file at `path` has a line for each task done, and an earlier run's lines are not computed again. The result
    does not depend on the number of processes, `jobs` (0: none but this one). `report` receives the number of
    candidates now and then.
    """
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found: dict[str, Candidate] = {}

    def use(line: str) -> None:
        if line and len(found) < wanted:
            candidate = Candidate.from_json(line)
            position = fc.game(game_id, **candidate.options).position(candidate.position)
            found.setdefault(compute_id(position), candidate)

    for line in lines:
        next(tasks)
        use(line)
    if len(found) < wanted:
        with path.open("a", encoding="utf-8") as file:
            for line in run_in_order(run_task, tasks, jobs):
                file.write(f"{line}\n")
                file.flush()
                use(line)
                report(len(found))
                if len(found) >= wanted:
                    break
    return list(found.values())


def run_in_order(run: Callable[[T], R], tasks: Iterable[T], jobs: int) -> Iterator[R]:
    """Yield what a function returns for tasks, in their order, computed by `jobs` processes (0: none but this one)."""
    if jobs == 0:
        yield from map(run, tasks)
        return
    with ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), max_tasks_per_child=_TASKS_PER_PROCESS
    ) as pool:
        waiting: deque[Future[R]] = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(run, task))
                if len(waiting) >= _AHEAD * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def count_processors() -> int:
    """Return the number of processors."""
    return os.cpu_count() or 1
