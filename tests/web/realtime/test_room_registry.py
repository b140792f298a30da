"""Opening tables, which replays all their events."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from fourcorners.web.application import table_session
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server

_OPENED = 8
"""More tables than there are threads for boards."""


def test_moves_at_open_tables_do_not_wait_for_long_tables_that_are_opened(
    start_cold: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start_cold()
    load, go_on = table_session.load_table, threading.Event()

    def load_slowly(*arguments: Any) -> Any:
        assert go_on.wait(3 * WAIT)
        return load(*arguments)

    with Browser(server) as ada, ThreadPoolExecutor(_OPENED) as others:
        tables = [ada.begin_table("square-off", seat_0="person", seat_1="person") for _ in range(_OPENED + 1)]
        with ada.open_table(tables.pop()) as socket:
            monkeypatch.setattr("fourcorners.web.realtime.room_registry.load_table", load_slowly)
            asked = [others.submit(httpx.get, f"{server.url}/api/tables/{table}", timeout=3 * WAIT) for table in tables]
            try:
                wait_until(lambda: len(server.registry._opening) == _OPENED)
                assert socket.move(socket.state["moves"][0])["type"] == "done"
            finally:
                go_on.set()
        assert [answer.result().status_code for answer in asked] == [200] * _OPENED
