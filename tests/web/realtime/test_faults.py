"""Faults: a store that fails, two servers over one database, a browser that takes nothing."""

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


def two_persons(browser: Browser) -> str:
    return browser.begin("square-off", size="4", seat_0="person", seat_1="person")


def test_what_could_not_be_stored_did_not_happen(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    table = two_persons(browser)
    with browser.sit(table) as socket:
        socket.move("a1")

        def fail(*_: object) -> Future[None]:
            failed: Future[None] = Future()
            failed.set_exception(StoreError("the disk is full"))
            return failed

        with monkeypatch.context() as patch:
            patch.setattr(browser.server.registry.store, "append_event", fail)
            answer = socket.do("move", move="b2")
            assert answer["type"] == "stale"
            assert "could not be stored" in answer["sentence"]
            assert socket.until("patch", "state")["version"] == 1
            assert socket.state["plies"] == [[0, "a1"]]
        socket.move("b2")
    with browser.sit(table) as socket:
        assert socket.state["plies"] == [[0, "a1"], [1, "b2"]]


def test_two_servers_over_one_database_double_nothing(start_server: Callable[[], Server]) -> None:
    first, second = start_server(), start_server()
    with Browser(first) as one, Browser(second) as two:
        table = two_persons(one)
        two.http.cookies = one.http.cookies
        with one.sit(table) as here, two.sit(table) as there:
            here.move("a1")
            assert there.do("move", move="b2")["type"] == "stale"
            while there.state["version"] == 0:
                there.next()
            assert there.state["plies"] == [[0, "a1"]]
            there.move("b2")
            assert here.do("move", move="c3")["type"] == "stale"
            while here.state["version"] == 1:
                here.next()
            assert here.state["plies"] == [[0, "a1"], [1, "b2"]]


def test_the_computers_fault_is_told_and_can_be_taken_back(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    table = browser.begin("square-off", size="4", seat_0="person", seat_1="computer")
    with browser.sit(table) as socket:
        with monkeypatch.context() as patch:
            patch.setattr("fourcorners.web.engine.move_service.choose_move", lambda *_: "z9")
            socket.move("a1")
            assert "computer failed" in socket.until("bad")["sentence"]
        assert socket.do("undo")["type"] == "done"
        while socket.state["version"] < 2:
            socket.next()
        socket.move("b2")
        socket.until_mine()
        assert len(socket.state["plies"]) == 2


def test_nobody_waits_for_a_browser_that_takes_nothing() -> None:
    async def fill() -> bool:
        connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner")
        for _ in range(1000):
            connection.send(EncodedMessage("x"))
        return connection.state is ConnectionState.BROKEN

    assert asyncio.run(fill())


def test_who_answers_no_beats_is_let_go_within_twelve_seconds() -> None:
    connection = Connection(cast("WebSocket", SimpleNamespace(client=None)), "owner")
    connection.mark_active()
    broken = []

    async def listen() -> None:
        async with asyncio.timeout(None) as timeout:
            connection.set_listening(timeout)
            connection.send_beat(EncodedMessage("1"))
            connection.mark_alive()
            connection.send_beat(EncodedMessage("2"))
            connection.send_beat(EncodedMessage("3"))
            broken.append(connection.is_ending)
            # The line died just after the first was answered.
            connection.send_beat(EncodedMessage("4"))
            broken.append(connection.is_ending)
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(listen())
    assert broken == [False, True]
    assert 3 * BEAT_EVERY <= 12


def test_a_room_with_a_silent_socket_stays_the_only_one_of_its_table(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourcorners.web.realtime.room_registry._IDLE_ROOMS", 0)
    table = two_persons(browser)
    with browser.connect(table) as silent:
        silent.send(type="undo", id="x", version=0)
        silent.until("bad")
        browser.sit(two_persons(browser)).connection.close()
        browser.sit(two_persons(browser)).connection.close()
        with browser.sit(table) as socket:
            silent.send(type="hello", version=None, viewer=None)
            silent.until("state")
            socket.move("a1")
            assert silent.until("patch")["version"] == 1


def test_the_computer_does_not_try_again_and_again_to_store_its_move(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_waiting_for_the_compiler_can_be_left() -> None:
    warmup = Warmup()

    async def leave() -> None:
        waiting = asyncio.create_task(warmup.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(leave())
    warmup.done.set_result(None)
    assert warmup.ready


def test_a_packed_message_is_not_unpacked(browser: Browser) -> None:
    with browser.sit(two_persons(browser)) as socket:
        assert socket.connection.protocol.extensions == []
