"""Clients that leave in the middle of a request or an answer are not failures, and leave nothing in the log."""

import io
import json
import socket
import struct

import pytest

from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server

MULTIPART = (
    "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n"
    '--x\r\nContent-Disposition: form-data; name="record"; filename="a"\r\n\r\nabc'
)
CHUNKED = "Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n--x"
FORM = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\nname=A"
JSON = 'Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"game":'
REQUESTS = {
    "POST /records": MULTIPART,
    "POST /records ": CHUNKED,
    "POST /games/sqez": FORM,
    "POST /account/sign-in": FORM,
    "POST /api/players": JSON,
    "POST /api/tables": JSON,
    "POST /api/tables/TABLE/move": JSON,
    "GET /api/tables/TABLE?since=9&wait=1": "\r\n",
    "GET /static/page.css": "\r\n",
    "GET /": "\r\n",
}


@pytest.mark.parametrize("is_reset", [False, True])
def test_client_that_leaves_during_a_request_is_not_logged_as_a_failure(
    cold_server: Server, logged: io.StringIO, *, is_reset: bool
) -> None:
    state = cold_server._server.server_state
    with Browser(cold_server) as browser:
        table = browser.begin_table("sqez", seat_0="person", seat_1="person")
        cookie = browser.cookie()
    wait_until(lambda: not state.connections)
    for request, rest in REQUESTS.items():
        line = request.strip().replace("TABLE", table)
        with socket.create_connection(("127.0.0.1", cold_server.port), WAIT) as client:
            client.sendall(f"{line} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n{rest}".encode())
            wait_until(lambda: bool(state.connections))
            if is_reset:
                # Closing then resets the connection instead of ending it in order.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wait_until(lambda: not state.connections and not state.tasks)
    entries = [json.loads(line) for line in logged.getvalue().splitlines()]
    assert [entry for entry in entries if entry["level"] in {"warning", "error", "critical"}] == []
