"""When a worker ends, and that it is given no more connections then."""

import asyncio
import signal
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest
import uvicorn

from fourcorners.web.app import make_app
from fourcorners.web.interprocess.hub_client import HubClient
from fourcorners.web.serve import Server
from fourcorners.web.settings import Settings, WorkerPlace
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


def test_a_worker_that_has_lost_the_hub_while_it_started_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    exits: list[int] = []

    async def start(*_: object) -> None:
        pass

    async def test() -> None:
        supervisor, control = socket.socketpair()
        with supervisor, control:
            state = SimpleNamespace(hub=HubClient("", 0), store=SimpleNamespace(location=""))
            server = WorkerServer(control, uvicorn.Config(SimpleNamespace(state=state)))  # type: ignore[arg-type]
            await server.startup()
            asyncio.get_running_loop().remove_reader(control)

    monkeypatch.setattr(Server, "startup", start)
    monkeypatch.setattr(WorkerServer, "handle_exit", lambda _, number, __: exits.append(number))
    asyncio.run(test())
    assert exits == [signal.SIGTERM]


def test_a_worker_admits_its_share_of_the_programs_that_may_watch_over_http(tmp_path: Path) -> None:
    app = make_app(Settings(tmp_path, max_sockets=100, worker=WorkerPlace(0, 4, "")))
    app.state.store.close()
    assert app.state.http_watchers._limit == 25
