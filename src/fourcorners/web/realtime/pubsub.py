"""What servers that share a database tell each other: that a table has changed, and nothing of how; or who is gone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from fourcorners.web.settings import Settings

if TYPE_CHECKING:
    from redis.asyncio import Redis as Client

Heard = Callable[[str, int], None]
"""Is told a table and its new version, or one of the numbers below; with PART it is a player instead of a table."""
SAID, READ_AGAIN, PART = -1, -2, -3
"""Something was said or planned; chairs have other players, which is no event; a player's browsers are to come anew."""
_CHANNEL = "fourcorners:tables"
_WAITING = 10_000
_AT_ONCE = 200
_BEAT_EVERY = 2.0
_SILENT = 8.0
"""Own beats come back as well: a line on which nothing came for so many seconds is dead."""
_ANSWERED_WITHIN = 5.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 5.0
_NO_TABLE = "-"
_logger = logging.getLogger(__name__)


class Wake(Protocol):
    """A way to wake up the other servers, if there may be `others`."""

    others: bool

    def tell(self, table_id: str, version: int) -> None:
        """Tell the others of a table's new version, or what else `Heard` may be told; never blocks, may get lost."""

    async def start(self, heard: Heard) -> None:
        """Listen for what the others tell."""

    async def close(self) -> None:
        """Listen no longer."""


def wake_of(settings: Settings, process: str) -> Wake:
    """Return the way to wake the others that fits the settings."""
    return Redis(settings.redis, process) if settings.redis else Alone(others=bool(settings.database))


class Alone:
    """Nobody is told: there are no others, or they look into the database from time to time."""

    def __init__(self, *, others: bool = False) -> None:
        self.others = others

    def tell(self, table_id: str, version: int) -> None:
        """Tell nobody."""

    async def start(self, heard: Heard) -> None:
        """Listen to nobody."""

    async def close(self) -> None:
        """Nothing was opened."""


class Redis:
    """Others are told by a Redis. While it is lost nobody is told anything, and it is looked for again and again."""

    others = True

    def __init__(self, address: str, process: str) -> None:
        self._address = address
        self._process = process
        self._heard: Heard = _nobody
        self._queue: asyncio.Queue[str] = asyncio.Queue(_WAITING)
        self._task: asyncio.Task[None] | None = None
        self.connected = asyncio.Event()

    def tell(self, table_id: str, version: int) -> None:
        """Queue what the others are to know; without a line to them it is forgotten, as the database says it too."""
        if self.connected.is_set():
            with contextlib.suppress(asyncio.QueueFull):
                self._queue.put_nowait(f"{table_id} {version} {self._process}")

    async def start(self, heard: Heard) -> None:
        """Listen, for ever; that the Redis is not there yet stops nothing."""
        self._heard = heard
        self._task = asyncio.create_task(self._stay())

    async def close(self) -> None:
        """Listen no longer."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _stay(self) -> None:
        # Not everybody has the library, nor needs it.
        from redis.asyncio import Redis as Client  # noqa: PLC0415

        pause = _FIRST_PAUSE
        while True:
            client = Client.from_url(
                self._address,
                decode_responses=True,
                socket_timeout=_ANSWERED_WITHIN,
                socket_connect_timeout=_ANSWERED_WITHIN,
            )
            try:
                await self._converse(client)
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001  # whatever it is, it is tried again
                if self.connected.is_set():
                    pause = _FIRST_PAUSE
                # Not its words, in which an address might stand.
                first = error.exceptions[0] if isinstance(error, ExceptionGroup) else error
                _logger.warning("the Redis is lost (%s); it is looked for again", type(first).__name__)
            finally:
                self.connected.clear()
                with contextlib.suppress(Exception):
                    await client.aclose()
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _converse(self, client: Client) -> None:
        async with client.pubsub(ignore_subscribe_messages=True) as line, asyncio.TaskGroup() as tasks:
            await line.subscribe(_CHANNEL)
            while not self._queue.empty():
                self._queue.get_nowait()
            self.connected.set()
            _logger.info("the Redis is found")
            tasks.create_task(self._publish(client))
            loop = asyncio.get_running_loop()
            last = loop.time()
            while loop.time() - last < _SILENT:
                message = await line.get_message(timeout=_BEAT_EVERY)
                if message is not None:
                    last = loop.time()
                    self._take(message["data"])
            raise TimeoutError

    async def _publish(self, client: Client) -> None:
        while True:
            texts = []
            try:
                texts.append(await asyncio.wait_for(self._queue.get(), _BEAT_EVERY))
            except TimeoutError:
                texts.append(f"{_NO_TABLE} 0 {self._process}")
            while len(texts) < _AT_ONCE and not self._queue.empty():
                texts.append(self._queue.get_nowait())
            async with client.pipeline(transaction=False) as together:
                for text in texts:
                    together.publish(_CHANNEL, text)
                await together.execute()

    def _take(self, text: str) -> None:
        table_id, _, rest = text.partition(" ")
        version, _, process = rest.partition(" ")
        if process == self._process or table_id == _NO_TABLE:
            return
        try:
            self._heard(table_id, int(version))
        except ValueError:
            _logger.warning("something else speaks on the Redis's channel %s", _CHANNEL)


def _nobody(table_id: str, version: int) -> None:
    """Hear nothing."""
