"""Connections that break or are closed while the server still handles their messages."""

import asyncio
import gc
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from enum import Enum
from logging import Logger
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
from starlette.websockets import WebSocket
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.exceptions import ConnectionClosed

from fourcorners.web.application.analysis import look_at_position
from fourcorners.web.auth.limits import RateLimiter
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.protocol.close_codes import RESTART, TOO_SLOW
from fourcorners.web.protocol.codec import EncodedMessage
from fourcorners.web.protocol.snapshots import Snapshot
from fourcorners.web.realtime import websocket_endpoint
from fourcorners.web.realtime.audience import Audience
from fourcorners.web.realtime.connection import (
    BEAT_EVERY,
    QUIET_BEAT_EVERY,
    QUIET_ROUNDS,
    Connection,
    ConnectionState,
)
from fourcorners.web.realtime.connection_pool import ConnectionPool
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.rooms import Rooms
from fourcorners.web.wire.guard import Guard
from fourcorners.web.wire.http_connection import HttpConnection
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server, seat_two


@pytest.fixture
def release_event() -> Iterator[threading.Event]:
    """An event on which parts of the server wait; it is set at the end of the test, if not before."""
    event = threading.Event()
    yield event
    event.set()


def block_store(server: Server, release_event: threading.Event) -> None:
    """Keep the writer of the store busy until `release_event` is set, but at most `WAIT` seconds; return once it is."""
    begun = threading.Event()

    def work(_: object) -> None:
        """Occupy the thread of the writer."""
        begun.set()
        release_event.wait(WAIT)

    server.context.store.writer.submit("!", work)
    assert begun.wait(WAIT)


def create_table(browser: Browser) -> str:
    """Set up a game in which the browser plays both seats; return the table's id."""
    return browser.begin_table("square-off", size="4", seat_0="person", seat_1="person")


def test_connection_that_breaks_during_hello_is_closed_after_it_and_leaves_the_room(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch, release_event: threading.Event
) -> None:
    drawing = threading.Event()
    draw = Audience.draw_snapshot

    def draw_slowly(audience: Audience, *about: Any) -> Any:
        """Draw as usual, but not before `release_event` is set."""
        drawing.set()
        release_event.wait(WAIT)
        return draw(audience, *about)

    with Browser(cold_server) as browser:
        table = create_table(browser)
        monkeypatch.setattr(Audience, "draw_snapshot", draw_slowly)
        with browser.connect(table) as socket:
            socket.send(type="hello", version=None, viewer=None)
            assert drawing.wait(WAIT)
            (connection,) = cold_server.connections
            cold_server.loop.call_soon_threadsafe(connection.break_off)
            # The server is not blocked, and by the last of these answers it has handled the break-off.
            for _ in range(10):
                browser.http.get("/healthz")
            assert cold_server.connections == [connection]
            release_event.set()
            assert socket.receive_close_code() == TOO_SLOW
        while cold_server.connections:
            browser.http.get("/healthz")
        room = cold_server.rooms.opened[table]
        assert (room.guests.total(), room.audience.watchers) == (0, [])


def test_browser_that_answers_no_beats_while_its_move_is_stored_is_not_disconnected(
    cold_server: Server, release_event: threading.Event
) -> None:
    with Browser(cold_server) as browser, browser.open_table(create_table(browser)) as socket:
        (connection,) = cold_server.connections
        block_store(cold_server, release_event)
        socket.send(type="move", id="m", version=0, move="a1")
        # Until the move waits for the store.
        while not cold_server.context.store.writer.queue_length:
            browser.http.get("/healthz")
        # More beats than a socket may leave unanswered; the server does not listen meanwhile.
        beat = EncodedMessage(b'{"type":"beat","now":0,"interval":4}')
        for _ in range(4):
            cold_server.loop.call_soon_threadsafe(connection.send_beat, beat, beat, 0.0, BEAT_EVERY)
        browser.http.get("/healthz")
        release_event.set()
        assert socket.receive_until("done")["version"] == 1
        assert not connection.is_ending


def test_move_being_stored_during_shutdown_is_acknowledged_before_the_socket_is_closed(
    cold_server: Server, release_event: threading.Event
) -> None:
    with Browser(cold_server) as browser, browser.open_table(create_table(browser)) as socket:
        block_store(cold_server, release_event)
        socket.send(type="move", id="m", version=0, move="a1")
        # Until the move waits for the store.
        while not cold_server.context.store.writer.queue_length:
            browser.http.get("/healthz")
        cold_server._server.should_exit = True
        socket.receive_until("goodbye")
        release_event.set()
        assert socket.receive_until("done")["version"] == 1
        with pytest.raises(ConnectionClosed) as closed:
            # No message has this type, so that it receives until the socket is closed.
            socket.receive_until("no message")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == RESTART


