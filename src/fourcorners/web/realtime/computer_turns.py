"""The turns that play themselves: computers' moves and premoves."""

import asyncio
import contextlib
import logging
import threading
import time
from typing import Protocol

from starlette.concurrency import run_in_threadpool

from fourcorners.core.game import Position
from fourcorners.web.application.running_games import find_shared
from fourcorners.web.application.table_session import TableSession
from fourcorners.web.domain.actions import ServerAction, play_computer_move
from fourcorners.web.domain.rows import StoreError
from fourcorners.web.domain.seats import Strength
from fourcorners.web.domain.table import ReplayError, Table
from fourcorners.web.engine.move_service import MoveRequest, ProgressMeter
from fourcorners.web.protocol.server_messages import ComputerProgress, build_error
from fourcorners.web.realtime.audience import Audience

_PROGRESS_EVERY = 0.25
_LEASE = 12.0
"""The server that thinks about a turn has it to itself for this many seconds after it last renewed the lease."""
_RETRY_AFTER = 2.0
"""After this many seconds a server looks again whether another one still holds the turn."""
LEAST_STRENGTH = Strength(1)
COMPARED_PLIES = 8
"""From this ply on computers give no help with other running games: openings are alike by chance."""
_logger = logging.getLogger(__name__)


class TurnHost(Protocol):
    """The room of the turns, which plays them."""

    async def catch_up(self, version: int | None = None, *, wake: bool = True) -> None:
        """Show what other servers have stored; with `wake`, wake the turns then. Takes the session's lock."""

    async def execute_action(self, table: Table, action: ServerAction) -> bool:
        """Apply, store and show an action of the server; return whether it happened. Needs the session's lock."""

    def refuse_watchers(self) -> None:
        """Disconnect the watchers, because the table no longer replays."""

    async def play_premove(self) -> bool:
        """Play the premove that is due; return whether one was played. Takes the session's lock."""


