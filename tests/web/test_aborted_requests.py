"""Clients that leave in the middle of a request or an answer are not failures, leave nothing in the log, and end the
work that was done for them.
"""

import asyncio
import io
import json
import os
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fourcorners.study import rendering
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server

MULTIPART = (
    "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n"
    '--x\r\nContent-Disposition: form-data; name="record"; filename="a"\r\n\r\nabc'
)
FORM = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\nname=A"
JSON = 'Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"game":'
REQUESTS = {
    "POST /records": MULTIPART,
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


def leave_during(server: Server, request: str, cookie: str, has_begun: Callable[[], bool]) -> None:
    """Send a request, given by its first line and its body, and close the connection once its work has begun."""
    line, _, body = request.partition(" {")
    body = f"{{{body}" if body else ""
    head = f"{line} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), WAIT) as client:
        client.sendall(f"{head}{body}".encode())
        wait_until(has_begun)


@pytest.mark.parametrize(
    "request_line",
    [
        "GET /api/tables/TABLE/picture.gif",
        "GET /api/tables/TABLE/game.pdf",
        "GET /play/TABLE/preview.png",
        "GET /games/sqez/boards.pdf",
        'POST /api/analysis/picture.pdf {"game": "sqez"}',
    ],
)
def test_nothing_is_drawn_for_a_client_that_has_left(
    cold_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request_line: str
) -> None:
    pid_file = tmp_path / "pid"
    program = f"import os, time\nopen({str(pid_file)!r}, 'x').write(f'{{os.getpid()}}.')\ntime.sleep(3600)"
    (tmp_path / "renderer.py").write_text(program)
    monkeypatch.setattr(rendering, "_HERE", tmp_path)
    with Browser(cold_server) as browser:
        table = browser.begin_table("sqez", seat_0="person", seat_1="person")
        leave_during(
            cold_server,
            request_line.replace("TABLE", table),
            browser.cookie(),
            lambda: pid_file.exists() and pid_file.read_text().endswith("."),
        )
    wait_until(lambda: not is_running(int(pid_file.read_text()[:-1])))


def is_running(process: int) -> bool:
    """Return whether there is a process with this id."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


class SlowWork:
    """Work that goes on until the function or the signal that ends it does."""

    def __init__(self) -> None:
        self.has_begun = self.has_ended = False

    def run(self, *_: object, check: Callable[[], None]) -> None:
        """Go on until `check` raises."""
        self.has_begun = True
        try:
            while True:
                time.sleep(0.01)
                check()
        finally:
            self.has_ended = True

    def find(self, *arguments: Any) -> None:
        """Go on until the last argument, `check`, raises."""
        self.run(check=arguments[-1])

    async def solve(self, *_: object) -> None:
        """Go on until the task is cancelled."""
        self.has_begun = True
        try:
            await asyncio.sleep(3600.0)
        finally:
            self.has_ended = True


@pytest.mark.parametrize(
    ("request_line", "replaced", "method"),
    [
        ("GET /api/tables/TABLE/record", "fourcorners.web.realtime.request_work.export_record", "run"),
        ("GET /play/TABLE/record", "fourcorners.web.realtime.request_work.export_record", "run"),
        ('POST /api/entries {"game": "sqez"}', "fourcorners.web.api.study.answer_entry", "run"),
        ('POST /api/analysis/board {"game": "sqez"}', "fourcorners.web.api.analysis._find_line", "find"),
        ('POST /api/analysis/values {"game": "sqez"}', "fourcorners.web.engine.services.Engine.solve", "solve"),
    ],
)
def test_nothing_is_computed_for_a_client_that_has_left(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch, request_line: str, replaced: str, method: str
) -> None:
    work = SlowWork()
    monkeypatch.setattr(replaced, getattr(work, method))
    with Browser(cold_server) as browser:
        table = browser.begin_table("sqez", seat_0="person", seat_1="person")
        leave_during(cold_server, request_line.replace("TABLE", table), browser.cookie(), lambda: work.has_begun)
    wait_until(lambda: work.has_ended)
