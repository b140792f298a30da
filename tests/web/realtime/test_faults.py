"""Faults: a store that fails, two servers on one database, a browser that reads nothing."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.websockets import WebSocket

from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.protocol.codec import EncodedMessage
from fourcorners.web.realtime.connection import BEAT_EVERY, Connection, ConnectionState
from fourcorners.web.store import StoreError, TableEvent
from tests.web.client import Browser, Server

pytestmark = pytest.mark.compiled


def create_table(browser: Browser) -> str:
    return browser.begin("square-off", size="4", seat_0="person", seat_1="person")


def test_move_that_could_not_be_stored_is_undone(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    table = create_table(browser)
    with browser.sit(table) as socket:
        socket.move("a1")

        def fail(*_: object) -> Future[None]:
            failed: Future[None] = Future()
            failed.set_exception(StoreError("the disk is full"))
            return failed

        with monkeypatch.context() as patch:
            patch.setattr(browser.server.registry.store, "append_event", fail)
            answer = socket.send_command("move", move="b2")
            assert answer["type"] == "stale"
            assert "could not be stored" in answer["sentence"]
            assert socket.until("patch", "state")["version"] == 1
            assert socket.state["plies"] == [[0, "a1"]]
        socket.move("b2")
    with browser.sit(table) as socket:
        assert socket.state["plies"] == [[0, "a1"], [1, "b2"]]


def test_two_servers_on_one_database_agree_on_the_moves(start_server: Callable[[], Server]) -> None:
    first, second = start_server(), start_server()
    with Browser(first) as one, Browser(second) as two:
        table = create_table(one)
        two.http.cookies = one.http.cookies
        with one.sit(table) as here, two.sit(table) as there:
            here.move("a1")
            assert there.send_command("move", move="b2")["type"] == "stale"
            while there.state["version"] == 0:
                there.next()
            assert there.state["plies"] == [[0, "a1"]]
            there.move("b2")
            assert here.send_command("move", move="c3")["type"] == "stale"
            while here.state["version"] == 1:
                here.next()
            assert here.state["plies"] == [[0, "a1"], [1, "b2"]]


def test_failed_computer_move_is_reported_and_can_be_undone(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    table = browser.begin("square-off", size="4", seat_0="person", seat_1="computer")
    with browser.sit(table) as socket:
        with monkeypatch.context() as patch:
            patch.setattr("fourcorners.web.engine.move_service.choose_move", lambda *_: "z9")
            socket.move("a1")
            assert "computer failed" in socket.until("bad")["sentence"]
        assert socket.send_command("undo")["type"] == "done"
        while socket.state["version"] < 2:
            socket.next()
        socket.move("b2")
        socket.until_mine()
        assert len(socket.state["plies"]) == 2


def test_connection_with_a_full_queue_breaks() -> None:
    async def fill() -> bool:
        """Send more than the queue holds, and return whether the connection breaks."""
        connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner")
        for _ in range(1000):
            connection.send(EncodedMessage("x"))
        return connection.state is ConnectionState.BROKEN

    assert asyncio.run(fill())


def test_browser_that_answers_no_beats_is_disconnected_within_twelve_seconds() -> None:
    connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner")
    connection.mark_active()
    broken = []

    async def listen() -> None:
        """Send beats to a connection that answers only the first."""
        async with asyncio.timeout(None) as timeout:
            connection.set_listening(timeout)
            connection.send_beat(EncodedMessage("1"))
            connection.mark_alive()
            connection.send_beat(EncodedMessage("2"))
            connection.send_beat(EncodedMessage("3"))
            broken.append(connection.is_ending)
            # The connection died just after the first answer.
            connection.send_beat(EncodedMessage("4"))
            broken.append(connection.is_ending)
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(listen())
    assert broken == [False, True]
    assert 3 * BEAT_EVERY <= 12


def test_room_with_a_silent_socket_is_not_replaced(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourcorners.web.realtime.room_registry._IDLE_ROOMS", 0)
    table = create_table(browser)
    with browser.connect(table) as silent:
        silent.send(type="undo", id="x", version=0)
        silent.until("bad")
        browser.sit(create_table(browser)).connection.close()
        browser.sit(create_table(browser)).connection.close()
        with browser.sit(table) as socket:
            silent.send(type="hello", version=None, viewer=None)
            silent.until("state")
            socket.move("a1")
            assert silent.until("patch")["version"] == 1


def test_computer_tries_to_store_its_move_only_once(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    table = browser.begin("square-off", size="4", seat_0="person", seat_1="computer")
    tried = []
    store = browser.server.registry.store
    append = store.append_event

    def fail(table_id: str, event: TableEvent, *rest: Any) -> Future[None]:
        if event.seat == 0:
            return append(table_id, event, *rest)
        tried.append(event)
        failed: Future[None] = Future()
        failed.set_exception(StoreError("the disk is full"))
        return failed

    with browser.sit(table) as socket:
        with monkeypatch.context() as patch:
            patch.setattr(store, "append_event", fail)
            socket.move("a1")
            assert "could not be stored" in socket.until("bad")["sentence"]
            socket.send(type="look", ply=0)
            socket.until("look")
            assert len(tried) == 1
        socket.send(type="hello", version=None, viewer=None)
        socket.until("state")
        while len(socket.state["plies"]) < 2:
            socket.next()


def test_waiting_for_the_warmup_can_be_cancelled() -> None:
    warmup = Warmup()

    async def leave() -> None:
        """Cancel a task that waits."""
        waiting = asyncio.create_task(warmup.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(leave())
    warmup.done.set_result(None)
    assert warmup.ready


def test_socket_uses_no_compression(browser: Browser) -> None:
    with browser.sit(create_table(browser)) as socket:
        assert socket.connection.protocol.extensions == []
