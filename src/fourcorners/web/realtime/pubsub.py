"""Events between servers that share a database: through Redis, through the hub of the workers of one machine, or not at
all where each server looks for itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from fourcorners.web.interprocess.hub_client import JOINED, LOST, SILENT, HubClient
from fourcorners.web.protocol.server_events import (
    Envelope,
    PlayerSignedOut,
    ServerEvent,
    TableChanged,
    encode_envelope,
    encode_event,
    parse_envelope,
    parse_event,
)
from fourcorners.web.settings import Settings

if TYPE_CHECKING:
    # Redis is optional, see `_run`.
    from redis.asyncio import Redis

EventHandler = Callable[[ServerEvent], None]
_CHANNEL = "fourcorners:tables"
_TOPIC, _ROOMS, _GREETING = "tables", "rooms", "greeting"
_MAX_QUEUED, _BATCH = 10_000, 200
_BEAT_EVERY = 2.0
_SILENT_AFTER = 8.0
"""A server receives its own beats too: a connection that is silent for this many seconds is dead."""
_TIMEOUT = 5.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 5.0
_SHARED_AFTER_LOSS = 10.0
"""Seconds for which the tables of a worker that was lost count as shared: twice the time after which rooms read their
tables anyway. What the lost worker had sent to the writer may be committed after its end."""
_ANY_VERSION = 2**62
"""Later than any that is shown, so that the table is read."""
_logger = logging.getLogger(__name__)


class EventBus:
    """A channel to the other servers. This one leads nowhere: there are none, or they read the database regularly."""

    def __init__(self, *, others: bool = False) -> None:
        """Note whether other servers may use the database."""
        self.others = others

    def publish(self, event: ServerEvent) -> None:
        """Send an event to the other servers; never blocks. An event may be lost: the database has the facts."""

    async def start(self, handle: EventHandler) -> None:
        """Pass the events of other servers, here none, to a handler from now on, in the event loop."""

    async def open_table(self, table_id: str) -> None:
        """Let the other servers know that this one is about to load a table, and wants its events until `close_table`;
        a table may be opened again.
        """

    def close_table(self, table_id: str) -> None:
        """Let the other servers know that this one has forgotten a table."""

    def is_shared(self, table_id: str) -> bool:
        """Return whether another server may change a table before this one hears of it."""
        return self.others

    async def close(self) -> None:
        """Stop listening."""


def create_event_bus(settings: Settings, process: str, hub: HubClient | None = None) -> EventBus:
    """Return a bus through Redis if the settings name one, else through the hub of the workers, if there is one, else
    none; `process` names this server to the others.
    """
    if settings.redis:
        return RedisEventBus(settings.redis, process)
    if hub is None:
        return EventBus(others=bool(settings.database))
    # Servers on other machines may use the same PostgreSQL.
    return HubEventBus(hub, is_alone=not settings.database)


class HubEventBus(EventBus):
    """A channel to the other workers of this machine, who know of each other which tables they have in memory.

    Most tables are at one worker only, which then need not tell anybody of its moves, nor ask the database whether
    others have changed the table. Whoever loads a table waits until all others know, so that none overlooks it.
    """

    def __init__(self, hub: HubClient, *, is_alone: bool) -> None:
        """Listen at a hub, which the caller connects afterwards, and closes; with `is_alone` only these workers use the
        database.
        """
        super().__init__(others=True)
        self._is_alone = is_alone
        self._hub = hub
        self._handle: EventHandler | None = None
        self._here: set[str] = set()
        self._elsewhere: dict[str, set[int]] = {}
        self._unaware: dict[str, set[int]] = {}  # by table, the workers that do not know yet that it is loaded here
        self._aware: dict[str, asyncio.Future[None]] = {}
        self._ghosts = itertools.count(-1, -1)  # numbers in the place of those of lost workers
        hub.subscribe(_TOPIC, self._receive_event)
        hub.subscribe(_ROOMS, self._receive_room)
        hub.subscribe(_GREETING, self._receive_greeting)
        hub.subscribe(JOINED, self._greet_worker)
        hub.subscribe(LOST, self._remove_worker)
        hub.subscribe(SILENT, self._stop_awaiting)

    def publish(self, event: ServerEvent) -> None:
        """Send an event to the other workers, if it concerns them; never blocks."""
        if isinstance(event, PlayerSignedOut) or self.is_shared(event.table_id):
            self._hub.publish(_TOPIC, encode_event(event))

    async def start(self, handle: EventHandler) -> None:
        """Pass the events of other workers to a handler from now on, in the event loop."""
        self._handle = handle

    async def open_table(self, table_id: str) -> None:
        """Tell all other workers, and wait until they know, except those that do not answer the hub; not for longer
        than `_TIMEOUT`, when one is slow. One that hangs hears of the table when it runs again.
        """
        self._here.add(table_id)
        self._hub.publish(_ROOMS, f"+{table_id}")
        unaware = self._hub.workers - self._hub.silent
        if not unaware:
            return
        self._unaware[table_id] = unaware
        aware = self._aware[table_id] = asyncio.get_running_loop().create_future()
        try:
            await asyncio.wait_for(aware, _TIMEOUT)
        except TimeoutError:
            _logger.warning("another worker does not answer")
        finally:
            del self._unaware[table_id], self._aware[table_id]

    def close_table(self, table_id: str) -> None:
        """Tell all other workers."""
        self._here.discard(table_id)
        self._hub.publish(_ROOMS, f"-{table_id}")

    def is_shared(self, table_id: str) -> bool:
        """Return whether another worker has a table in memory, or another server may."""
        return not self._is_alone or table_id in self._elsewhere

    def _receive_event(self, _: int, text: str) -> None:
        if self._handle is not None:
            self._handle(parse_event(text))

    def _receive_room(self, worker: int, text: str) -> None:
        """Note that a worker loads or forgets a table, or that it knows that this one does."""
        kind, table_id = text[0], text[1:]
        if kind == "+":
            self._add_room(worker, table_id)
            self._hub.publish(_ROOMS, f"={table_id}", worker)
        elif kind == "-":
            self._remove_room(worker, table_id)
        else:
            self._note_aware(worker, table_id)

    def _note_aware(self, worker: int, table_id: str) -> None:
        unaware = self._unaware.get(table_id)
        if unaware is not None:
            unaware.discard(worker)
            if not unaware and not self._aware[table_id].done():
                self._aware[table_id].set_result(None)

    def _stop_awaiting(self, worker: int, _: str) -> None:
        """Wait no longer for a worker to know of tables."""
        for table_id in list(self._unaware):
            self._note_aware(worker, table_id)

    def _greet_worker(self, worker: int, _: str) -> None:
        """Tell a worker that has just been started what is in memory here, at once and without an answer: what all say
        for each table would be too much to read for those that have many.
        """
        if self._here:
            self._hub.publish(_GREETING, " ".join(self._here), worker)

    def _receive_greeting(self, worker: int, text: str) -> None:
        for table_id in text.split():
            self._add_room(worker, table_id)

    def _remove_worker(self, worker: int, _: str) -> None:
        """Forget what a lost worker had in memory. Its last events may be lost too, so tables that are here as well are
        read once more, and count as shared for a while.
        """
        shared = [table_id for table_id in self._list_rooms(worker) if table_id in self._here]
        if shared:
            ghost = next(self._ghosts)
            for table_id in shared:
                self._add_room(ghost, table_id)
            asyncio.get_running_loop().call_later(_SHARED_AFTER_LOSS, self._remove_rooms, ghost)
        self._remove_rooms(worker)
        self._stop_awaiting(worker, "")
        if self._handle is not None:
            for table_id in shared:
                self._handle(TableChanged(table_id, _ANY_VERSION))

    def _list_rooms(self, worker: int) -> list[str]:
        return [table_id for table_id, workers in self._elsewhere.items() if worker in workers]

    def _remove_rooms(self, worker: int) -> None:
        for table_id in self._list_rooms(worker):
            self._remove_room(worker, table_id)

    def _add_room(self, worker: int, table_id: str) -> None:
        self._elsewhere.setdefault(table_id, set()).add(worker)

    def _remove_room(self, worker: int, table_id: str) -> None:
        workers = self._elsewhere.get(table_id, set())
        workers.discard(worker)
        if not workers:
            self._elsewhere.pop(table_id, None)


class RedisEventBus(EventBus):
    """A channel through Redis. While Redis is unreachable events are lost, and the bus tries to connect again."""

    def __init__(self, address: str, process: str) -> None:
        """Prepare a channel through the Redis at a URL for the server called `process`; `start` connects."""
        super().__init__(others=True)
        self._address = address
        self._process = process
        self._handle: EventHandler | None = None
        self._queue: asyncio.Queue[ServerEvent] = asyncio.Queue(_MAX_QUEUED)
        self._task: asyncio.Task[None] | None = None
        self.connected = asyncio.Event()

    def publish(self, event: ServerEvent) -> None:
        """Queue an event; drop it while Redis is unreachable or if `_MAX_QUEUED` events wait; never blocks."""
        if self.connected.is_set():
            with contextlib.suppress(asyncio.QueueFull):
                self._queue.put_nowait(event)

    async def start(self, handle: EventHandler) -> None:
        """Connect in the background and return at once; `handle` receives other servers' events in the event loop."""
        self._handle = handle
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Disconnect; events that are still queued are lost."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        """Keep a connection to Redis until cancelled; connect again after growing pauses whenever it is lost."""
        # Redis is optional: only servers that use it need the library.
        from redis.asyncio import Redis  # noqa: PLC0415

        pause = _FIRST_PAUSE
        while True:
            client = Redis.from_url(
                self._address, decode_responses=True, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT
            )
            try:
                await self._exchange(client)
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001  # whatever it is, connecting is tried again
                if self.connected.is_set():
                    pause = _FIRST_PAUSE
                # Only the type: the message might contain the address with its password.
                first = error.exceptions[0] if isinstance(error, ExceptionGroup) else error
                _logger.warning("the connection to Redis is lost (%s); trying again", type(first).__name__)
            finally:
                self.connected.clear()
                with contextlib.suppress(Exception):
                    await client.aclose()
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _exchange(self, client: Redis) -> None:
        """Publish and receive events until the connection is lost; raise what ended it, maybe in an ExceptionGroup."""
        async with client.pubsub(ignore_subscribe_messages=True) as channel, asyncio.TaskGroup() as tasks:
            await channel.subscribe(_CHANNEL)
            # Events from before the connection are old news.
            while not self._queue.empty():
                self._queue.get_nowait()
            self.connected.set()
            _logger.info("connected to Redis")
            tasks.create_task(self._publish_queued(client))
            loop = asyncio.get_running_loop()
            last = loop.time()
            while loop.time() - last < _SILENT_AFTER:
                message = await channel.get_message(timeout=_BEAT_EVERY)
                if message is not None:
                    last = loop.time()
                    self._receive(message["data"])
            raise TimeoutError

    async def _publish_queued(self, client: Redis) -> None:
        """Publish queued events in batches, and a beat if none comes for `_BEAT_EVERY` seconds; raise Redis errors."""
        while True:
            try:
                envelopes = [Envelope(self._process, await asyncio.wait_for(self._queue.get(), _BEAT_EVERY))]
            except TimeoutError:
                envelopes = [Envelope(self._process)]
            while len(envelopes) < _BATCH and not self._queue.empty():
                envelopes.append(Envelope(self._process, self._queue.get_nowait()))
            async with client.pipeline(transaction=False) as pipeline:
                for envelope in envelopes:
                    pipeline.publish(_CHANNEL, encode_envelope(envelope))
                await pipeline.execute()

    def _receive(self, text: str) -> None:
        """Pass on the event of another server in an envelope's JSON; ignore beats, own events, and any other text."""
        try:
            envelope = parse_envelope(text)
        except msgspec.MsgspecError:
            _logger.warning("another program uses the Redis channel %s", _CHANNEL)
            return
        if envelope.event is not None and envelope.process != self._process and self._handle is not None:
            self._handle(envelope.event)
