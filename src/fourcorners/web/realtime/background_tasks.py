"""What a server looks after, whether or not anybody is there: clocks that fall, computers' turns, deserted tables."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from fourcorners.core.errors import GameError
from fourcorners.web.domain import actions
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.room_registry import CapacityError, RoomRegistry

FLAGS_EVERY = 0.5
COMPUTERS_EVERY = 3.0
HEADS_EVERY = 5.0
BEATS_EVERY = 2.0
GRACE = 6.0
"""If no server has beaten for so long, there was none."""
DESERTED_EVERY = 600.0
DESERTED_AFTER = 14 * 24 * 3600.0
_AT_ONCE = 200
_TRIED_AGAIN = 3600.0
_OUTAGES_MATTER = 30 * 24 * 3600.0
"""No turn lasts longer on a clock."""
_logger = logging.getLogger(__name__)


class Sweeper:
    """The tasks that run as long as the server."""

    def __init__(self, registry: RoomRegistry) -> None:
        self._hub = registry
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin: first note the time in which no server was alive, which is given back to those whose clock ran."""
        registry = self._hub
        now = registry.time.now()
        grace = GRACE if registry.wake.others else 0.0
        await asyncio.to_thread(registry.store.record_heartbeat, registry.house.process, now, grace)
        registry.house.outages.extend(await asyncio.to_thread(registry.store.list_outages, now - _OUTAGES_MATTER, now + 1.0))
        rounds = (
            (BEATS_EVERY, self.beat),
            (FLAGS_EVERY, self.flag),
            (COMPUTERS_EVERY, self.wake_computers),
            (HEADS_EVERY, self.catch_up),
            (DESERTED_EVERY, self.close_deserted),
        )
        self._tasks = [asyncio.create_task(_every(seconds, work)) for seconds, work in rounds]
        await registry.wake.start(registry.heard)

    async def close(self) -> None:
        """End."""
        await self._hub.wake.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def beat(self) -> None:
        """Note in the store that this server is alive."""
        registry = self._hub
        # A database that could not be written to was as good as no server.
        outage = await asyncio.to_thread(registry.store.record_heartbeat, registry.house.process, registry.time.now(), GRACE)
        if outage is not None:
            registry.house.outages.append(outage)

    async def flag(self) -> None:
        """Let the clocks fall that are due."""
        for table_id in await self._listed(self._hub.store.list_due_tables):
            try:
                room = await self._hub.open(table_id)
                if room is not None and await room.flag():
                    self._hub.metrics.count_flag_fall()
            except Exception:
                # One that cannot be played on keeps nobody else's clock from falling.
                _logger.exception("a clock could not fall", extra={"table": table_id})
                self._hub.store.set_deadline(table_id, self._hub.time.now() + _TRIED_AGAIN)

    async def close_deserted(self) -> None:
        """Close tables without a clock that nobody has touched for two weeks."""
        listed = await self._listed(self._hub.store.list_idle_tables, DESERTED_AFTER)
        for table_id in listed:
            room = await self._opened(table_id)
            if room is not None:
                await room.act(actions.close_table)

    async def wake_computers(self) -> None:
        """Take up computers' turns that no server thinks about, once there is something to think with."""
        if self._hub.warmup.ready:
            for table_id in await self._listed(self._hub.store.list_computer_turns):
                room = await self._opened(table_id)
                if room is not None:
                    await room.catch_up()

    async def catch_up(self) -> None:
        """Look for what other servers, or the operator, have stored, in case nobody told of it."""
        watched = {room.id: room for room in self._hub.rooms.values() if room.watchers}
        heads = await asyncio.to_thread(self._hub.store.read_versions, set(watched))
        for table_id, room in watched.items():
            if table_id in heads:
                await room.catch_up(heads[table_id])
            else:
                self._hub.gone(room)
        if self._hub.wake.others:
            said = await asyncio.to_thread(self._hub.store.read_last_chat_numbers, set(watched))
            for table_id, number in said.items():
                await watched[table_id].chat.catch_up(number)

    async def _listed(self, query: Callable[[float, int], list[str]], before: float = 0.0) -> list[str]:
        return await asyncio.to_thread(query, self._hub.time.now() - before, _AT_ONCE)

    async def _opened(self, table_id: str) -> Room | None:
        try:
            return await self._hub.open(table_id)
        except (GameError, CapacityError):
            _logger.exception("a table cannot be taken up", extra={"table": table_id})
            return None


async def _every(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await work()
        except Exception:
            _logger.exception("looking after the tables failed; it is tried again")
        await asyncio.sleep(seconds)
