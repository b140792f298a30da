"""The WebSocket endpoint of a table: opens it, and passes each message to the room or asks the engine."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.application.analysis import evaluate_position, find_hint, look_at_position, solve_position
from fourcorners.web.application.refusals import CapacityError, build_refusal
from fourcorners.web.auth.identity import NO_COOKIE, blocks_cookies
from fourcorners.web.auth.limits import RateLimiter, RateLimitError
from fourcorners.web.domain.commands import AnyCommand, Command, Rematch
from fourcorners.web.domain.rows import SERVER_FAULT, NoTableError, UnstorableTextError
from fourcorners.web.domain.table import NOT_REPLAYED, OTHER_RULES, ReplayError
from fourcorners.web.engine.cancellable_query import Reply
from fourcorners.web.engine.work_queue import Client
from fourcorners.web.protocol import client_messages as messages
from fourcorners.web.protocol import server_messages as answers
from fourcorners.web.protocol.close_codes import BAD, FAILED, GONE, RESTART, TOO_MUCH
from fourcorners.web.protocol.codec import UnreadableMessageError, find_tag
from fourcorners.web.protocol.server_messages import build_error
from fourcorners.web.realtime.connection import HANDOVER, Connection, ConnectionState, Conversation, encode_beats
from fourcorners.web.realtime.connection_pool import ConnectionPool
from fourcorners.web.realtime.room import DELETED, Room
from fourcorners.web.realtime.rooms import Rooms, get_rooms, is_admitted
from fourcorners.web.store import StoreError

_NO_DATABASE = "Games cannot be read at the moment. Connect again."
_logger = logging.getLogger(__name__)


async def serve_socket(socket: WebSocket) -> None:
    """Accept a socket, open its table and let a `TableConversation` serve it; close it if that is not possible.

    This returns while the socket is open, so that no task and no request wait for it. Any failure that is not the
    database's or the table's is raised once the socket is being closed.
    """
    rooms = get_rooms(socket)
    pool: ConnectionPool = socket.app.state.sockets
    state = socket.scope["state"]
    connection = Connection(socket, state["owner"], state["session"], rooms.context.time.now)
    try:
        await socket.accept()
    except WebSocketDisconnect:
        return
    connection.attach(state[HANDOVER].hand_over(connection))
    if not pool.has_room_for(connection):
        connection.disconnect(TOO_MUCH, "Too many connections are open.")
        connection.begin(_NoConversation())
        return
    pool.add(connection)
    conversation: Conversation = _NoConversation(partial(pool.remove, connection))
    try:
        room = await _open_room(connection, rooms, socket.path_params["table"])
        if room is not None:
            limits = socket.app.state.limits
            has_no_cookie = blocks_cookies(socket)
            conversation = TableConversation(connection, room, rooms, pool, limits, has_no_cookie=has_no_cookie)
    except BaseException:
        connection.disconnect(FAILED, "Something went wrong on the server.")
        raise
    finally:
        connection.begin(conversation)


async def _open_room(connection: Connection, rooms: Rooms, table: str) -> Room | None:
    """Return the table's room; or disconnect and return None if it cannot be read or shown, is deleted or full."""
    try:
        room = await rooms.open(table)
        is_welcome = room is None or await is_admitted(room, connection.player, connection.wide_network)
    except StoreError as error:
        _logger.warning("a table could not be read: %s", error, extra={"table": table})
        connection.disconnect(RESTART, _NO_DATABASE)
        return None
    except CapacityError as error:
        connection.disconnect(TOO_MUCH, str(error))
        return None
    except ReplayError:
        _logger.warning(NOT_REPLAYED, extra={"table": table})
        connection.disconnect(GONE, OTHER_RULES)
        return None
    except (NoTableError, UnstorableTextError):
        connection.disconnect(GONE, DELETED)
        return None
    if room is None:
        connection.disconnect(GONE, "There is no such table.")
    elif not is_welcome:
        connection.disconnect(TOO_MUCH, "Too many people are already watching this table.")
        return None
    return room


