"""A worker that ends is given no more connections."""

import asyncio
import socket

import pytest
import uvicorn

from fourcorners.web.serve import Server
from fourcorners.web.workers.worker import WorkerServer


def test_a_worker_that_ends_serves_what_was_sent_and_can_be_sent_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[int] = []

    async def serve_connection(_: WorkerServer, connection: socket.socket) -> None:
        assert not connection.get_inheritable()
        served.append(connection.fileno())
        connection.close()

    async def shut_down(*_: object) -> None:
        assert len(served) == 3

    async def test() -> None:
        supervisor, control = socket.socketpair()
        control.setblocking(False)
        with supervisor, control:
            server = WorkerServer(control, uvicorn.Config("unused"))
            for _ in range(3):
                socket.send_fds(supervisor, [b"c"], [supervisor.fileno()])
            await server.shutdown()
            with pytest.raises(BrokenPipeError):
                socket.send_fds(supervisor, [b"c"], [supervisor.fileno()])
        assert len(served) == 3

    monkeypatch.setattr(WorkerServer, "_serve_connection", serve_connection)
    monkeypatch.setattr(Server, "shutdown", shut_down)
    asyncio.run(test())
