"""The socket of a table: what a browser says goes to the room, what the room tells goes to the browser."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.web.auth.limits import RateLimitError
from fourcorners.web.protocol import client_messages
from fourcorners.web.realtime.analysis_handlers import evaluated, hinted, looked, solved
from fourcorners.web.realtime.connection import Connection, ConnectionPool
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.room_registry import GONE, CapacityError, RoomRegistry, admits

_HELLO_WITHIN = 30.0
TOO_MUCH, BAD = 4429, 4400
_logger = logging.getLogger(__name__)


async def live(socket: WebSocket) -> None:
    """Serve one socket until it closes."""
    registry: RoomRegistry = socket.app.state.registry
    sockets: ConnectionPool = socket.app.state.sockets
    state = socket.scope["state"]
    connection = Connection(socket, state["owner"], state["session"])
    await socket.accept()
    if not sockets.room_for(connection):
        await socket.close(TOO_MUCH, "too many connections are open")
        return
    sockets.add(connection)
    sender = asyncio.create_task(connection.send_all())
    try:
        if not registry.warmup.ready:
            connection.reply({"type": "preparing"})
        room = await _enter(socket, registry, connection.owner)
        if room is not None:
            room.enter()
            try:
                await _converse(socket, connection, room, registry)
            finally:
                room.leave(connection)
    except WebSocketDisconnect:
        # It was gone already when it was to be closed.
        pass
    finally:
        connection.leave_off()
        sockets.remove(connection)
        sender.cancel()
        await asyncio.gather(sender, return_exceptions=True)


async def _enter(socket: WebSocket, registry: RoomRegistry, player: str) -> Room | None:
    """Return the table's room; None, with the socket closed, if it cannot be entered."""
    try:
        room = await registry.open(socket.path_params["table"])
    except CapacityError as error:
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


async def _converse(socket: WebSocket, connection: Connection, room: Room, registry: RoomRegistry) -> None:
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
        if not await _heard(connection, room, registry, message.get("text")):
            await socket.close(BAD, "messages are text of at most 64 KB")
            return


async def _heard(connection: Connection, room: Room, registry: RoomRegistry, text: str | None) -> bool:
    """Do what a message says; False if it is none."""
    received = registry.time.now()
    connection.alive()
    await connection.slow_down()
    if text is None or len(text) > client_messages.LONGEST_MESSAGE:
        return False
    try:
        said = client_messages.read(text)
    except client_messages.BadMessageError as error:
        connection.reply({"type": "bad", "sentence": str(error)})
        return True
    if isinstance(said, client_messages.Beat):
        # Most of what is ever said, by all who only look on.
        connection.answered(said.now, received)
    else:
        # What is being stored is stored, whether or not the browser waits for it.
        await asyncio.shield(_answer(connection, room, registry, said, received))
    return True


async def _answer(
    connection: Connection, room: Room, registry: RoomRegistry, message: client_messages.Message, received: float
) -> None:
    try:
        await _obey(connection, room, registry, message, received)
    except IllegalMoveError as error:
        connection.reply(_bad(message, error.reason))
    except RateLimitError as error:
        connection.reply(_bad(message, error.sentence))
    except Exception:
        # One browser's trouble is told to it alone, and ends nobody's game.
        _logger.exception("a command failed", extra={"table": room.id, "kind": message.type})
        connection.reply(_bad(message, "the server failed at this; try again"))


def _bad(message: client_messages.Message, sentence: str) -> dict[str, Any]:
    """Say what was wrong, and with which command, so that nobody waits for its answer."""
    command = getattr(message, "id", None)
    answered = {"of": message.type} if command is None else {"of": message.type, "id": command}
    return {"type": "bad", **answered, "sentence": sentence}


async def _obey(
    connection: Connection, room: Room, registry: RoomRegistry, message: client_messages.Message, received: float
) -> None:
    if isinstance(message, client_messages.Hello):
        connection.leave_off()
        connection.wish = message.viewer
        if message.version is not None:
            registry.metrics.count_reconnect()
        await room.greet(connection, message.version)
        # So that the page knows what time it is for the clocks.
        connection.reply({"type": "beat", "now": registry.time.now()})
        return
    frame = connection.frame
    if frame is None:
        connection.reply({"type": "bad", "sentence": "the first message is a hello"})
        return
    if registry.closing and isinstance(message, client_messages.Move | client_messages.Deed | client_messages.Again):
        # Not answered, so that it is sent again once the server is back.
        return
    match message:
        case client_messages.Move() | client_messages.Deed():
            await registry.obey(room, connection, message, received, connection.lag)
        case client_messages.Again():
            await connection.count("tables")
            await registry.obey(room, connection, message, received)
        case client_messages.Plan():
            await room.plans.keep(connection, message)
        case client_messages.Try():
            await room.plans.show(connection, message)
        case client_messages.Say():
            await connection.count("chat")
            await room.chat.say(connection, message, received)
        case client_messages.Report():
            await connection.count("chat")
            await room.chat.report(connection, message, received)
        case client_messages.Solve() | client_messages.Hint() | client_messages.Evaluate():
            _ask(connection, room, registry, message)
        case client_messages.Leave():
            connection.solving.cancel()
        case client_messages.See():
            connection.wish = message.viewer
            await room.see(connection)
        case client_messages.Look():
            connection.leave_off()
            connection.reply(await looked(room, connection, message.ply))
        case client_messages.Complete():
            connection.reply(await room.on_board(frame.complete, message.tokens))
        case client_messages.Why():
            connection.reply(await room.on_board(frame.why, message.text))


def _ask(
    connection: Connection,
    room: Room,
    registry: RoomRegistry,
    message: client_messages.Solve | client_messages.Hint | client_messages.Evaluate,
) -> None:
    head: dict[str, Any] = {"type": message.type, "id": message.id}
    match message:
        case client_messages.Solve(ply=ply):
            find = partial(solved, registry.solve_service, room, connection, ply, connection.reply)
            connection.solving.start({**head, "ply": ply}, find)
        case client_messages.Hint(version=version):
            connection.hinting.start(head, partial(hinted, registry.hint_service, room, connection, version))
        case client_messages.Evaluate(version=version, ply=ply):
            weigh = partial(evaluated, registry.hint_service, room, connection, version, ply)
            connection.evaluating.start({**head, "ply": ply}, weigh)
