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
from fourcorners.web.access.identity import client_of
from fourcorners.web.access.limits import Limits, TooOftenError, network_of
from fourcorners.web.live.answers import evaluated, hinted, looked, solved
from fourcorners.web.live.hub import GONE, Hub, TooMuchError, admits
from fourcorners.web.live.room import Room
from fourcorners.web.tables import messages
from fourcorners.web.tables.frames import Frame, as_text
from fourcorners.web.thinking.asking import Asking

MOST_OF_A_BROWSER = 24
MOST_OF_AN_ADDRESS = 200
"""A school sits behind one address; who is a new guest with every socket does, too."""
_WAITING_SENDS = 64
_SEND_WITHIN = 10.0
_CLOSE_WITHIN = 1.0
_FLUSHED_WITHIN = 0.8
_PARTED_WITHIN = 1.2
_BEATS_AT_ONCE = 25
_HELLO_WITHIN = 30.0
_TOOK_IN_A_ROW = 60
_TOOK_A_SECOND = 30.0
TOO_MUCH, TOO_SLOW, BAD, RESTART = 4429, 4408, 4400, 1012
BEAT_EVERY = 4.0
_UNANSWERED = 2
"""A browser that has answered none of so many beats when the next is due is gone: 12 seconds at most after its line."""
_logger = logging.getLogger(__name__)


