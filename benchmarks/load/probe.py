"""Find the longest pause of a server: `python -m benchmarks.load.probe PORT PATH SECONDS HELLO` prints it as JSON.

It is a separate process, because pauses of the load generator must not count. It pings the server every 12.5 ms: a
server that answers late has done something else meanwhile. Eight sockets take turns, as ours allows each few pings.
"""

import asyncio
import json
import sys
import time
from typing import Any

import uvloop

from benchmarks.load.clients import PlayerClient, SocketClient
from benchmarks.load.workload import compute_percentiles, run_all
from tests.faults.server_process import ROOT

_SOCKETS = 8
_PING_EVERY = 0.0125
_END_TIMEOUT = 30.0


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


async def start_probe(port: int, client: PlayerClient, seconds: float) -> asyncio.subprocess.Process:
    """Start the program for the server at a port, with sockets like that of a client; `read_probe` has its result."""
    arguments = [str(port), client.path, str(seconds), client.greeting.decode()]
    command = [sys.executable, "-m", "benchmarks.load.probe", *arguments]
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=pipe, stderr=pipe)


async def read_probe(process: asyncio.subprocess.Process) -> dict[str, Any]:
    """Wait for the program, and return what `probe` returned; raise RuntimeError with the reason if it failed, and
    TimeoutError if it does not end.
    """
    output, reason = await asyncio.wait_for(process.communicate(), _END_TIMEOUT)
    if process.returncode:
        raise RuntimeError(f"the probe for pauses failed: {reason.decode().strip()}")
    result: dict[str, Any] = json.loads(output)
    return result


def main(port: str, path: str, seconds: str, hello: str) -> None:
    """Probe and print the result as JSON, or exit with the reason."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            result = runner.run(probe(int(port), path, float(seconds), hello))
        except (OSError, RuntimeError) as error:
            sys.exit(str(error) or type(error).__name__)
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
