"""What a server does whether or not anyone is connected: clocks that fall, computers' turns, abandoned tables."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterator
from functools import partial

from starlette.concurrency import run_in_threadpool

from fourcorners.web.application.refusals import CapacityError
from fourcorners.web.domain.actions import close_table
from fourcorners.web.domain.clocks import DAY
from fourcorners.web.domain.table import ReplayError
from fourcorners.web.realtime.heartbeat import BEATS_EVERY
from fourcorners.web.realtime.notification_sender import NotificationSender
from fourcorners.web.realtime.pairing import extend_waiting
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.rooms import Rooms
from fourcorners.web.store import StoreError

FLAGS_EVERY, COMPUTERS_EVERY, VERSIONS_EVERY, ABANDONED_EVERY = 0.5, 3.0, 5.0, 600.0
WAITING_EVERY, NOTIFICATIONS_EVERY, OLD_DATA_EVERY = 4.0, 2.0, 3600.0
"""The pauses of the tasks in seconds."""
ABANDONED_AFTER = 14 * DAY
GUEST_DATA_KEPT = 100 * DAY
"""For this many seconds attempts, progress and idle subscriptions of guests are kept; those of accounts stay."""
ROOMS_AT_ONCE = 100
"""How many rooms are brought up to date before others have their turn, which takes about a millisecond."""
_BATCH = 200
"""How many tables a task handles each time."""
_RETRY_AFTER = 3600.0
"""A clock that cannot fall, because its table is broken, is tried again after this many seconds."""
_RETRY_AFTER_FAILURE = 10.0
"""The same if the store has failed, as it does for a while when it loses its database."""
_logger = logging.getLogger(__name__)


class BackgroundTasks:
    """The tasks that run as long as the server."""

    def __init__(self, rooms: Rooms) -> None:
        """Work on these rooms once `start` is called."""
        self._rooms = rooms
        self._context = rooms.context
        self._tasks: list[asyncio.Task[None]] = []
        self._faults: set[str] = set()

    def start(self) -> None:
        """Start the tasks."""
        jobs = (
            (BEATS_EVERY, self.record_heartbeat),
            (FLAGS_EVERY, self.flag_clocks),
            (COMPUTERS_EVERY, self.wake_computers),
            (VERSIONS_EVERY, self.update_watched_rooms),
            (ABANDONED_EVERY, self.close_abandoned_tables),
            (OLD_DATA_EVERY, self.forget_old_data),
            (NOTIFICATIONS_EVERY, NotificationSender(self._rooms).send_due),
            (WAITING_EVERY, partial(extend_waiting, self._rooms)),
        )
        self._tasks = [asyncio.create_task(self._repeat_forever(seconds, work)) for seconds, work in jobs]

    async def close(self) -> None:
        """Cancel the tasks and await them, but not the store's queries in other threads."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def record_heartbeat(self) -> None:
        """Record that this server runs; raise StoreError. If that succeeds, the faults until then are over."""
        faults = frozenset(self._faults)
        await self._rooms.heartbeat.record()
        self._faults -= faults

    async def flag_clocks(self) -> None:
        """Let due clocks fall; log a table that fails, for another try in an hour, or soon if the store failed. Raise
        StoreError if the tables cannot be listed.
        """
        await self._rooms.heartbeat.catch_up()
        for table_id in await self._list_table_ids(self._context.store.list_due_tables):
            try:
                room = await self._rooms.open(table_id)
                if room is not None and await room.flag_clock():
                    self._context.metrics.count_flag_fall()
            except Exception as error:
                # A broken table must not keep the clocks of the others from falling.
                _logger.exception("a flag fall could not be stored", extra={"table": table_id})
                pause = _RETRY_AFTER_FAILURE if isinstance(error, StoreError) else _RETRY_AFTER
                self._context.store.set_deadline(table_id, self._context.time.now() + pause)

    async def close_abandoned_tables(self) -> None:
        """Close tables where no clock runs, unchanged for `ABANDONED_AFTER` seconds; raise the first error at once."""
        for table_id in await self._list_table_ids(self._context.store.list_idle_tables, ABANDONED_AFTER):
            room = await self._open_room(table_id)
            if room is not None:
                with _refuse_if_broken(room):
                    await room.apply_server_action(close_table)

    async def forget_old_data(self) -> None:
        """Delete expired sets of puzzles, and old attempts, progress and subscriptions of guests; raise StoreError."""
        store, now = self._context.store, self._context.time.now()
        await run_in_threadpool(store.delete_expired_sets, now)
        await run_in_threadpool(store.delete_guest_attempts, now - GUEST_DATA_KEPT)
        await run_in_threadpool(store.delete_guest_progress, now - GUEST_DATA_KEPT)
        await run_in_threadpool(store.delete_guest_subscriptions, now - GUEST_DATA_KEPT)

    async def wake_computers(self) -> None:
        """If all is compiled, wake rooms where a computer is to move and no one has a lease; raise the first error."""
        if self._context.warmup.ready:
            for table_id in await self._list_table_ids(self._context.store.list_computer_turns):
                room = await self._open_room(table_id)
                if room is not None:
                    with _refuse_if_broken(room):
                        await room.catch_up()

    async def update_watched_rooms(self) -> None:
        """Show watchers what other servers have stored or deleted, in case no event came; raise the first error at
        once.
        """
        store = self._context.store
        watched = {room.id: room for room in self._rooms.opened.values() if room.audience.watchers}
        shown = {table_id: room.audience.shown_version for table_id, room in watched.items()}
        versions = await run_in_threadpool(store.read_versions, set(watched))
        for number, (table_id, room) in enumerate(watched.items()):
            if number % ROOMS_AT_ONCE == 0:
                await asyncio.sleep(0)
            if table_id not in versions:
                self._rooms.remove(room)
                continue
            with _refuse_if_broken(room):
                await _update_room(room, versions[table_id], shown[table_id])
        if self._context.shared:
            last_numbers = await run_in_threadpool(store.read_last_chat_numbers, set(watched))
            for table_id, number in last_numbers.items():
                with _refuse_if_broken(watched[table_id]):
                    await watched[table_id].chat.catch_up(number)

    async def _list_table_ids(self, query: Callable[[float, int], list[str]], age: float = 0.0) -> list[str]:
        """Return the ids of at most `_BATCH` tables that a query finds for `age` seconds ago; raise StoreError."""
        return await run_in_threadpool(query, self._context.time.now() - age, _BATCH)

    async def _open_room(self, table_id: str) -> Room | None:
        """Return a table's room; None if there is no such table, or if it does not open (logged). Raise StoreError."""
        try:
            return await self._rooms.open(table_id)
        except (ReplayError, CapacityError) as error:
            reason = error.reason if isinstance(error, ReplayError) else error
            _logger.warning("a table cannot be opened: %s", reason, extra={"table": table_id})
            return None

    async def _repeat_forever(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Do some work again and again, with a pause of `seconds` in between, until cancelled; log failures."""
        while True:
            try:
                await work()
            except StoreError as error:
                # Every task fails while the database does, for the same reason: one line is enough.
                if str(error) not in self._faults:
                    self._faults.add(str(error))
                    _logger.error("a background task failed; it runs again: %s", error)  # noqa: TRY400
            except Exception:
                _logger.exception("a background task failed; it runs again")
            await asyncio.sleep(seconds)


@contextlib.contextmanager
def _refuse_if_broken(room: Room) -> Iterator[None]:
    """Disconnect the watchers of a room whose table no longer replays, and go on: it must not hold up the others."""
    try:
        yield
    except ReplayError:
        room.refuse_watchers()


async def _update_room(room: Room, version: int, shown: int) -> None:
    """Show what is stored up to a version, if that is not the one that was shown; raise as `Room.catch_up`."""
    if version < shown:
        # What was shown had been stored: a failover to a replica that is not synchronous has lost it.
        _logger.error("stored moves are lost; was the database replaced?", extra={"table": room.id})
        await room.reload()
    else:
        await room.catch_up(version)
