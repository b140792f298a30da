"""What is planned in a room: kept, told to its seat alone, and played when it is due."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from fourcorners.core.errors import GameError, IllegalMoveError, quote
from fourcorners.web.application import premoves
from fourcorners.web.domain import actions
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.client_messages import Plan, Try
from fourcorners.web.protocol.snapshots import as_text
from fourcorners.web.store import Chair

if TYPE_CHECKING:
    from fourcorners.web.realtime.room import Room
    from fourcorners.web.realtime.room_context import Watcher


class Plans:
    """The plans of one table."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def greet(self, table: Table, watcher: Watcher) -> None:
        """Tell who has come what is planned for the seats played from there."""
        for seat in table.playing(watcher.owner):
            if table.chairs[seat].plan is not None:
                watcher.send(premoves.told(table, seat))

    def tell(self, table: Table) -> None:
        """Tell each seat what is left of its plan after something has happened."""
        for chair in table.chairs:
            if chair.plan is not None:
                self._tell(table, chair.seat)

    def _tell(self, table: Table, seat: int) -> None:
        self._room.tell_seat(table, seat, premoves.told(table, seat))

    async def keep(self, watcher: Watcher, message: Plan) -> None:
        """Keep what a seat will play when its turn comes; raise IllegalMoveError if it may not plan that."""
        room, seat = self._room, message.seat
        # Another server may have stored what the board was seen by, and this one not have heard of it yet.
        await room.catch_up(message.version)
        async with room.present() as table:
            asked = (watcher.owner, seat, message.lines, message.ply, message.version)
            try:
                chair = await room.on_board(premoves.planned, table, *asked)
            except IllegalMoveError:
                if seat in table.held(watcher.owner):
                    watcher.send(premoves.told(table, seat))
                raise
            await self._store(table, chair)
        room.turns.wake()

    async def _store(self, table: Table, chair: Chair) -> None:
        await asyncio.wrap_future(self._room.house.store.save_plan(table.id, chair.seat, chair.plan))
        table.chairs[chair.seat] = chair
        self._room.house.tell(table.id, -1)
        self._tell(table, chair.seat)

    async def catch_up(self) -> None:
        """Tell what was planned by way of another server."""
        room = self._room
        async with room.present() as table:
            plans = await room.on_board(room.house.store.read_plans, room.id)
            for chair in list(table.chairs):
                if chair.plan != plans.get(chair.seat):
                    table.chairs[chair.seat] = chair._replace(plan=plans.get(chair.seat))
                    self._tell(table, chair.seat)

    async def show(self, watcher: Watcher, message: Try) -> None:
        """Show the board after moves that are only thought of, and what may be played there."""
        room = self._room
        async with room.present() as table:
            asked = (watcher.owner, message.seat, message.line, message.tokens)
            try:
                answer = await room.on_board(premoves.tried, table, *asked)
            except IllegalMoveError as error:
                told = {"type": "try", "line": message.line, "tokens": message.tokens, "sentence": error.reason}
                answer = {**told, "next": [], "move": False}
        watcher.send(as_text(answer))

    async def follow(self) -> bool:
        """Play the move that the seat to move has planned, if it has; tell whether it did."""
        room = self._room
        async with room.present() as table:
            seat = table.seat
            if seat is None or not premoves.may_plan(table, seat):
                return False
            if room.house.shared:
                # Another server may have been told of it.
                plans = await room.on_board(room.house.store.read_plans, room.id)
                table.chairs[seat] = table.chairs[seat]._replace(plan=plans.get(seat))
            command = premoves.due(table, seat, room.house.time.now())
            if command is None:
                return False
            before = table.version
            try:
                return await room.happen(actions.do, table, table.chairs[seat].player, command)
            except GameError as error:
                if table.version != before:
                    raise
                await self._store(table, table.chairs[seat]._replace(plan=None))
                reason = error.reason
                sentence = f"{quote(command.move)} was planned, but {reason}"
                room.tell_seat(table, seat, as_text({"type": "bad", "sentence": sentence}))
                return False
