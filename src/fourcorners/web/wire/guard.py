"""What all connections of a server share: the queue of their work, their allowances and their deadlines."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from abc import abstractmethod
from collections import deque

from fourcorners.web.wire import allowance
from fourcorners.web.wire.allowance import Allowance

if sys.platform != "win32":
    import resource

MAX_SILENT, MAX_SILENT_PER_ADDRESS = 1000, 100
"""Connections whose clients owe a request; beyond them the oldest is closed. Browsers open one or two in advance."""
_MAX_BACKLOG = 64 * 1024
"""Bytes of a connection that wait for their turn; while there are more, nothing is read from it."""
REFUSAL_SECONDS = 2.0
"""How long a client may still send, unread. If the server closed at once, the reason would be lost."""
_TURN_SECONDS = 0.001
"""The time in which long pieces of work are done in one turn of the event loop; the rest waits for the next."""
_SWEEP_SECONDS = 1.0
_ALWAYS_ALLOWED = 10_240
"""File descriptors that macOS gives a process even if it refuses more."""
_MAX_RESERVE = 128
"""File descriptors that are kept free of connections, for the database and files, or a quarter of all if that is less.
"""
_MAX_SHARED = 10_000
"""Allowances of addresses, beyond which all are forgotten."""


class QueuedProtocol(asyncio.Protocol):
    """A connection whose bytes wait for their turn; `address` is its peer's network, and `is_queued` is the guard's."""

    __slots__ = ("_backlog", "_guard", "_is_paused", "_transport", "address", "is_queued")

    def __init__(self, guard: Guard, address: str = "") -> None:
        self.address = address
        self.is_queued = self._is_paused = False
        self._guard = guard
        self._transport: asyncio.Transport
        self._backlog = bytearray()

    def data_received(self, data: bytes) -> None:
        """Keep bytes; while many wait, read nothing more."""
        self._backlog += data
        if len(self._backlog) > _MAX_BACKLOG:
            self._transport.pause_reading()
        self._guard.enqueue(self)

    def pause_reading(self) -> None:
        """Parse nothing more until `resume_reading`."""
        self._is_paused = True

    def resume_reading(self) -> None:
        """Go on parsing, beginning with what has arrived meanwhile."""
        self._is_paused = False
        self._guard.enqueue(self)

    def abort(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    time_out = abort

    def advance(self) -> bool:
        """Parse one piece, which takes at most about a millisecond, and return whether more can be done at once."""
        size = 0 if self._is_paused else self._measure()
        if size:
            piece = bytes(self._backlog[:size])
            del self._backlog[:size]
            self._parse(piece)
        if len(self._backlog) <= _MAX_BACKLOG and not self._transport.is_closing():
            self._transport.resume_reading()
        return size > 0 and bool(self._backlog)

    @abstractmethod
    def _measure(self) -> int:
        """Return the bytes of the backlog that can be parsed as one piece, 0 for none."""

    @abstractmethod
    def _parse(self, piece: bytes) -> None:
        """Parse a piece."""


class Guard:
    """Shared by all connections of one server, in the thread of its event loop."""

    def __init__(self) -> None:
        self._shared: dict[str, Allowance] = {}
        self.sockets: set[QueuedProtocol] = set()
        """The open WebSockets."""
        # Of the connections whose clients owe something; the oldest first.
        self._deadlines: dict[QueuedProtocol, float] = {}
        self._dropped: set[QueuedProtocol] = set()  # to make room; they still have their descriptors
        self._queue: deque[QueuedProtocol] = deque()
        self._turn: asyncio.Handle | None = None
        self._sweeper: asyncio.TimerHandle | None = None

    def admit(self, member: QueuedProtocol, descriptor: int, seconds: float) -> bool:
        """Give a new connection some seconds to send a request, and close another one if there are too many; return
        False if there is none to close. `descriptor` is the number of its file descriptor, which is the lowest that was
        free: a high one says that few are left.
        """
        same = [each for each in self._deadlines if each.address == member.address]
        if len(same) >= MAX_SILENT_PER_ADDRESS:
            self._drop(same[0])
        elif len(self._deadlines) >= MAX_SILENT:
            self._drop(next(iter(self._deadlines)))
        limit = read_descriptor_limit()
        excess = descriptor + 1 - (limit - min(_MAX_RESERVE, limit // 4)) if limit else 0
        while len(self._dropped) < excess:
            if not self._deadlines:
                return False
            self._drop(next(iter(self._deadlines)))
        self.expect(member, seconds)
        return True

    def expect(self, member: QueuedProtocol, seconds: float) -> None:
        """Have a connection time out unless its client does what it owes, and `forget` is called, in some seconds."""
        self.forget(member)
        loop = asyncio.get_running_loop()
        self._deadlines[member] = loop.time() + seconds
        if self._sweeper is None:
            self._sweeper = loop.call_later(_SWEEP_SECONDS, self._sweep)

    def forget(self, member: QueuedProtocol) -> None:
        """Note that the client of a connection owes nothing any more."""
        self._deadlines.pop(member, None)

    def spend(self, key: str, frames: int, size: int) -> bool:
        """Count frames and bytes for an address, or whatever else sockets share; return whether they were allowed."""
        shared = self._shared.get(key)
        if shared is None:
            if len(self._shared) >= _MAX_SHARED:
                self._shared.clear()
            shared = self._shared[key] = Allowance(allowance.PER_ADDRESS)
        return shared.spend(frames, size)

    def remove(self, member: QueuedProtocol) -> None:
        """Note that a connection is closed."""
        self.forget(member)
        self.sockets.discard(member)
        self._dropped.discard(member)

    def enqueue(self, member: QueuedProtocol) -> None:
        """Let a member advance in its turn, unless it waits for that already."""
        if not member.is_queued:
            member.is_queued = True
            self._queue.append(member)
            if self._turn is None:
                self._turn = asyncio.get_running_loop().call_soon(self._work)

    def abort_all(self) -> None:
        """Close all WebSockets, and all connections whose clients owe something, because the server stops."""
        for member in [*self.sockets, *self._deadlines]:
            member.abort()

    def _drop(self, member: QueuedProtocol) -> None:
        self.forget(member)
        self._dropped.add(member)
        member.abort()

    def _sweep(self) -> None:
        """Close the connections whose time is up; come again in a second unless no time runs."""
        loop = asyncio.get_running_loop()
        for member in [member for member, end in self._deadlines.items() if end <= loop.time()]:
            self.forget(member)
            member.time_out()
        self._sweeper = loop.call_later(_SWEEP_SECONDS, self._sweep) if self._deadlines else None

    def _work(self) -> None:
        """Let members advance, one after the other, and continue in the next turn of the event loop."""
        end = time.perf_counter() + _TURN_SECONDS
        try:
            while self._queue and time.perf_counter() < end:
                member = self._queue.popleft()
                member.is_queued = False
                if member.advance():
                    self.enqueue(member)
        finally:
            self._turn = asyncio.get_running_loop().call_soon(self._work) if self._queue else None


def read_descriptor_limit() -> int:
    """Return how many file descriptors this process may have, 0 if that is not limited or not known."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if sys.platform != "win32" else 0
    return max(0, limit)


def raise_descriptor_limit(wanted: int) -> None:
    """Raise the limit of file descriptors to the wanted number, as far as the system allows."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    for limit in (most, _ALWAYS_ALLOWED):
        # Some systems allow a process less than the limit that they name.
        if soft != resource.RLIM_INFINITY and soft < limit <= most:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
                return
