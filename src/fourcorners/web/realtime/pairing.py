"""Quick pairing: a player who looks for an opponent gets a seat at a waiting player's table, or waits at a new one."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool

from fourcorners.core.errors import GameError
from fourcorners.web.application.refusals import CapacityError
from fourcorners.web.application.table_setup import Sharing, TableSetup, build_table, store_table
from fourcorners.web.domain.actions import Change, close_table
from fourcorners.web.domain.clocks import TimeControl
from fourcorners.web.domain.commands import Sit
from fourcorners.web.domain.rated_rules import find_standard_game
from fourcorners.web.domain.rows import PAIRING, NoTableError, StoredTable
from fourcorners.web.domain.seats import OPEN, PERSON
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.server_messages import Done
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.rooms import Rooms

SPEEDS = {"fast": TimeControl(180, 2), "normal": TimeControl(300, 5), "slow": TimeControl(900, 10)}
"""The time controls of quick games."""
ARRIVAL = 15.0
"""For this many seconds an owner counts as present after pressing the button or the last sign of a connection."""
_MAX_READ = 200


class Seeker(NamedTuple):
    """A player who looks for an opponent: the id, the name to sit down with, and the hash of the value for the shuffle,
    if the player's browser will give one.
    """

    player: str
    name: str
    hash: str = ""


class Wish(NamedTuple):
    """What a player wants to play: a game, one of the `SPEEDS`, and whether it is rated. Only equal wishes meet."""

    game_id: str
    speed: str = "normal"
    rated: bool = False

    def fits(self, row: StoredTable) -> bool:
        """Return whether a table, of this version or an earlier one, waits for an opponent with this wish."""
        # Boards and clocks of earlier versions, which two servers may have, were others.
        is_same = row.game == self.game_id and row.options == find_standard_game(self.game_id).given_options()
        clock, rated = row.settings.get("clock"), bool(row.settings.get("rated"))
        return is_same and clock == SPEEDS[self.speed].to_stored() and rated == self.rated


class Pairing:
    """Pairs players. A seat is taken by the same command as any other, so no one can lose it to someone else."""

    def __init__(self, rooms: Rooms) -> None:
        """Pair players at the tables of these rooms."""
        self._rooms = rooms
        self._context = rooms.context
        # Within a server, two who press at once come one after the other: the second one finds the first. Through
        # different servers both may open a table; each looks again then, and the younger table gives way.
        self._lock = asyncio.Lock()

    async def find_table(self, seeker: Seeker, wish: Wish, check_limit: Callable[[], Awaitable[None]]) -> str:
        """Return the id of the table at which a player plays what `wish` says, or waits for an opponent.

        The oldest table that waits comes first. A player who waits already stays, unless someone else has waited for
        longer, perhaps through another server. Tables whose owners have gone are closed. Before a new table is stored,
        `check_limit` is awaited; what it raises passes through. Raise StoreError.
        """
        async with self._lock:
            opened = None
            while (table := await self._find_seat(seeker, wish, opened)) is None:
                await check_limit()
                opened = await self._open_table(seeker, wish)
            return table

    async def _find_seat(self, seeker: Seeker, wish: Wish, opened: str | None) -> str | None:
        """Return the id of a table at which a player has sat down, or waits: perhaps at the one just `opened`. Return
        None if there is none. Needs the lock; raise StoreError.
        """
        rows = await self._list_waiting(wish, seeker.player)
        own = next((row for row in rows if row.owner == seeker.player), None)
        # Only older tables, so that two who wait do not change places.
        for row in rows if own is None else rows[: rows.index(own)]:
            if own is not None:
                if not await self._leave(own):
                    return own.id
                own = opened = None
            if await self._sit(row, seeker):
                return row.id
        if own is None:
            return opened
        self._context.store.extend_waiting([own.id], self._context.time.now() + ARRIVAL)
        return own.id

    async def _list_waiting(self, wish: Wish, player: str) -> list[StoredTable]:
        """List the tables that wait for an opponent with a wish, oldest first, and close those of the game whose owners
        have gone.

        `player` is here: the player's own table stays in any case.
        """
        rows = await run_in_threadpool(self._context.store.list_lobby_tables, _MAX_READ, started=False)
        waiting = [row for row in rows if row.settings.get(PAIRING) and row.game == wish.game_id]
        present = [row for row in waiting if row.owner == player or is_owner_present(self._rooms, row)]
        for row in waiting:
            if row not in present:
                await self._leave(row)
        present = [row for row in present if wish.fits(row)]
        return sorted(present, key=lambda row: (row.created, row.id))

    async def _open_room(self, row: StoredTable) -> Room | None:
        """Return the room of a table; None if it was deleted or cannot be opened."""
        try:
            # Others wait for this search, which must not wait for the turn of one network.
            return await self._rooms.open(row.id, for_server=True)
        except (GameError, CapacityError):
            return None

    async def _leave(self, row: StoredTable) -> bool:
        """Close a table unless its game has begun; return whether this has closed it: not if it was closed or deleted
        before, or cannot be opened. Raise StoreError.
        """
        room = await self._open_room(row)
        if room is None:
            return False
        try:
            return await room.apply_server_action(close_before_start)
        except (NoTableError, GameError):
            return False

    async def _sit(self, row: StoredTable, seeker: Seeker) -> bool:
        """Give a player the open seat of a table; return whether it was still open. Raise StoreError."""
        room = await self._open_room(row)
        if room is None:
            return False
        message = Sit(id=f"pair-{secrets.token_hex(8)}", version=row.version, name=seeker.name, hash=seeker.hash)
        try:
            answer = await room.execute(seeker.player, message, self._context.time.now())
        except (NoTableError, GameError):
            return False
        return isinstance(answer, Done)

    async def _open_table(self, seeker: Seeker, wish: Wish) -> str:
        """Store a new table at which a player waits, and return its id; raise StoreError."""
        game = find_standard_game(wish.game_id)
        kinds, names = [PERSON, *[OPEN] * (game.seats - 1)], {0: seeker.name}
        sharing, control = Sharing("public"), SPEEDS[wish.speed]
        setup = TableSetup(game, kinds, names, control, sharing=sharing, rated=wish.rated, hash=seeker.hash)
        now = self._context.time.now()
        row = replace(build_table(setup, seeker.player, now), waiting_until=now + ARRIVAL)
        row.settings[PAIRING] = wish.speed
        await store_table(self._context.store, row)
        return row.id


async def extend_waiting(rooms: Rooms) -> None:
    """Tell all servers that the owners who wait and are connected to this one are present; raise StoreError.

    They count as present for `ARRIVAL` seconds, so that those of a server that dies are soon forgotten.
    """
    tables = [room.session.cached_table for room in rooms.opened.values()]
    waiting = [table for table in tables if table is not None and _is_waiting(table) and is_connected(rooms, table.row)]
    if waiting:
        await rooms.context.store.extend_waiting([table.id for table in waiting], rooms.context.time.now() + ARRIVAL)


def _is_waiting(table: Table) -> bool:
    return bool(table.row.settings.get(PAIRING)) and table.started is None and not table.closed


def is_connected(rooms: Rooms, row: StoredTable) -> bool:
    """Return whether the owner of a table is connected to it through this server; call it in any thread."""
    room = rooms.opened.get(row.id)
    # A list, because watchers change in another thread meanwhile.
    watchers = list(room.audience.watchers) if room is not None else []
    return any(watcher.player == row.owner for watcher in watchers)


def is_owner_present(rooms: Rooms, row: StoredTable) -> bool:
    """Return whether the owner who waits at a table is connected to it through any server, or may be about to connect;
    call it in any thread.
    """
    return is_connected(rooms, row) or row.waiting_until > rooms.context.time.now()


def close_before_start(table: Table, at: float) -> Change | None:
    """Close a table at server time `at`; return None if its game has begun, is about to, or is over."""
    return close_table(table, at) if table.started is None and not table.unrevealed_seats else None
