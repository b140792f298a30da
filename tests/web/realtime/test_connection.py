"""Connections that break or are closed while the server still handles their messages."""

import asyncio
import gc
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from enum import Enum
from logging import Logger
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, Self, cast

import pytest
from starlette.websockets import WebSocket
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.exceptions import ConnectionClosed

from fourcorners.web.application.analysis import look_at_position
from fourcorners.web.auth.limits import RateLimiter
from fourcorners.web.domain import table_clock
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
from tests.clock import Clock
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server, StartServer, seat_two


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
        self.closed: list[int] = []

    def send_text(self, text: bytes) -> None:
        self.sent.append(text)

    def close(self, code: int, reason: str) -> None:
        self.closed.append(code)

    def pause_reading(self) -> None:
        raise AssertionError

    resume_reading = abort = pause_reading


class FakeConversation:
    """A conversation that notes everything; beats are no use of the connection, all other messages are.

    It handles a message "slow" until `answer` is set.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.heard: list[tuple[str | bytes, float]] = []
        self.answer, self.has_ended = asyncio.Event(), asyncio.Event()

    def handle(self, text: str | bytes, received: float) -> Coroutine[Any, Any, Any] | None:
        self.heard.append((text, received))
        if text != "beat":
            self.connection.mark_used()
        return self.answer.wait() if text == "slow" else None

    def end(self) -> None:
        self.has_ended.set()


BEAT, QUIET_BEAT = EncodedMessage(b"beat"), EncodedMessage(b"quiet beat")


class Visitor:
    """Visits its connection in regular rounds; the channel and the conversation note everything."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Open a connection, in a running loop; its client has not said hello."""
        self.connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner", now=now)
        self.channel, self.conversation = FakeChannel(), FakeConversation(self.connection)
        self.connection.attach(self.channel)
        self._now = 0.0

    def say_hello(self) -> Self:
        self.connection.begin(self.conversation)
        self.connection.mark_active()
        return self

    def visit(self) -> bool:
        """Send a beat if it is time, and return whether the connection ends."""
        self._now += BEAT_EVERY
        self.connection.send_beat(BEAT, QUIET_BEAT, self._now, BEAT_EVERY)
        return self.connection.is_ending

    def list_beats(self, rounds: int) -> list[bytes]:
        """Visit this many times; answer each beat, and return what is sent in each round, b"" for nothing."""
        beats = []
        for _ in range(rounds):
            self.channel.sent.clear()
            self.visit()
            beats.append(b"".join(self.channel.sent))
            if self.channel.sent:
                self.connection.receive_text("beat")
        return beats


async def test_connection_breaks_when_its_queue_is_full() -> None:
    connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner")
    # The queue holds 64.
    for _ in range(1000):
        connection.send(EncodedMessage(b"x"))
    assert connection.state is ConnectionState.BROKEN


async def test_connection_ends_at_the_beat_after_two_unanswered_ones_within_twelve_seconds() -> None:
    visitor = Visitor().say_hello()
    visitor.visit()
    visitor.connection.receive_text("beat")
    # The connection dies just after the first answer.
    assert [visitor.visit() for _ in range(3)] == [False, False, True]
    await asyncio.wait_for(visitor.conversation.has_ended.wait(), WAIT)
    assert visitor.channel.closed == [TOO_SLOW]
    assert [text for text, _ in visitor.conversation.heard] == ["beat"]
    assert 3 * BEAT_EVERY <= 12


async def test_quiet_connection_gets_a_quarter_of_the_beats_until_it_is_used_again() -> None:
    visitor = Visitor().say_hello()
    busy = [BEAT] * (QUIET_ROUNDS - 1)
    assert visitor.list_beats(QUIET_ROUNDS + 8) == [*busy, *([QUIET_BEAT, b"", b"", b""] * 3)[:9]]
    visitor.connection.receive_text("move")
    assert visitor.list_beats(QUIET_ROUNDS + 1) == [*busy, QUIET_BEAT, b""]
    visitor.connection.send(EncodedMessage(b"patch"))
    assert visitor.list_beats(QUIET_ROUNDS + 1) == [*busy, QUIET_BEAT, b""]


