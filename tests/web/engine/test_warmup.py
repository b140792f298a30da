"""The warm-up: waiting for it, and leaving it."""

import asyncio

from fourcorners.web.engine.warmup import Warmup


def test_waiting_for_the_warmup_can_be_cancelled() -> None:
    warmup = Warmup()

    async def leave() -> None:
        """Cancel a task that waits."""
        waiting = asyncio.create_task(warmup.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(leave())
    warmup.done.set_result(None)
    assert warmup.ready
