"""Fault injection: a TCP proxy that cuts, silences, delays, duplicates, truncates and swallows messages."""

import asyncio
import contextlib
import random
import socket
import struct
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Self

from tests.faults.framing import ChunkKind, read_chunks, read_raw

HOST = "127.0.0.1"
_MAX_DELAY = 0.2
_LINGER_ZERO = struct.pack("ii", 1, 0)


class Direction(Enum):
    """A direction: `UP` from the client to the server, `DOWN` from the server to the client."""

    UP = "up"
    DOWN = "down"


BOTH = (Direction.UP, Direction.DOWN)


class Fault(Enum):
    """A fault that can happen to a message; the value is its name in `Proxy.counts`."""

    DELAY = "delayed"
    DUPLICATE = "duplicated"
    TRUNCATE = "truncated"
    CUT_BEFORE = "cut before a message"
    CUT_AFTER = "cut after a message"
    SILENCE = "silenced"


@dataclass
class FaultPlan:
    """The probability of each fault for a message, at most 1 in all; equal seeds and calls give equal choices."""

    odds: Mapping[Fault, float] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def choose(self) -> Fault | None:
        """Draw the fault of the next message at random; None for no fault."""
        number = self.random.random()
        for fault, odds in self.odds.items():
            number -= odds
            if number < 0:
                return fault
        return None


