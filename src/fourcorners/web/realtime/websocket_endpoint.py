"""The WebSocket endpoint of a table: reads messages, and passes each to the room or to an analysis."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial

from starlette.websockets import WebSocket, WebSocketDisconnect

from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.web.application.analysis import evaluate_position, find_hint, look_at_position, solve_position
from fourcorners.web.auth.limits import RateLimitError
from fourcorners.web.engine.cancellable_query import Reply
from fourcorners.web.engine.work_queue import Client
from fourcorners.web.protocol import client_messages as messages
from fourcorners.web.protocol import server_messages as answers
from fourcorners.web.protocol.codec import UnreadableMessageError, find_tag
from fourcorners.web.protocol.server_messages import build_error
from fourcorners.web.realtime.connection import CHANNEL, RESTART, Connection, ConnectionPool
from fourcorners.web.realtime.room import GONE, Room
from fourcorners.web.realtime.room_registry import CapacityError, RoomRegistry, get_registry, is_admitted
from fourcorners.web.store import StoreError

TOO_MUCH, BAD = 4429, 4400
"""The codes with which a socket is closed: the server or table is full, or the client does not send text."""
_HELLO_WITHIN = 30.0
_NO_DATABASE = "games cannot be read at the moment; connect again"
_logger = logging.getLogger(__name__)


async def serve_socket(socket: WebSocket) -> None:
    """Serve a socket until it closes, or close it if too many are open; raise if the table cannot be read."""
    registry = get_registry(socket)
    pool: ConnectionPool = socket.app.state.sockets
    state = socket.scope["state"]
    connection = Connection(socket, state["owner"], state["session"])
    await socket.accept()
    connection.attach(socket.scope["extensions"][CHANNEL]["channel"])
    if not pool.has_room_for(connection):
        await socket.close(TOO_MUCH, "too many connections are open")
        return
    pool.add(connection)
    hello_timer = asyncio.get_running_loop().call_later(_HELLO_WITHIN, connection.require_hello)
    try:
        room = await _open_room(socket, registry, connection.player)
        if room is not None:
            connection.game = room.game
            registry.warmup.prefer(room.game)
            if not registry.warmup.is_available(room.game):
                connection.send_message(answers.Preparing(features=registry.warmup.describe(room.game)))
            room.enter()
            try:
                await _converse(socket, connection, room, registry)
                await connection.close()
            finally:
                room.leave(connection)
    except WebSocketDisconnect:
        pass  # The client closed the socket while the server was about to do so.
    finally:
        connection.cancel_queries()
        hello_timer.cancel()
        pool.remove(connection)


async def _open_room(socket: WebSocket, registry: RoomRegistry, player: str) -> Room | None:
    """Return the table's room, or close the socket and return None; raise as `is_admitted` does."""
    try:
        room = await registry.open(socket.path_params["table"])
    except StoreError as error:
        _logger.warning("a table could not be read: %s", error, extra={"table": socket.path_params["table"]})
        await socket.close(RESTART, _NO_DATABASE)
        return None
    except CapacityError as error:
        await socket.close(TOO_MUCH, str(error))
        return None
    except GameError:
        _logger.exception("a table could not be replayed", extra={"table": socket.path_params["table"]})
        await socket.close(GONE, "this game was stored under older rules and cannot be shown")
        return None
    if room is None:
        await socket.close(GONE, "there is no such table")
    elif not await is_admitted(room, player):
        await socket.close(TOO_MUCH, "too many people are already watching this table")
        return None
    return room


async def _converse(socket: WebSocket, connection: Connection, room: Room, registry: RoomRegistry) -> None:
    """Handle messages until the connection ends, or close it if a message is not text or too long."""
    while (message := await connection.receive()) is not None:
        if not await _handle_text(connection, room, registry, message):
            await socket.close(BAD, "messages are text of at most 64 KB")
            return


async def _handle_text(connection: Connection, room: Room, registry: RoomRegistry, text: str | bytes) -> bool:
    """Parse and handle a message, throttled, or send what is wrong; return False if it is not text or too long."""
    received = registry.time.now()
    await connection.throttle()
    if isinstance(text, bytes) or len(text) > messages.LONGEST_MESSAGE:
        return False
    try:
        message = messages.parse_message(text)
    except UnreadableMessageError as error:
        connection.send_message(build_error(str(error)))
        connection.count_unreadable()
        return True
    if isinstance(message, messages.BeatReply):
        # Spectators send little else, so this comes first.
        connection.measure_lag(message.now, received)
    else:
        # A command that is being stored is stored, whether or not the client waits for it.
        await asyncio.shield(_handle_safely(connection, room, registry, message, received))
    return True