class Sockets:
    """All open sockets, counted."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[Connection] = set()
        self._of: Counter[str] = Counter()
        self._from: Counter[str] = Counter()
        self._none = asyncio.Event()
        self._none.set()

    def __len__(self) -> int:
        """Count them."""
        return len(self._open)

    def room_for(self, connection: Connection) -> bool:
        """Tell whether a browser may open one more; this machine's own are not counted by their address."""
        if connection.network and self._from[connection.network] >= MOST_OF_AN_ADDRESS:
            return False
        return len(self._open) < self._most and self._of[connection.owner] < MOST_OF_A_BROWSER

    def add(self, connection: Connection) -> None:
        """Count a socket."""
        self._open.add(connection)
        self._none.clear()
        self._of[connection.owner] += 1
        self._from[connection.network] += 1

    def remove(self, connection: Connection) -> None:
        """Count it no more."""
        self._open.remove(connection)
        for counted, key in ((self._of, connection.owner), (self._from, connection.network)):
            counted[key] -= 1
            if not counted[key]:
                del counted[key]
        if not self._open:
            self._none.set()

    def tell(self, text: str) -> None:
        """Send everybody the same."""
        for connection in list(self._open):
            connection.send(text)

    async def beat(self, now: Callable[[], float]) -> None:
        """Let every browser know that the line is alive, for ever; one that answers no more is let go.

        They take turns, a slice of them at a time, so that no move waits for all beats at once.
        """
        while True:
            waiting = list(self._open)
            slices = max(1, -(-len(waiting) // _BEATS_AT_ONCE))
            for first in range(0, max(1, len(waiting)), _BEATS_AT_ONCE):
                text = as_text({"type": "beat", "now": now()})
                for connection in waiting[first : first + _BEATS_AT_ONCE]:
                    connection.beat(text)
                await asyncio.sleep(BEAT_EVERY / slices)

    def part_with(self, player: str, but: str = "") -> None:
        """Let a player's browsers go, but those of one session: whoever comes back is who its cookie says."""
        for connection in list(self._open):
            if connection.owner == player and connection.session != but:
                connection.let_go(RESTART, "come back")

    async def part(self, sentence: str) -> None:
        """Ask all browsers to come back soon, and let them go; those that do not listen are not waited for."""
        self.tell(as_text({"type": "bye", "sentence": sentence}))
        for connection in list(self._open):
            connection.let_go(RESTART, "the server restarts")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._none.wait(), _PARTED_WITHIN)


class Connection:
    """One socket, with a queue of what is to be sent, so that nobody waits for a slow browser."""

    def __init__(self, socket: WebSocket, owner: str, session: str = "") -> None:
        self.owner = owner
        self.session = session
        self.network = network_of(client_of(socket))
        self.solving = Asking(self.reply)
        self.hinting = Asking(self.reply)
        self.evaluating = Asking(self.reply)
        self.wish: int | None = None
        self.frame: Frame | None = None
        self._socket = socket
        self._queue: asyncio.Queue[str] = asyncio.Queue(_WAITING_SENDS)
        self._allowance = float(_TOOK_IN_A_ROW)
        self._counted = time.monotonic()
        # Beats that were sent: a server that is slow to send one has nobody but itself to blame.
        self._unanswered = 0
        self.lag = 0.0
        self.broken = False
        self._patience: asyncio.Timeout | None = None
        self._farewell: tuple[int, str] | None = None

    def send(self, text: str) -> None:
        """Queue a message; a browser that takes none for too long is let go."""
        try:
            self._queue.put_nowait(text)
        except asyncio.QueueFull:
            self.break_off()

    def reply(self, message: dict[str, Any]) -> None:
        """Queue a message given as data."""
        self.send(as_text(message))

    def beat(self, text: str) -> None:
        """Send a beat, unless none of the last ones was answered while somebody listened."""
        if self.frame is None:
            return
        if self._patience is not None:
            if self._unanswered == _UNANSWERED:
                self.break_off()
                return
            self._unanswered += 1
        self.send(text)

    def answered(self, sent: float, now: float) -> None:
        """Note that a beat was answered: what it took there and back is what a move takes."""
        if sent <= now:
            self.lag = now - sent

    def alive(self) -> None:
        """Note that the browser said something."""
        self._unanswered = 0

    def leave_off(self) -> None:
        """Ask no longer about the position that was shown."""
        for asking in (self.solving, self.hinting, self.evaluating):
            asking.leave_off()

    async def send_all(self) -> None:
        """Send what is queued, for ever."""
        try:
            while True:
                text = await self._queue.get()
                async with asyncio.timeout(_SEND_WITHIN):
                    await self._socket.send_text(text)
                self._queue.task_done()
        except (TimeoutError, WebSocketDisconnect, RuntimeError, OSError):
            self.break_off()

    def let_go(self, code: int, reason: str) -> None:
        """Close the socket once all that is queued is sent."""
        self._farewell = (code, reason)
        self.break_off()

    def listening(self, patience: asyncio.Timeout | None) -> None:
        """Note what ends the wait for what the browser says; None while nobody listens."""
        self._patience = patience
        if self.broken and patience is not None:
            self.break_off()

    def break_off(self) -> None:
        """Listen no longer: the line is too slow, or no longer wanted."""
        self.broken = True
        if self._patience is not None and not self._patience.expired():
            self._patience.reschedule(asyncio.get_running_loop().time())

    async def close(self) -> None:
        """Close the socket, in a moment at most; one that is let go gets first what is queued."""
        code, reason = self._farewell or (TOO_SLOW, "this line was too slow")
        with contextlib.suppress(RuntimeError, TimeoutError):
            async with asyncio.timeout(_CLOSE_WITHIN):
                if self._farewell is not None:
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(_FLUSHED_WITHIN):
                            await self._queue.join()
                await self._socket.close(code, reason)

    async def count(self, what: str) -> None:
        """Count what is limited; raise TooOftenError if it is too much."""
        limits: Limits = self._socket.app.state.limits
        await limits.count(what, client_of(self._socket), self.owner)

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
    state = socket.scope["state"]
    connection = Connection(socket, state["owner"], state["session"])
    await socket.accept()
    if not sockets.room_for(connection):
        await socket.close(TOO_MUCH, "too many connections are open")
        return
    sockets.add(connection)
    sender = asyncio.create_task(connection.send_all())
    try:
        if not hub.warmth.ready:
            connection.reply({"type": "preparing"})
        room = await _enter(socket, hub, connection.owner)
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


async def _enter(socket: WebSocket, hub: Hub, player: str) -> Room | None:
    """Return the table's room; None, with the socket closed, if it cannot be entered."""
    try:
        room = await hub.open(socket.path_params["table"])
    except TooMuchError as error:
        await socket.close(TOO_MUCH, str(error))
        return None
    except GameError:
        _logger.exception("a table does not replay", extra={"table": socket.path_params["table"]})
        await socket.close(GONE, "this game was stored by other rules and cannot be shown")
        return None
    if room is None:
        await socket.close(GONE, "there is no such table")
    elif not await admits(room, player):
        await socket.close(TOO_MUCH, "too many watch this table already")
        return None
    return room


async def _converse(socket: WebSocket, connection: Connection, room: Room, hub: Hub) -> None:
    """Take what a browser says, until its line is closed or broken; one that says no hello is not waited for."""
    hello_until = asyncio.get_running_loop().time() + _HELLO_WITHIN
    while True:
        try:
            # What is being answered is answered: a line is broken off between two messages only.
            async with asyncio.timeout_at(hello_until if connection.frame is None else None) as patience:
                connection.listening(patience)
                message = await socket.receive()
        except TimeoutError:
            await connection.close()
            return
        finally:
            connection.listening(None)
        if message["type"] == "websocket.disconnect":
            return
        if not await _heard(connection, room, hub, message.get("text")):
            await socket.close(BAD, "messages are text of at most 64 KB")
            return


async def _heard(connection: Connection, room: Room, hub: Hub, text: str | None) -> bool:
    """Do what a message says; False if it is none."""
    received = hub.time.now()
    connection.alive()
    await connection.slow_down()
    if text is None or len(text) > messages.LONGEST_MESSAGE:
        return False
    try:
        said = messages.read(text)
    except messages.BadMessageError as error:
        connection.reply({"type": "bad", "sentence": str(error)})
        return True
    if isinstance(said, messages.Beat):
        # Most of what is ever said, by all who only look on.
        connection.answered(said.now, received)
    else:
        # What is being stored is stored, whether or not the browser waits for it.
        await asyncio.shield(_answer(connection, room, hub, said, received))
    return True


async def _answer(connection: Connection, room: Room, hub: Hub, message: messages.Message, received: float) -> None:
    try:
        await _obey(connection, room, hub, message, received)
    except IllegalMoveError as error:
        connection.reply(_bad(message, error.reason))
    except TooOftenError as error:
        connection.reply(_bad(message, error.sentence))
    except Exception:
        # One browser's trouble is told to it alone, and ends nobody's game.
        _logger.exception("a command failed", extra={"table": room.id, "kind": message.type})
        connection.reply(_bad(message, "the server failed at this; try again"))


def _bad(message: messages.Message, sentence: str) -> dict[str, Any]:
    """Say what was wrong, and with which command, so that nobody waits for its answer."""
    command = getattr(message, "id", None)
    answered = {"of": message.type} if command is None else {"of": message.type, "id": command}
    return {"type": "bad", **answered, "sentence": sentence}


async def _obey(connection: Connection, room: Room, hub: Hub, message: messages.Message, received: float) -> None:
    if isinstance(message, messages.Hello):
        connection.leave_off()
        connection.wish = message.viewer
        if message.version is not None:
            hub.metrics.came_back()
        await room.greet(connection, message.version)
        # So that the page knows what time it is for the clocks.
        connection.reply({"type": "beat", "now": hub.time.now()})
        return
    frame = connection.frame
    if frame is None:
        connection.reply({"type": "bad", "sentence": "the first message is a hello"})
        return
    if hub.closing and isinstance(message, messages.Move | messages.Deed | messages.Again):
        # Not answered, so that it is sent again once the server is back.
        return
    match message:
        case messages.Move() | messages.Deed():
            await hub.obey(room, connection, message, received, connection.lag)
        case messages.Again():
            await connection.count("tables")
            await hub.obey(room, connection, message, received)
        case messages.Plan():
            await room.plans.keep(connection, message)
        case messages.Try():
            await room.plans.show(connection, message)
        case messages.Say():
            await connection.count("chat")
            await room.chat.say(connection, message, received)
        case messages.Report():
            await connection.count("chat")
            await room.chat.report(connection, message, received)
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
