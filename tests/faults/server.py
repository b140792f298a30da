"""The server as a process of its own, to be killed, stopped and started again."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from tests.faults.proxy import HOST

ROOT = Path(__file__).resolve().parents[2]
UP_WITHIN = 120.0
STOPPED_WITHIN = 30.0


class ServerProcess:
    """One server over a folder or a database, always at the same port."""

    def __init__(self, folder: Path, database: str | None = None, before: Sequence[str] = ()) -> None:
        """`before` is put before the command, such as `taskset -c 0`."""
        self.folder = folder
        self.database = database
        self.port = free_port()
        self._before = before
        self._process: asyncio.subprocess.Process | None = None

    @property
    def place(self) -> str | Path:
        """Where the games are stored."""
        return self.database or self.folder

    @property
    def pid(self) -> int:
        """The process's number."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start, and wait until it answers."""
        more = [self.database] if self.database else []
        command = [sys.executable, "-m", "tests.faults.served", str(self.folder), str(self.port), *more]
        self._process = await asyncio.create_subprocess_exec(
            *self._before, *command, cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
        )
        end = time.monotonic() + UP_WITHIN
        while not await self._answers():
            if self._process.returncode is not None or time.monotonic() > end:
                raise RuntimeError("the server did not start")
            await asyncio.sleep(0.02)

    async def _answers(self) -> bool:
        try:
            return (await fetch(self.port, "GET", "/healthz"))[0] == 200
        except (OSError, EOFError):
            return False

    async def kill(self) -> None:
        """End it with no warning."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> float:
        """Ask it to stop; return how many seconds it took."""
        began = time.monotonic()
        await self._end(signal.SIGTERM)
        return time.monotonic() - began

    async def _end(self, sign: signal.Signals) -> None:
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(sign)
        try:
            async with asyncio.timeout(STOPPED_WITHIN):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
            raise RuntimeError(f"the server did not stop within {STOPPED_WITHIN:g} s") from None

    async def newcomer(self) -> str:
        """Return the cookie of somebody who has come for the first time."""
        _, headers = await fetch(self.port, "GET", "/")
        return headers["set-cookie"].partition(";")[0]

    async def begin(self, game: str, cookie: str, **fields: str) -> str:
        """Begin a game by the form; return the table's id."""
        form = {"who-begins": "order", **{name.replace("seat_", "seat-"): fields[name] for name in fields}}
        status, headers = await fetch(self.port, "POST", f"/games/{game}", cookie, urlencode(form))
        if status != 303:
            raise RuntimeError(f"beginning {game} was answered with {status}")
        return headers["location"].removeprefix("/play/")


async def fetch(port: int, method: str, path: str, cookie: str = "", form: str = "") -> tuple[int, dict[str, str]]:
    """Ask for a page over a connection of its own; return the status and the headers."""
    reader, writer = await asyncio.open_connection(HOST, port)
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}:{port}", "Connection: close", f"Content-Length: {len(form)}"]
    if cookie:
        lines.append(f"Cookie: {cookie}")
    if form:
        lines.append("Content-Type: application/x-www-form-urlencoded")
    try:
        writer.write("\r\n".join([*lines, "", form]).encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        parts = [line.partition(": ") for line in head[1:] if line]
        return int(head[0].split(" ")[1]), {name.lower(): value for name, _, value in parts}
    finally:
        writer.close()


def free_port() -> int:
    """Find a port that nobody uses."""
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])
