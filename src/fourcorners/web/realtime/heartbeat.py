"""The heartbeat of this server: no clock is charged for time in which no server could store a move."""

import asyncio
import math

from fourcorners.web.application.context import ServerContext

BEATS_EVERY = 2.0
"""Seconds between two heartbeats."""
GRACE = 6.0
"""If no server has recorded a heartbeat for this many seconds, there was none."""
_OUTAGES_KEPT = 30 * 24 * 3600.0
"""No turn lasts longer than this many seconds, so older outages do not matter."""


class Heartbeat:
    """Records in the store that this server runs, and adds to the context's outages those that anybody has recorded."""

    def __init__(self, context: ServerContext) -> None:
        """Prepare to record; `start` comes first."""
        self._context = context
        self._last = math.inf
        self._lock = asyncio.Lock()

    async def start(self, *, alone: bool) -> None:
        """Record the first heartbeat and read the outages; raise StoreError. A server that is `alone` knows that none
        ran since the last heartbeat of all.
        """
        await self._record(0.0 if alone else GRACE)
        await self._read_outages(self._last - _OUTAGES_KEPT)

    async def record(self) -> None:
        """Record a heartbeat, and note the outage that ends with it; raise StoreError.

        If the database could not be written to, no move could be made either: that counts as an outage.
        """
        async with self._lock:
            last = self._last
            if not await self._record(GRACE) and self._last - last > 2 * BEATS_EVERY:
                # Another server may have been faster, and has recorded the outage.
                await self._read_outages(last)

    async def catch_up(self) -> None:
        """Record a heartbeat if the last one is so old that there may have been an outage; raise StoreError.

        A server that was paused, or has lost its database, must know of the outage before it looks at any clock.
        """
        if self._is_late:
            async with self._lock:
                is_late = self._is_late
            # Somebody else may have recorded one while this waited.
            if is_late:
                await self.record()

    @property
    def _is_late(self) -> bool:
        return self._context.time.now() - self._last > GRACE

    async def _record(self, grace: float) -> bool:
        """Record a heartbeat; return whether it ends an outage, which is noted. Raise StoreError."""
        context, now = self._context, self._context.time.now()
        outage = await asyncio.to_thread(context.store.record_heartbeat, context.process, now, grace)
        if outage is not None:
            context.outages.append(outage)
        self._last = now
        return outage is not None

    async def _read_outages(self, begin: float) -> None:
        """Add the outages since a time to those that are known; `domain.clocks` ignores what is there twice."""
        # The clocks of other servers may be a little ahead.
        end = self._last + 1.0
        self._context.outages.extend(await asyncio.to_thread(self._context.store.list_outages, begin, end))