class ComputerTurns:
    """Plays the computers' turns and the premoves at one table, in a task that runs while there is something to do."""

    def __init__(self, session: TableSession, audience: Audience) -> None:
        """Serve a table and its audience; do nothing until `wake` is called."""
        self._session = session
        self._audience = audience
        self._context = session.context
        self._task: asyncio.Task[None] | None = None
        self._look_again = False
        self._is_closed = False
        # These exist once the task has been started. At most tables it never is, and each would take a kilobyte.
        self._stop: threading.Event | None = None
        self._woken: asyncio.Event | None = None
        self._closing: asyncio.Event | None = None
        self.is_thinking = False

    @property
    def is_running(self) -> bool:
        """Whether the task runs."""
        return self._task is not None and not self._task.done()

    def wake(self, host: TurnHost) -> None:
        """Have the task look whether a premove or a computer's turn is due, again if it runs; ignored once closed. Only
        a running task keeps the host, so that the memory of a room is free as soon as no one needs it.
        """
        _set(self._woken)
        self._look_again = True
        if not self._is_closed and not self.is_running and self._may_be_due():
            self._woken, self._closing = asyncio.Event(), asyncio.Event()
            self._task = asyncio.create_task(self._run(host, self._woken, self._closing))

    def _may_be_due(self) -> bool:
        """Return False if the table in memory shows that neither a premove nor a computer's turn can be due.

        That is so after most moves between people, and a task would cost more than drawing the move.
        """
        table = self._session.cached_table
        if table is None or self._context.shared:
            return True
        return table.seat is not None and (table.chairs[table.seat].plan is not None or bool(table.computer_strength()))

    def interrupt(self) -> None:
        """Stop thinking about a position that is past; the task goes on with the next one."""
        _set(self._stop)

    def stop_for_empty_room(self) -> None:
        """Stop thinking because no one watches, and drop the search trees; the task goes on only if a player waits."""
        _set(self._stop)
        _set(self._woken)
        self._context.move_service.forget_table(self._session.id)

    @property
    def _is_watched(self) -> bool:
        return bool(self._audience.watchers)

    async def _run(self, host: TurnHost, woken: asyncio.Event, closing: asyncio.Event) -> None:
        """Play premoves and computers' turns until it is the turn of someone who must be waited for; never raise.

        Failures are logged. After a StoreError, try again while someone watches; after a ReplayError, disconnect all
        watchers and end; after any other one, drop the table in memory, send the audience a sentence, and end.
        """
        more = True
        while not self._is_closed and (more or self._look_again):
            self._look_again = False
            try:
                more = await host.play_premove() or await self._play_turn(host, woken, closing)
            except StoreError:
                _logger.warning("the store does not respond", extra={"table": self._session.id})
                await _sleep(_RETRY_AFTER, closing)
                more = self._is_watched
            except ReplayError:
                host.refuse_watchers()
                return
            except Exception:
                _logger.exception("a computer failed", extra={"table": self._session.id})
                self._session.drop()
                error = build_error("The computer failed to find a move. Undo, or start another game.")
                self._audience.send_to_all(error)
                return

    async def _play_turn(self, host: TurnHost, woken: asyncio.Event, closing: asyncio.Event) -> bool:
        """Play one move if a computer is to move and someone watches or waits or a clock runs; return whether to look
        again. Takes the session's lock, but not while the computer thinks. Raise as `_think_and_move` does.
        """
        async with self._session.hold() as table:
            strength, version = table.computer_strength(), table.version
            if strength is None or not (self._is_watched or table.continues_unwatched) or self._is_closed:
                return False
            position, is_rated = table.match.position, table.is_rated
            self._stop = stop = threading.Event()
            woken.clear()
        strength = await self._limit_strength(strength, position, is_rated=is_rated)
        if not self._context.shared:
            return await self._think_and_move(host, strength, position, version, stop, closing)
        if not await self._claim_lease():
            # If the server that thinks is lost, its lease expires while someone here still waits.
            await _sleep(_RETRY_AFTER, woken)
            return self._is_watched
        renewal = asyncio.create_task(self._renew_lease(stop))
        try:
            await host.catch_up(wake=False)
            return await self._think_and_move(host, strength, position, version, stop, closing)
        finally:
            renewal.cancel()
            await asyncio.gather(renewal, return_exceptions=True)
            self._context.store.release_lease(self._session.id, self._context.process)

    async def _think_and_move(
        self,
        host: TurnHost,
        strength: Strength,
        position: Position,
        version: int,
        stop: threading.Event,
        closing: asyncio.Event,
    ) -> bool:
        """Find a move for `position`, of table version `version`; play it, not before `pace` seconds have passed,
        unless the version has changed or this closes. Return whether to look again: False if the move could not be
        stored, which the audience is told, or if `stop` was set and no one watches or waits and no clock runs;
        otherwise True. Takes the session's lock, whose errors pass through; raise what the search raises, and
        GameError for an illegal move.
        """
        began = time.monotonic()
        move = None if stop.is_set() else await self._find_move(strength, position, stop)
        if move is None:
            async with self._session.hold() as table:
                return self._is_watched or table.continues_unwatched
        await _sleep(began + self._context.settings.pace - time.monotonic(), closing)

        async with self._session.hold() as table:
            if table.version != version or self._is_closed:
                return True
            if await host.execute_action(table, lambda table, at: play_computer_move(table, move, at)):
                return True
        async with self._session.hold() as table:
            # Another server may have been faster.
            if table.version != version:
                return True
        # Trying again at once would keep a failing store busy; the next visitor or move wakes the computer.
        self._audience.send_to_all(build_error("The computer’s move could not be stored. Reload this page later."))
        return False

    async def _claim_lease(self) -> bool:
        """Take or renew the lease on the turn; return False if another server holds it. Raise StoreError."""
        context, now = self._context, self._context.time.now()
        claim = context.store.claim_lease
        return await run_in_threadpool(claim, self._session.id, context.process, now + _LEASE, now)

    async def _renew_lease(self, stop: threading.Event) -> None:
        """Renew the lease every `_LEASE` / 3 seconds until `stop` is set; set `stop` if another server has taken it."""
        while not stop.is_set():
            await asyncio.sleep(_LEASE / 3)
            # While the database is unreachable, no one else can take the turn either.
            with contextlib.suppress(StoreError):
                if not await self._claim_lease():
                    stop.set()

    async def _find_move(self, strength: Strength, position: Position, stop: threading.Event) -> str | None:
        """Return the computer's move, or None once `stop` is set; send the audience its progress. Raise its errors."""
        seat = position.seat or 0
        meter = ProgressMeter(strength, position.game.spec)

        async def send_progress() -> None:
            while True:
                await asyncio.sleep(_PROGRESS_EVERY)
                if not stop.is_set():
                    simulations, share = meter.read()
                    progress = ComputerProgress(
                        seat=seat, simulations=simulations, share=round(share, 2), preparing=meter.is_preparing
                    )
                    self._audience.send_to_all(progress)

        self.is_thinking = True
        ticker = asyncio.create_task(send_progress())
        request = MoveRequest(self._session.id, seat, strength, position.view(seat))
        try:
            move = await self._context.move_service.find_move(request, stop, meter.update)
        finally:
            self.is_thinking = False
            ticker.cancel()
        return None if stop.is_set() else move

    async def _limit_strength(self, strength: Strength, position: Position, *, is_rated: bool) -> Strength:
        """Return the strength with which a computer moves: the least one in a position of another running game, whose
        players could copy its move, except in a rated game, which people could repeat elsewhere to weaken the computer.
        """
        if is_rated or position.ply_count < COMPARED_PLIES:
            return strength
        return LEAST_STRENGTH if any(await find_shared(self._context, [position], self._session.id)) else strength

    def stop(self) -> None:
        """Stop thinking for good; a move being stored is still stored."""
        self._is_closed = True
        _set(self._closing)
        _set(self._stop)
        _set(self._woken)

    async def close(self) -> None:
        """Stop thinking for good, and wait until the task has ended."""
        self.stop()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)


def _set(event: asyncio.Event | threading.Event | None) -> None:
    """Set an event, if there is one."""
    if event is not None:
        event.set()


async def _sleep(seconds: float, unless: asyncio.Event) -> None:
    """Sleep for some seconds (not at all if negative), or until the event is set."""
    if seconds > 0:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(unless.wait(), seconds)