class _NoConversation:
    """The conversation of a connection that is being closed: it ignores what the client says."""

    def __init__(self, end: Callable[[], None] = lambda: None) -> None:
        """Ignore all messages, and call a function at the end."""
        self.end = end

    def handle(self, _: str | bytes, received: float) -> None:
        """Ignore a message."""


class TableConversation:
    """The conversation of a connection to a table: its messages go to the room, or ask the engine about a position."""

    __slots__ = ("_connection", "_has_no_cookie", "_limits", "_pool", "_room", "_rooms")

    def __init__(
        self,
        connection: Connection,
        room: Room,
        rooms: Rooms,
        pool: ConnectionPool,
        limits: RateLimiter,
        *,
        has_no_cookie: bool = False,
    ) -> None:
        """Enter the room; `end` leaves it and the pool. With `has_no_cookie` commands are refused: the browser's next
        connection would be another player's.
        """
        self._has_no_cookie = has_no_cookie
        self._connection = connection
        self._room = room
        self._rooms = rooms
        self._pool = pool
        self._limits = limits
        connection.game = room.game
        warmup = room.context.warmup
        warmup.prefer(room.game)
        if not warmup.is_available(room.game):
            connection.send_message(answers.Preparing(features=warmup.describe(room.game)))
        room.enter(connection.wide_network)

    def end(self) -> None:
        """Leave the room and the pool, and cancel the queries."""
        self._room.leave(self._connection, is_lost=self._connection.state is ConnectionState.BROKEN)
        self._connection.cancel_queries()
        self._pool.remove(self._connection)

    def handle(self, text: str | bytes, received: float) -> Coroutine[Any, Any, None] | None:
        """Handle a message that arrived at server time `received`, throttled: beats at once, for others return what
        remains to be done.
        """
        wait = self._connection.allowance.spend(1)
        return self._handle_later(wait, text, received) if wait else self._handle_text(text, received)

    async def _handle_later(self, seconds: float, text: str | bytes, received: float) -> None:
        """Handle a message after some time."""
        await asyncio.sleep(seconds)
        rest = self._handle_text(text, received)
        if rest is not None:
            await rest

    def _handle_text(self, text: str | bytes, received: float) -> Coroutine[Any, Any, None] | None:
        """Parse and handle a message that arrived at server time `received`, or send what is wrong; disconnect if it is
        not text or too long.
        """
        connection = self._connection
        if isinstance(text, bytes) or len(text) > messages.LONGEST_MESSAGE:
            connection.disconnect(BAD, "Messages must be text of at most 64 KB.")
            return None
        try:
            message = messages.parse_message(text)
        except UnreadableMessageError as error:
            connection.send_message(build_error(str(error)))
            connection.count_unreadable()
            return None
        if isinstance(message, messages.BeatAnswer):
            # Spectators send little else, so this comes first.
            connection.measure_lag(message.now, received)
            return None
        connection.mark_used()
        if isinstance(message, messages.Probe):
            # With the time of the answer, or the time in which the probe has waited would count as lag.
            connection.send(encode_beats(self._room.context.time.now())[0])
            return None
        return self._handle_safely(message, received)

    async def _handle_safely(self, message: messages.Message, received: float) -> None:
        """Handle a message that arrived at server time `received`; log a failure and send a sentence. Never raises."""
        connection, room = self._connection, self._room
        try:
            await self._handle_message(message, received)
        except IllegalMoveError as error:
            connection.send_message(build_error(error.reason, message))
        except RateLimitError as error:
            connection.send_message(build_error(error.sentence, message))
        except ReplayError:
            # Nor does it replay for the others.
            room.refuse_watchers()
            connection.disconnect(GONE, OTHER_RULES)
        except StoreError as error:
            _logger.warning("a message failed: %s", error, extra={"table": room.id, "kind": find_tag(type(message))})
            if isinstance(message, messages.Hello | Command):
                # Whether the command is stored is unknown. The client finds out when it connects and sends it again.
                connection.disconnect(RESTART, _NO_DATABASE)
            else:
                connection.send_message(build_error(build_refusal(error).detail, message))
        except NoTableError:
            connection.disconnect(GONE, DELETED)
        except Exception:
            # A failure for one client must not end the game for the others.
            _logger.exception("a message failed", extra={"table": room.id, "kind": find_tag(type(message))})
            connection.send_message(build_error(SERVER_FAULT, message))

    async def _handle_message(self, message: messages.Message, received: float) -> None:
        """Do what a message asks; raise IllegalMoveError or RateLimitError if it is refused; others pass through."""
        connection, room = self._connection, self._room
        if isinstance(message, messages.Hello):
            await self._handle_hello(message)
            return
        if (snapshot := connection.snapshot) is None:
            connection.send_message(build_error(answers.NO_HELLO))
            return
        if isinstance(message, Command):
            await self._handle_command(message, received)
            return
        run = room.context.run_in_board_thread
        match message:
            case messages.Premoves():
                await room.save_premoves(connection, message)
            case messages.Preview():
                await room.premoves.preview(connection, message)
            case messages.Say():
                await connection.enforce_rate_limit(self._limits, "chat")
                await room.chat.say(connection.player, message, received)
            case messages.Report():
                await connection.enforce_rate_limit(self._limits, "chat")
                await room.chat.report(connection, message, received)
            case messages.Solve() | messages.Hint() | messages.Evaluate():
                self._start_query(message)
            case messages.CancelSolve():
                connection.solve_query.cancel()
            case messages.ChangeViewer():
                connection.wanted_seat = message.viewer
                await room.change_viewer(connection)
            case messages.ChangeVisibility():
                await room.change_visibility(connection, visible=message.visible)
            case messages.Look():
                connection.cancel_queries()
                seat = connection.wanted_seat
                connection.send_message(await look_at_position(room.session, connection.player, seat, message.ply))
            case messages.Complete():
                connection.send_message(await run(snapshot.complete_tokens, message.tokens))
            case messages.Why():
                connection.send_message(await run(snapshot.explain_refusal, message.text))

    async def _handle_hello(self, message: messages.Hello) -> None:
        """Show the table to a client that has connected or missed something (which counts as a reconnect), mark its
        connection active and send it a beat; cancel its queries. Raise as `Room.greet`.
        """
        connection = self._connection
        connection.cancel_queries()
        connection.wanted_seat = message.viewer
        connection.is_visible = message.visible
        if message.version is not None:
            self._room.context.metrics.count_reconnect()
        await self._room.greet(connection, message.version)
        connection.mark_active()
        # The page sets its clocks by this.
        connection.send(encode_beats(self._room.context.time.now())[0])

    async def _handle_command(self, message: AnyCommand, received: float) -> None:
        """Execute a command in the room, which answers; ignore it while the server stops. Raise RateLimitError, and as
        `Room.execute`.
        """
        if self._rooms.closing:
            # Without an answer the client sends it again once the server is back.
            return
        if self._has_no_cookie:
            self._connection.send_message(answers.Refused(id=message.id, code="cookies", sentence=NO_COOKIE))
            return
        if isinstance(message, Rematch):
            await self._connection.enforce_rate_limit(self._limits, "tables")
        connection = self._connection
        await self._room.execute(connection.player, message, received, connection.lag, connection)

    def _start_query(self, message: messages.Query) -> None:
        """Start a query in the background, which answers the client; it cancels the one of the same kind, if any."""
        connection, session = self._connection, self._room.session
        seat = connection.wanted_seat
        client = Client(connection.player, connection.wide_network)

        def reply(build: Callable[..., answers.ServerMessage], **fields: int) -> Reply:
            """Return a function that sends the message that `build` makes of the query's id, `fields` and an answer."""
            return lambda answer: connection.send_message(build(id=message.id, **fields, **answer))

        match message:
            case messages.Solve(ply=ply):
                solve = partial(solve_position, session, client, ply, connection.send_message)
                connection.solve_query.start(reply(answers.SolveAnswer, ply=ply), solve)
            case messages.Hint(version=version):
                hint = partial(find_hint, session, client, seat, version)
                connection.hint_query.start(reply(answers.HintAnswer), hint)
            case messages.Evaluate(version=version, ply=ply):
                evaluate = partial(evaluate_position, session, client, seat, version, ply)
                connection.evaluate_query.start(reply(answers.EvaluateAnswer, ply=ply), evaluate)
