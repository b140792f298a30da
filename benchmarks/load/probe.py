"""Find the longest pause of a server: `python -m benchmarks.load.probe PORT PATH SECONDS HELLO` prints it as JSON.

A process of its own, because pauses of the load generator must not count. It pings the server every 12.5 ms: a server
that answers late has done something else meanwhile. Eight sockets take turns, because ours allows each few pings.
"""

import asyncio
import json
import sys
import time
from typing import Any

import uvloop

from benchmarks.load.clients import GameServer, SocketClient
from benchmarks.load.workload import compute_percentiles, run_all
from tests.faults.server_process import ROOT

_SOCKETS = 8
_PING_EVERY = 0.0125


class ProbeClient(SocketClient):
    """A socket that notes how long each ping took, and answers the heartbeats of our server and of socket.io."""

    def __init__(self, times: list[float]) -> None:
        """Append to these times, in seconds."""
        super().__init__()
        self._times = times

    def handle_message(self, text: bytes) -> None:
        """Send heartbeats back; ignore all other messages."""
        if text.startswith(b'{"type":"beat"'):
            self.send(text)
        elif text == b"2":
            self.send(b"3")

    def handle_pong(self, payload: bytes) -> None:
        """Note how long ago the time in the payload was."""
        self._times.append(time.perf_counter() - float(payload))


async def probe(port: int, path: str, seconds: float, hello: str) -> dict[str, Any]:
    """Ping for `seconds` over sockets that have sent `hello`, unless empty; return percentiles of the answers in ms.

    Raise RuntimeError if the server closes a socket, OSError.
    """
    times: list[float] = [0.0]
    clients = [ProbeClient(times) for _ in range(_SOCKETS)]
    await run_all([client.connect(port, path) for client in clients])
    for client in clients if hello else ():
        client.send(hello.encode())
    began = time.perf_counter()
    for number in range(int(seconds / _PING_EVERY)):
        await asyncio.sleep(max(0.0, began + number * _PING_EVERY - time.perf_counter()))
        clients[number % _SOCKETS].ping(str(time.perf_counter()).encode())
    # The answer to the last ping may be the late one.
    await asyncio.sleep(1.0)
    return {"pings": int(seconds / _PING_EVERY), "answers": len(times) - 1, **compute_percentiles(times)}


async def start_probe(server: GameServer, path: str, seconds: float, hello: str) -> asyncio.subprocess.Process:
    """Start the program for a server; it prints what `probe` returns."""
    command = [sys.executable, "-m", "benchmarks.load.probe", str(server.port), path, str(seconds), hello]
    return await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)


def main(port: str, path: str, seconds: str, hello: str) -> None:
    """Probe and print the result as JSON."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print(json.dumps(runner.run(probe(int(port), path, float(seconds), hello))))


if __name__ == "__main__":
    main(*sys.argv[1:])
