"""The socket of a table: what a browser says goes to the room, what the room tells goes to the browser."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.web import messages
from fourcorners.web.answers import evaluated, hinted, looked, solved
from fourcorners.web.asking import Asking
from fourcorners.web.frames import Frame, as_text
from fourcorners.web.hub import Hub, TooMuchError
from fourcorners.web.room import Room

MOST_AT_A_TABLE = 100
MOST_OF_A_BROWSER = 24
_WAITING_SENDS = 64
_SEND_WITHIN = 10.0
_CLOSE_WITHIN = 2.0
_BEATS_AT_ONCE = 100
_HELLO_WITHIN = 30.0
_TOOK_IN_A_ROW = 60
_TOOK_A_SECOND = 30.0
GONE, TOO_MUCH, TOO_SLOW, BAD, RESTART = 4404, 4429, 4408, 4400, 1012
BEAT_EVERY = 4.0
_SILENT = 12.0
"""A browser that has answered no beat for so many seconds is gone."""
_logger = logging.getLogger(__name__)


class Sockets:
    """All open sockets, counted."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[Connection] = set()
        self._of: Counter[str] = Counter()

    def __len__(self) -> int:
        """Count them."""
        return len(self._open)

    def room_for(self, owner: str) -> bool:
        """Tell whether a browser may open one more."""
        return len(self._open) < self._most and self._of[owner] < MOST_OF_A_BROWSER

    def add(self, connection: Connection) -> None:
        """Count a socket."""
        self._open.add(connection)
        self._of[connection.owner] += 1

    def remove(self, connection: Connection) -> None:
        """Count it no more."""
        self._open.remove(connection)
        self._of[connection.owner] -= 1
        if not self._of[connection.owner]:
            del self._of[connection.owner]

    def tell(self, text: str) -> None:
        """Send everybody the same."""
        for connection in list(self._open):
            connection.send(text)

    async def beat(self, now: Callable[[], float]) -> None:
        """Let every browser know that the line is alive, for ever; one that answers no more is let go."""
        while True:
            began = time.monotonic()
            for count, connection in enumerate(list(self._open), 1):
                connection.beat(now())
                if not count % _BEATS_AT_ONCE:
                    # Moves go before beats.
                    await asyncio.sleep(0)
            await asyncio.sleep(max(0.1, BEAT_EVERY - (time.monotonic() - began)))

    async def part(self, sentence: str) -> None:
        """Ask all browsers to come back soon, and let them go."""
        self.tell(as_text({"type": "bye", "sentence": sentence}))
        for connection in list(self._open):
            connection.leave_with = RESTART
            connection.broken.set()


class Connection:
    """One socket, with a queue of what is to be sent, so that nobody waits for a slow browser."""

    def __init__(self, socket: WebSocket, owner: str) -> None:
        self.owner = owner
        self.solving = Asking(self.reply)
        self.hinting = Asking(self.reply)
        self.evaluating = Asking(self.reply)
        self.wish: int | None = None
        self.frame: Frame | None = None
        self._socket = socket
        self._queue: asyncio.Queue[str] = asyncio.Queue(_WAITING_SENDS)
        self._allowance = float(_TOOK_IN_A_ROW)
        self._counted = self._heard = time.monotonic()
        self.lag = 0.0
        self.leave_with = TOO_SLOW
        self.broken = asyncio.Event()

    def send(self, text: str) -> None:
        """Queue a message; a browser that takes none for too long is let go."""
        try:
            self._queue.put_nowait(text)
        except asyncio.QueueFull:
            self.broken.set()

    def reply(self, message: dict[str, Any]) -> None:
        """Queue a message given as data."""
        self.send(as_text(message))

    def beat(self, now: float) -> None:
        """Send a beat, unless none of the last ones was answered."""
        if self.frame is None:
            return
        if time.monotonic() - self._heard > _SILENT:
            self.broken.set()
        self.reply({"type": "beat", "now": now})

    def answered(self, sent: float, now: float) -> None:
        """Note that a beat was answered: what it took there and back is what a move takes."""
        self._heard = time.monotonic()
        if sent <= now:
            self.lag = now - sent

    def alive(self) -> None:
        """Note that the browser said something."""
        self._heard = time.monotonic()

    def leave_off(self) -> None:
        """Ask no longer about the position that was shown."""
        for asking in (self.solving, self.hinting, self.evaluating):
            asking.leave_off()

    async def send_all(self) -> None:
        """Send what is queued, for ever."""
        try:
            while True:
                text = await self._queue.get()
                await asyncio.wait_for(self._socket.send_text(text), _SEND_WITHIN)
                self._queue.task_done()
        except (TimeoutError, WebSocketDisconnect, RuntimeError, OSError):
            self.broken.set()

    async def flushed(self) -> None:
        """Wait until all that is queued is sent."""
        await self._queue.join()

    async def slow_down(self) -> None:
        """Wait if the browser talks faster than anybody plays."""
        now = time.monotonic()
        self._allowance = min(_TOOK_IN_A_ROW, self._allowance + (now - self._counted) * _TOOK_A_SECOND) - 1
        self._counted = now
        if self._allowance < 0:
            await asyncio.sleep(-self._allowance / _TOOK_A_SECOND)


