"""Results of writes, without a database: a waiting caller is woken once, with the outcome or its error."""

import asyncio
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest

from fourcorners.web.domain.rows import StoreError
from fourcorners.web.store.write_result import WriteResult, complete


def test_threads_and_coroutines_of_several_loops_wait_for_one_result() -> None:
    result: WriteResult[int] = WriteResult()
    began = threading.Barrier(4)

    def wait() -> int:
        began.wait(30)
        return result.result(30)

    async def wait_in_loop() -> int:
        waiting = asyncio.ensure_future(_await(result))
        await asyncio.sleep(0)
        began.wait(30)
        return await waiting

    with ThreadPoolExecutor(3) as threads:
        waiting = [threads.submit(wait), *(threads.submit(asyncio.run, wait_in_loop()) for _ in range(2))]
        began.wait(30)
        complete([(result, 7)])
        assert [each.result(30) for each in waiting] == [7, 7, 7]


async def _await(result: WriteResult[int]) -> int:
    return await result


async def test_outcome_that_is_there_already_is_returned_at_once() -> None:
    result: WriteResult[int] = WriteResult(7)
    assert result.result(0) == 7
    assert result.exception(0) is None
    assert await result == 7


def test_waiting_for_a_limited_time_ends_without_an_outcome() -> None:
    result: WriteResult[int] = WriteResult()
    with pytest.raises(TimeoutError):
        result.result(0)
    with pytest.raises(TimeoutError):
        result.exception(0)


def test_cancelled_coroutine_and_closed_loop_do_not_keep_others_from_being_woken() -> None:
    result: WriteResult[int] = WriteResult()

    async def cancel_and_wait() -> int:
        cancelled = asyncio.ensure_future(_await(result))
        waiting = asyncio.ensure_future(_await(result))
        await asyncio.sleep(0)
        cancelled.cancel()
        complete([(result, 7)])
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        return await waiting

    async def leave() -> None:
        asyncio.ensure_future(_await(result)).cancel()

    asyncio.run(leave())
    assert asyncio.run(cancel_and_wait()) == 7


def test_each_waiter_gets_an_error_of_its_own_because_tracebacks_grow() -> None:
    error = StoreError("the disk is full")
    results: list[WriteResult[int]] = [WriteResult() for _ in range(20)]
    complete([(result, error) for result in results])
    lengths = set()
    for result in results:
        with pytest.raises(StoreError, match="the disk is full") as caught:
            result.result(0)
        lengths.add(len(traceback.extract_tb(caught.value.__traceback__)))
    assert len(lengths) == 1
    assert error.__traceback__ is None
