"""The registry: all rooms in memory, opened from the store when somebody comes, and what they share."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.application.setup import rematch
from fourcorners.web.domain import actions
from fourcorners.web.domain.actions import Command
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.domain.names import clean_name
from fourcorners.web.engine.hint_service import HintService
from fourcorners.web.engine.move_service import MoveService
from fourcorners.web.engine.solve_service import SolveService
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.metrics import Metrics
from fourcorners.web.protocol.client_messages import Again, Deed, Move
from fourcorners.web.realtime.pubsub import PART, READ_AGAIN, Wake, wake_of
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.room_context import House, Watcher, load
from fourcorners.web.settings import Settings
from fourcorners.web.store import Store

_KEPT_IDLE = 64
_BOARD_THREADS = 4
MOST_AT_A_TABLE = 100
"""So many may look on at a table; who has to do with it comes in whoever else is there."""
GONE = 4404
"""The code with which sockets of a table that is not there are closed."""
_logger = logging.getLogger(__name__)


class CapacityError(Exception):
    """More is going on than this server takes."""


async def admits(room: Room, player: str) -> bool:
    """Tell whether one more of a player's browsers or programs may come to a table."""
    if room.guests < MOST_AT_A_TABLE:
        return True
    async with room.present() as table:
        at_home = sum(table.concerns(watcher.owner) for watcher in room.watchers)
        return table.concerns(player) or room.guests - at_home < MOST_AT_A_TABLE


