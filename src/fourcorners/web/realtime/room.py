"""A room: one table in memory, and the sockets that watch it; what is done there is stored before it is told."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple, TypeVar

from fourcorners.core.errors import GameError
from fourcorners.web.application import rating_results
from fourcorners.web.domain import actions
from fourcorners.web.domain.actions import Command, Deed
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.snapshots import Frame, Frames, Messages, as_text
from fourcorners.web.realtime.chat import Chat
from fourcorners.web.realtime.computer_turns import Turns
from fourcorners.web.realtime.plans import Plans
from fourcorners.web.realtime.room_context import House, Watcher, load
from fourcorners.web.store import ConflictError, StoreError

T = TypeVar("T")
_ANY_BOARD = {"sit", "stand", "computer", "again"}
"""What may be done whatever has happened meanwhile."""
_logger = logging.getLogger(__name__)


class News(NamedTuple):
    """A new version of a table as it will be shown: the frame and the message of each watcher."""

    frames: Frames
    shown: list[tuple[Watcher, Frame, str]]


class Draft(NamedTuple):
    """What has happened at the table in memory and is not stored yet, and how it will be shown once it is."""

    deed: Deed
    news: News | None


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
        self._frames = Frames(table.version)
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
            await self._show(table, watcher, lambda frame: frame if frame.is_on(version, watcher.wish) else None)
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
                self._frames = Frames(self._frames.version)
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
            # What was asked of the game as it was seen may not be told of it as it is seen now.
            watcher.leave_off()
            old = watcher.frame
            table = await self._read()
            await self._show(table, watcher, lambda _: old)

    async def do(self, watcher: Watcher, command: Command, version: int) -> bool:
        """Do what a browser wants; tell everybody when it is stored. Return whether it is done."""
        async with self._lock:
            table = await self._read()
            news = None
            try:
                answer, news = await self._done(table, watcher.owner, command, version)
            except ConflictError:
                # Another server was quicker, perhaps with this very command.
                answer = self._known(await self._read(), watcher.owner, command) or _stale(command)
            except GameError as error:
                reason = error.reason
                answer = {"type": "refused", "id": command.client_id, "code": error.code, "sentence": reason}
            except StoreError:
                # It may be stored all the same, if only the answer was lost.
                lost = _stale(command, "this could not be stored; the table is shown as it is stored")
                answer = self._known(await self._read(), watcher.owner, command) or lost
            watcher.send(as_text(answer))
            self.house.metrics.count_answer(answer["type"])
            now = await self._read()
            if now.version != self._shown:
                await self._after(now, news)
            elif answer["type"] == "stale":
                await self._show(now, watcher, lambda _: None)
        self.turns.wake()
        return bool(answer["type"] == "done")

    async def _done(
        self, table: Table, player: str, command: Command, version: int
    ) -> tuple[dict[str, Any], News | None]:
        if version > table.version:
            # Another server has stored what this one has not heard of yet.
            table = await self._newest()
        known = self._known(table, player, command)
        if known is not None:
            return known, None
        if command.verb not in _ANY_BOARD and not table.board_version <= version <= table.version:
            return _stale(command), None
        drafted = await self._drafted(actions.do, table, player, command)
        assert drafted is not None
        await self._store(table, drafted.deed)
        return {"type": "done", "id": command.client_id, "version": drafted.deed.event.version}, drafted.news

    @staticmethod
    def _known(table: Table, player: str, command: Command) -> dict[str, Any] | None:
        version = table.known(player, command.client_id)
        return None if version is None else {"type": "done", "id": command.client_id, "version": version}

    async def _drafted(self, work: Callable[..., Deed | None], table: Table, *args: Any) -> Draft | None:
        """Let something happen at the table in memory, and draw it; the lock is held."""
        before = table.version
        try:
            # One visit to another thread for both: each costs as much as half a picture.
            return await self.on_board(self._draft, work, table, *args)
        except BaseException as error:
            if not isinstance(error, GameError) or table.version != before:
                # Half done, perhaps: the store is the truth.
                self._table = None
            raise

    def _draft(self, work: Callable[..., Deed | None], table: Table, *args: Any) -> Draft | None:
        deed = work(table, *args)
        if deed is None:
            return None
        try:
            return Draft(deed, self._news(table))
        except Exception:
            # What was done is done, and stored, whether or not it can be drawn.
            _logger.exception("a table could not be drawn", extra={"table": self.id})
            return Draft(deed, None)

    async def happen(self, work: Callable[..., Deed | None], table: Table, *args: Any) -> bool:
        """Let something happen, store it, and then show it; tell whether it did.

        What could not be stored is forgotten. Raise GameError if it may not happen. The table is held as `present`
        gives it.
        """
        drafted = await self._drafted(work, table, *args)
        if drafted is None:
            return False
        try:
            await self._store(table, drafted.deed)
        except StoreError:
            now = await self._read()
            if now.version != self._shown:
                await self._after(now)
            return False
        await self._after(table, drafted.news)
        return True

    async def _store(self, table: Table, deed: Deed) -> None:
        summary = table.summary(deed.event.at)
        then = rating_results.of(table, deed.event.at) if summary.result else None
        began = time.monotonic()
        about = {"table": table.id, "seat": deed.event.seat, "version": deed.event.version}
        try:
            await asyncio.wrap_future(self.house.store.append_event(table.id, deed.event, summary, deed.chairs, then))
        except ConflictError:
            self._table = None
            _logger.info("another server was quicker", extra=about)
            raise
        except Exception as error:
            # What is in memory is ahead of the store now, and the store is the truth.
            self._table = None
            self.house.metrics.count_failed_commit()
            _logger.exception("an event could not be stored", extra=about)
            raise StoreError(str(error)) from None
        self.house.metrics.count_event(deed.event.text, time.monotonic() - began)
        _logger.info("an event is stored", extra=about)
        self.house.tell(table.id, table.version)

    async def _after(self, table: Table, news: News | None = None) -> None:
        """Show what has changed, as it was drawn or, if it was not, as it is."""
        self.turns.interrupt()
        if table.match.is_over:
            self.house.move_service.forget_table(self.id)
            if table.saved.settings.get("rated"):
                news = news if await self._unsettled(table) else None
        if news is None or news.frames.version != table.version:
            news = await self.on_board(self._news, table)
        self._broadcast(news)
        self.plans.tell(table)
        if self.watchers:
            self._tell_who_is_here(table)

    async def _unsettled(self, table: Table) -> bool:
        """Tell the players of a rated game how its end moved them; True if that cannot be read now."""
        try:
            table.moved = rating_results.told(table, await self.on_board(self.house.store.read_rating_changes, self.id))
        except StoreError:
            _logger.warning("a result could not be read", extra={"table": self.id})
            return True
        return False

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
            self._frames = Frames(-1)
            await self._after(await self._read())
        self.turns.wake()

    async def flag(self) -> bool:
        """Let the running clock fall if it is due, or store when it will be; tell whether it fell."""
        async with self._lock:
            table = await self._newest()
            done = await self.happen(actions.flag_clock, table, self.house.time.now())
            if not done and self._table is table:
                # Time in which no server was alive has moved it.
                await asyncio.wrap_future(self.house.store.set_deadline(self.id, table.flag_at, table.version))
        self.turns.wake()
        return done

    async def _newest(self) -> Table:
        """Return the table with what other servers have stored, shown to all who watch; the lock is held."""
        table = await self._catch_up(await self._read())
        if table.version != self._shown:
            await self._after(table)
        return table

    async def _catch_up(self, table: Table) -> Table:
        missed = await self.on_board(self.house.store.read_events_since, self.id, table.version)
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
            done = await self.happen(deed_of, table, self.house.time.now())
        self.turns.wake()
        return done

    def tell_seat(self, table: Table, seat: int, text: str) -> None:
        """Send something to the browsers of one seat alone."""
        for watcher in list(self.watchers):
            if seat in table.held(watcher.owner):
                watcher.send(text)

    async def _show(self, table: Table, watcher: Watcher, had: Callable[[Frame], Frame | None]) -> None:
        """Show the table to a socket that has, given what it is to have, this frame or none; the lock is held."""
        if self._frames.version != table.version:
            self._frames = Frames(table.version)
        frame, text = await self.on_board(self._seen, table, watcher, had)
        watcher.send(text)
        watcher.frame = frame

    def _seen(self, table: Table, watcher: Watcher, had: Callable[[Frame], Frame | None]) -> tuple[Frame, str]:
        frame = self._frames.frame(table, watcher.owner, watcher.wish, self.house.time.now())
        return frame, Messages().between(had(frame), frame)

    def _broadcast(self, news: News) -> None:
        for watcher, frame, text in news.shown:
            # What was asked of the game as it stood may not be told of the game as it stands.
            watcher.leave_off()
            watcher.send(text)
            watcher.frame = frame
        self._shown = news.frames.version
        self._frames = news.frames

    def _news(self, table: Table) -> News:
        """Draw a version for all who watch; nothing here changes by that."""
        frames, messages, now = Frames(table.version), Messages(), self.house.time.now()
        shown = []
        for watcher in list(self.watchers):
            frame = frames.frame(table, watcher.owner, watcher.wish, now)
            shown.append((watcher, frame, messages.between(watcher.frame, frame)))
        return News(frames, shown)

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
