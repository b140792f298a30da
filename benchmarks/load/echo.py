"""A bare WebSocket server on the stack of ours, which sends each text to both players of a table without a game.

It shows what a move costs before anything is done about it. `python -m benchmarks.load.echo PORT` runs it.
"""

import asyncio
import itertools
import os
import sys
import time
from collections import defaultdict
from collections.abc import Sequence

import uvicorn
from starlette.types import Receive, Scope, Send

from benchmarks.load.clients import HOST, TIMEOUT, ScriptedMove, Seats, SocketClient
from tests.faults.server_process import ROOT
from tests.servers import find_free_port

_rooms: defaultdict[str, list[Send]] = defaultdict(list)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Accept a WebSocket and send its texts to all sockets with the same path."""
    assert scope["type"] == "websocket"
    room = _rooms[scope["path"]]
    await receive()
    await send({"type": "websocket.accept"})
    room.append(send)
    while (message := await receive())["type"] == "websocket.receive":
        text = message["text"]
        for send_to in room:
            await send_to({"type": "websocket.send", "text": text})
    room.remove(send)


class EchoClient(SocketClient):
    """A player at a table without a game: the number of a move stands for the move."""

    greeting = b""

    def __init__(self, port: int, number: int) -> None:
        """Prepare to join a table, by its number; connect nothing yet."""
        super().__init__()
        self._port, self.path = port, f"/{number}"
        self._sent = 0

    async def join(self) -> None:
        """Connect; raise RuntimeError if the server refuses, OSError."""
        await self.connect(self._port, self.path)

    def handle_message(self, text: bytes) -> None:
        """Take a text for the state after that many moves."""
        self.set_version(int(text), [])

    def send_move(self, move: ScriptedMove) -> None:
        """Send the number of the move, whichever it is."""
        self._sent = self.version + 1
        self.send(str(self._sent).encode())

    async def wait_for_answer(self) -> float:
        """Wait as `PlayerClient.wait_for_answer` says."""
        return await self.wait_for_version(self._sent)


class EchoServer:
    """The bare server as a process."""

    name = "bare echo"

    def __init__(self, prefix: Sequence[str] = ()) -> None:
        """Prepare a server on a free port; `prefix` are words before its command."""
        self.port = find_free_port()
        self._prefix = prefix
        self._process: asyncio.subprocess.Process | None = None
        self._numbers = itertools.count()

    @property
    def pid(self) -> int:
        """The id of the process, which must have been started."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start the process and wait until it listens; raise RuntimeError if it exits or takes too long, OSError."""
        command = [*self._prefix, sys.executable, "-m", "benchmarks.load.echo", str(self.port)]
        self._process = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
        )
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                _, writer = await asyncio.open_connection(HOST, self.port)
            except OSError:
                if time.monotonic() > end or self._process.returncode is not None:
                    raise RuntimeError("the bare server did not start") from None
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return

    async def stop(self) -> None:
        """Stop the process, if it runs, and wait until it has ended."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def create_match(self, watchers: int = 0) -> Seats:
        """Return clients of a table with a new number."""
        number = next(self._numbers)
        first, second, *others = (EchoClient(self.port, number) for _ in range(2 + watchers))
        return Seats((first, second), list(others))


if __name__ == "__main__":
    uvicorn.run(
        application,
        host=HOST,
        port=int(sys.argv[1]),
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_ping_interval=None,
        lifespan="off",
        log_level="warning",
        access_log=False,
    )
