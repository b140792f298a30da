"""The warm-up: waiting for it, and leaving it."""

import asyncio

from fourcorners.web.engine.warmup import Warmup


def test_cancelling_a_wait_does_not_cancel_the_warmup_itself() -> None:
    warmup = Warmup()

    async def leave() -> None:
        """Begin to wait for the warm-up in a task, and cancel the task."""
        waiting = asyncio.create_task(warmup.wait())
        # The task runs until it waits.
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(leave())
    # This raises InvalidStateError if the future of the warm-up was cancelled as well.
    warmup.done.set_result(None)
    assert warmup.ready
