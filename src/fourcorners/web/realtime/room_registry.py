"""The rooms of this process, opened from the store when somebody comes, and the services that they share."""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request

from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.table_session import load_table
from fourcorners.web.auth.identity import get_client_address
from fourcorners.web.auth.limits import find_wide_network
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.engine.cancellable_query import BusyError
from fourcorners.web.engine.hint_service import THREADS as HINT_THREADS
from fourcorners.web.engine.hint_service import HintService
from fourcorners.web.engine.move_service import MoveService
from fourcorners.web.engine.solve_service import THREADS as SOLVE_THREADS
from fourcorners.web.engine.solve_service import SolveService
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.engine.work_queue import Client, QueueLimits, WorkQueue
from fourcorners.web.interprocess.hub_client import HubClient
from fourcorners.web.metrics import Metrics
from fourcorners.web.protocol import server_events
from fourcorners.web.realtime.heartbeat import Heartbeat
from fourcorners.web.realtime.pubsub import create_event_bus
from fourcorners.web.realtime.room import Room
from fourcorners.web.settings import Settings
from fourcorners.web.store import Store, StoreError

MAX_SPECTATORS = 100
"""Connections per table; participants are admitted beyond that and do not count against it."""
_IDLE_ROOMS = 64
_BOARD_THREADS, _LOADING_THREADS, _REPLAY_THREADS = 4, 2, 1
"""Tables that are opened have threads of their own: thousands of events take as long as many moves at other tables."""
REPLAY_LIMITS = QueueLimits(waiting=32, per_player=4, per_network=32, cpu_seconds=math.inf)
"""The limits for records that are read or written: one at a time. How long one takes follows from its length, which is
limited.
"""
T = TypeVar("T")
_logger = logging.getLogger(__name__)


class CapacityError(Exception):
    """The server has as many rooms as it may; the text is a sentence."""


async def is_admitted(room: Room, player: str) -> bool:
    """Return whether a player may connect: participants always, others within a limit. If the room is crowded, take the
    session's lock, and raise LookupError, StoreError or GameError as its `hold`.
    """
    if room.guests < MAX_SPECTATORS:
        return True
    async with room.session.hold() as table:
        participants = sum(table.is_participant(watcher.player) for watcher in room.audience.watchers)
        return table.is_participant(player) or room.guests - participants < MAX_SPECTATORS


def get_registry(connection: HTTPConnection) -> RoomRegistry:
    """Return the registry of the application that serves a request or a socket."""
    registry: RoomRegistry = connection.app.state.registry
    return registry


async def replay_in_turn(request: Request, work: Callable[..., T], *arguments: object) -> T:
    """Call something that replays a record, in a thread, when it is the turn of the client's network; return its result
    or raise its error. Raise HTTPException 503 if too many records wait.
    """
    client = Client(request.scope["state"]["owner"], find_wide_network(get_client_address(request)))
    queue = get_registry(request).replay_queue
    try:
        return await queue.run(client, lambda _: work(*arguments), threading.Event(), REPLAY_LIMITS)
    except BusyError as error:
        raise HTTPException(503, str(error), {"retry-after": "60"}) from None


