"""Opening tables, which replays all their events: no one has to wait for others, or is kept out by them."""

import asyncio
import gc
import socket
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

import fourcorners as fc
from fourcorners.web import app
from fourcorners.web.application import table_session
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.close_codes import TOO_MUCH
from fourcorners.web.realtime import rooms
from fourcorners.web.store import StoreError
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server, StartServer
from tests.web.wire.raw_client import connect, open_socket

_OPENED = 8
"""More tables than there are threads for boards."""


def test_moves_at_open_tables_do_not_wait_for_long_tables_that_are_opened(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start_cold()
    load, go_on = table_session.load_table, threading.Event()

    def load_slowly(*arguments: Any, **others: Any) -> Any:
        assert go_on.wait(3 * WAIT)
        return load(*arguments, **others)

    with Browser(server) as ada, ThreadPoolExecutor(_OPENED) as others:
        tables = [ada.begin_table("square-off", seat_0="person", seat_1="person") for _ in range(_OPENED + 1)]
        with ada.open_table(tables.pop()) as socket:
            monkeypatch.setattr("fourcorners.web.realtime.rooms.load_table", load_slowly)
            asked = [others.submit(httpx.get, f"{server.url}/api/tables/{table}", timeout=3 * WAIT) for table in tables]
            try:
                wait_until(lambda: len(server.rooms._locks) == _OPENED)
                assert socket.move(socket.state["moves"][0])["type"] == "done"
            finally:
                go_on.set()
        assert [answer.result().status_code for answer in asked] == [200] * _OPENED


def open_for(server: Server, table: str, network: str) -> httpx.Response:
    """Ask for a table from an address of a network, such as 203.0.113; the server believes its own machine."""
    headers = {"x-forwarded-for": f"{network}.7"}
    return httpx.get(f"{server.url}/api/tables/{table}", headers=headers, timeout=3 * WAIT)


def begin_tables(server: Server, count: int) -> list[str]:
    """Store new tables, whose rooms are not open, and return their ids."""
    with Browser(server) as ada:
        return [ada.begin_table("sqez", seat_0="person", seat_1="person") for _ in range(count)]


def test_networks_take_turns_in_opening_tables(start_cold: StartServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server = start_cold()
    load, go_on, loaded = table_session.load_table, threading.Event(), list[str]()

    def load_slowly(context: Any, table_id: str, **others: Any) -> Any:
        loaded.append(table_id)
        assert go_on.wait(3 * WAIT)
        return load(context, table_id, **others)

    tables = begin_tables(server, _OPENED + 1)
    monkeypatch.setattr(rooms, "load_table", load_slowly)
    with ThreadPoolExecutor(len(tables)) as others:
        crowd = [others.submit(open_for, server, table, "203.0.113") for table in tables[1:]]
        try:
            wait_until(lambda: len(server.rooms._locks) == _OPENED)
            newcomer = others.submit(open_for, server, tables[0], "198.51.100")
            wait_until(lambda: len(server.rooms._locks) == _OPENED + 1)
        finally:
            go_on.set()
        assert [answer.result().status_code for answer in (newcomer, *crowd)] == [200] * len(tables)
    assert loaded.index(tables[0]) == app.LOADING_LIMITS.threads


def test_server_opens_tables_for_itself_while_visitors_wait(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start_cold()
    load, go_on, begun = table_session.load_table, threading.Event(), list[str]()

    def load_slowly(context: Any, table_id: str, **others: Any) -> Any:
        if others:
            begun.append(table_id)
            assert go_on.wait(3 * WAIT)
        return load(context, table_id, **others)

    *tables, flagged = begin_tables(server, app.LOADING_LIMITS.threads + 1)
    monkeypatch.setattr(rooms, "load_table", load_slowly)
    with ThreadPoolExecutor(len(tables)) as others:
        asked = [others.submit(open_for, server, table, "203.0.113") for table in tables]
        try:
            wait_until(lambda: len(begun) == len(tables))
            opened = asyncio.run_coroutine_threadsafe(server.rooms.open(flagged), server.loop)
            assert opened.result(WAIT) is not None
        finally:
            go_on.set()
        assert [answer.result().status_code for answer in asked] == [200] * len(tables)


def test_tables_of_one_network_leave_rooms_for_others(start_cold: StartServer) -> None:
    server = start_cold(max_rooms=20)
    tables = begin_tables(server, 8)
    with ExitStack() as stack:

        def open_tables(chosen: list[str]) -> list[socket.socket]:
            return [stack.enter_context(open_socket(server, table, "X-Forwarded-For: 203.0.113.7")) for table in chosen]

        # A fifth of all rooms are those of one network.
        open_tables(tables[:4])
        wait_until(lambda: set(server.rooms.opened) == set(tables[:4]))
        frames = [line.recv(4096) for line in open_tables(tables[4:7])]
        assert [int.from_bytes(frame[2:4], "big") for frame in frames] == [TOO_MUCH] * 3
        assert set(server.rooms.opened) == set(tables[:4])
        refused = open_for(server, tables[7], "203.0.113")
        assert (refused.status_code, refused.json()["code"]) == (429, "too-much")
        assert "Too many games are being played on this server right now" in refused.json()["sentence"]
        assert open_for(server, tables[7], "198.51.100").status_code == 200


@pytest.fixture
def _no_collector() -> Iterator[None]:
    """Switch the garbage collector off."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_no_collector")
def test_dropped_rooms_are_freed_at_once(start_cold: StartServer) -> None:
    server = start_cold(max_rooms=1)
    first, second = begin_tables(server, 2)
    with Browser(server) as ada:
        ada.open_table(first).connection.close()
        wait_until(lambda: server.rooms.opened[first].is_idle)
        room = weakref.ref(server.rooms.opened[first])
        assert open_for(server, second, "203.0.113").status_code == 200
        wait_until(lambda: room() is None)


def test_idle_rooms_make_space_before_the_server_is_full(start_cold: StartServer) -> None:
    server = start_cold(max_rooms=3)
    for table in begin_tables(server, 6):
        assert open_for(server, table, "203.0.113").status_code == 200
        wait_until(lambda: all(room.is_idle for room in server.rooms.opened.values()))
    assert len(server.rooms.opened) == 3


def test_table_that_takes_too_long_to_open_is_refused_with_a_sentence(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "LOADING_LIMITS", app.LOADING_LIMITS._replace(cpu_seconds=0.0))
    server = start_cold()
    match = fc.Match(fc.game("square-off", size=4))
    match.play("a1")
    link = httpx.post(f"{server.url}/records", data={"record": str(match.record())}).headers["location"]
    answer = open_for(server, link.removeprefix("/play/"), "203.0.113")
    assert answer.status_code == 429
    assert answer.json()["sentence"] == "This game takes too long to open on this server."


def test_record_that_takes_too_long_is_refused_with_a_sentence(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start_cold()
    match = fc.Match(fc.game("square-off", size=4))
    match.play("a1")
    record = {"record": str(match.record())}
    link = httpx.post(f"{server.url}/records", data=record).headers["location"]
    limits = app.REPLAY_LIMITS._replace(cpu_seconds=0.0)
    monkeypatch.setattr(server.context.replaying, "limits", limits)
    for answer in (
        httpx.post(f"{server.url}/records", data=record),
        httpx.get(f"{server.url}{link}/record"),
        httpx.get(f"{server.url}/api/tables/{link.removeprefix('/play/')}/record"),
    ):
        assert answer.status_code == 422
        assert "This record takes too long to replay on this server." in answer.text


def test_server_that_stops_does_not_wait_for_a_record_to_be_replayed(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, begun = start_cold(), threading.Event()

    def replay_for_ever(*_: object, check: Callable[[], None]) -> None:
        while True:
            begun.set()
            check()

    monkeypatch.setattr("fourcorners.web.realtime.request_work.export_record", replay_for_ever)
    [table] = begin_tables(server, 1)
    with connect(server) as line:
        line.sendall(f"GET /play/{table}/record HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert begun.wait(WAIT)
        server.stop()
    assert server._server.closed


def test_those_who_wait_for_a_table_try_one_after_the_other_when_it_cannot_be_opened(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Players who arrive meanwhile wait as well, so that a table never has two rooms."""
    server = start_cold()
    opened = server.rooms
    [table] = begin_tables(server, 1)

    async def open_three() -> None:
        begun, go_on, failed, load = asyncio.Semaphore(0), asyncio.Semaphore(0), list[bool](), opened._load

        async def load_later(table_id: str, opener: str) -> Table | None:
            """Load once the test lets it go on; fail the first time."""
            failed.append(not failed)
            is_first = failed[-1]
            begun.release()
            await go_on.acquire()
            if is_first:
                raise StoreError("no answer")
            return await load(table_id, opener)

        with monkeypatch.context() as patch:
            patch.setattr(opened, "_load", load_later)
            first, second = (asyncio.create_task(opened.open(table, for_server=True)) for _ in range(2))
            await begun.acquire()
            go_on.release()
            with pytest.raises(StoreError):
                await first
            await begun.acquire()
            third = asyncio.create_task(opened.open(table, for_server=True))
            # So often that it would have begun, too, if it did not wait.
            for _ in range(10):
                await asyncio.sleep(0)
            assert failed == [True, False]
            go_on.release()
            assert await second is await third is opened.opened[table]
            assert failed == [True, False]

    asyncio.run_coroutine_threadsafe(open_three(), server.loop).result(WAIT)