async def test_quiet_connection_that_leaves_a_beat_unanswered_gets_the_next_ones_without_a_gap_and_ends() -> None:
    visitor = Visitor().say_hello()
    visitor.list_beats(QUIET_ROUNDS)
    visitor.channel.sent.clear()
    assert [visitor.visit() for _ in range(QUIET_BEAT_EVERY // BEAT_EVERY + 2)][-1]
    assert visitor.channel.sent == [QUIET_BEAT, QUIET_BEAT]


@pytest.mark.parametrize(
    ("kind", "running", "seats", "beats"),
    [("game", 1, [0], BEAT), ("days", 1, [0], b""), ("game", None, [0], b""), ("game", 1, [], b"")],
)
async def test_only_players_with_a_running_clock_get_all_beats_however_long_they_think(
    kind: str, running: int | None, seats: list[int], beats: bytes
) -> None:
    visitor = Visitor().say_hello()
    board = SimpleNamespace(seats=seats, clock=SimpleNamespace(kind=kind, running=running))
    visitor.connection.snapshot = cast("Snapshot", SimpleNamespace(board=board))
    # In this round a quiet connection gets none.
    assert visitor.list_beats(2 * QUIET_ROUNDS + 2)[-1] == beats


async def test_connection_without_a_hello_gets_no_beats_and_ends_after_half_a_minute() -> None:
    visitor = Visitor()
    assert [visitor.visit() for _ in range(8)] == [False] * 7 + [True]
    assert visitor.channel.sent == []


async def test_other_messages_do_not_keep_a_connection_without_a_hello_open() -> None:
    visitor = Visitor()
    visitor.connection.begin(visitor.conversation)
    ends = []
    for _ in range(8):
        visitor.connection.receive_text("probe")
        visitor.connection.send(EncodedMessage(b"for all"))
        ends.append(visitor.visit())
    assert ends == [False] * 7 + [True]


async def test_connection_stays_open_however_long_its_hello_takes() -> None:
    """It waits for its room and then for the database."""
    visitor = Visitor()
    visitor.connection.receive_text("slow")
    assert not any(visitor.visit() for _ in range(20))
    visitor.connection.begin(visitor.conversation)
    assert not any(visitor.visit() for _ in range(20))


async def test_message_that_waits_for_another_keeps_the_time_of_its_arrival() -> None:
    visitor = Visitor(iter([1.0, 2.0]).__next__)
    visitor.connection.begin(visitor.conversation)
    heard = visitor.conversation.heard
    visitor.connection.receive_text("slow")
    visitor.connection.receive_text("move")
    assert heard == [("slow", 1.0)]
    visitor.conversation.answer.set()
    for _ in range(10):
        await asyncio.sleep(0)
    assert heard == [("slow", 1.0), ("move", 2.0)]


def test_waiting_for_an_earlier_message_is_neither_charged_to_the_player_nor_lag(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch, release_event: threading.Event
) -> None:
    # Neither an outage nor a beat may come while the clock jumps.
    monkeypatch.setattr("fourcorners.web.realtime.background_tasks.BEATS_EVERY", 1e6)
    monkeypatch.setattr("fourcorners.web.realtime.heartbeat.GRACE", 1e9)
    monkeypatch.setattr("fourcorners.web.realtime.connection_pool.BEAT_EVERY", 1e6)
    clock = Clock(1_000_000.0)
    server = start_cold(server_time=ServerTime(0.0, lambda: 0.0, clock))
    begun = threading.Event()

    async def look_slowly(*about: Any) -> Any:
        """Answer as usual, but not before `release_event` is set."""
        begun.set()
        await asyncio.get_running_loop().run_in_executor(None, release_event.wait, WAIT)
        return await look_at_position(*about)

    monkeypatch.setattr(table_clock, "GRACE", 0.0)
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


def test_idle_sockets_have_no_tasks_and_keep_nothing_of_their_handshake(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The sockets answer no beats while this test looks at them, and would be closed.
    monkeypatch.setattr("fourcorners.web.realtime.connection_pool.BEAT_EVERY", 1e6)
    server = start_cold()

    def count_tasks() -> int:
        """Return how many tasks the server has."""
        answer: Future[int] = Future()
        server.loop.call_soon_threadsafe(lambda: answer.set_result(len(asyncio.all_tasks(server.loop))))
        return answer.result(WAIT)

    gc.collect()  # what earlier tests have left
    with Browser(server) as browser, ExitStack() as sockets:
        table = create_table(browser)
        before = count_tasks()
        for _ in range(5):
            sockets.enter_context(browser.open_table(table))
        wait_until(lambda: count_tasks() <= before)
        assert len(server.connections) == 5
        # `isinstance` would fail for weak proxies of objects that are gone.
        wait_until(
            lambda: (
                not any(
                    type(each) in {WebSocket, HttpConnection, WebSocketsSansIOProtocol} for each in gc.get_objects()
                )
            )
        )
        sizes = [len(list_own_objects(connection)) for connection in server.connections]
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
