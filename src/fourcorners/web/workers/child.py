"""A process that the supervisor has started, seen from the supervisor."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import signal
import socket
import struct
import sys

from fourcorners.web.interprocess.frames import encode_frame
from fourcorners.web.workers.messages import Report, Start

_LENGTH = struct.Struct("!I")


class Child:
    """A running process with its control socket, which does not block."""

    def __init__(self, process: asyncio.subprocess.Process, control: socket.socket) -> None:
        """Watch over a process that has just been started."""
        self.process = process
        self.control = control

    @classmethod
    async def start(cls, module: str, start: Start) -> Child:
        """Start a module of this package as a process, and send it its first message; raise OSError."""
        ours, theirs = socket.socketpair()
        passed = [theirs.fileno()] + [start.listener] * (start.listener >= 0)
        ours.setblocking(False)
        try:
            with theirs:
                process = await asyncio.create_subprocess_exec(
                    # Without -P, files in the current folder would take the place of modules that have their names.
                    *(sys.executable, "-P", "-m", module, str(theirs.fileno())),
                    pass_fds=passed,
                    # Ctrl-C in a terminal reaches only the supervisor, which stops the processes in order.
                    process_group=0,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                )
            child = cls(process, ours)
            # Addresses of databases may contain passwords, which nobody must see in a list of processes.
            with contextlib.suppress(ConnectionError):
                await asyncio.get_running_loop().sock_sendall(ours, encode_frame(pickle.dumps(start)))
        except BaseException:
            ours.close()
            raise
        return child

    async def wait_for_report(self) -> Report:
        """Wait until the process is ready or has failed."""
        loop = asyncio.get_running_loop()
        received = bytearray()
        with contextlib.suppress(ConnectionError):
            while piece := await loop.sock_recv(self.control, 65_536):
                received += piece
                if len(received) >= _LENGTH.size:
                    (size,) = _LENGTH.unpack_from(received)
                    if len(received) == _LENGTH.size + size:
                        report: Report = pickle.loads(received[_LENGTH.size :])  # noqa: S301  # from our own process
                        return report
        return Report(error="a process of the server ended while it started; the reason is printed above")

    def terminate(self) -> None:
        """Ask the process to end, unless it has ended: by a signal, and by the end of its control socket."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)

    def kill(self) -> None:
        """End the process at once, unless it has ended."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()

    async def wait(self) -> int:
        """Wait for the end of the process, close the control socket and return the exit status."""
        status = await self.process.wait()
        self.control.close()
        return status
