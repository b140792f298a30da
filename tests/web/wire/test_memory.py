"""Closed connections leave nothing that waits for the garbage collector, which seldom looks at what is old."""

import gc
from collections.abc import Callable, Iterator

import pytest

from fourcorners.web.realtime.connection import Connection
from fourcorners.web.wire.guard import QueuedProtocol
from tests.waiting import wait_until
from tests.web.client import Browser, Server
from tests.web.wire.raw_client import (
    PING,
    begin_table,
    build_frame,
    connect,
    open_socket,
    read_until_closed,
    receive_close_code,
)


@pytest.fixture
def _no_collector() -> Iterator[None]:
    """Switch the garbage collector off."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def count_protocols() -> int:
    """Return how many connections of servers exist in this process, open or not."""
    # Unlike `isinstance`, this does not touch the objects: a weak proxy of an object that is gone raises an error.
    return sum(issubclass(type(each), QueuedProtocol | Connection) for each in gc.get_objects())


def send_nothing(server: Server, table: str) -> None:
    connect(server).close()


def send_garbage(server: Server, table: str) -> None:
    with connect(server) as line:
        line.sendall(b"\x16")
        read_until_closed(line)


def send_request(server: Server, table: str) -> None:
    with connect(server) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        read_until_closed(line)


def send_pings(server: Server, table: str) -> None:
    with open_socket(server, table) as line:
        line.sendall(1000 * build_frame(PING))
        receive_close_code(line)


@pytest.mark.parametrize(
    "visit",
    [*(pytest.param(visit, marks=pytest.mark.ci) for visit in (send_nothing, send_request)), send_garbage, send_pings],
)
@pytest.mark.usefixtures("_no_collector")
def test_closed_connections_are_freed_at_once(cold_server: Server, visit: Callable[[Server, str], None]) -> None:
    with Browser(cold_server) as ada:
        table = begin_table(ada)
    wait_until(lambda: count_protocols() == 0)
    for _ in range(5):
        visit(cold_server, table)
    wait_until(lambda: count_protocols() == 0)
