"""Lines that break, or are closed, while the server is still busy with what they said."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from fourcorners.web.protocol.codec import EncodedMessage
from fourcorners.web.protocol.snapshots import Snapshot
from fourcorners.web.realtime.connection import TOO_SLOW
from fourcorners.web.realtime.room import Room
from tests.web.client import WAIT, Browser, Server


@pytest.fixture
def held() -> Iterator[threading.Event]:
    """What holds something up until it is set, at the latest at the end."""
    event = threading.Event()
    yield event
    event.set()


def hold_up(server: Server, held: threading.Event) -> None:
    """Let the store be busy until something is set."""
    begun = threading.Event()

    def work(_: object) -> None:
        begun.set()
        held.wait(WAIT)

    server.registry.store.writer.submit("!", work)
    assert begun.wait(WAIT)


def two_persons(browser: Browser) -> str:
    return browser.begin("square-off", size="4", seat_0="person", seat_1="person")


def test_a_line_that_breaks_during_its_hello_leaves_nobody_in_the_room(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch, held: threading.Event
) -> None:
    drawing = threading.Event()
    draw = Room._draw_for

    def slowly(room: Room, *about: Any) -> Any:
        drawing.set()
        held.wait(WAIT)
        return draw(room, *about)

    with Browser(cold_server) as browser:
        table = two_persons(browser)
        monkeypatch.setattr(Room, "_draw_for", slowly)
        with browser.connect(table) as socket:
            socket.send(type="hello", version=None, viewer=None)
            assert drawing.wait(WAIT)
            (connection,) = cold_server.connections
            cold_server.loop.call_soon_threadsafe(connection.break_off)
            # What is asked for after that is answered after that.
            for _ in range(10):
                browser.http.get("/healthz")
            assert cold_server.connections == [connection]
            held.set()
            assert socket.closed() == TOO_SLOW
        while cold_server.connections:
            browser.http.get("/healthz")
        room = cold_server.registry.rooms[table]
        assert (room.guests, room.audience.watchers) == (0, [])


def test_a_slow_store_blames_no_browser(cold_server: Server, held: threading.Event) -> None:
    with Browser(cold_server) as browser, browser.sit(two_persons(browser)) as socket:
        (connection,) = cold_server.connections
        hold_up(cold_server, held)
        socket.send(type="move", id="m", version=0, move="a1")
        while not cold_server.registry.store.writer.queue_length:
            browser.http.get("/healthz")
        for _ in range(4):
            cold_server.loop.call_soon_threadsafe(connection.send_beat, EncodedMessage('{"type":"beat","now":0}'))
        browser.http.get("/healthz")
        held.set()
        assert socket.until("done")["version"] == 1
        assert not connection.is_ending


def test_what_is_being_stored_when_the_server_stops_is_acknowledged(cold_server: Server, held: threading.Event) -> None:
    with Browser(cold_server) as browser, browser.sit(two_persons(browser)) as socket:
        hold_up(cold_server, held)
        socket.send(type="move", id="m", version=0, move="a1")
        while not cold_server.registry.store.writer.queue_length:
            browser.http.get("/healthz")
        cold_server._server.should_exit = True
        socket.until("bye")
        held.set()
        assert socket.until("done")["version"] == 1
        with pytest.raises(ConnectionClosed) as closed:
            socket.until("no message")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012


def test_a_move_is_stored_though_it_cannot_be_drawn_for_somebody(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Browser(cold_server) as browser, Browser(cold_server) as onlooker:
        table = two_persons(browser)
        with browser.sit(table) as socket, onlooker.sit(table):
            build_patch = Snapshot.build_patch

            def fail(snapshot: Snapshot, *about: Any) -> EncodedMessage:
                if snapshot.perspective.viewer is None:
                    raise RuntimeError("cannot be drawn")
                return build_patch(snapshot, *about)

            monkeypatch.setattr(Snapshot, "build_patch", fail)
            socket.send(type="move", id="m", version=0, move="a1")
            assert socket.until("done")["version"] == 1
            assert len(cold_server.registry.store.read_events_since(table, 0)) == 1
