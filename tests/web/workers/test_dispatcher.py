"""The supervisor hands over connections: by table, in turn, or after a while, and never waits for anybody."""

import asyncio
import contextlib
import errno
import os
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from fourcorners.web.workers import dispatcher as dispatching
from fourcorners.web.workers.dispatcher import Dispatcher
from tests.waiting import wait_until


class Workers:
    """The ends of control sockets that workers would have, and a dispatcher with a listening socket."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.dispatcher = Dispatcher(self.listener)
        self.received: list[tuple[int, socket.socket]] = []
        self._ends: dict[int, tuple[socket.socket, socket.socket]] = {}
        self._clients: list[socket.socket] = []

    def add(self, number: int, *, reads: bool = True) -> None:
        """Start a worker, which takes what it is given if it `reads`."""
        ours, theirs = self._ends[number] = socket.socketpair()
        for end in (ours, theirs):
            end.setblocking(False)
        if reads:
            asyncio.get_running_loop().add_reader(theirs, self._receive, number, theirs)
        self.dispatcher.add_worker(number, ours)

    def _receive(self, number: int, end: socket.socket) -> None:
        data, descriptors, _, _ = socket.recv_fds(end, 1, 1)
        assert data == b"c"
        self.received += [(number, socket.socket(fileno=descriptor)) for descriptor in descriptors]

    def visit(self, request: bytes) -> None:
        """Connect and send the beginning of a request."""
        client = socket.create_connection(self.listener.getsockname())
        client.sendall(request)
        self._clients.append(client)

    async def wait_for(self, count: int) -> Counter[int]:
        """Wait until so many connections have been handed over; return how many each worker has."""
        await asyncio.to_thread(wait_until, lambda: len(self.received) >= count)
        return Counter(number for number, _ in self.received)

    def close(self) -> None:
        self.dispatcher.close()
        ends = [end for pair in self._ends.values() for end in pair]
        for end in ends:
            asyncio.get_running_loop().remove_reader(end)
        for each in (self.listener, *ends, *self._clients, *(connection for _, connection in self.received)):
            each.close()


@contextlib.asynccontextmanager
async def run_workers(*numbers: int, reads: bool = True) -> AsyncIterator[Workers]:
    """Yield an open dispatcher with workers of these numbers."""
    workers = Workers()
    try:
        for number in numbers:
            workers.add(number, reads=reads)
        workers.dispatcher.open()
        yield workers
    finally:
        workers.close()


def run(test: Callable[[], Any]) -> None:
    asyncio.run(test())


@pytest.mark.parametrize("path", ["/play/%s/live", "/play/%s", "/play/%s?seat=1", "/api/tables/%s/move"])
def test_all_connections_of_a_table_go_to_one_worker_and_tables_are_shared_out(path: str) -> None:
    async def test() -> None:
        async with run_workers(0, 1) as workers:
            for table in range(40):
                before = Counter(number for number, _ in workers.received)
                for method in ("GET", "POST"):
                    workers.visit(f"{method} {path % f'table-{table}'} HTTP/1.1\r\n".encode())
                added = await workers.wait_for(2 * table + 2) - before
                assert len(added) == 1
            assert min((await workers.wait_for(80)).values()) > 10

    run(test)


def test_the_worker_reads_the_whole_request() -> None:
    async def test() -> None:
        async with run_workers(0) as workers:
            workers.visit(b"GET /play/abc HTTP/1.1\r\n")
            await workers.wait_for(1)
            connection = workers.received[0][1]
            connection.setblocking(True)
            assert connection.recv(100) == b"GET /play/abc HTTP/1.1\r\n"

    run(test)


def test_other_requests_go_to_the_workers_in_turn() -> None:
    async def test() -> None:
        async with run_workers(0, 1) as workers:
            for _ in range(10):
                workers.visit(b"GET / HTTP/1.1\r\n")
            assert await workers.wait_for(10) == {0: 5, 1: 5}

    run(test)


def test_a_table_of_a_worker_that_is_gone_moves_and_the_others_stay() -> None:
    async def test() -> None:
        async with run_workers(0, 1, 2) as workers:
            places = {table: workers.dispatcher._rank(table) for table in (b"%d" % number for number in range(60))}
            workers.dispatcher.remove_worker(1)
            for table, (first, second, _) in places.items():
                assert workers.dispatcher._rank(table)[0] == (second if first == 1 else first)

    run(test)


def test_a_worker_that_rests_gets_nothing_until_it_is_resumed() -> None:
    async def test() -> None:
        async with run_workers(0, 1) as workers:
            workers.dispatcher.rest_worker(1)
            for number in range(10):
                workers.visit(b"GET / HTTP/1.1\r\n")
                workers.visit(b"GET /play/%d HTTP/1.1\r\n" % number)
            assert await workers.wait_for(20) == {0: 20}
            workers.dispatcher.rest_worker(0)
            workers.visit(b"GET / HTTP/1.1\r\n")
            await asyncio.to_thread(wait_until, lambda: bool(workers.dispatcher._waiting))
            workers.dispatcher.resume_worker(1)
            assert await workers.wait_for(21) == {0: 20, 1: 1}

    run(test)


def test_a_silent_connection_is_handed_over_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatching, "_PATIENCE", 0.05)

    async def test() -> None:
        async with run_workers(0) as workers:
            workers.visit(b"")
            assert await workers.wait_for(1) == {0: 1}

    run(test)


def test_of_too_many_silent_connections_the_oldest_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatching, "_PATIENCE", 3600.0)
    monkeypatch.setattr(dispatching, "MAX_WAITING", 5)

    async def test() -> None:
        async with run_workers(0) as workers:
            for _ in range(8):
                workers.visit(b"")
            await workers.wait_for(3)
            assert len(workers.dispatcher._silent) == 5

    run(test)


def test_a_connection_that_its_client_closes_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatching, "_PATIENCE", 3600.0)

    async def test() -> None:
        async with run_workers(0) as workers:
            workers.visit(b"")
            workers._clients[0].close()
            workers.visit(b"GET / HTTP/1.1\r\n")
            await workers.wait_for(1)
            await asyncio.to_thread(wait_until, lambda: not workers.dispatcher._silent)

    run(test)


def test_without_workers_connections_wait_for_the_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatching, "MAX_WAITING", 5)

    async def test() -> None:
        async with run_workers() as workers:
            for _ in range(12):
                workers.visit(b"GET / HTTP/1.1\r\n")
            await asyncio.to_thread(wait_until, lambda: not workers.dispatcher._is_accepting)
            # The rest waits in the system's own queue.
            assert 5 <= len(workers.dispatcher._waiting) + len(workers.dispatcher._silent) <= 12
            workers.add(0)
            assert await workers.wait_for(12) == {0: 12}

    run(test)


def test_a_worker_that_takes_nothing_holds_up_nobody() -> None:
    async def test() -> None:
        async with run_workers(0, reads=False) as workers:
            workers._ends[0][0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
            with contextlib.suppress(BlockingIOError):
                while True:
                    workers._ends[0][0].send(b"c")
            workers.add(1)
            for _ in range(10):
                workers.visit(b"GET / HTTP/1.1\r\n")
            assert await workers.wait_for(10) == {1: 10}

    run(test)


def test_without_file_descriptors_it_tries_again_and_logs_the_beginning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(dispatching, "_RETRY_SECONDS", 0.001)
    attempts: list[bool] = []

    class FullListener(socket.socket):
        def accept(self) -> Any:
            attempts.append(True)
            if len(attempts) <= 5:
                raise OSError(errno.EMFILE, "Too many open files")
            return super().accept()

    async def test() -> None:
        async with run_workers(0) as workers:
            workers.dispatcher._pause()
            workers.dispatcher._listener = FullListener(fileno=os.dup(workers.listener.fileno()))
            workers.dispatcher._listener.setblocking(False)
            workers.dispatcher._resume()
            workers.visit(b"GET / HTTP/1.1\r\n")
            assert await workers.wait_for(1) == {0: 1}
            workers.dispatcher._pause()
            workers.dispatcher._listener.close()

    run(test)
    assert caplog.text.count("no connection can be accepted") == 1
