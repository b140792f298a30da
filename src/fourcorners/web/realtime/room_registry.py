"""The rooms of this process, opened from the store when somebody comes, and the services that they share."""

from __future__ import annotations

import asyncio
import heapq
import logging
import secrets
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from time import thread_time
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request

from fourcorners.study.rendering import read_child_seconds
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.running_games import RunningGames
from fourcorners.web.application.table_session import ReplayError, load_table
from fourcorners.web.auth.identity import current_sender
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.domain.table import Table
from fourcorners.web.engine.alternative_service import AlternativeService
from fourcorners.web.engine.analysis_service import AnalysisService
from fourcorners.web.engine.cancellable_query import BusyError
from fourcorners.web.engine.hint_service import HintService
from fourcorners.web.engine.move_service import MoveService
from fourcorners.web.engine.review_service import ReviewService
from fourcorners.web.engine.solve_service import SolveService
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.engine.work_queue import BudgetError, Client, QueueLimits, WorkQueue
from fourcorners.web.metrics import Metrics
from fourcorners.web.protocol import server_events
from fourcorners.web.realtime.disconnects import await_unless_gone
from fourcorners.web.realtime.heartbeat import Heartbeat
from fourcorners.web.realtime.pubsub import create_event_bus
from fourcorners.web.realtime.room import Room
from fourcorners.web.settings import Settings
from fourcorners.web.store import Store, StoreError

MAX_SPECTATORS, MAX_SPECTATORS_PER_NETWORK = 100, 60
"""Connections per table, and those from one network; participants are admitted beyond that and do not count against it.
"""
_IDLE_ROOMS = 64
_BOARD_THREADS, _LOADING_THREADS, _REPLAY_THREADS, _ANALYSIS_BOARD_THREADS = 4, 2, 1, 2
"""Tables that are opened have threads of their own: thousands of events take as long as many moves at other tables."""
LOADING_LIMITS = QueueLimits(waiting=1000, per_player=100, per_network=1000, cpu_seconds=60.0)
"""The limits for tables that are opened; after a restart many are at once."""
REPLAY_LIMITS = QueueLimits(waiting=32, per_player=4, per_network=32, cpu_seconds=20.0)
"""The limits for records that are read or written: one at a time. The longest that is allowed takes some seconds."""
BOARD_LIMITS = QueueLimits(waiting=64, per_player=8, per_network=48, cpu_seconds=5.0)
"""The limits for positions of the analysis board: drawing one takes some milliseconds, and playing a long line to it
from its start at most a second or two.
"""
DRAWING_LIMITS = QueueLimits(waiting=32, per_player=4, per_network=16, cpu_seconds=20.0)
"""The limits for pictures and documents, which another process draws within limits of its own: one at a time."""
_TOO_MANY_OPENED = "too many games are being opened on this server right now; try again in a minute"
_SHARE, _ALWAYS_OPENED = 0.25, 3
"""The share of the free rooms that the tables which one network has opened may have, and how many it may have as long
as there is any room.
"""
T = TypeVar("T")
_logger = logging.getLogger(__name__)


class CapacityError(Exception):
    """The server has as many rooms as it may; the text is a sentence."""


class _Opening:
    """The opening of a table: the lock of those who want its room, and how many hold it or wait for it."""

    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        """Have no users yet."""
        self.lock = asyncio.Lock()
        self.users = 0


