"""The rooms of this process, opened from the store when they are needed."""

import asyncio
import logging
import weakref
from collections import Counter
from collections.abc import Callable, Iterable

from starlette.requests import HTTPConnection

from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.fair_turns import get_client, run_in_turn
from fourcorners.web.application.refusals import CapacityError
from fourcorners.web.application.table_session import load_table, load_table_in_threads
from fourcorners.web.domain.table import ReplayError, Table
from fourcorners.web.engine.work_queue import BusyError
from fourcorners.web.protocol import server_events
from fourcorners.web.realtime.heartbeat import Heartbeat
from fourcorners.web.realtime.room import Room
from fourcorners.web.store import StoreError

MAX_SPECTATORS, MAX_SPECTATORS_PER_NETWORK = 100, 60
"""Connections per table, and those from one network; participants are admitted beyond that and do not count against it.
"""
_IDLE_ROOMS = 64
_SHARE, _ALWAYS_OPENED = 0.25, 3
"""The share of the free rooms that the tables which one network has opened may have, and how many it may have as long
as there is any room.
"""
_logger = logging.getLogger(__name__)


async def is_admitted(room: Room, player: str, network: str) -> bool:
    """Return whether a player may connect from a network: participants always, others within limits. If the room is
    crowded, take the session's lock, and raise as its `hold` does.
    """

    def has_place(participants: Counter[str]) -> bool:
        """Return whether another spectator fits in; `participants` counts the participants' connections by network."""
        others = room.guests - participants
        limit = MAX_SPECTATORS_PER_NETWORK if network else MAX_SPECTATORS
        return others.total() < MAX_SPECTATORS and others[network] < limit

    if has_place(Counter()):
        return True
    async with room.session.hold() as table:
        watchers = room.audience.watchers
        own = Counter(watcher.wide_network for watcher in watchers if table.is_participant(watcher.player))
        return table.is_participant(player) or has_place(own)


def get_rooms(connection: HTTPConnection) -> "Rooms":
    """Return the rooms of the application that serves a request or a socket."""
    rooms: Rooms = connection.app.state.rooms
    return rooms


class Rooms:
    """All rooms of this process: `opened` has them by the id of their table.

    `closing` is set when the server begins to stop: then commands are not answered, so that clients repeat them later.
    """

    def __init__(self, context: ServerContext, disconnect: Callable[[str, str], None]) -> None:
        """Start without rooms. `disconnect` closes the connections of a player (an id) except those of a session."""
        self.context = context
        self.heartbeat = Heartbeat(context)
        self.closing = False
        self.opened: dict[str, Room] = {}
        self._disconnect = disconnect
        self._tasks: set[asyncio.Task[None]] = set()
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    @property
    def search_count(self) -> int:
        """The number of computers that think."""
        return sum(1 for room in self.opened.values() if room.turns.is_thinking)

    async def open(self, table_id: str, *, for_server: bool = False) -> Room | None:
        """Return the room of a table, loaded unless it is open already; None if there is no such table. Raise
        ReplayError if the table does not replay under the current rules, CapacityError if there are too many rooms, and
        StoreError.

        Networks take turns and share the rooms, by `current_sender`. With `for_server`, or without a sender, the server
        needs the table itself, and turns and shares do not matter.
        """
        if (room := self.opened.get(table_id)) is not None:
            return room
        # After a failure the next one tries, with the same lock, so that no two do so at once.
        lock = self._locks.setdefault(table_id, asyncio.Lock())
        async with lock:
            if table_id not in self.opened:
                opener = "" if for_server else get_client().group
                table = await self._load(table_id, opener)
                if table is None:
                    return None
                self._make_space(opener)
                self.opened[table_id] = Room(table, self.context, self.heartbeat, opener)
            return self.opened[table_id]

    async def _load(self, table_id: str, opener: str) -> Table | None:
        """Load a table in the turn of its opener's network, at once for the server itself; raise as `open`."""
        if not opener:
            return await load_table_in_threads(self.context, table_id)
        try:
            return await run_in_turn(self.context.opening, load_table, self.context, table_id)
        except BusyError as error:
            raise CapacityError(str(error)) from None

    def _make_space(self, opener: str) -> None:
        """Drop idle rooms, the longest idle first, until `_IDLE_ROOMS` are left and one more fits in. Raise
        CapacityError if no room fits in, or if the opener has more than its share.
        """
        idle = [room for room in self.opened.values() if room.is_idle]
        own = sum(room.opener == opener and not room.is_idle for room in self.opened.values())
        free = self.context.settings.max_rooms - (len(self.opened) - len(idle))
        # The share shrinks as rooms become rare, so that something is left for others.
        if free <= 0 or (opener and own >= max(_ALWAYS_OPENED, _SHARE * free)):
            raise CapacityError("Too many games are being played on this server right now. Try again later.")
        excess = max(len(idle) - _IDLE_ROOMS, len(idle) + 1 - free, 0)
        for room in sorted(idle, key=lambda room: room.left_at)[:excess]:
            self._forget(room)

    def _forget(self, room: Room) -> None:
        """Drop a room that is open here."""
        del self.opened[room.id]
        self.context.move_service.forget_table(room.id)

    def handle_event(self, event: server_events.ServerEvent) -> None:
        """Disconnect the event's player or, in a task, refresh its table's room, if any; call it in the event loop."""
        if isinstance(event, server_events.PlayerSignedOut):
            self._disconnect(event.player, "")
            return
        room = self.opened.get(event.table_id)
        if room is not None:
            task = asyncio.create_task(_refresh_room(room, event))
            # The event loop itself keeps only weak references to tasks.
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def reload_tables(self, tables: Iterable[str]) -> None:
        """Show tables (ids) again whose chairs have other holders now, here and at the other servers; log failures."""
        for table_id in tables:
            event = server_events.ChairsChanged(table_id)
            room = self.opened.get(table_id)
            if room is not None:
                await _refresh_room(room, event)
            self.context.publish(event)

    def disconnect_player(self, player: str, but: str = "") -> None:
        """Close a player's connections except those of the session `but`; at other servers close all of them."""
        self._disconnect(player, but)
        self.context.publish(server_events.PlayerSignedOut(player))

    def remove(self, room: Room) -> None:
        """Forget the room of a table that was deleted, and have its watchers' connections closed."""
        room.delete()
        if self.opened.get(room.id) is room:
            self._forget(room)

    async def close(self) -> None:
        """Stop all rooms once they have stored what happens. Connections stay open."""
        self.closing = True
        await asyncio.gather(*(room.close() for room in self.opened.values()), return_exceptions=True)


async def _refresh_room(room: Room, event: server_events.TableEvent) -> None:
    """Show a room what has changed elsewhere, and log failures: no one waits. Takes the lock of the room's session."""
    try:
        match event:
            case server_events.TableChanged(version=version):
                await room.catch_up(version)
            case server_events.ChatOrPremovesChanged():
                await room.catch_up_chat_and_premoves()
            case server_events.ChairsChanged():
                await room.reload()
    except ReplayError:
        room.refuse_watchers()
    except StoreError as error:
        # The room looks again within seconds.
        _logger.warning("a change made elsewhere could not be shown: %s", error, extra={"table": room.id})
    except Exception:
        _logger.exception("a change made elsewhere could not be shown", extra={"table": room.id})
