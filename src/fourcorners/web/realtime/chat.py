"""What is said in a room, and what is reported of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fourcorners.web.application import chat_rules
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.client_messages import Report, Say
from fourcorners.web.protocol.snapshots import as_text
from fourcorners.web.realtime.room_context import Watcher
from fourcorners.web.store import ChatLine

if TYPE_CHECKING:
    from fourcorners.web.realtime.room import Room


class Chat:
    """The talk of one table."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._last = 0

    async def greet(self, table: Table, watcher: Watcher) -> None:
        """Tell who has come what was said before; the room is held."""
        if len(table.players) > 1:
            lines = await self._said()
            watcher.send(chat_rules.told(table, watcher.owner, lines))
            self._tell(table, lines, but=watcher)

    async def _said(self, after: int = 0) -> list[ChatLine]:
        return await self._room.on_board(self._room.house.store.list_chat_lines, self._room.id, after)

    async def say(self, watcher: Watcher, message: Say, at: float) -> None:
        """Let a player say something to all who are here; raise IllegalMoveError if that may not be said."""
        room = self._room
        async with room.present() as table:
            text = chat_rules.said(table, watcher.owner, message)
            name = table.match.names[table.held(watcher.owner)[0]]
            await asyncio.wrap_future(room.house.store.add_chat_line(room.id, watcher.owner, name, text, at))
            room.house.tell(room.id, -1)
            self._tell(table, await self._said(self._last))

    async def catch_up(self, until: int | None = None) -> None:
        """Tell what was said by way of another server; `until` is the number of the last line, where that is known."""
        if until is None or until > self._last:
            async with self._room.present() as table:
                self._tell(table, await self._said(self._last))

    def _tell(self, table: Table, lines: Sequence[ChatLine], but: Watcher | None = None) -> None:
        """Tell what has not been told yet, to all but who knows it already."""
        new = [line for line in lines if line.number > self._last]
        if new:
            self._last = new[-1].number
            for watcher in list(self._room.watchers):
                if watcher is not but:
                    watcher.send(chat_rules.told(table, watcher.owner, new))

    async def report(self, watcher: Watcher, message: Report, at: float) -> None:
        """Keep a report for the operator."""
        store, text = self._room.house.store, chat_rules.one_line(message.text)
        about = next((line.text for line in await self._said() if line.number == message.number), "")
        stored = store.add_report(self._room.id, message.number, watcher.owner, about, text, at)
        watcher.send(as_text({"type": "reported", "taken": await asyncio.wrap_future(stored)}))
