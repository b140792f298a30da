"""A room: one table in memory, and the sockets that watch it; what is done there is stored before it is told."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from fourcorners.core.errors import GameError
from fourcorners.web.live.chat import Chat
from fourcorners.web.live.house import House, Watcher, load
from fourcorners.web.live.plans import Plans
from fourcorners.web.live.turns import Turns
from fourcorners.web.store import ConflictError, StoreError
from fourcorners.web.tables import deeds, settling
from fourcorners.web.tables.deeds import Command, Deed
from fourcorners.web.tables.frames import Frame, as_text
from fourcorners.web.tables.table import Table

T = TypeVar("T")
_ANY_BOARD = {"sit", "stand", "computer", "again"}
"""What may be done whatever has happened meanwhile."""
_logger = logging.getLogger(__name__)


class Room:
    """All that happens at one table, one thing at a time."""

    def __init__(self, table: Table, house: House) -> None:
        self.id = table.id
        self.house = house
        self.watchers: list[Watcher] = []
        self.guests = 0
        self.left_at = time.monotonic()
        self.turns, self.plans, self.chat = Turns(self), Plans(self), Chat(self)
        self._table: Table | None = table
        self._lock = asyncio.Lock()
        self._frames: dict[tuple[str, int | None, bool], Frame] = {}
        self._here = ""
        self._shown = table.version

    @property
    def idle(self) -> bool:
        """Whether nobody is here and nothing is going on."""
        return not self.guests and not self.turns.going_on and not self._lock.locked()

    async def on_board(self, work: Callable[..., T], *args: Any) -> T:
        """Run something slow in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self.house.board, work, *args)

    @contextlib.asynccontextmanager
    async def present(self) -> AsyncIterator[Table]:
        """Hold the table as it is stored while nothing else happens here."""
        async with self._lock:
            yield await self._read()

    async def _read(self) -> Table:
        """Return the table, read again if storing something failed; the lock is held."""
        if self._table is None:
            self._table = await self.on_board(load, self.house, self.id)
        if self._table is None:
            message = "this table is gone"
            raise LookupError(message)
        return self._table

    async def greet(self, watcher: Watcher, version: int | None) -> None:
        """Show the table to a socket that has come, or that says it has lost count."""
        async with self._lock:
            # Another server may have told of something while this one could not hear it.
            table = await self._newest() if self.house.shared else await self._read()
            frame = await self._frame_for(table, watcher)
            same = version == frame.version and watcher.wish == frame.sight.viewer
            watcher.send(frame.since(frame) if same else frame.whole)
            watcher.frame = frame
            if watcher not in self.watchers:
                self.watchers.append(watcher)
            self.plans.greet(table, watcher)
            self._tell_who_is_here(table, watcher)
            await self.chat.greet(table, watcher)
        self.turns.wake()

    def enter(self) -> None:
        """Count a socket, which need not have said hello: this room must stay the only one of its table."""
        self.guests += 1

    def leave(self, watcher: Watcher) -> None:
        """Forget a socket that had entered."""
        self.guests -= 1
        if watcher in self.watchers:
            self.watchers.remove(watcher)
            if self._table is not None:
                self._tell_who_is_here(self._table)
            if not self.watchers:
                self._frames.clear()
                self.turns.rest()
        self.left_at = time.monotonic()

    def _tell_who_is_here(self, table: Table, new: Watcher | None = None) -> None:
        owners = {watcher.owner for watcher in self.watchers}
        seats = [chair.player in owners for chair in table.chairs]
        watching = len(owners - table.players)
        text = as_text({"type": "here", "chairs": seats, "watching": watching})
        if text != self._here:
            self._here = text
            self.tell(text)
        elif new is not None:
            new.send(text)

    async def see(self, watcher: Watcher) -> None:
        """Show the table as the seat sees it that the socket now wishes for."""
        async with self._lock:
            await self._show(await self._read(), watcher)

    async def do(self, watcher: Watcher, command: Command, version: int) -> bool:
        """Do what a browser wants; tell everybody when it is stored. Return whether it is done."""
        async with self._lock:
            table = await self._read()
            try:
                answer = await self._done(table, watcher.owner, command, version)
            except ConflictError:
                # Another server was quicker, perhaps with this very command.
                answer = self._known(await self._read(), watcher.owner, command) or _stale(command)
            except GameError as error:
                reason = getattr(error, "reason", error.message)
                answer = {"type": "refused", "id": command.client_id, "code": error.code, "sentence": reason}
            except StoreError:
                # It may be stored all the same, if only the answer was lost.
                lost = _stale(command, "this could not be stored; the table is shown as it is stored")
                answer = self._known(await self._read(), watcher.owner, command) or lost
            watcher.send(as_text(answer))
            self.house.metrics.answered(answer["type"])
            now = await self._read()
            if now.version != self._shown:
                await self._after(now)
            elif answer["type"] == "stale":
                await self._show_whole(now, watcher)
        self.turns.wake()
        return bool(answer["type"] == "done")

    async def _done(self, table: Table, player: str, command: Command, version: int) -> dict[str, Any]:
        if version > table.version:
            # Another server has stored what this one has not heard of yet.
            table = await self._newest()
        known = self._known(table, player, command)
        if known is not None:
            return known
        if command.verb not in _ANY_BOARD and not table.board_version <= version <= table.version:
            return _stale(command)
        deed = await self._tried(deeds.do, table, player, command)
        await self._store(table, deed)
        return {"type": "done", "id": command.client_id, "version": deed.event.version}

    @staticmethod
    def _known(table: Table, player: str, command: Command) -> dict[str, Any] | None:
        version = table.known(player, command.client_id)
        return None if version is None else {"type": "done", "id": command.client_id, "version": version}

    async def _tried(self, work: Callable[..., T], *args: Any) -> T:
        try:
            return await self.on_board(work, *args)
        except GameError:
            raise
        except Exception:
            # Half done, perhaps: the store is the truth.
            self._table = None
            raise

    async def commit(self, table: Table, deed: Deed) -> bool:
        """Store what was done, and then show it; False if it could not be stored, and is forgotten."""
        try:
            await self._store(table, deed)
        except StoreError:
            now = await self._read()
            if now.version != self._shown:
                await self._after(now)
            return False
        await self._after(table)
        return True

    async def _store(self, table: Table, deed: Deed) -> None:
        summary = table.summary(deed.event.at)
        then = settling.of(table, deed.event.at) if summary.result else None
        began = time.monotonic()
        about = {"table": table.id, "seat": deed.event.seat, "version": deed.event.version}
        try:
            await asyncio.wrap_future(self.house.store.append(table.id, deed.event, summary, deed.chairs, then))
        except ConflictError:
            self._table = None
            _logger.info("another server was quicker", extra=about)
            raise
        except Exception as error:
            # What is in memory is ahead of the store now, and the store is the truth.
            self._table = None
            self.house.metrics.failed()
            _logger.exception("an event could not be stored", extra=about)
            raise StoreError(str(error)) from None
        self.house.metrics.stored(deed.event.text, time.monotonic() - began)
        _logger.info("an event is stored", extra=about)
        self.house.tell(table.id, table.version)

    async def _after(self, table: Table) -> None:
        """Show what has changed."""
        self.turns.interrupt()
        if table.match.is_over:
            self.house.thinker.drop(self.id)
            if table.saved.settings.get("rated"):
                table.moved = settling.told(table, await self.on_board(self.house.store.result, self.id))
        await self._broadcast(table)
        self.plans.tell(table)
        if self.watchers:
            self._tell_who_is_here(table)

    async def catch_up(self, version: int | None = None, *, wake: bool = True) -> None:
        """Take in what another server has stored; `version` is the one it told of."""
        async with self._lock:
            if version is None or version > self._shown or self._table is None:
                await self._newest()
        if wake:
            self.turns.wake()

    async def read_again(self) -> None:
        """Show the table to all as it is stored, where other players hold its chairs now."""
        async with self._lock:
            self._table = None
            self._frames.clear()
            await self._after(await self._read())
        self.turns.wake()

    async def flag(self) -> bool:
        """Let the running clock fall if it is due, or store when it will be; tell whether it fell."""
        async with self._lock:
            table = await self._newest()
            deed = await self.on_board(deeds.flag, table, self.house.time.now())
            if deed is None:
                # Time in which no server was alive has moved it.
                await asyncio.wrap_future(self.house.store.put_off(self.id, table.flag_at, table.version))
                return False
            done = await self.commit(table, deed)
        self.turns.wake()
        return done

    async def _newest(self) -> Table:
        """Return the table with what other servers have stored, shown to all who watch; the lock is held."""
        table = await self._catch_up(await self._read())
        if table.version != self._shown:
            await self._after(table)
        return table

    async def _catch_up(self, table: Table) -> Table:
        missed = await self.on_board(self.house.store.since, self.id, table.version)
        try:
            if any(event.text.startswith("@") for event in missed):
                # The chairs, too, may have changed.
                self._table = await self.on_board(load, self.house, self.id)
            else:
                for event in missed:
                    await self.on_board(table.take_in, event)
        except BaseException:
            self._table = None
            raise
        return await self._read()

    async def heard(self) -> None:
        """Tell what was said and planned by way of another server, which is no event."""
        await self.chat.catch_up()
        await self.plans.catch_up()
        self.turns.wake()

    async def act(self, deed_of: Callable[[Table, float], Deed | None]) -> bool:
        """Let the server do something here of itself, such as flagging; tell whether it did."""
        async with self._lock:
            table = await self._newest()
            deed = await self.on_board(deed_of, table, self.house.time.now())
            done = deed is not None and await self.commit(table, deed)
        self.turns.wake()
        return done

    def tell_seat(self, table: Table, seat: int, text: str) -> None:
        """Send something to the browsers of one seat alone."""
        for watcher in list(self.watchers):
            if seat in table.held(watcher.owner):
                watcher.send(text)

    async def _frame_for(self, table: Table, watcher: Watcher) -> Frame:
        return await self.on_board(self._drawn, table, watcher, self.house.time.now())

    def _drawn(self, table: Table, watcher: Watcher, now: float) -> Frame:
        """Return the frame that a socket is shown: one for all who see the same. The lock is held."""
        sight = table.sight(watcher.owner, watcher.wish)
        key = (watcher.owner if table.concerns(watcher.owner) else "", sight.viewer, sight.curtain)
        frame = self._frames.get(key)
        if frame is None or frame.version != table.version:
            frame = self._frames[key] = Frame(table, watcher.owner, sight, now)
        return frame

    async def _show_whole(self, table: Table, watcher: Watcher) -> None:
        frame = await self._frame_for(table, watcher)
        watcher.send(frame.whole)
        watcher.frame = frame

    async def _show(self, table: Table, watcher: Watcher) -> None:
        # What was asked of the game as it stood may not be told of the game as it stands.
        watcher.leave_off()
        frame = await self._frame_for(table, watcher)
        old = watcher.frame
        watcher.send(frame.whole if old is None else await self.on_board(frame.since, old))
        watcher.frame = frame

    async def _broadcast(self, table: Table) -> None:
        watchers = list(self.watchers)
        # One visit to another thread for all of them: each costs as much as half a picture.
        shown = await self.on_board(self._news, table, watchers, self.house.time.now())
        for watcher, (frame, text) in zip(watchers, shown, strict=True):
            # What was asked of the game as it stood may not be told of the game as it stands.
            watcher.leave_off()
            watcher.send(text)
            watcher.frame = frame
        self._shown = table.version
        live = {id(watcher.frame) for watcher in self.watchers}
        self._frames = {key: frame for key, frame in self._frames.items() if id(frame) in live}
        for frame in self._frames.values():
            frame.forget()

    def _news(self, table: Table, watchers: list[Watcher], now: float) -> list[tuple[Frame, str]]:
        shown = []
        for watcher in watchers:
            frame, old = self._drawn(table, watcher, now), watcher.frame
            shown.append((frame, frame.whole if old is None else frame.since(old)))
        return shown

    def tell(self, text: str) -> None:
        """Send everybody the same."""
        for watcher in list(self.watchers):
            watcher.send(text)

    async def close(self) -> None:
        """Stop thinking, and let what is being stored be stored."""
        await self.turns.close()
        async with self._lock:
            pass

    def forget_table(self) -> None:
        """Read the table again before anything else happens here."""
        self._table = None


def _stale(command: Command, sentence: str = "") -> dict[str, Any]:
    """Say that a command was not for the board as it stands, or could not be stored: it was not done."""
    answer = {"type": "stale", "id": command.client_id}
    return {**answer, "sentence": sentence} if sentence else answer


def bad(sentence: str) -> str:
    """Write the message that says what went wrong."""
    return as_text({"type": "bad", "sentence": sentence})
