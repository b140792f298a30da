"""Connections that send nothing, or half of something, are closed and keep no one else out."""

import asyncio
import resource
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import cast

import httpx
import pytest

from fourcorners.web.wire import guard, http_connection, turns
from fourcorners.web.wire.guard import Guard
from fourcorners.web.wire.http_connection import HttpConnection
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server, seat_two
from tests.web.processes import Process, create_browser
from tests.web.wire.raw_client import (
    build_handshake,
    connect,
    read_status,
    read_until_closed,
)

HALF_HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept"
HALF_BODY = (
    b"POST /games/sqez HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 100\r\n\r\ncols=5"
)
DESCRIPTORS, SILENT = 64, 80


@pytest.fixture
def impatient_server(start_cold: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server that hardly waits for requests."""
    monkeypatch.setattr(http_connection, "HEAD_SECONDS", 0.05)
    monkeypatch.setattr(http_connection, "BODY_SECONDS", 0.3)
    return start_cold()


@pytest.mark.parametrize("sent", [b"", HALF_HEAD, HALF_BODY], ids=["nothing", "half a head", "half a body"])
def test_silent_connection_is_closed(impatient_server: Server, sent: bytes) -> None:
    with connect(impatient_server) as line:
        line.sendall(sent)
        answer = read_until_closed(line)
    assert answer.startswith(b"HTTP/1.1 408 ") if sent else answer == b""


def test_second_half_of_a_request_on_a_kept_connection_must_come_in_time(impatient_server: Server) -> None:
    with connect(impatient_server) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" + HALF_HEAD)
        answer = read_until_closed(line)
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_request_that_takes_long_to_answer_is_not_late(
    impatient_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Browser(impatient_server) as ada:
        table = ada.begin_table("square-off", size="4", seat_0="person", seat_1="person")
        # It waits for a newer version, longer than a client may be silent.
        answer = ada.http.get(f"/api/tables/{table}", params={"since": 0, "wait": 0.6})
        assert answer.status_code == 200


def connect_slowly(server: Server, requests: int) -> socket.socket:
    """Open a connection that holds little unread, and send requests for a long answer; the caller closes it."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
    line.settimeout(WAIT)
    line.connect(("127.0.0.1", server.port))
    line.sendall(requests * b"GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return line


def test_client_that_takes_no_answer_is_closed(impatient_server: Server) -> None:
    connections = impatient_server._server.server_state.connections
    with connect_slowly(impatient_server, 100):
        began = time.monotonic()
        wait_until(lambda: bool(connections))
        wait_until(lambda: not connections)
        # The system would drop it as well, but after a quarter of a minute.
        assert time.monotonic() - began < 10.0


def test_client_that_takes_an_answer_slowly_gets_all_of_it(
    impatient_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_connection, "BODY_SECONDS", 30.0)
    received = b""
    with connect_slowly(impatient_server, 20) as line:
        while data := line.recv(65536):
            received += data
            time.sleep(0.01)
    assert received.count(b"HTTP/1.1 200 ") == 20
    assert received.endswith(b"}")


async def test_long_answer_may_be_taken_slowly_as_long_as_the_client_takes_enough_of_it() -> None:
    waiting, aborts = [1_000_000], list[bool]()
    transport = SimpleNamespace(
        get_write_buffer_size=lambda: waiting[-1],
        abort=lambda: aborts.append(True),
        get_extra_info=lambda _: None,
    )
    uvicorn = SimpleNamespace(connection_made=lambda _: None, pause_writing=lambda: None, resume_writing=lambda: None)
    line = HttpConnection(guard := Guard(), lambda **_: uvicorn, {})
    line.connection_made(cast("asyncio.BaseTransport", transport))
    line.pause_writing()
    for left in (900_000, 800_000):
        waiting.append(left)
        line.time_out()
        assert not aborts
    # The transport takes more once there is little left, which has as much time.
    waiting.append(16_000)
    guard.forget(line)
    line.resume_writing()
    assert list(guard._deadlines) == [line]
    line.time_out()
    assert aborts


def test_handshake_that_uvicorn_cannot_read_is_closed(impatient_server: Server) -> None:
    with connect(impatient_server) as line:
        line.sendall(build_handshake("table", f"X: {9000 * 'x'}"))
        assert read_until_closed(line) == b""


def test_handshake_that_waits_for_its_turn_owes_nothing(
    start_cold: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a proxy all handshakes come from one address, so after a restart many of them wait."""
    monkeypatch.setattr(turns, "MAX_REQUESTS", 0)
    server = start_cold()._server
    with socket.create_connection(("127.0.0.1", server.servers[0].sockets[0].getsockname()[1])) as line:
        line.sendall(build_handshake("table"))
        wait_until(lambda: bool(server.server_state.tasks))
        wait_until(lambda: not server.guard._deadlines)
        assert server.server_state.connections


def test_head_may_arrive_byte_by_byte(cold_server: Server) -> None:
    with connect(cold_server) as line:
        # Without a body, because the server answers and closes as soon as it has the head.
        for byte in b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n":
            line.sendall(bytes([byte]))
            time.sleep(0.001)
        assert read_status(line) == 405


def test_slow_but_steady_upload_is_accepted(impatient_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_connection, "BODY_SECONDS", 30.0)
    with connect(impatient_server) as line:
        line.sendall(HALF_BODY)
        for _ in range(94):
            line.sendall(b"&")
        assert read_status(line) == 303


def test_connection_for_which_no_descriptor_is_left_is_closed_at_once(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_REFUSAL_SECONDS", 3600.0)
    monkeypatch.setattr(Guard, "admit", lambda *_: False)
    with connect(cold_server) as line:
        assert read_until_closed(line).startswith(b"HTTP/1.1 503 ")
        wait_until(lambda: not cold_server._server.server_state.connections)


def test_oldest_silent_connection_of_an_address_makes_room(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "MAX_SILENT_PER_ADDRESS", 3)
    with ExitStack() as stack:
        lines = [stack.enter_context(connect(cold_server)) for _ in range(5)]
        assert [read_until_closed(line) for line in lines[:2]] == [b"", b""]
        assert httpx.get(f"{cold_server.url}/healthz").status_code == 200
        # The third was dropped for the visitor; the newest can still be used.
        lines[4].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert read_status(lines[4]) == 200


def test_total_of_silent_connections_is_limited(cold_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_SILENT", 3)
    with ExitStack() as stack:
        lines = [stack.enter_context(connect(cold_server)) for _ in range(5)]
        assert [read_until_closed(line) for line in lines[:2]] == [b"", b""]
        assert httpx.get(f"{cold_server.url}/healthz").status_code == 200


@pytest.fixture(scope="module")
def poor_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A server that may have few file descriptors; each test closes its connections."""
    with Process(tmp_path_factory.mktemp("poor"), NUMBA_DISABLE_JIT="1") as process:
        resource.prlimit(process.child.pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
        yield process


def test_open_socket_is_not_late(impatient_server: Server) -> None:
    shared = impatient_server._server.guard
    with Browser(impatient_server) as ada, Browser(impatient_server) as bob:
        white, black = seat_two(ada, bob)
        with white, black:
            # Everything else that is late is closed meanwhile.
            with connect(impatient_server) as line:
                assert read_until_closed(line) == b""
            wait_until(lambda: not shared._deadlines)
            assert white.move("a1")["type"] == "done"


@pytest.mark.parametrize(
    "sent", [b"", HALF_HEAD, HALF_BODY, b"\x16\x03"], ids=["nothing", "half a head", "half a body", "no request"]
)
def test_with_few_file_descriptors_players_play_and_visitors_are_served(poor_process: Process, sent: bytes) -> None:
    ada, bob = create_browser(poor_process), create_browser(poor_process)
    with ada, bob, ExitStack() as stack:
        white, black = seat_two(ada, bob)
        with white, black:
            address = ("127.0.0.1", poor_process.port)
            lines: list[socket.socket] = []
            for number in range(SILENT):
                lines.append(stack.enter_context(socket.create_connection(address)))
                lines[-1].sendall(sent)
                if number % 20 == 0:
                    assert httpx.get(poor_process.url).status_code == 200
            for here, there, move in [(white, black, "a1"), (black, white, "b2"), (white, black, "c3")]:
                assert here.move(move)["type"] == "done"
                while there.state["version"] != here.state["version"]:
                    there.receive_next()
            with create_browser(poor_process) as late, late.open_table(white.table) as watched:
                assert watched.state["version"] == 4
    assert "Traceback" not in poor_process.log, poor_process.log


def test_connection_whose_body_ends_after_its_answer_must_send_another_request_in_time(
    impatient_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_connection, "BODY_SECONDS", 30.0)
    with connect(impatient_server) as line:
        # The server does not read the body of a request without a key.
        line.sendall(b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n")
        assert read_status(line) == 401
        line.sendall(b"{}")
        assert read_until_closed(line) == b""


def test_times_of_closed_connections_are_forgotten(cold_server: Server) -> None:
    shared = cold_server._server.guard
    with connect(cold_server) as one, connect(cold_server) as two:
        one.sendall(HALF_HEAD)
        two.sendall(HALF_BODY)
        wait_until(lambda: len(shared._deadlines) == 2)
    wait_until(lambda: not shared._deadlines)


def test_limit_of_file_descriptors_is_raised_as_far_as_allowed() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before[1] - 10, before[1]))
        guard.raise_descriptor_limit(before[1] - 20)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1] - 10, before[1])
        guard.raise_descriptor_limit(before[1] + 10)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
