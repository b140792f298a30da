"""A client that sends too much is cut off before it is parsed, and no one else has to wait for it."""

import asyncio
import gc
import io
import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from fourcorners.web.protocol.close_codes import TOO_MUCH, VIOLATION
from fourcorners.web.realtime import websocket_endpoint
from fourcorners.web.realtime.connection import HANDOVER, MAX_UNREADABLE, Connection
from fourcorners.web.wire import guard, turns
from fourcorners.web.wire.guard import _MAX_BACKLOG, Guard
from fourcorners.web.wire.http_connection import HttpConnection
from fourcorners.web.wire.socket_protocol import PER_SOCKET, UNUSUAL_FRAME
from fourcorners.web.wire.turns import TurnMiddleware
from tests.waiting import wait_until
from tests.web.client import Browser, Server, seat_two
from tests.web.wire.raw_client import (
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    begin_table,
    build_frame,
    build_handshake,
    connect,
    open_socket,
    read_until_closed,
    receive_close_code,
)

FLOODS = {
    "pings": (b"", build_frame(PING)),
    "pongs": (b"", build_frame(PONG)),
    "continuations": (build_frame(TEXT, is_final=False), build_frame(CONTINUATION, is_final=False)),
    "fragments": (build_frame(TEXT, b"[", is_final=False), build_frame(CONTINUATION, b"[", is_final=False)),
}
FRAMES = 50_000
PONG_START = bytes([0x80 | PONG])
STRICT = (25 * UNUSUAL_FRAME, 1e-9)


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What each piece that the server has parsed has cost, as a list that grows."""
    costs: list[float] = []
    spend = Guard.spend

    def count(self: Guard, key: str, cost: float) -> bool:
        costs.append(cost)
        return spend(self, key, cost)

    monkeypatch.setattr(Guard, "spend", count)
    return costs


@pytest.mark.parametrize("kind", FLOODS)
def test_flood_of_frames_is_cut_off_while_others_play(cold_server: Server, costs: list[float], kind: str) -> None:
    first, again = FLOODS[kind]
    with Browser(cold_server) as ada, Browser(cold_server) as bob:
        white, black = seat_two(ada, bob)
        with open_socket(cold_server, white.table) as line, white, black:
            flood = threading.Thread(target=line.sendall, args=(first + FRAMES * again,))
            flood.start()
            assert white.move("a1")["type"] == "done"
            assert receive_close_code(line) == TOO_MUCH
            flood.join()
            while black.state["version"] != white.state["version"]:
                black.receive_next()
            assert black.move("b2")["type"] == "done"
    assert sum(costs) < 2 * PER_SOCKET[0]
    # In one piece there were at most 256 bytes, and an empty frame has six.
    assert max(costs) <= 43 * UNUSUAL_FRAME + 256


def test_connection_that_is_dropped_before_its_handshake_is_answered_is_no_error(
    cold_server: Server, logged: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    dropped: list[WebSocket] = []

    def drop_and_connect(page: WebSocket, *args: Any) -> Connection:
        """Drop the connection of a page as the guard does to make room, and go on."""
        page.scope["state"][HANDOVER].abort()
        dropped.append(page)
        return Connection(page, *args)

    with Browser(cold_server) as ada, connect(cold_server) as line:
        table = begin_table(ada)
        with monkeypatch.context() as patch:
            patch.setattr(websocket_endpoint, "Connection", drop_and_connect)
            line.sendall(build_handshake(table))
            assert read_until_closed(line) == b""
        assert dropped
        wait_until(lambda: not cold_server.connections)
        with ada.open_table(table) as page:
            assert page.state["version"] == 0
    assert '"error"' not in logged.getvalue()


def test_socket_that_floods_before_the_handshake_is_answered_is_dropped(cold_server: Server) -> None:
    with Browser(cold_server) as ada, connect(cold_server) as line:
        table = begin_table(ada)
        line.sendall(
            f"GET /play/{table}/live HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() + FRAMES * build_frame(PING)
        )
        assert b" 101 " not in read_until_closed(line)
        with ada.open_table(table) as page:
            assert page.state["version"] == 0


@pytest.mark.parametrize("is_proxied", [False, True])
def test_sockets_of_one_address_or_of_one_player_on_this_machine_share_an_allowance(
    start_cold: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, *, is_proxied: bool
) -> None:
    monkeypatch.setattr(guard, "PER_ADDRESS", STRICT)
    server = start_cold()
    with Browser(server) as ada, Browser(server) as bob, ExitStack() as stack:
        table = begin_table(ada)
        # The proxy, which this machine is, says where the visitor is.
        headers = ["X-Forwarded-For: 203.0.113.7"] if is_proxied else [f"Cookie: {bob.cookie()}"]
        lines = [stack.enter_context(open_socket(server, table, *headers)) for _ in range(3)]
        for line in lines:
            line.sendall(10 * build_frame(PING))
            if line is not lines[2]:
                assert line.recv(1) == PONG_START
        assert receive_close_code(lines[2]) == TOO_MUCH
        with ada.open_table(table) as page:
            assert page.state["version"] == 0


def test_many_new_addresses_do_not_renew_the_allowance_of_one_that_is_still_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard, "_MAX_SHARED", 10)
    shared = Guard()
    assert shared.spend("attacker", guard.PER_ADDRESS[0])
    for number in range(100):
        assert shared.spend(f"address {number}", 1.0)
        assert not shared.spend("attacker", UNUSUAL_FRAME)


def test_messages_that_cannot_be_read_close_the_socket_after_a_while(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourcorners.web.realtime.connection._MESSAGES_PER_SECOND", 1e6)
    with Browser(cold_server) as ada, ada.open_table(begin_table(ada)) as page:
        for _ in range(MAX_UNREADABLE - 1):
            page.send_text("{")
            assert page.receive_next()["type"] == "error"
        page.send_text("{")
        assert page.receive_close_code() == VIOLATION


def test_pipelined_requests_are_answered_one_by_one(cold_server: Server) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    body = b"POST /games/sqez/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\na=1"
    with connect(cold_server) as line:
        line.sendall(
            20 * request + body + 5 * request + b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        assert read_until_closed(line).count(b"HTTP/1.1 ") == 27


def test_requests_wait_while_too_many_are_in_progress_and_then_follow(
    start_cold: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "MAX_REQUESTS", 1)
    server = start_cold()
    with ExitStack() as stack:
        lines = [stack.enter_context(connect(server)) for _ in range(20)]
        for number, line in enumerate(lines):
            line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            if number % 3 == 0:
                line.shutdown(socket.SHUT_RDWR)  # it does not wait for its turn
        for number, line in enumerate(lines):
            if number % 3:
                assert read_until_closed(line).startswith(b"HTTP/1.1 200 ")


def test_addresses_take_turns() -> None:
    order: list[str] = []

    class Line:
        """A connection that is open."""

        is_lost = False

        def begin_request(self) -> None:
            """Do nothing."""

        end_request = begin_request

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0)
        order.append(scope["client"][0])

    async def ask_all() -> None:
        middleware = TurnMiddleware(answer)
        addresses = [*["203.0.113.1"] * 50, "198.51.100.1"]
        scopes = [{"type": "http", "client": (each, 1), "state": {HANDOVER: Line()}} for each in addresses]
        # `answer` neither receives nor sends.
        await asyncio.gather(*(middleware(scope, None, None) for scope in scopes))  # type: ignore[arg-type]

    asyncio.run(ask_all())
    assert len(order) == 51
    assert order.index("198.51.100.1") < 5


def test_a_connection_is_not_read_while_its_bytes_wait(cold_server: Server) -> None:
    """What a client sends without taking answers stays in the network, not in the server's memory."""
    request = b"GET /static/dom.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connect(cold_server) as line:
        line.settimeout(0.5)
        with pytest.raises(TimeoutError):
            line.sendall(1_000_000 * request)
        # Unlike `isinstance`, this does not touch the objects: a weak proxy of an object that is gone raises an error.
        backlogs = [len(each._backlog) for each in gc.get_objects() if type(each) is HttpConnection]
    assert 0 < max(backlogs) < _MAX_BACKLOG + 512 * 1024