async def _handle_safely(
    connection: Connection, room: Room, registry: RoomRegistry, message: messages.Message, received: float
) -> None:
    """Handle a message that arrived at server time `received`; log a failure and send a sentence. Never raises."""
    try:
        await _handle_message(connection, room, registry, message, received)
    except IllegalMoveError as error:
        connection.send_message(build_error(error.reason, message))
    except RateLimitError as error:
        connection.send_message(build_error(error.sentence, message))
    except StoreError as error:
        _logger.warning("a message failed: %s", error, extra={"table": room.id, "kind": find_tag(type(message))})
        if isinstance(message, messages.Hello | messages.CommandMessage):
            # Whether the command is stored is unknown. The client finds out when it connects and sends it again.
            connection.disconnect(RESTART, _NO_DATABASE)
        else:
            connection.send_message(build_error("games cannot be read at the moment; try again", message))
    except Exception:
        # A failure for one client must not end the game for the others.
        _logger.exception("a message failed", extra={"table": room.id, "kind": find_tag(type(message))})
        connection.send_message(build_error("something went wrong on the server; try again", message))


async def _handle_message(
    connection: Connection, room: Room, registry: RoomRegistry, message: messages.Message, received: float
) -> None:
    """Do what a message asks; raise IllegalMoveError or RateLimitError if it is refused. Other errors pass through."""
    if isinstance(message, messages.Hello):
        await _handle_hello(connection, room, registry, message)
        return
    if (snapshot := connection.snapshot) is None:
        connection.send_message(build_error("the first message must be a hello"))
        return
    if isinstance(message, messages.CommandMessage):
        await _handle_command(connection, room, registry, message, received)
        return
    run = room.session.context.run_in_thread
    match message:
        case messages.Premoves():
            await room.save_premoves(connection, message)
        case messages.Preview():
            await room.preview(connection, message)
        case messages.Say():
            await connection.enforce_rate_limit("chat")
            await room.chat.say(connection.player, message, received)
        case messages.Report():
            await connection.enforce_rate_limit("chat")
            await room.chat.report(connection, message, received)
        case messages.Solve() | messages.Hint() | messages.Evaluate():
            _start_query(connection, room, registry, message)
        case messages.CancelSolve():
            connection.solve_query.cancel()
        case messages.ChangeViewer():
            connection.wanted_seat = message.viewer
            await room.change_viewer(connection)
        case messages.Look():
            connection.cancel_queries()
            seat = connection.wanted_seat
            connection.send_message(await look_at_position(room.session, connection.player, seat, message.ply))
        case messages.Complete():
            connection.send_message(await run(snapshot.complete_tokens, message.tokens))
        case messages.Why():
            connection.send_message(await run(snapshot.explain_refusal, message.text))


async def _handle_hello(connection: Connection, room: Room, registry: RoomRegistry, message: messages.Hello) -> None:
    """Show the table to a client that has connected or missed something (which counts as a reconnect), mark its
    connection active and send it a beat; cancel its queries. Raise as `Room.greet`.
    """
    connection.cancel_queries()
    connection.wanted_seat = message.viewer
    if message.version is not None:
        registry.metrics.count_reconnect()
    await room.greet(connection, message.version)
    connection.mark_active()
    # The page sets its clocks by this.
    connection.send_message(answers.Beat(now=registry.time.now()))


async def _handle_command(
    connection: Connection, room: Room, registry: RoomRegistry, message: messages.Command, received: float
) -> None:
    """Execute a command in the room, which answers; ignore it while the server stops. Raise RateLimitError, and as
    `Room.execute`.
    """
    if registry.closing:
        # Without an answer the client sends it again once the server is back.
        return
    if isinstance(message, messages.Rematch):
        await connection.enforce_rate_limit("tables")
    await registry.heartbeat.catch_up()
    await room.execute(connection.player, message, received, connection.lag, connection)


def _start_query(connection: Connection, room: Room, registry: RoomRegistry, message: messages.Query) -> None:
    """Start a query in the background, which answers the client; it cancels the one of the same kind, if any."""
    session, seat = room.session, connection.wanted_seat
    client = Client(connection.player, connection.wide_network)

    def reply(build: Callable[..., answers.ServerMessage], **fields: int) -> Reply:
        """Return a function that sends the message that `build` makes of the query's id, `fields` and an answer."""
        return lambda answer: connection.send_message(build(id=message.id, **fields, **answer))

    match message:
        case messages.Solve(ply=ply):
            solve = partial(solve_position, registry.solve_service, session, client, ply, connection.send_message)
            connection.solve_query.start(reply(answers.SolveAnswer, ply=ply), solve)
        case messages.Hint(version=version):
            hint = partial(find_hint, registry.hint_service, session, client, seat, version)
            connection.hint_query.start(reply(answers.HintAnswer), hint)
        case messages.Evaluate(version=version, ply=ply):
            evaluate = partial(evaluate_position, registry.hint_service, session, client, seat, version, ply)
            connection.evaluate_query.start(reply(answers.EvaluateAnswer, ply=ply), evaluate)