async def is_admitted(room: Room, player: str, network: str) -> bool:
    """Return whether a player may connect from a network: participants always, others within limits. If the room is
    crowded, take the session's lock, and raise LookupError, StoreError or GameError as its `hold`.
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


def get_registry(connection: HTTPConnection) -> RoomRegistry:
    """Return the registry of the application that serves a request or a socket."""
    registry: RoomRegistry = connection.app.state.registry
    return registry


async def replay_in_turn(request: Request, work: Callable[..., T], *arguments: object) -> T:
    """Call something that replays a record, in a thread, when it is the turn of the client's network; return its result
    or raise its error. It must take a function `check`, which ends it when it takes too long or nobody waits any more.
    Raise HTTPException: 503 if too many records wait, 422 if this one takes too long. When the client leaves, end the
    work and raise ClientDisconnect; the request's body must have been read.
    """
    sentence = "This record takes too long to replay on this server."
    run = _run_or_refuse(get_registry(request).replay_queue, REPLAY_LIMITS, sentence, work, *arguments)
    return await await_unless_gone(request, run)


async def draw_in_turn(request: Request, work: Callable[..., T], *arguments: object) -> T:
    """Call something that draws a picture or a document as `replay_in_turn` calls what replays a record."""
    sentence = "This takes too long to draw on this server."
    run = _run_or_refuse(get_registry(request).drawing_queue, DRAWING_LIMITS, sentence, work, *arguments)
    return await await_unless_gone(request, run)


async def _run_or_refuse(
    queue: WorkQueue, limits: QueueLimits, sentence: str, work: Callable[..., T], *arguments: object
) -> T:
    """Call some work as `_run_in_turn` does; raise HTTPException 503 or, with a sentence, 422 instead of its errors."""
    try:
        return await _run_in_turn(queue, limits, work, *arguments)
    except BusyError as error:
        raise HTTPException(503, str(error), {"retry-after": "60"}) from None
    except BudgetError:
        raise HTTPException(422, sentence) from None


def _read_drawing_time() -> float:
    """Return the processor time of a thread and of the processes that draw for it."""
    return thread_time() + read_child_seconds()


def get_client() -> Client:
    """Return the client of the request in progress, for the queues."""
    sender = current_sender.get()
    return Client("") if sender is None else Client(*sender)


async def _run_in_turn(queue: WorkQueue, limits: QueueLimits, work: Callable[..., T], *arguments: object) -> T:
    """Call some work for the current sender with a function `check` that ends it; raise BusyError, BudgetError, or what
    the work raises.
    """
    stop = threading.Event()
    try:
        return await queue.run(get_client(), lambda budget: work(*arguments, check=budget.check), stop, limits)
    finally:
        stop.set()


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
    ) -> None:
        """Start without rooms. `disconnect` closes the connections of a player (an id) except those of a session."""
        self.store = store
        self.warmup = warmup
        self.time = time
        self.solve_service = SolveService(warmup)
        self.hint_service = HintService(warmup)
        self.analysis_service = AnalysisService(warmup)
        self.review_service = ReviewService(warmup)
        self.alternative_service = AlternativeService(warmup)
        busy = "Too many records are being read on this server. Try again in a minute."
        self.replay_queue = WorkQueue("replay", _REPLAY_THREADS, busy)
        many = "Too many pictures are being drawn on this server. Try again in a minute."
        self.drawing_queue = WorkQueue("draw", 1, many, clock=_read_drawing_time)
        self._loading_queue = WorkQueue("open", _LOADING_THREADS, _TOO_MANY_OPENED)
        busy = "Too many positions are being drawn on this server. Try again in a minute."
        self._board_queue = WorkQueue("board", _ANALYSIS_BOARD_THREADS, busy)
        self.closing = False
        self.rooms: dict[str, Room] = {}
        process = secrets.token_hex(8)
        self.events = create_event_bus(settings, process)
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
        self._own_loading_thread = ThreadPoolExecutor(1, "load")
        self._opening: dict[str, _Opening] = {}
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
            running_games=RunningGames(store),
        )
        self.heartbeat = Heartbeat(self.context)

    async def run_board_work(self, work: Callable[[Callable[[], None]], T]) -> T:
        """Do some work on a position of the analysis board in a thread, when it is the client's turn; return its result
        or raise its error, and BusyError if too many ask. It gets a function `check` that ends it after some seconds.
        """
        stop = threading.Event()
        try:
            return await self._board_queue.run(get_client(), lambda budget: work(budget.check), stop, BOARD_LIMITS)
        finally:
            stop.set()

    @property
    def search_count(self) -> int:
        """The number of computers that think."""
        return sum(1 for room in self.rooms.values() if room.turns.is_thinking)

    async def open(self, table_id: str, *, for_server: bool = False) -> Room | None:
        """Return the room of a table, loaded unless it is open already; None if there is no such table. Raise
        ReplayError if the table does not replay under the current rules, CapacityError if there are too many rooms, and
        StoreError.

        Networks take turns and share the rooms, by `current_sender`. With `for_server`, or without a sender, the server
        needs the table itself, and nobody's turn or share matters.
        """
        if (room := self.rooms.get(table_id)) is not None:
            return room
        opening = self._opening.setdefault(table_id, _Opening())
        opening.users += 1
        try:
            async with opening.lock:
                if table_id not in self.rooms:
                    sender = None if for_server else current_sender.get()
                    opener = "" if sender is None else Client(*sender).group
                    table = await self._load(table_id, opener)
                    if table is None:
                        return None
                    self._make_space(opener)
                    self.rooms[table_id] = Room(table, self.context, self.heartbeat, opener)
                return self.rooms[table_id]
        finally:
            opening.users -= 1
            # After a failure the next one tries, with the same lock, so that no two do so at once.
            if not opening.users:
                del self._opening[table_id]

    async def _load(self, table_id: str, opener: str) -> Table | None:
        """Load a table in the turn of its opener's network, at once for the server itself; raise as `open`."""
        if not opener:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._own_loading_thread, load_table, self.context, table_id)
        try:
            return await _run_in_turn(self._loading_queue, LOADING_LIMITS, load_table, self.context, table_id)
        except BusyError as error:
            raise CapacityError(str(error)) from None
        except BudgetError:
            raise CapacityError("this game takes too long to open on this server") from None

    def _make_space(self, opener: str) -> None:
        """Drop idle rooms until `_IDLE_ROOMS` are left and one more fits in: of the network that has opened most of
        them, the longest idle first. Raise CapacityError if no room fits in, or if the opener has more than its share.
        """
        idle, used, own = [], 0, 0
        for room in self.rooms.values():
            if room.is_idle:
                idle.append(room)
            else:
                used += 1
                own += room.opener == opener
        free = self._max_rooms - used
        # As with rate limits, the share shrinks as rooms become rare, so that something is left for others.
        if free <= 0 or (opener and own >= max(_ALWAYS_OPENED, _SHARE * free)):
            raise CapacityError("too many games are being played on this server right now; try again later")
        excess = max(len(idle) - _IDLE_ROOMS, len(idle) + 1 - free)
        if excess > 0:
            for room in _choose_idle(idle, excess):
                self._forget(room)

    def _forget(self, room: Room) -> None:
        """Drop a room that is open here."""
        del self.rooms[room.id]
        self.context.move_service.forget_table(room.id)

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
            self._forget(room)

    async def close(self) -> None:
        """Stop all rooms once they have stored what happens, and the services, blocking. Connections stay open."""
        self.closing = True
        await asyncio.gather(*(room.close() for room in self.rooms.values()), return_exceptions=True)
        self.solve_service.close()
        self.hint_service.close()
        self.review_service.close()
        self.alternative_service.close()
        self.analysis_service.close()
        self.replay_queue.close()
        self.drawing_queue.close()
        self._loading_queue.close()
        self._board_queue.close()
        self.context.running_games.close()
        self.context.move_service.close()
        self._own_loading_thread.shutdown(cancel_futures=True)
        self._board_threads.shutdown(cancel_futures=True)


def _choose_idle(idle: Iterable[Room], count: int) -> list[Room]:
    """Return `count` of the idle rooms, of which there must be as many: each time the longest idle one of the network
    that has most of those left.
    """
    per_opener: defaultdict[str, deque[Room]] = defaultdict(deque)
    for room in sorted(idle, key=lambda room: room.left_at):
        per_opener[room.opener].append(room)
    heap = [(-len(rooms), rooms[0].left_at, opener) for opener, rooms in per_opener.items()]
    heapq.heapify(heap)
    chosen: list[Room] = []
    while len(chosen) < count:
        _, _, opener = heap[0]
        rooms = per_opener[opener]
        chosen.append(rooms.popleft())
        if rooms:
            heapq.heapreplace(heap, (-len(rooms), rooms[0].left_at, opener))
        else:
            heapq.heappop(heap)
    return chosen


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
    except ReplayError:
        room.refuse_watchers()
    except StoreError as error:
        # The room looks again within seconds.
        _logger.warning("a change made elsewhere could not be shown: %s", error, extra={"table": room.id})
    except Exception:
        _logger.exception("a change made elsewhere could not be shown", extra={"table": room.id})