class RoomRegistry:
    """All rooms of this process, and the services for analysis.

    `closing` is set when the server begins to stop: then commands are not answered, so that clients repeat them later.
    """

    def __init__(
        self,
        store: Store,
        warmup: Warmup,
        settings: Settings,
        time: ServerTime,
        move_service: MoveService,
        disconnect: Callable[[str, str], None],
        hub: HubClient | None = None,
    ) -> None:
        """Start without rooms. `disconnect` closes the connections of a player (an id) except those of a session. `hub`
        leads to the other workers of this server, if there are any.
        """
        self.store = store
        self.warmup = warmup
        self.time = time
        self.solve_service = SolveService(warmup, settings.divide(SOLVE_THREADS))
        self.hint_service = HintService(warmup, settings.divide(HINT_THREADS))
        busy = "Too many records are being read on this server. Try again in a minute."
        self.replay_queue = WorkQueue("replay", _REPLAY_THREADS, busy)
        self.closing = False
        self.rooms: dict[str, Room] = {}
        process = secrets.token_hex(8)
        self.events = create_event_bus(settings, process, hub)
        self.metrics = Metrics(process)
        self.metrics_token = settings.metrics_token
        self.metrics.add_gauge("rooms", "Tables in memory", lambda: len(self.rooms))
        self.metrics.add_gauge("searches", "Computers that are thinking", lambda: self.search_count)
        self.metrics.add_gauge("waiting_writes", "Writes waiting to be stored", lambda: store.writer.queue_length)
        self.metrics.add_gauge("transactions", "Transactions committed by the writer", lambda: store.writer.commits)
        self._disconnect = disconnect
        self._tasks: set[asyncio.Task[None]] = set()
        self._max_rooms = settings.max_rooms
        self._board_threads = ThreadPoolExecutor(_BOARD_THREADS, "board")
        self._loading_threads = ThreadPoolExecutor(_LOADING_THREADS, "load")
        self._opening: dict[str, asyncio.Lock] = {}
        self.context = ServerContext(
            store=store,
            board_threads=self._board_threads,
            move_service=move_service,
            time=time,
            process=process,
            pace=settings.pace,
            outages=[],
            shared=self.events.others,
            publish=self.events.publish,
            metrics=self.metrics,
        )
        self.heartbeat = Heartbeat(self.context)

    @property
    def search_count(self) -> int:
        """The number of computers that think."""
        return sum(1 for room in self.rooms.values() if room.turns.is_thinking)

    async def open(self, table_id: str) -> Room | None:
        """Return the room of a table, loaded unless it is open already; None if there is no such table. Raise GameError
        if the table does not replay under the current rules, CapacityError if there are too many rooms, and StoreError.
        """
        if (room := self.rooms.get(table_id)) is not None:
            return room
        lock = self._opening.setdefault(table_id, asyncio.Lock())
        try:
            async with lock:
                if table_id not in self.rooms:
                    loop, threads = asyncio.get_running_loop(), self._loading_threads
                    table = await loop.run_in_executor(threads, load_table, self.context, table_id)
                    if table is None:
                        return None
                    # After a failure others may wait for a new lock, and one of them may have opened the room.
                    if table_id not in self.rooms:
                        self._make_space()
                        self.rooms[table_id] = Room(table, self.context)
                return self.rooms[table_id]
        finally:
            self._opening.pop(table_id, None)

    def _make_space(self) -> None:
        """Drop idle rooms, longest idle first, until `_IDLE_ROOMS` are left; raise CapacityError if no room fits in."""
        idle = sorted((room for room in self.rooms.values() if room.is_idle), key=lambda room: room.left_at)
        for room in idle[: max(0, len(idle) - _IDLE_ROOMS)]:
            del self.rooms[room.id]
            self.context.move_service.forget_table(room.id)
        if len(self.rooms) >= self._max_rooms:
            raise CapacityError("too many games are being played on this server right now; try again later")

    def handle_event(self, event: server_events.ServerEvent) -> None:
        """Disconnect the event's player or, in a task, refresh its table's room, if any; call it in the event loop."""
        if isinstance(event, server_events.PlayerSignedOut):
            self._disconnect(event.player, "")
            return
        room = self.rooms.get(event.table_id)
        if room is not None:
            task = asyncio.create_task(_refresh_room(room, event))
            # The event loop itself keeps only weak references to tasks.
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def reload_tables(self, tables: Iterable[str]) -> None:
        """Show tables (ids) again whose chairs have other holders now, here and at the other servers; log failures."""
        for table_id in tables:
            event = server_events.ChairsChanged(table_id)
            room = self.rooms.get(table_id)
            if room is not None:
                await _refresh_room(room, event)
            self.events.publish(event)

    def disconnect_player(self, player: str, but: str = "") -> None:
        """Close a player's connections except those of the session `but`; at other servers close all of them."""
        self._disconnect(player, but)
        self.events.publish(server_events.PlayerSignedOut(player))

    def remove(self, room: Room) -> None:
        """Forget the room of a table that was deleted, and have its watchers' connections closed."""
        room.delete()
        if self.rooms.get(room.id) is room:
            del self.rooms[room.id]
        self.context.move_service.forget_table(room.id)

    async def close(self) -> None:
        """Stop all rooms once they have stored what happens, and the services, blocking. Connections stay open."""
        self.closing = True
        await asyncio.gather(*(room.close() for room in self.rooms.values()), return_exceptions=True)
        self.solve_service.close()
        self.hint_service.close()
        self.replay_queue.close()
        self.context.move_service.close()
        self._loading_threads.shutdown(cancel_futures=True)
        self._board_threads.shutdown(cancel_futures=True)


async def _refresh_room(room: Room, event: server_events.TableEvent) -> None:
    """Show a room what has changed elsewhere, and log failures: nobody waits. Takes the lock of the room's session."""
    try:
        match event:
            case server_events.TableChanged(version=version):
                await room.catch_up(version)
            case server_events.ChatOrPremovesChanged():
                await room.catch_up_chat_and_premoves()
            case server_events.ChairsChanged():
                await room.reload()
    except StoreError as error:
        # The room looks again within seconds.
        _logger.warning("a change made elsewhere could not be shown: %s", error, extra={"table": room.id})
    except Exception:
        _logger.exception("a change made elsewhere could not be shown", extra={"table": room.id})
