"""The turns that nobody sits at: the computer's, and those that a seat has planned."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from fourcorners.core.position import Position
from fourcorners.search.tree_search import SearchProgress
from fourcorners.web.domain import actions
from fourcorners.web.domain.seats import Strength
from fourcorners.web.engine.move_service import MoveRequest, ProgressMeter
from fourcorners.web.protocol.snapshots import as_text
from fourcorners.web.store import StoreError

if TYPE_CHECKING:
    from fourcorners.web.realtime.room import Room

_PROGRESS_EVERY = 0.25
_LEASE = 12.0
"""So many seconds after it last said so, the server that thinks has the turn to itself."""
_LOOK_AGAIN = 2.0
"""After so many seconds it is looked whether the server that had the turn still has it."""
_logger = logging.getLogger(__name__)


class Turns:
    """What plays by itself at one table."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._task: asyncio.Task[None] | None = None
        self._stop = threading.Event()
        self._woken = asyncio.Event()
        self._again = False
        self._closing = asyncio.Event()
        self.thinking = False

    @property
    def going_on(self) -> bool:
        """Whether somebody thinks."""
        return self._task is not None and not self._task.done()

    def wake(self) -> None:
        """Look whether it is the turn of somebody who plays by itself."""
        self._woken.set()
        # Who looks just now may have looked too early.
        self._again = True
        if not self._closing.is_set() and not self.going_on:
            self._task = asyncio.create_task(self._drive())

    def interrupt(self) -> None:
        """Think no longer about a position that is past."""
        self._stop.set()

    def rest(self) -> None:
        """Nobody looks on any more: think no longer where only they would care, and forget what was thought."""
        self._stop.set()
        self._woken.set()
        self._room.house.move_service.forget_table(self._room.id)

    async def _drive(self) -> None:
        room = self._room
        more = True
        while not self._closing.is_set() and (more or self._again):
            self._again = False
            try:
                more = await room.plans.follow() or await self._moved()
            except StoreError:
                _logger.warning("the store does not answer", extra={"table": room.id})
                await self._pause(_LOOK_AGAIN, self._closing)
                more = bool(room.watchers)
            except Exception:
                _logger.exception("a computer failed", extra={"table": room.id})
                room.forget_table()
                sentence = "the computer failed to find a move; undo, or begin another game"
                room.tell(as_text({"type": "bad", "sentence": sentence}))
                return

    async def _moved(self) -> bool:
        """Let the computer move once; return whether to look again, False if it is nobody's turn that it plays."""
        room = self._room
        async with room.present() as table:
            strength, version = table.strength(), table.version
            if strength is None or not (room.watchers or table.goes_on_alone) or self._closing.is_set():
                return False
            position = table.match.position
            self._stop = stop = threading.Event()
            self._woken.clear()
        if not room.house.shared:
            return await self._played(strength, position, version, stop)
        if not await self._claimed():
            # Should the server that thinks be lost, its lease ends, and somebody here still waits.
            await self._pause(_LOOK_AGAIN, self._woken)
            return bool(room.watchers)
        renewing = asyncio.create_task(self._renew(stop))
        try:
            await room.catch_up(wake=False)
            return await self._played(strength, position, version, stop)
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
            room.house.store.release_lease(room.id, room.house.process)

    async def _played(self, strength: Strength, position: Position, version: int, stop: threading.Event) -> bool:
        """Play the computer's move; return whether to look again."""
        room = self._room
        began = time.monotonic()
        move = None if stop.is_set() else await self._choose(strength, position, stop)
        if move is None:
            async with room.present() as table:
                return bool(room.watchers) or table.goes_on_alone
        await self._pause(began + room.house.pace - time.monotonic(), self._closing)
        async with room.present() as table:
            if table.version != version or self._closing.is_set():
                return True
            if await room.happen(actions.answer, table, move, room.house.time.now()):
                return True
        async with room.present() as table:
            if table.version != version:
                return True
        # It is not tried again and again; who comes or moves wakes the computer.
        sentence = "the computer's move could not be stored; load this page again in a while"
        room.tell(as_text({"type": "bad", "sentence": sentence}))
        return False

    async def _claimed(self) -> bool:
        """Take the turn for this server, unless another one thinks about it."""
        house = self._room.house
        if not house.shared:
            return True
        now = house.time.now()
        return await self._room.on_board(house.store.claim_lease, self._room.id, house.process, now + _LEASE, now)

    async def _renew(self, stop: threading.Event) -> None:
        """Keep the turn; one that was lost to another server is thought about no longer."""
        while not stop.is_set():
            await asyncio.sleep(_LEASE / 3)
            # While the database is not there nobody else can take the turn either.
            with contextlib.suppress(StoreError):
                if not await self._claimed():
                    stop.set()

    async def _choose(self, strength: Strength, position: Position, stop: threading.Event) -> str | None:
        """Let the computer find a move; None if that was cut short, and then nothing of it is kept."""
        room, house = self._room, self._room.house
        seat, spec = position.seat or 0, position.game.spec
        meter = ProgressMeter(strength, spec)
        loop, last = asyncio.get_running_loop(), 0.0

        def tell() -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= _PROGRESS_EVERY and not stop.is_set():
                last = now
                simulations, share = meter.read()
                told = {"type": "thinking", "seat": seat, "simulations": simulations, "share": round(share, 2)}
                room.tell(as_text(told))

        def progress(state: SearchProgress) -> None:
            meter.update(state)
            if state.nodes and time.monotonic() - last >= _PROGRESS_EVERY:
                loop.call_soon_threadsafe(tell)

        self.thinking = True
        ticking = asyncio.create_task(_tick(tell))
        try:
            move = await house.move_service.find_move(MoveRequest(room.id, seat, strength, position.view(seat)), stop, progress)
        finally:
            self.thinking = False
            ticking.cancel()
        return None if stop.is_set() else move

    @staticmethod
    async def _pause(seconds: float, unless: asyncio.Event) -> None:
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(unless.wait(), seconds)

    async def close(self) -> None:
        """Stop thinking."""
        self._closing.set()
        self._stop.set()
        self._woken.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)


async def _tick(tell: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(_PROGRESS_EVERY)
        tell()
