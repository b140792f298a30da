"""Connections that break or are closed while the server still handles their messages."""

import asyncio
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.websockets import WebSocket
from websockets.exceptions import ConnectionClosed

from fourcorners.web.protocol.codec import EncodedMessage
from fourcorners.web.protocol.snapshots import Snapshot
from fourcorners.web.realtime.connection import BEAT_EVERY, RESTART, TOO_SLOW, Connection, ConnectionState
from fourcorners.web.realtime.room import Room
from tests.web.client import WAIT, Browser, Server


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

    server.registry.store.writer.submit("!", work)
    assert begun.wait(WAIT)


def create_table(browser: Browser) -> str:
    """Set up a game in which the browser plays both seats; return the table's id."""
    return browser.begin_table("square-off", size="4", seat_0="person", seat_1="person")


def test_connection_that_breaks_during_hello_is_closed_after_it_and_leaves_the_room(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch, release_event: threading.Event
) -> None:
    drawing = threading.Event()
    draw = Room._draw_for

    def draw_slowly(room: Room, *about: Any) -> Any:
        """Draw as usual, but not before `release_event` is set."""
        drawing.set()
        release_event.wait(WAIT)
        return draw(room, *about)

    with Browser(cold_server) as browser:
        table = create_table(browser)
        monkeypatch.setattr(Room, "_draw_for", draw_slowly)
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
        room = cold_server.registry.rooms[table]
        assert (room.guests, room.audience.watchers) == (0, [])


def test_browser_that_answers_no_beats_while_its_move_is_stored_is_not_disconnected(
    cold_server: Server, release_event: threading.Event
) -> None:
    with Browser(cold_server) as browser, browser.open_table(create_table(browser)) as socket:
        (connection,) = cold_server.connections
        block_store(cold_server, release_event)
        socket.send(type="move", id="m", version=0, move="a1")
        # Until the move waits for the store.
        while not cold_server.registry.store.writer.queue_length:
            browser.http.get("/healthz")
        # More beats than a socket may leave unanswered; the server does not listen meanwhile.
        for _ in range(4):
            cold_server.loop.call_soon_threadsafe(connection.send_beat, EncodedMessage(b'{"type":"beat","now":0}'))
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
        while not cold_server.registry.store.writer.queue_length:
            browser.http.get("/healthz")
        cold_server._server.should_exit = True
        socket.receive_until("bye")
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
            assert len(cold_server.registry.store.read_events_since(table, 0)) == 1


def test_connection_breaks_when_its_queue_is_full() -> None:
    async def fill() -> bool:
        """Queue more messages than the queue holds (64), and return whether the connection is broken then."""
        connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner")
        for _ in range(1000):
            connection.send(EncodedMessage(b"x"))
        return connection.state is ConnectionState.BROKEN

    assert asyncio.run(fill())


def test_connection_ends_at_the_beat_after_two_unanswered_ones_within_twelve_seconds() -> None:
    connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner")
    connection.mark_active()
    # Whether the connection ends, after two unanswered beats and at the next.
    broken = []

    async def listen() -> str | bytes | None:
        """Send beats to a connection that answers only the first; return what it receives then."""
        receiving = asyncio.create_task(connection.receive())
        await asyncio.sleep(0)
        connection.send_beat(EncodedMessage(b"1"))
        connection.receive_text("answer")
        assert await receiving == "answer"
        receiving = asyncio.create_task(connection.receive())
        await asyncio.sleep(0)
        connection.send_beat(EncodedMessage(b"2"))
        connection.send_beat(EncodedMessage(b"3"))
        broken.append(connection.is_ending)
        # The connection died just after the first answer.
        connection.send_beat(EncodedMessage(b"4"))
        broken.append(connection.is_ending)
        return await receiving

    assert asyncio.run(listen()) is None
    assert broken == [False, True]
    assert 3 * BEAT_EVERY <= 12