class Proxy:
    """A proxy on this machine, as an asynchronous context manager; clients connect to `port`."""

    def __init__(self, target: int, plan: FaultPlan | None = None, *, is_http: bool = True) -> None:
        """Prepare to forward connections to the port `target` of this machine, without faults if there is no plan.

        New connections go to another port once `target` is changed. `port` is 0 until the context is entered. The
        faults of a plan, and `inject_fault`, need `is_http`, because other protocols have no WebSocket messages.
        """
        self.read = read_chunks if is_http else read_raw
        self.target = target
        self.plan = plan or FaultPlan()
        self.port = 0
        self.counts: Counter[str] = Counter()
        self.connections: set[ProxiedConnection] = set()
        self.on_message: Callable[[Direction, bytes], None] | None = None
        """Called after a WebSocket message was forwarded, with its direction and its frames."""
        self._next: dict[Direction, deque[Fault]] = {direction: deque() for direction in Direction}
        self._open = {direction: asyncio.Event() for direction in Direction}
        for event in self._open.values():
            event.set()
        self._refusing = False
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._accept, HOST, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all connections, even in a blackhole, and stop listening."""
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def cut_connections(self) -> None:
        """Reset all connections at both ends, silenced ones too; new ones work."""
        self.counts["cut"] += 1
        for connection in list(self.connections):
            connection.reset()

    def silence_connections(self) -> None:
        """Swallow what is sent on all present connections in both directions, without closing them; new ones work."""
        self.counts["silenced"] += 1
        for connection in self.connections:
            connection.silent = True

    async def blackhole(self, seconds: float, directions: tuple[Direction, ...] = BOTH) -> None:
        """Forward nothing in these directions for some seconds, on old and new connections; return when they are over.

        What is sent meanwhile arrives late, as with TCP. Two blackholes at once end when the first one does.
        """
        self.counts["blackholes"] += 1
        for direction in directions:
            self._open[direction].clear()
        try:
            await asyncio.sleep(seconds)
        finally:
            for direction in directions:
                self._open[direction].set()

    async def refuse_connections(self, seconds: float) -> None:
        """Reset all connections, and for some seconds every new one; return when they are over.

        Counts as a "cut" as well. Two refusals at once end when the first one does.
        """
        self.cut_connections()
        self._refusing = True
        try:
            await asyncio.sleep(seconds)
        finally:
            self._refusing = False

    def inject_fault(self, fault: Fault, direction: Direction = Direction.UP) -> None:
        """Inject a fault into the next message in this direction of any connection; several are used in turn.

        An injected `DUPLICATE` in the direction `DOWN` is used up without effect.
        """
        self._next[direction].append(fault)

    def choose_fault(self, direction: Direction) -> Fault | None:
        """Choose the fault of a message: the first injected one, which is used up, or one of the plan; may be None.

        A `DUPLICATE` in the direction `DOWN` becomes None.
        """
        fault = self._next[direction].popleft() if self._next[direction] else self.plan.choose()
        # A client may repeat a message, but a server never does, and TCP duplicates nothing.
        return None if fault is Fault.DUPLICATE and direction is Direction.DOWN else fault

    async def wait_until_open(self, direction: Direction) -> None:
        """Wait until no blackhole blocks this direction."""
        await self._open[direction].wait()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Start to forward a new connection, in a separate task that `__aexit__` cancels."""
        task = asyncio.create_task(self._forward_connection(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # A task that is cancelled early closes nothing by itself.
        task.add_done_callback(lambda _: writer.close())

    async def _forward_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward a connection to the server and add it to `counts`; until it ends it is in `connections`.

        While the connection to the server is still being opened, it is in neither, and is not cut or silenced.
        During `refuse_connections`, or if the server is down, only reset it at once.
        """
        if self._refusing:
            _reset(writer)
            return
        try:
            upstream = await asyncio.open_connection(HOST, self.target)
        except OSError:
            _reset(writer)
            return
        connection = ProxiedConnection(self, (reader, writer), upstream)
        self.connections.add(connection)
        self.counts["connections"] += 1
        try:
            await connection.run()
        finally:
            self.connections.discard(connection)


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class ProxiedConnection:
    """One connection through the proxy."""

    def __init__(self, proxy: Proxy, client: Stream, server: Stream) -> None:
        """Take over the streams to a client and to the server; `run` forwards and closes them."""
        self.silent = False
        self._proxy = proxy
        self._client, self._server = client, server

    async def run(self) -> None:
        """Forward in both directions until either side ends (if silent, until both end), then close both."""
        tasks = [
            asyncio.create_task(self._forward(Direction.UP, self._client[0], self._server[1])),
            asyncio.create_task(self._forward(Direction.DOWN, self._server[0], self._client[1])),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if self.silent:
                # The other side must not notice that this one has ended.
                await asyncio.wait(tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for writer in (self._client[1], self._server[1]):
                writer.close()

    def reset(self) -> None:
        """Reset the connection at both ends, which ends `run`."""
        _reset(self._client[1])
        _reset(self._server[1])

    async def _forward(self, direction: Direction, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward one direction, with faults for its WebSocket messages, until it ends or a fault cuts it.

        A silent connection is read on, but nothing is forwarded. Errors of the network end it without an exception.
        Faults are counted, and `on_message` is called for each message that did not cut the connection.
        """
        with contextlib.suppress(OSError):
            async for kind, chunk in self._proxy.read(reader):
                if self.silent:
                    continue
                fault = self._proxy.choose_fault(direction) if kind is ChunkKind.MESSAGE else None
                if fault is not None:
                    self._proxy.counts[fault.value] += 1
                if not await self._deliver(fault, direction, chunk, writer):
                    return
                if kind is ChunkKind.MESSAGE and self._proxy.on_message is not None:
                    self._proxy.on_message(direction, chunk)

    async def _deliver(
        self, fault: Fault | None, direction: Direction, chunk: bytes, writer: asyncio.StreamWriter
    ) -> bool:
        """Write a chunk with a fault (None for none) to the other side; return False if the fault cut the connection.

        Waits while a blackhole lasts. `SILENCE` makes the connection silent from this chunk on, in both directions; a
        silent one swallows the chunk and goes on. Raise OSError if the connection is lost.
        """
        if fault is Fault.DELAY:
            await asyncio.sleep(self._proxy.plan.random.uniform(0, _MAX_DELAY))
        await self._proxy.wait_until_open(direction)
        if fault is Fault.SILENCE:
            self.silent = True
        if self.silent:
            return True
        if fault is Fault.CUT_BEFORE:
            self.reset()
            return False
        writer.write(chunk[: len(chunk) // 2] if fault is Fault.TRUNCATE else chunk)
        if fault is Fault.DUPLICATE:
            writer.write(chunk)
        await writer.drain()
        if fault in {Fault.TRUNCATE, Fault.CUT_AFTER}:
            # A regular close of this end, so that what was written arrives before the end: a reset would discard it.
            writer.close()
            # The event loop sends what is still buffered before `reset` aborts the connection.
            await asyncio.sleep(0)
            self.reset()
            return False
        return True


def _reset(writer: asyncio.StreamWriter) -> None:
    """Abort a connection at once: with a TCP reset, which a linger time of 0 causes, unless it is closing already.

    What is still buffered is dropped in both cases. No effect on a connection that is closed.
    """
    end: socket.socket | None = writer.get_extra_info("socket")
    if end is not None and not writer.is_closing():
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
    writer.transport.abort()
