"""A room: one table, the sockets that watch it, and the computer's turns there."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, NamedTuple, Protocol, TypeVar

from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.core.match import Match
from fourcorners.core.reading import Position, View
from fourcorners.search.driver import Progress
from fourcorners.web.computer import Computers, Meter, choose
from fourcorners.web.frames import Frame, as_text, look
from fourcorners.web.seats import Strength
from fourcorners.web.store import NewEvent, Store
from fourcorners.web.table import Command, Table

T = TypeVar("T")
_PROGRESS_EVERY = 0.25
_logger = logging.getLogger(__name__)


class Watcher(Protocol):
    """What a room knows of a socket."""

    owner: str
    wish: int | None
    frame: Frame | None

    def send(self, text: str) -> None:
        """Queue a message; never blocks."""

    def leave_off(self) -> None:
        """Ask no longer about the position that was shown."""


class Pools(NamedTuple):
    """The threads that rooms share: `board` for rules and pictures, `search` for the computer."""

    board: Executor
    search: Executor


class Room:
    """All that happens at one table, one thing at a time."""

    def __init__(self, table: Table, store: Store, pools: Pools, computers: Computers, pace: float) -> None:
        self.table: Table | None = table
        self.id = table.id
        self.watchers: list[Watcher] = []
        self.guests = 0
        self.left_at = time.monotonic()
        self._store = store
        self._pools = pools
        self._computers = computers
        self._pace = pace
        self._lock = asyncio.Lock()
        self._frames: dict[tuple[str, int | None, bool], Frame] = {}
        self._driver: asyncio.Task[None] | None = None
        self._stop = threading.Event()
        self._closing = asyncio.Event()

    @property
    def idle(self) -> bool:
        """Whether nobody is here and nothing is going on."""
        return not self.guests and (self._driver is None or self._driver.done()) and not self._lock.locked()

    async def on_board(self, work: Callable[..., T], *args: Any) -> T:
        """Run something slow in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._pools.board, work, *args)

    async def _present(self) -> Table:
        """Return the table, read again if storing something failed; the lock is held."""
        if self.table is None:
            saved = await self.on_board(self._store.load, self.id)
            if saved is None:
                message = "this table is gone"
                raise LookupError(message)
            self.table = await self.on_board(Table, saved)
        return self.table

    async def greet(self, watcher: Watcher, version: int | None) -> None:
        """Show the table to a socket that has come, or that says it has lost count."""
        async with self._lock:
            table = await self._present()
            frame = await self._frame_for(table, watcher)
            same = version == frame.version and watcher.wish == frame.sight.viewer
            watcher.send(frame.since(frame) if same else frame.whole)
            watcher.frame = frame
            if watcher not in self.watchers:
                self.watchers.append(watcher)
            self.wake()

    def enter(self) -> None:
        """Count a socket, which need not have said hello: this room must stay the only one of its table."""
        self.guests += 1

    def leave(self, watcher: Watcher) -> None:
        """Forget a socket that had entered."""
        self.guests -= 1
        if watcher in self.watchers:
            self.watchers.remove(watcher)
            if not self.watchers:
                self._rest()
        self.left_at = time.monotonic()

    def _rest(self) -> None:
        """Think no longer, and forget what was thought, as nobody looks on: who comes back wakes the computer."""
        self._frames.clear()
        self._stop.set()
        self._computers.drop(self.id)

    async def see(self, watcher: Watcher) -> None:
        """Show the table as the seat sees it that the socket now wishes for."""
        async with self._lock:
            await self._show(await self._present(), watcher)

    async def do(self, watcher: Watcher, command: Command, version: int) -> None:
        """Do what a browser wants; tell everybody when it is stored."""
        async with self._lock:
            table = await self._present()
            done = table.known(watcher.owner, command.client_id)
            if done is not None:
                watcher.send(as_text({"type": "done", "id": command.client_id, "version": done}))
                return
            if version != table.version:
                watcher.send(as_text({"type": "stale", "id": command.client_id}))
                frame = await self._frame_for(table, watcher)
                watcher.send(frame.whole)
                watcher.frame = frame
                return
            try:
                event = await self.on_board(table.apply, watcher.owner, command)
            except GameError as error:
                sentence = getattr(error, "reason", error.message)
                refusal = {"type": "refused", "id": command.client_id, "code": error.code, "sentence": sentence}
                watcher.send(as_text(refusal))
                return
            except Exception:
                # Half done, perhaps: the store is the truth.
                self.table = None
                raise
            if not await self._stored(table, event):
                watcher.send(as_text({"type": "stale", "id": command.client_id}))
                watcher.send(_bad("this could not be stored; the table is shown as it is stored"))
                await self._broadcast(await self._present())
                return
            watcher.send(as_text({"type": "done", "id": command.client_id, "version": event.version}))
            self._stop.set()
            if table.match.is_over:
                self._computers.drop(self.id)
            await self._broadcast(table)
            self.wake()

    async def _stored(self, table: Table, event: NewEvent) -> bool:
        try:
            await asyncio.wrap_future(self._store.append(table.id, event, table.summary()))
        except Exception:
            # What is in memory is ahead of the store now, and the store is the truth.
            _logger.exception("table %s: event %d could not be stored", table.id, event.version)
            self.table = None
            return False
        return True

    async def _frame_for(self, table: Table, watcher: Watcher) -> Frame:
        sight = table.sight(watcher.owner, watcher.wish)
        key = (watcher.owner if table.held(watcher.owner) else "", sight.viewer, sight.curtain)
        frame = self._frames.get(key)
        if frame is None or frame.version != table.version:
            frame = self._frames[key] = await self.on_board(Frame, table, watcher.owner, sight)
        return frame

    async def _show(self, table: Table, watcher: Watcher) -> None:
        # What was asked of the game as it stood may not be told of the game as it stands.
        watcher.leave_off()
        frame = await self._frame_for(table, watcher)
        old = watcher.frame
        watcher.send(frame.whole if old is None else await self.on_board(frame.since, old))
        watcher.frame = frame

    async def _broadcast(self, table: Table) -> None:
        for watcher in list(self.watchers):
            await self._show(table, watcher)
        live = {id(watcher.frame) for watcher in self.watchers}
        self._frames = {key: frame for key, frame in self._frames.items() if id(frame) in live}
        for frame in self._frames.values():
            frame.forget()

    async def looked(self, watcher: Watcher, ply: int) -> dict[str, Any]:
        """Return an earlier position as a socket may see it."""
        async with self._lock:
            table = await self._present()
            if not 0 <= ply < len(table.match.positions):
                return {"type": "bad", "sentence": f"there are {len(table.match.positions) - 1} plies, not {ply}"}
            viewer = table.sight(watcher.owner, watcher.wish).viewer
            return await self.on_board(look, table, viewer, ply)

    async def revealed(self, ply: int) -> tuple[Match, Position]:
        """Return the match and a position of it, of which all may be known; raise IllegalMoveError for any other."""
        async with self._lock:
            table = await self._present()
            if not table.revealed:
                reason = "exact values are told of finished games and of records only"
                if table.study:
                    reason = "exact values are told once the game is over: until then something in it is hidden"
                raise IllegalMoveError("solve", reason, "running")
            if ply >= len(table.match.positions):
                reason = f"there are {len(table.match.positions) - 1} plies, not {ply}"
                raise IllegalMoveError("solve", reason, "no-ply")
            return table.match, table.match.positions[ply]

    async def own_turn(self, watcher: Watcher, version: int) -> View | None:
        """Return what the seat knows whose turn it is at this socket; None if the table has changed."""
        async with self._lock:
            table = await self._present()
            return table.own_turn(watcher.owner, watcher.wish) if table.version == version else None

    async def to_evaluate(self, watcher: Watcher, version: int, ply: int) -> tuple[Match, View] | None:
        """Return the match and what may be evaluated of a position for this socket; None if the table has changed."""
        async with self._lock:
            table = await self._present()
            if table.version != version:
                return None
            return table.match, table.to_evaluate(watcher.owner, watcher.wish, ply)

    async def own_seats(self, owner: str) -> tuple[int, ...]:
        """Return the seats that a browser plays here."""
        async with self._lock:
            return (await self._present()).held(owner)

    def tell(self, text: str) -> None:
        """Send everybody the same."""
        for watcher in list(self.watchers):
            watcher.send(text)

    def wake(self) -> None:
        """Let the computer move where it is its turn."""
        if not self._closing.is_set() and (self._driver is None or self._driver.done()):
            self._driver = asyncio.create_task(self._drive())

    async def _drive(self) -> None:
        try:
            while await self._moved():
                pass
        except Exception:
            _logger.exception("table %s: the computer failed", self.id)
            self.table = None
            self.tell(_bad("the computer failed to find a move; undo, or begin another game"))

    async def _moved(self) -> bool:
        """Let the computer move once; return whether to look again, False if it is nobody's turn that it plays."""
        async with self._lock:
            table = await self._present()
            strength, version = table.strength(), table.version
            nobody_cares = not table.persons and not self.watchers
            if strength is None or nobody_cares or self._closing.is_set():
                return False
            position = table.match.position
            self._stop = stop = threading.Event()
        began = time.monotonic()
        move = await self._choose(strength, position, stop)
        if move is None:
            return bool(self.watchers)
        await self._pause(began + self._pace - time.monotonic())
        async with self._lock:
            table = await self._present()
            if table.version == version and not self._closing.is_set():
                event = await self.on_board(table.answer, move)
                if not await self._stored(table, event):
                    table = await self._present()
                    if table.version == version:
                        self.tell(_bad("the computer's move could not be stored; load this page again in a while"))
                        return False
                if table.match.is_over:
                    self._computers.drop(self.id)
                await self._broadcast(table)
        return True

    async def _choose(self, strength: Strength, position: Position, stop: threading.Event) -> str | None:
        """Let the computer find a move; None if that was cut short, and then nothing of it is kept."""
        seat, spec = position.seat or 0, position.game.spec
        computer, meter = self._computers.borrow(self.id, seat, strength), Meter(strength, spec)
        loop, last = asyncio.get_running_loop(), 0.0

        def tell() -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= _PROGRESS_EVERY and not stop.is_set():
                last = now
                simulations, share = meter.read()
                told = {"type": "thinking", "seat": seat, "simulations": simulations, "share": round(share, 2)}
                self.tell(as_text(told))

        def progress(state: Progress) -> None:
            meter.take(state)
            if time.monotonic() - last >= _PROGRESS_EVERY:
                loop.call_soon_threadsafe(tell)

        def search() -> str:
            meter.start()
            return choose(computer, position.view(seat), stop, progress)

        ticking = asyncio.create_task(_tick(tell))
        try:
            move = await loop.run_in_executor(self._pools.search, search)
        finally:
            ticking.cancel()
        if stop.is_set():
            return None
        self._computers.give_back(self.id, seat, strength, computer, spec)
        return move

    async def _pause(self, seconds: float) -> None:
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), seconds)

    async def close(self) -> None:
        """Stop thinking, and let what is being stored be stored."""
        self._closing.set()
        self._stop.set()
        if self._driver is not None:
            await asyncio.gather(self._driver, return_exceptions=True)
        async with self._lock:
            pass


async def _tick(tell: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(_PROGRESS_EVERY)
        tell()


def _bad(sentence: str) -> str:
    return as_text({"type": "bad", "sentence": sentence})