async def live(socket: WebSocket) -> None:
    """Serve one socket until it closes."""
    hub: Hub = socket.app.state.hub
    sockets: Sockets = socket.app.state.sockets
    connection = Connection(socket, socket.scope["state"]["owner"])
    await socket.accept()
    if not sockets.room_for(connection.owner):
        await socket.close(TOO_MUCH, "too many connections are open")
        return
    sockets.add(connection)
    sender = asyncio.create_task(connection.send_all())
    try:
        if not hub.warmth.ready:
            connection.reply({"type": "preparing"})
        room = await _enter(socket, hub)
        if room is not None:
            room.enter()
            try:
                await _converse(socket, connection, room, hub)
            finally:
                room.leave(connection)
    finally:
        connection.leave_off()
        sockets.remove(connection)
        sender.cancel()
        await asyncio.gather(sender, return_exceptions=True)


async def _enter(socket: WebSocket, hub: Hub) -> Room | None:
    """Return the table's room; None, with the socket closed, if it cannot be entered."""
    try:
        room = await hub.open(socket.path_params["table"])
    except TooMuchError as error:
        await socket.close(TOO_MUCH, str(error))
        return None
    except GameError:
        _logger.exception("table %s does not replay", socket.path_params["table"])
        await socket.close(GONE, "this game was stored by other rules and cannot be shown")
        return None
    if room is None:
        await socket.close(GONE, "there is no such table")
    elif room.guests >= MOST_AT_A_TABLE:
        await socket.close(TOO_MUCH, "too many watch this table already")
        return None
    return room


async def _converse(socket: WebSocket, connection: Connection, room: Room, hub: Hub) -> None:
    broken = asyncio.create_task(connection.broken.wait())
    wait_at_most = _HELLO_WITHIN
    try:
        while True:
            heard = asyncio.create_task(socket.receive())
            within = wait_at_most if connection.frame is None else None
            await asyncio.wait({heard, broken}, timeout=within, return_when=asyncio.FIRST_COMPLETED)
            if not heard.done():
                heard.cancel()
                await asyncio.gather(heard, return_exceptions=True)
                with contextlib.suppress(RuntimeError, TimeoutError):
                    if connection.leave_with == RESTART:
                        await asyncio.wait_for(connection.flushed(), _CLOSE_WITHIN)
                    reason = "the server restarts" if connection.leave_with == RESTART else "this line was too slow"
                    await asyncio.wait_for(socket.close(connection.leave_with, reason), _CLOSE_WITHIN)
                return
            message = heard.result()
            if message["type"] == "websocket.disconnect":
                return
            received = hub.time.now()
            connection.alive()
            await connection.slow_down()
            text = message.get("text")
            if text is None or len(text) > messages.LONGEST_MESSAGE:
                await socket.close(BAD, "messages are text of at most 64 KB")
                return
            # What is being stored is stored, whether or not the browser waits for it.
            await asyncio.shield(_answer(connection, room, hub, text, received))
    finally:
        broken.cancel()


async def _answer(connection: Connection, room: Room, hub: Hub, text: str, received: float) -> None:
    try:
        message = messages.read(text)
    except messages.BadMessageError as error:
        connection.reply({"type": "bad", "sentence": str(error)})
        return
    try:
        await _obey(connection, room, hub, message, received)
    except IllegalMoveError as error:
        connection.reply({"type": "bad", "sentence": error.reason})
    except Exception:
        # One browser's trouble is told to it alone, and ends nobody's game.
        _logger.exception("table %s: %s failed", room.id, message.type)
        connection.reply({"type": "bad", "sentence": "the server failed at this; try again"})


async def _obey(connection: Connection, room: Room, hub: Hub, message: messages.Message, received: float) -> None:
    if isinstance(message, messages.Hello):
        connection.leave_off()
        connection.wish = message.viewer
        await room.greet(connection, message.version)
        return
    frame = connection.frame
    if frame is None:
        connection.reply({"type": "bad", "sentence": "the first message is a hello"})
        return
    if hub.closing and isinstance(message, messages.Move | messages.Deed | messages.Again):
        # Not answered, so that it is sent again once the server is back.
        return
    match message:
        case messages.Beat():
            connection.answered(message.now, received)
        case messages.Move() | messages.Deed() | messages.Again():
            await hub.obey(room, connection, message, received, connection.lag)
        case messages.Plan():
            await room.plan(connection, message.seat, message.version, message.lines)
        case messages.Say():
            await room.say(connection, message, received)
        case messages.Report():
            await room.report(connection, message, received)
        case messages.Solve() | messages.Hint() | messages.Evaluate():
            _ask(connection, room, hub, message)
        case messages.Leave():
            connection.solving.leave_off()
        case messages.See():
            connection.wish = message.viewer
            await room.see(connection)
        case messages.Look():
            connection.leave_off()
            connection.reply(await looked(room, connection, message.ply))
        case messages.Complete():
            connection.reply(await room.on_board(frame.complete, message.tokens))
        case messages.Why():
            connection.reply(await room.on_board(frame.why, message.text))


def _ask(
    connection: Connection, room: Room, hub: Hub, message: messages.Solve | messages.Hint | messages.Evaluate
) -> None:
    head: dict[str, Any] = {"type": message.type, "id": message.id}
    match message:
        case messages.Solve(ply=ply):
            find = partial(solved, hub.desk, room, connection, ply, connection.reply)
            connection.solving.ask({**head, "ply": ply}, find)
        case messages.Hint(version=version):
            connection.hinting.ask(head, partial(hinted, hub.advisers, room, connection, version))
        case messages.Evaluate(version=version, ply=ply):
            weigh = partial(evaluated, hub.advisers, room, connection, version, ply)
            connection.evaluating.ask({**head, "ply": ply}, weigh)
