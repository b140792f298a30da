"""Events between servers that share a database: through Redis, or not at all where each server looks for itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from fourcorners.web.protocol.server_events import Envelope, ServerEvent, encode_envelope, parse_envelope
from fourcorners.web.settings import Settings

if TYPE_CHECKING:
    # Redis is optional, see `_run`.
    from redis.asyncio import Redis

EventHandler = Callable[[ServerEvent], None]
_CHANNEL = "fourcorners:tables"
_MAX_QUEUED, _BATCH = 10_000, 200
_BEAT_EVERY = 2.0
_SILENT_AFTER = 8.0
"""A server receives its own beats too: a connection that is silent for this many seconds is dead."""
_TIMEOUT = 5.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 5.0
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

    async def close(self) -> None:
        """Stop listening."""


def create_event_bus(settings: Settings, process: str) -> EventBus:
    """Return a bus through Redis if the settings name one, else one that leads nowhere; `process` names this server to
    the others.
    """
    if settings.redis:
        return RedisEventBus(settings.redis, process)
    # Servers on other machines may use the same PostgreSQL.
    return EventBus(others=bool(settings.database))


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
        from redis.asyncio import Redis  # noqa: PLC0415  # an optional dependency

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
