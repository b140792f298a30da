"""The heartbeat of this server: no clock is charged for time in which no server could store a move."""

import asyncio
import logging
import math

from starlette.concurrency import run_in_threadpool

from fourcorners.web.application.context import ServerContext
from fourcorners.web.domain.clocks import DAY
from fourcorners.web.domain.rows import NoRoomError

BEATS_EVERY = 2.0
"""Seconds between two heartbeats."""
GRACE = 6.0
"""If no server has recorded a heartbeat for this many seconds, there was none."""
_OUTAGES_KEPT = 30 * DAY
"""No turn lasts longer than this many seconds, so older outages do not matter."""
_logger = logging.getLogger(__name__)


class Heartbeat:
    """Records in the store that this server runs, and adds the outages that any server recorded to the context's."""

    def __init__(self, context: ServerContext) -> None:
        """Prepare to record; `start` comes first."""
        self._context = context
        self._last = math.inf
        self._attempt: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Record the first heartbeat and read the outages; blocks. Raise StoreError. A server that is alone knows that
        none ran since the last heartbeat of all. If there is no room to store it, log that: the next one ends the
        outage.
        """
        now = self._context.time.now()
        try:
            self._record(now, GRACE if self._context.shared else 0.0)
            self._last = now
        except NoRoomError as error:
            _logger.error("games can be read but not stored: %s", error)  # noqa: TRY400  # the cause is not in here
            self._last = now - _OUTAGES_KEPT
        self._read_outages(now - _OUTAGES_KEPT, now)

    async def record(self) -> None:
        """Record a heartbeat, and note the outage that ends with it; raise StoreError.

        If the database could not be written to, no move could be made either: that counts as an outage. Anyone who asks
        while an attempt is under way shares it and its error: it takes long while the database is lost.
        """
        # Waiting for an attempt that is done would not suspend the caller, and `catch_up` would never end.
        if self._attempt is None or self._attempt.done():
            self._attempt = asyncio.create_task(self._try_to_record())
            self._attempt.add_done_callback(_ignore_error)
        await asyncio.shield(self._attempt)

    async def catch_up(self) -> None:
        """Record a heartbeat if the last one is so old that there may have been an outage; raise StoreError.

        A server that was paused, or has lost its database, must know of the outage before it looks at any clock.
        """
        asked = self._context.time.now()
        # The server may have been paused during an attempt that began earlier.
        while asked - self._last > GRACE:
            await self.record()

    async def _try_to_record(self) -> None:
        """Record a heartbeat in a new attempt; raise StoreError."""
        last, now = self._last, self._context.time.now()
        if not await run_in_threadpool(self._record, now, GRACE) and now - last > 2 * BEATS_EVERY:
            # Another server may have been faster, and has recorded the outage.
            await run_in_threadpool(self._read_outages, last, now)
        # If the outages could not be read, the next attempt reads them.
        self._last = now

    def _record(self, now: float, grace: float) -> bool:
        """Record a heartbeat; return whether it ends an outage, which is noted. Raise StoreError."""
        context = self._context
        outage = context.store.record_heartbeat(context.process, now, grace)
        if outage is not None:
            context.outages.append(outage)
        return outage is not None

    def _read_outages(self, begin: float, now: float) -> None:
        """Add the outages since a time to those that are known; `domain.clocks` ignores what is there twice."""
        # The clocks of other servers may be a little ahead.
        self._context.outages.extend(self._context.store.list_outages(begin, now + 1.0))


def _ignore_error(attempt: asyncio.Task[None]) -> None:
    """Look at the error of an attempt: those who waited for it may have been cancelled."""
    if not attempt.cancelled():
        attempt.exception()
