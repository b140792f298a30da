"""`python -m benchmarks.attacks`: moves of honest players while one client floods the server; a Markdown table.

Each attack has 100 sockets that send 10 MB/s together, as far as the server takes them, and connect again as soon as
they are closed; the table says how much they really sent. The honest players' latencies count from when a move was due.
A newcomer loads the home page again and again.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from numba import config

from benchmarks.load.clients import HOST
from benchmarks.load.our_server import OurServer
from benchmarks.load.processes import pin_client
from benchmarks.load.workload import (
    close_matches,
    compute_percentiles,
    play_at_rate,
    raise_file_limit,
    start_matches,
)
from tests.faults.server_process import fetch

SOCKETS, BYTES_PER_SECOND = 100, 10_000_000
RATE, SECONDS, TABLES = 40.0, 10.0, 20
_TICK = 0.02
_MASK = bytes(4)  # masking with zeros leaves the payload as it is


def build_frame(opcode: int, payload: bytes = b"", *, is_final: bool = True) -> bytes:
    """Return a masked WebSocket frame as a client sends it."""
    first = (0x80 if is_final else 0) | opcode
    if len(payload) < 126:
        return bytes([first, 0x80 | len(payload)]) + _MASK + payload
    return bytes([first, 0xFE]) + struct.pack("!H", len(payload)) + _MASK + payload


def build_text(**message: Any) -> bytes:
    """Return a frame with a message as JSON."""
    return build_frame(1, json.dumps(message).encode())


CONTINUATION, TEXT, PING, PONG = 0, 1, 9, 10
HELLO = build_text(type="hello", version=None, viewer=None)
FRAMES = {
    "empty pings": (b"", build_frame(PING)),
    "empty pongs": (b"", build_frame(PONG)),
    "empty continuations": (build_frame(TEXT, is_final=False), build_frame(CONTINUATION, is_final=False)),
    "fragments of a byte": (build_frame(TEXT, b"[", is_final=False), build_frame(CONTINUATION, b"[", is_final=False)),
    "empty texts": (b"", build_frame(TEXT)),
    "texts that cannot be read": (b"", build_frame(TEXT, b'{"type":"nothing"}')),
    "long texts": (b"", build_frame(TEXT, b"[" * 60_000)),
    "hellos": (b"", HELLO),
    "looks": (HELLO, build_text(type="look", ply=0)),
    "moves of spectators": (HELLO, build_text(type="move", id="x", version=0, move="a1b1")),
    "random bytes": (b"", random.Random(1).randbytes(4000)),
}
"""What a socket sends after its handshake: once, and then again and again."""
REQUESTS = {
    "pipelined requests": (b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    "pipelined requests for a file": (b"", b"GET /static/dom.js HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    "bodies in chunks of a byte": (
        b"POST /records HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"1\r\nx\r\n",
    ),
    "endless headers": (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"a: b\r\n"),
    "random bytes as a request": (b"", random.Random(1).randbytes(4000)),
    "connections that are closed at once": (b"", b""),
}
"""What a connection without a handshake sends."""


class Attack:
    """Many sockets that send the same at a given rate, each from a new anonymous visitor."""

    def __init__(self, port: int, handshake: bytes, first: bytes, again: bytes) -> None:
        """Prepare an attack on a port; `handshake` is empty for plain HTTP."""
        self._port = port
        self._handshake, self._first = handshake, first
        size = BYTES_PER_SECOND * _TICK / SOCKETS
        self._again = again * max(1, round(size / len(again))) if again else b""
        self.connections = self.sent_bytes = 0

    async def run(self) -> None:
        """Attack until cancelled."""
        await asyncio.gather(*(self._keep_sending() for _ in range(SOCKETS)))

    async def _keep_sending(self) -> None:
        while True:
            with contextlib.suppress(OSError, EOFError, TimeoutError):
                await self._send_until_closed()
            await asyncio.sleep(0)

    async def _send_until_closed(self) -> None:
        reader, writer = await asyncio.open_connection(HOST, self._port)
        self.connections += 1
        drain = None
        try:
            if self._handshake:
                self._write(writer, self._handshake)
                await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
            drain = asyncio.create_task(self._read_until_closed(reader))
            self._write(writer, self._first)
            while self._again and not drain.done():
                began = time.perf_counter()
                self._write(writer, self._again)
                await writer.drain()
                pause = len(self._again) * SOCKETS / BYTES_PER_SECOND
                await asyncio.sleep(max(0.0, began + pause - time.perf_counter()))
        finally:
            if drain is not None:
                drain.cancel()
            self.sent_bytes -= writer.transport.get_write_buffer_size()
            writer.transport.abort()

    def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        """Write and count; what the system has not taken by the end is subtracted."""
        writer.write(data)
        self.sent_bytes += len(data)

    @staticmethod
    async def _read_until_closed(reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while await reader.read(65536):
                pass


def build_handshake(table: str) -> bytes:
    """Return the request that opens a WebSocket to a table, without a cookie."""
    return (
        f"GET /play/{table}/live HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


async def visit_home(port: int, times: list[float]) -> None:
    """Load the home page twice a second until cancelled, and append how long the headers of each answer took."""
    while True:
        began = time.perf_counter()
        with contextlib.suppress(OSError, EOFError):
            await fetch(port, "GET", "/")
            times.append(time.perf_counter() - began)
        await asyncio.sleep(0.5)


async def start_attack(name: str, port: int, table: str) -> asyncio.subprocess.Process:
    """Start an attack in another process, so that its work does not delay the honest players here."""
    # The id of a table may begin with "-", which argparse would take for an option without the "=".
    command = [sys.executable, "-m", "benchmarks.attacks", f"--attack={name}", f"--port={port}", f"--table={table}"]
    return await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)


async def measure(server: OurServer, name: str, seconds: float) -> dict[str, Any]:
    """Play moves on fresh tables during an attack, "" for none; return what `play_at_rate` does, and more."""
    await server.create_match()  # both visitors are created once, by the first game
    matches = await start_matches(server, max(TABLES, int(RATE * (seconds + 1) / 50)))
    table = await server.create_table("dots-and-boxes", await server.create_visitor(), cols="5", rows="5")
    times: list[float] = []
    process, attack = None, {"connections": 0, "sent_bytes": 0, "seconds": 1.0}
    visitor = asyncio.create_task(visit_home(server.port, times))
    try:
        if name:
            process = await start_attack(name, server.port, table)
            assert process.stdout is not None
            await process.stdout.readline()  # it has begun
            await asyncio.sleep(1.0)
        result = await play_at_rate(server, matches, RATE, seconds)
        result["home_ms"] = compute_percentiles(times)
    finally:
        visitor.cancel()
        if process is not None:
            if process.returncode is not None:
                raise RuntimeError(f"the attack ended by itself with status {process.returncode}")
            process.terminate()
            output, _ = await process.communicate()
            attack = json.loads(output)
        await close_matches(matches)
    return {
        **result,
        "connections": attack["connections"],
        "sent_mb_per_s": attack["sent_bytes"] / attack["seconds"] / 1e6,
    }


async def measure_all(names: Sequence[str], seconds: float) -> None:
    """Measure all attacks, each against a fresh server, and print a line of the table for each."""
    prefix = pin_client()
    rules = "interpreted" if config.DISABLE_JIT else "compiled"
    place = "server and clients on a core each" if prefix else "not pinned to cores"
    print(
        f"{seconds:g} s for each attack, rules {rules}, {place}, load average {os.getloadavg()[0]:.1f} at the start.\n"
    )
    print(
        "| attack | moves/s | acknowledged p50, p99, worst | seen p99 | home p50, worst | processor | connections "
        "| attackers sent |"
    )
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            server = OurServer(Path(folder), None, prefix)
            await server.start()
            try:
                result = await measure(server, name, seconds)
            except (OSError, RuntimeError, TimeoutError) as error:
                print(f"| {name or 'none'} | failed: {str(error) or type(error).__name__} | | | | | | |", flush=True)
                continue
            finally:
                await server.stop()
        own, seen, home = result["acknowledged_ms"], result["seen_ms"], result["home_ms"]
        print(
            f"| {name or 'none'} | {result['moves_per_s']:g} | {own['p50']:g}, {own['p99']:g}, {own['worst']:g} ms "
            f"| {seen['p99']:g} ms | {home['p50']:g}, {home['worst']:g} ms | {result['server_cpu_share']:.0%} "
            f"| {result['connections']} | {result['sent_mb_per_s']:.2f} MB/s |",
            flush=True,
        )


def main(arguments: Sequence[str]) -> None:
    """Measure all attacks, or those named; with `--attack` be the attacker."""
    parser = argparse.ArgumentParser(prog="benchmarks.attacks", description="Play moves while the server is attacked.")
    parser.add_argument("--only", action="append", choices=["none", *FRAMES, *REQUESTS], help="measure this one")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--attack", choices=[*FRAMES, *REQUESTS], help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--table", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    raise_file_limit()
    if options.attack:
        handshake = build_handshake(options.table) if options.attack in FRAMES else b""
        attack = Attack(options.port, handshake, *(FRAMES | REQUESTS)[options.attack])
        began = time.perf_counter()
        asyncio.run(run_until_terminated(attack.run))
        seconds = time.perf_counter() - began
        result = {"connections": attack.connections, "sent_bytes": attack.sent_bytes, "seconds": seconds}
        print(json.dumps(result))
        return
    names = ["" if name == "none" else name for name in options.only or ["none", *FRAMES, *REQUESTS]]
    asyncio.run(measure_all(names, options.seconds))


async def run_until_terminated(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Print an empty line, and run until SIGTERM."""
    task = asyncio.create_task(work())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    print(flush=True)
    with contextlib.suppress(asyncio.CancelledError):
        await task


if __name__ == "__main__":
    main(sys.argv[1:])
