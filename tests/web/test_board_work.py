"""Where the rules and pictures of a table run: on the event loop or in a thread."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fourcorners.web.application import table_session
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.table_session import BoardWork
from tests.clock import Clock

QUICK, SLOW = 0.001, 0.2
CLOCK = Clock()
"""It moves only when work is done."""


async def list_places(seconds: list[float]) -> list[str]:
    """Do works that take so long, one after the other; return for each whether the loop or a thread did it."""

    async def run_in_board_thread(work: Any, *args: Any) -> Any:
        return await asyncio.to_thread(work, *args)

    def work(duration: float) -> str:
        CLOCK.time += duration
        return "loop" if threading.current_thread() is threading.main_thread() else "thread"

    board_work = BoardWork(cast("ServerContext", SimpleNamespace(run_in_board_thread=run_in_board_thread)))
    return [await board_work.run(work, duration) for duration in seconds]


@pytest.fixture(autouse=True)
def _fake_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_session, "time", SimpleNamespace(thread_time=CLOCK))


async def test_quick_work_runs_on_the_loop_once_it_is_known_to_be_quick() -> None:
    assert await list_places([QUICK] * 3) == ["thread", "loop", "loop"]


async def test_work_after_slow_work_runs_in_a_thread_although_a_refusal_between_them_was_quick() -> None:
    assert await list_places([SLOW, QUICK, QUICK, SLOW]) == ["thread"] * 4


async def test_table_that_was_slow_once_returns_to_the_loop() -> None:
    assert (await list_places([SLOW] + [QUICK] * 60))[-1] == "loop"
