"""The server as a separate process that tests can kill, stop and start again."""

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from tests.faults.proxy import HOST
from tests.servers import find_free_port

ROOT = Path(__file__).resolve().parents[2]
START_TIMEOUT = 120.0
STOP_TIMEOUT = 30.0


class Entrance:
    """A port of this machine where visitors come in: that of a server, or that of a proxy in front of several."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def create_visitor(self) -> str:
        """Return the value of the Cookie header for a new visitor; raise OSError or EOFError if there is no answer."""
        _, headers = await fetch(self.port, "GET", "/")
        return headers["set-cookie"].partition(";")[0]

    async def create_table(self, game: str, cookie: str, **fields: str) -> str:
        """Create a table of a game through the form, as the visitor with this cookie, and return its id.

        `fields` are those of the form, with seat_1 for seat-1. Raise RuntimeError if the server refuses it, OSError or
        EOFError if it does not answer.
        """
        form = {"who-begins": "order", **{name.replace("seat_", "seat-"): fields[name] for name in fields}}
        status, headers = await fetch(self.port, "POST", f"/games/{game}", cookie, urlencode(form))
        if status != 303:
            raise RuntimeError(f"creating a table of {game} failed with status {status}")
        return headers["location"].removeprefix("/play/")


class ServerProcess(Entrance):
    """One server, with a folder or a database, always on the same port."""

    def __init__(
        self,
        folder: Path,
        database: str | None = None,
        prefix: Sequence[str] = (),
        redis: str = "",
    ) -> None:
        """Choose a free port; `start` starts the process.

        `folder` keeps the server's data, the games included unless `database`, an address, is given. `prefix` are words
        before the command: the load test of `benchmarks` pins the server to a core by `taskset`. `redis` is the address
        of a Redis.
        """
        super().__init__(find_free_port())
        self.folder = folder
        self._redis = redis
        self.database = database
        self._prefix = prefix
        self._process: asyncio.subprocess.Process | None = None

    @property
    def location(self) -> str | Path:
        """Where the games are stored: the address of the database, or the folder if there is none."""
        return self.database or self.folder

    @property
    def pid(self) -> int:
        """The process id of the last start; fail before the first one."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start and wait until it is healthy; raise RuntimeError if it ends, or takes longer than `START_TIMEOUT`.

        If that fails, or is cancelled, no process keeps running.
        """
        arguments = [self.database or "", self._redis]
        command = [sys.executable, "-m", "tests.faults.run_server", str(self.folder), str(self.port), *arguments]
        self._process = await asyncio.create_subprocess_exec(
            *self._prefix, *command, cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
        )
        end = time.monotonic() + START_TIMEOUT
        try:
            while not await self._is_healthy():
                if self._process.returncode is not None or time.monotonic() > end:
                    raise RuntimeError("the server did not start")
                await asyncio.sleep(0.02)
        except BaseException:
            await self.kill()
            raise

    async def _is_healthy(self) -> bool:
        """Return whether the health check answers with status 200; False while nothing listens."""
        try:
            return (await fetch(self.port, "GET", "/healthz"))[0] == 200
        except (OSError, EOFError):
            return False

    async def kill(self) -> None:
        """Kill it without warning, unless it has ended, and wait for its end; fail if it was never started.

        Raise RuntimeError if it has not ended after `STOP_TIMEOUT` seconds.
        """
        await self._send_signal(signal.SIGKILL)

    async def stop(self) -> float:
        """Stop it by SIGTERM, wait for its end, and return how many seconds that took.

        Raise RuntimeError if it does not stop within `STOP_TIMEOUT` seconds; it is killed then. Fail before any start.
        """
        start = time.monotonic()
        await self._send_signal(signal.SIGTERM)
        return time.monotonic() - start

    async def _send_signal(self, signal_number: signal.Signals) -> None:
        """Send a signal, if it still runs, and wait for its end; after `STOP_TIMEOUT` s kill it, raise RuntimeError."""
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal_number)
        try:
            async with asyncio.timeout(STOP_TIMEOUT):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
            raise RuntimeError(f"the server did not stop within {STOP_TIMEOUT:g} s") from None

    def pause(self) -> None:
        """Stop the process where it is, as a machine that swaps or moves does; its connections stay open."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let the process go on after `pause`."""
        os.kill(self.pid, signal.SIGCONT)


async def fetch(port: int, method: str, path: str, cookie: str = "", form: str = "") -> tuple[int, dict[str, str]]:
    """Send one HTTP request on a new connection; return the status and the headers, with names in lower case.

    `cookie` and `form` (URL-encoded, ASCII) are left out if they are empty. The body of the answer is not read. Of
    several headers with one name the last counts. Raise OSError if nothing listens, EOFError if the connection ends
    before the headers do.
    """
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