class RoomRegistry:
    """All that is going on in this process."""

    def __init__(
        self,
        store: Store,
        warmup: Warmup,
        settings: Settings,
        time: ServerTime,
        thinker: MoveService,
        part: Callable[[str, str], None],
        wake: Wake | None = None,
    ) -> None:
        self.store = store
        self.warmup = warmup
        self.time = time
        self.solve_service = SolveService()
        self.hint_service = HintService()
        self.move_service = thinker
        self.closing = False
        self._part = part
        self.rooms: dict[str, Room] = {}
        process = secrets.token_hex(8)
        self.wake = wake or wake_of(settings, process)
        self.metrics = Metrics(process)
        self.metrics_token = settings.metrics_token
        self.metrics.add_gauge("rooms", "Tables in memory", lambda: len(self.rooms))
        self.metrics.add_gauge("searches", "Computers that think", lambda: self.thinking)
        self.metrics.add_gauge("waiting_writes", "What waits to be stored", lambda: store.writer.queue_length)
        self.metrics.add_gauge("transactions", "Transactions that the writer has committed", lambda: store.writer.commits)
        self._hearing: set[asyncio.Task[None]] = set()
        self._most_rooms = settings.max_rooms
        self._board = ThreadPoolExecutor(_BOARD_THREADS, "board")
        self._opening: dict[str, asyncio.Lock] = {}
        self.house = House(
            store,
            self._board,
            self.move_service,
            time,
            process,
            settings.pace,
            [],
            self.wake.others,
            self.wake.tell,
            self.metrics,
        )

    @property
    def thinking(self) -> int:
        """How many computers think."""
        return sum(1 for room in self.rooms.values() if room.turns.thinking)

    async def open(self, table_id: str) -> Room | None:
        """Return the room of a table; None if there is no such table. Raise GameError if it no longer replays."""
        room = self.rooms.get(table_id)
        if room is not None:
            return room
        lock = self._opening.setdefault(table_id, asyncio.Lock())
        try:
            async with lock:
                if table_id not in self.rooms:
                    loop = asyncio.get_running_loop()
                    table = await loop.run_in_executor(self._board, load, self.house, table_id)
                    if table is None:
                        return None
                    # Who came while the last to hold this lock failed holds another one, and may have been quicker.
                    if table_id not in self.rooms:
                        self._make_place()
                        self.rooms[table_id] = Room(table, self.house)
                return self.rooms[table_id]
        finally:
            self._opening.pop(table_id, None)

    def _make_place(self) -> None:
        idle = sorted((room for room in self.rooms.values() if room.idle), key=lambda room: room.left_at)
        for room in idle[: max(0, len(idle) - _KEPT_IDLE)]:
            del self.rooms[room.id]
            self.move_service.forget_table(room.id)
        if len(self.rooms) >= self._most_rooms:
            message = "too many games are being played on this server just now; come back in a while"
            raise CapacityError(message)

    def heard(self, table_id: str, version: int) -> None:
        """Take in what another server tells of a table, if it is one of those here, or of a player."""
        if version == PART:
            self._part(table_id, "")
            return
        room = self.rooms.get(table_id)
        if room is not None:
            task = asyncio.create_task(self._catch_up(room, version))
            self._hearing.add(task)
            task.add_done_callback(self._hearing.discard)

    @staticmethod
    async def _catch_up(room: Room, version: int) -> None:
        try:
            if version == READ_AGAIN:
                await room.read_again()
            else:
                await (room.heard() if version < 0 else room.catch_up(version))
        except Exception:
            _logger.exception("what has changed elsewhere could not be taken in", extra={"table": room.id})

    async def changed(self, tables: Iterable[str]) -> None:
        """Show tables again whose chairs have other players now, here and at the other servers."""
        for table_id in tables:
            room = self.rooms.get(table_id)
            if room is not None:
                await self._catch_up(room, READ_AGAIN)
            self.wake.tell(table_id, READ_AGAIN)

    def part_with(self, player: str, but: str = "") -> None:
        """Let a player's browsers go, but those of one session; at other servers all, as they come back."""
        self._part(player, but)
        self.wake.tell(player, PART)

    def gone(self, room: Room) -> None:
        """Close the room of a table that was deleted."""
        room.forget_table()
        for watcher in list(room.watchers):
            watcher.let_go(GONE, "this table was deleted")
        if self.rooms.get(room.id) is room:
            del self.rooms[room.id]
        self.move_service.forget_table(room.id)

    async def name_for(self, player: str, wished: str) -> str:
        """Return the name that a player bears at a table: an account's own, or what a guest wishes to be called."""
        return await asyncio.get_running_loop().run_in_executor(self._board, self._name_for, player, clean_name(wished))

    def _name_for(self, player: str, wished: str) -> str:
        profile = self.store.read_profile(player)
        if profile.account is not None:
            return profile.name
        # Nobody plays under the name of somebody else's account, which may be younger than what a guest was called.
        return next((name for name in (wished, profile.name) if name and self.store.find_account(name) is None), "")

    async def obey(
        self, room: Room, watcher: Watcher, message: Move | Deed | Again, received: float, lag: float = 0.0
    ) -> None:
        """Do what a browser or a program wants; it is told done, refused or stale before anything else."""
        match message:
            case Move(move=move):
                await room.do(watcher, Command("move", message.id, received, move=move, lag=lag), message.version)
            case Deed(type=verb, seat=seat):
                name = await self.name_for(watcher.owner, message.name) if verb == "sit" else ""
                seat = -1 if seat is None else seat
                command = Command(verb, message.id, received, "", seat, name, message.kind, message.accept)
                await room.do(watcher, command, message.version)
            case Again():
                await self.again(room, watcher, Command("again", message.id, received), message.version)

    async def again(self, room: Room, watcher: Watcher, command: Command, version: int) -> None:
        """Set up the same game with the seats turned, keep the others' seats for them, and tell them of it."""
        saved = None
        async with room.present() as table:
            # Who may not is told so by the deed itself.
            with contextlib.suppress(IllegalMoveError):
                actions.check_again(table, watcher.owner)
                saved = rematch(table, watcher.owner, self.time.now())
        if saved is not None:
            await asyncio.wrap_future(self.store.add_table(saved))
            command = command._replace(name=saved.id)
        if not await room.do(watcher, command, version) and saved is not None:
            self.store.delete_table(saved.id)

    async def close(self) -> None:
        """Stop everything."""
        self.closing = True
        await asyncio.gather(*(room.close() for room in self.rooms.values()), return_exceptions=True)
        self.solve_service.close()
        self.hint_service.close()
        self.move_service.close()
        self._board.shutdown(cancel_futures=True)
