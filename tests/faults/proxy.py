"""A network that fails on purpose: a TCP proxy that cuts, silences, delays, doubles, halves and swallows."""

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

from tests.faults.wire import Kind, pieces

HOST = "127.0.0.1"
_LONGEST_DELAY = 0.2
_RESET = struct.pack("ii", 1, 0)


class Way(Enum):
    """A direction: `UP` from the client to the server."""

    UP = "up"
    DOWN = "down"


BOTH = (Way.UP, Way.DOWN)


class Fault(Enum):
    """What can happen to a message."""

    DELAY = "delayed"
    DOUBLE = "doubled"
    HALVE = "halved"
    CUT_BEFORE = "cut before a message"
    CUT_AFTER = "cut after a message"
    SILENCE = "silenced"


@dataclass
class Plan:
    """How likely each fault is for a message, chosen by a generator with a seed."""

    odds: Mapping[Fault, float] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def choose(self) -> Fault | None:
        """Choose what happens to the next message."""
        number = self.random.random()
        for fault, odds in self.odds.items():
            number -= odds
            if number < 0:
                return fault
        return None


class Proxy:
    """Lines between clients and a server at a port of this machine; `port` is where clients come."""

    def __init__(self, target: int, plan: Plan | None = None) -> None:
        self.target = target
        self.plan = plan or Plan()
        self.port = 0
        self.counts: Counter[str] = Counter()
        self.lines: set[Line] = set()
        self.on_message: Callable[[Way, bytes], None] | None = None
        """Called after a message was passed on."""
        self._next: dict[Way, deque[Fault]] = {way: deque() for way in Way}
        self._open = {way: asyncio.Event() for way in Way}
        for event in self._open.values():
            event.set()
        self._refusing = False
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._come, HOST, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for event in self._open.values():
            event.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def cut(self) -> None:
        """Reset all lines."""
        self.counts["cut"] += 1
        for line in list(self.lines):
            line.reset()

    def silence(self) -> None:
        """Let all lines be dead from now on, without a word to either side; new ones are not."""
        self.counts["silenced"] += 1
        for line in self.lines:
            line.silent = True

    async def blackhole(self, seconds: float, ways: tuple[Way, ...] = BOTH) -> None:
        """Pass nothing on for so long, on old lines and on new ones; what was said arrives late, as TCP has it."""
        self.counts["blackholes"] += 1
        for way in ways:
            self._open[way].clear()
        try:
            await asyncio.sleep(seconds)
        finally:
            for way in ways:
                self._open[way].set()

    async def refuse(self, seconds: float) -> None:
        """Reset all lines, and every new one for so long."""
        self.cut()
        self._refusing = True
        try:
            await asyncio.sleep(seconds)
        finally:
            self._refusing = False

    def strike(self, fault: Fault, way: Way = Way.UP) -> None:
        """Let a fault happen to the next message of any line."""
        self._next[way].append(fault)

    def fault_for(self, way: Way) -> Fault | None:
        """Say what happens to a message."""
        fault = self._next[way].popleft() if self._next[way] else self.plan.choose()
        # What a server says twice no client need bear: TCP doubles nothing, but a client may say a thing again.
        return None if fault is Fault.DOUBLE and way is Way.DOWN else fault

    async def passable(self, way: Way) -> None:
        """Wait until something may pass."""
        await self._open[way].wait()

    def _come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refusing:
            _reset(writer)
            return
        try:
            onward = await asyncio.open_connection(HOST, self.target)
        except OSError:
            _reset(writer)
            return
        line = Line(self, (reader, writer), onward)
        self.lines.add(line)
        self.counts["lines"] += 1
        try:
            await line.run()
        finally:
            self.lines.discard(line)


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Line:
    """One connection through the proxy."""

    def __init__(self, proxy: Proxy, client: Stream, server: Stream) -> None:
        self.silent = False
        self._proxy = proxy
        self._client, self._server = client, server

    async def run(self) -> None:
        """Pass on what comes until either side ends."""
        pumps = [
            asyncio.create_task(self._pump(Way.UP, self._client[0], self._server[1])),
            asyncio.create_task(self._pump(Way.DOWN, self._server[0], self._client[1])),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            if self.silent:
                # The other side never hears of it.
                await asyncio.wait(pumps)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            for writer in (self._client[1], self._server[1]):
                writer.close()

    def reset(self) -> None:
        """End the line at both ends at once."""
        self.silent = False
        _reset(self._client[1])
        _reset(self._server[1])

    async def _pump(self, way: Way, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            async for kind, piece in pieces(reader):
                if self.silent:
                    continue
                fault = self._proxy.fault_for(way) if kind is Kind.MESSAGE else None
                if fault is not None:
                    self._proxy.counts[fault.value] += 1
                if not await self._carry(fault, way, piece, writer):
                    return
                if kind is Kind.MESSAGE and self._proxy.on_message is not None:
                    self._proxy.on_message(way, piece)

    async def _carry(self, fault: Fault | None, way: Way, piece: bytes, writer: asyncio.StreamWriter) -> bool:
        """Do to a piece what is to happen to it; return whether the line goes on."""
        if fault is Fault.DELAY:
            await asyncio.sleep(self._proxy.plan.random.uniform(0, _LONGEST_DELAY))
        await self._proxy.passable(way)
        if fault is Fault.SILENCE:
            self.silent = True
        if self.silent:
            return True
        if fault is Fault.CUT_BEFORE:
            self.reset()
            return False
        writer.write(piece[: len(piece) // 2] if fault is Fault.HALVE else piece)
        if fault is Fault.DOUBLE:
            writer.write(piece)
        await writer.drain()
        if fault in {Fault.HALVE, Fault.CUT_AFTER}:
            # Closed in order on the far side, so that what was written does arrive before the end.
            writer.close()
            await asyncio.sleep(0)
            self.reset()
            return False
        return True


def _reset(writer: asyncio.StreamWriter) -> None:
    end: socket.socket | None = writer.get_extra_info("socket")
    if end is not None and not writer.is_closing():
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()