def test_move_is_acknowledged_and_stored_even_if_it_cannot_be_drawn_for_spectators(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Browser(cold_server) as browser, Browser(cold_server) as onlooker:
        table = create_table(browser)
        with browser.open_table(table) as socket, onlooker.open_table(table):
            build_patch = Snapshot.build_patch

            def fail_for_spectators(snapshot: Snapshot, *about: Any) -> EncodedMessage:
                """Build a patch as usual, but raise RuntimeError for spectators."""
                if snapshot.perspective.viewer is None:
                    raise RuntimeError("cannot be drawn")
                return build_patch(snapshot, *about)

            monkeypatch.setattr(Snapshot, "build_patch", fail_for_spectators)
            socket.send(type="move", id="m", version=0, move="a1")
            assert socket.receive_until("done")["version"] == 1
            assert len(cold_server.context.store.read_events_since(table, 0)) == 1


class FakeChannel:
    """A channel to a client that reads everything and answers nothing."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.closed: list[tuple[int, str]] = []

    def send_text(self, text: bytes) -> None:
        self.sent.append(text)

    def close(self, code: int, reason: str) -> None:
        self.closed.append((code, reason))

    def pause_reading(self) -> None:
        raise AssertionError

    def resume_reading(self) -> None:
        raise AssertionError

    def abort(self) -> None:
        raise AssertionError


class FakeConversation:
    """A conversation that notes everything; beats are no use of the connection, all other messages are."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.heard: list[str | bytes] = []
        self.has_ended = asyncio.Event()

    def handle(self, text: str | bytes, received: float) -> None:
        self.heard.append(text)
        if text != "beat":
            self.connection.mark_used()

    def end(self) -> None:
        self.has_ended.set()


BEAT, QUIET_BEAT = EncodedMessage(b"beat"), EncodedMessage(b"quiet beat")


def open_connection() -> tuple[Connection, FakeChannel, FakeConversation]:
    """Return a connection whose client has said hello, its channel and its conversation; in a running loop."""
    connection, channel = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner"), FakeChannel()
    conversation = FakeConversation(connection)
    connection.attach(channel)
    connection.begin(conversation)
    connection.mark_active()
    return connection, channel, conversation


class Visitor:
    """Visits a connection in regular rounds."""

    def __init__(self, connection: Connection, pause: float = BEAT_EVERY) -> None:
        self._connection = connection
        self._pause = pause
        self._now = 0.0

    def visit(self) -> None:
        self._now += self._pause
        self._connection.send_beat(BEAT, QUIET_BEAT, self._now, self._pause)


def list_beats(connection: Connection, channel: FakeChannel, visitor: Visitor, rounds: int) -> list[bytes]:
    """Visit a connection for so many rounds; answer each beat, and return what is sent in each, b"" for nothing."""
    beats = []
    for _ in range(rounds):
        channel.sent.clear()
        visitor.visit()
        beats.append(b"".join(channel.sent))
        if channel.sent:
            connection.receive_text("beat")
    return beats


def test_connection_breaks_when_its_queue_is_full() -> None:
    async def fill() -> bool:
        """Queue more messages than the queue holds (64), and return whether the connection is broken then."""
        connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner")
        for _ in range(1000):
            connection.send(EncodedMessage(b"x"))
        return connection.state is ConnectionState.BROKEN

    assert asyncio.run(fill())


def test_connection_ends_at_the_beat_after_two_unanswered_ones_within_twelve_seconds() -> None:
    async def listen() -> tuple[list[bool], list[tuple[int, str]], list[str | bytes]]:
        """Send beats to a connection that answers only the first; return whether it ends, after the third and at the
        fourth, how it is closed, and what it has heard.
        """
        connection, channel, conversation = open_connection()
        visitor = Visitor(connection)
        visitor.visit()
        connection.receive_text("beat")
        visitor.visit()
        visitor.visit()
        broken = [connection.is_ending]
        # The connection died just after the first answer.
        visitor.visit()
        broken.append(connection.is_ending)
        await asyncio.wait_for(conversation.has_ended.wait(), WAIT)
        return broken, channel.closed, conversation.heard

    broken, closed, heard = asyncio.run(listen())
    assert broken == [False, True]
    assert [code for code, _ in closed] == [TOO_SLOW]
    assert heard == ["beat"]
    assert 3 * BEAT_EVERY <= 12


def test_quiet_connection_gets_a_quarter_of_the_beats_until_it_is_used_again() -> None:
    async def visit() -> tuple[list[bytes], ...]:
        """Return the beats of a new connection, after its client has sent a message, and after it was sent one."""
        connection, channel, _ = open_connection()
        visitor = Visitor(connection)
        first = list_beats(connection, channel, visitor, QUIET_ROUNDS + 8)
        connection.receive_text("move")
        used = list_beats(connection, channel, visitor, QUIET_ROUNDS + 1)
        connection.send(EncodedMessage(b"patch"))
        return first, used, list_beats(connection, channel, visitor, QUIET_ROUNDS + 1)

    busy = [BEAT] * (QUIET_ROUNDS - 1)
    first, used, updated = asyncio.run(visit())
    assert first == [*busy, *([QUIET_BEAT, b"", b"", b""] * 3)[:9]]
    assert used == updated == [*busy, QUIET_BEAT, b""]


def test_quiet_connection_that_leaves_a_beat_unanswered_gets_the_next_ones_without_a_gap_and_ends() -> None:
    async def visit() -> tuple[list[bytes], bool]:
        """Return what is sent after a quiet connection has died, until it ends, and whether it does."""
        connection, channel, _ = open_connection()
        visitor = Visitor(connection)
        list_beats(connection, channel, visitor, QUIET_ROUNDS)
        channel.sent.clear()
        for _ in range(QUIET_BEAT_EVERY // BEAT_EVERY + 2):
            visitor.visit()
        return channel.sent, connection.is_ending

    assert asyncio.run(visit()) == ([QUIET_BEAT, QUIET_BEAT], True)


@pytest.mark.parametrize(
    ("kind", "running", "seats", "beats"),
    [("game", 1, [0], BEAT), ("days", 1, [0], b""), ("game", None, [0], b""), ("game", 1, [], b"")],
)
def test_only_players_with_a_running_clock_get_all_beats_however_long_they_think(
    kind: str, running: int | None, seats: list[int], beats: bytes
) -> None:
    async def visit() -> list[bytes]:
        """Return the beats of the second minute."""
        connection, channel, _ = open_connection()
        clock = SimpleNamespace(kind=kind, running=running)
        connection.snapshot = cast("Snapshot", SimpleNamespace(board=SimpleNamespace(seats=seats, clock=clock)))
        return list_beats(connection, channel, Visitor(connection), 2 * QUIET_ROUNDS + 2)

    # In this round a quiet connection gets none.
    assert asyncio.run(visit())[-1] == beats


def test_connection_without_a_hello_gets_no_beats_and_ends_after_half_a_minute() -> None:
    async def visit() -> tuple[list[bytes], list[bool]]:
        """Visit a new connection; return what it is sent, and whether it ends, after each round."""
        connection, channel = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner"), FakeChannel()
        connection.attach(channel)
        visitor = Visitor(connection)
        ends = []
        for _ in range(8):
            visitor.visit()
            ends.append(connection.is_ending)
        return channel.sent, ends

    assert asyncio.run(visit()) == ([], [False] * 7 + [True])


def test_other_messages_do_not_keep_a_connection_without_a_hello_open() -> None:
    async def visit() -> list[bool]:
        """Visit a connection whose client sends probes, and gets messages for all; return whether it ends each time."""
        connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner")
        connection.attach(FakeChannel())
        connection.begin(FakeConversation(connection))
        visitor = Visitor(connection)
        ends = []
        for _ in range(8):
            connection.receive_text("probe")
            connection.send(EncodedMessage(b"for all"))
            visitor.visit()
            ends.append(connection.is_ending)
        return ends

    assert asyncio.run(visit()) == [False] * 7 + [True]


def test_connection_stays_open_however_long_its_hello_takes() -> None:
    async def visit() -> tuple[bool, bool]:
        """Visit a connection whose hello waits for its room and then for the database; return whether it ends, after
        each of the two.
        """
        connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner")
        connection.attach(FakeChannel())
        connection.receive_text("hello")
        visitor = Visitor(connection)
        for _ in range(20):
            visitor.visit()
        ends = connection.is_ending
        answer = asyncio.Event()

        class SlowConversation(FakeConversation):
            """A conversation that takes its time."""

            def handle(self, *_: object) -> Coroutine[Any, Any, None]:  # type: ignore[override]
                return self.wait()

            async def wait(self) -> None:
                await answer.wait()

        connection.begin(SlowConversation(connection))
        for _ in range(20):
            visitor.visit()
        return ends, connection.is_ending

    assert asyncio.run(visit()) == (False, False)


def test_message_that_waits_for_another_keeps_the_time_of_its_arrival() -> None:
    times = iter([1.0, 2.0])

    async def listen() -> list[tuple[str | bytes, float]]:
        """Receive two messages of which the first takes long; return what the conversation gets."""
        connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner", now=lambda: next(times))
        connection.attach(FakeChannel())
        heard: list[tuple[str | bytes, float]] = []
        answer, is_done = asyncio.Event(), asyncio.Event()

        class SlowConversation(FakeConversation):
            """A conversation that waits for `answer` with the first message."""

            def handle(self, text: str | bytes, received: float) -> Coroutine[Any, Any, None] | None:  # type: ignore[override]
                heard.append((text, received))
                if len(heard) == 1:
                    return self.wait()
                is_done.set()
                return None

            async def wait(self) -> None:
                await answer.wait()

        connection.begin(SlowConversation(connection))
        connection.receive_text("look")
        connection.receive_text("move")
        assert heard == [("look", 1.0)]
        answer.set()
        await asyncio.wait_for(is_done.wait(), WAIT)
        return heard

    assert asyncio.run(listen()) == [("look", 1.0), ("move", 2.0)]


class FakeClock:
    """A clock that returns `time`, in seconds, which stands still until a test changes it."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


def test_waiting_for_an_earlier_message_is_neither_charged_to_the_player_nor_lag(
    start_cold: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, release_event: threading.Event
) -> None:
    # Neither an outage nor a beat may come while the clock jumps.
    monkeypatch.setattr("fourcorners.web.realtime.background_tasks.BEATS_EVERY", 1e6)
    monkeypatch.setattr("fourcorners.web.realtime.heartbeat.GRACE", 1e9)
    monkeypatch.setattr("fourcorners.web.realtime.connection_pool.BEAT_EVERY", 1e6)
    clock = FakeClock()
    server = start_cold(server_time=ServerTime(0.0, lambda: 0.0, clock))
    begun = threading.Event()

    async def look_slowly(*about: Any) -> Any:
        """Answer as usual, but not before `release_event` is set."""
        begun.set()
        await asyncio.get_running_loop().run_in_executor(None, release_event.wait, WAIT)
        return await look_at_position(*about)

    with Browser(server) as first, Browser(server) as second:
        ada, bo = seat_two(first, second, clock="60+2")
        with ada, bo:
            connection = next(each for each in server.connections if each.snapshot and 0 in each.snapshot.board.seats)
            monkeypatch.setattr(websocket_endpoint, "look_at_position", look_slowly)
            now, version = server.context.time.now(), ada.state["version"]
            ada.send(type="look", ply=0)
            assert begun.wait(WAIT)
            ada.send(type="beat", now=now)
            ada.send(type="move", id="m", version=version, move="a1")
            ada.send(type="probe")
            wait_until(lambda: len(connection._received) == 3)
            clock.time += 20
            release_event.set()
            # The answer to the probe has the time at which it is sent.
            while ada.receive_until("beat")["now"] != now + 20:
                pass
            assert connection.lag == 0.0
            assert ada.state["clock"]["left"] == [62, 60]


def test_idle_sockets_have_no_tasks_and_keep_nothing_of_their_handshake(cold_server: Server) -> None:
    def count_tasks() -> int:
        """Return how many tasks the server has."""
        answer: Future[int] = Future()
        cold_server.loop.call_soon_threadsafe(lambda: answer.set_result(len(asyncio.all_tasks(cold_server.loop))))
        return answer.result(WAIT)

    with Browser(cold_server) as browser, ExitStack() as sockets:
        table = create_table(browser)
        before = count_tasks()
        for _ in range(5):
            sockets.enter_context(browser.open_table(table))
        wait_until(lambda: count_tasks() <= before)
        assert len(cold_server.connections) == 5
        # `isinstance` would fail for weak proxies of objects that are gone.
        wait_until(
            lambda: (
                not any(
                    type(each) in {WebSocket, HttpConnection, WebSocketsSansIOProtocol} for each in gc.get_objects()
                )
            )
        )
        sizes = [len(list_own_objects(connection)) for connection in cold_server.connections]
    # Among them its parser with 6 generators and containers, 3 queries, and the transport.
    assert max(sizes) <= 40, sizes


def list_own_objects(connection: Connection) -> list[object]:
    """Return the objects, as far as the garbage collector knows them, that exist for this connection alone."""
    of_server = (Guard, ServerState, Room, Rooms, ConnectionPool, RateLimiter, Snapshot)
    shared = (type, ModuleType, FunctionType, Logger, Enum, asyncio.AbstractEventLoop, *of_server)
    found: dict[int, object] = {}
    waiting: list[object] = [connection]
    while waiting:
        each = waiting.pop()
        if id(each) not in found and gc.is_tracked(each) and not issubclass(type(each), shared):
            found[id(each)] = each
            waiting += gc.get_referents(each)
    return list(found.values())
