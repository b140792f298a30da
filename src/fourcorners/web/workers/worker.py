"""A worker process: a server whose connections were accepted by the supervisor."""

import asyncio
import contextlib
import functools
import gc
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn

from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.log import configure_logging
from fourcorners.web.serve import Server, create_server, prepare_process
from fourcorners.web.settings import SettingsError
from fourcorners.web.store import StoreError
from fourcorners.web.workers.messages import Report, receive_start, send_report

_RECEIVED_AT_ONCE = 32


class WorkerServer(Server):
    """A server that receives its connections from the supervisor, and stops when that is gone."""

    def __init__(self, control: socket.socket, config: uvicorn.Config) -> None:
        """Receive connections through a control socket, which stays the caller's."""
        super().__init__(config)
        self._control = control
        self._arriving: set[asyncio.Task[Any]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, tell the supervisor, and receive connections; raise SystemExit if the application fails to start."""
        await super().startup(sockets)
        # Without the hub, this worker would not know what the others do.
        hub = self.app.state.hub
        hub.on_lost = lambda: self.handle_exit(signal.SIGTERM, None)
        if not hub.is_connected:
            hub.on_lost()
        send_report(self._control, Report(location=self.app.state.store.location))
        self._control.setblocking(False)
        asyncio.get_running_loop().add_reader(self._control.fileno(), self._receive_some)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Receive what has been sent and nothing more, and stop as `Server` does. The supervisor cannot send any more,
        and gives connections to other workers.
        """
        asyncio.get_running_loop().remove_reader(self._control.fileno())
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RD)
        with contextlib.suppress(BlockingIOError):
            while self._receive():
                pass
        await asyncio.gather(*self._arriving)
        await super().shutdown(sockets)

    def _receive_some(self) -> None:
        """Receive some connections; at the end of the control socket, stop."""
        for _ in range(_RECEIVED_AT_ONCE):
            try:
                if not self._receive():
                    asyncio.get_running_loop().remove_reader(self._control.fileno())
                    self.handle_exit(signal.SIGTERM, None)
                    return
            except BlockingIOError:
                return

    def _receive(self) -> bool:
        """Receive a connection, with one byte; return False at the end of the control socket. Raise BlockingIOError if
        there is none now.
        """
        try:
            data, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
        except BlockingIOError:
            raise
        except OSError:
            return False
        for descriptor in descriptors:
            # A program that this process starts must not keep the connection open.
            os.set_inheritable(descriptor, False)
            connection = socket.socket(fileno=descriptor)
            connection.setblocking(False)
            task = asyncio.create_task(self._serve_connection(connection))
            self._arriving.add(task)
            task.add_done_callback(self._arriving.discard)
        return bool(data)

    async def _serve_connection(self, connection: socket.socket) -> None:
        """Serve a connection that was accepted elsewhere."""
        loop = asyncio.get_running_loop()
        create: Callable[..., asyncio.Protocol] = self.config.http_protocol_class
        protocol = functools.partial(
            create, config=self.config, server_state=self.server_state, app_state=self.lifespan.state, _loop=loop
        )
        try:
            await loop.connect_accepted_socket(protocol, connection)
        except OSError:  # it is closed already
            connection.close()


def main(descriptor: int) -> None:
    """Serve until a signal, or until the supervisor is gone; `descriptor` is the number of the control socket."""
    # Nothing of what is loaded here is garbage. `prepare_process` enables it.
    gc.disable()
    supervisor = os.getppid()
    control = socket.socket(fileno=descriptor)
    start = receive_start(control)
    place = start.settings.worker
    assert place is not None
    configure_logging(start.log_level, start.log_format, worker=str(place.number))
    server_time = None
    if (offset := place.time_offset) is not None:
        server_time = ServerTime(wall=lambda: offset + time.monotonic())
    try:
        server = create_server(functools.partial(WorkerServer, control), start.settings, server_time)
    except (StoreError, SettingsError) as error:
        send_report(control, Report(error=str(error)))
        sys.exit(1)
    with contextlib.suppress(SystemExit):
        prepare_process()
        server.run([])
    if not place.writer and os.getppid() != supervisor:
        # The supervisor was killed and cannot clean up. The writer, which ends last, does it if there is one.
        shutil.rmtree(Path(place.hub).parent, ignore_errors=True)
    if not server.started:
        sys.exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]))
