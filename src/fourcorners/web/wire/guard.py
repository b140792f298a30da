"""What all connections of a server share: the queue of their work, their allowances and their deadlines."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from abc import abstractmethod
from collections import OrderedDict

from cachetools import LRUCache

from fourcorners.web.auth.allowance import Allowance

if sys.platform != "win32":
    import resource

MAX_SILENT, MAX_SILENT_PER_ADDRESS = 1000, 100
"""Connections whose clients owe something; beyond them the oldest is closed. Browsers open one or two in advance."""
PER_ADDRESS = (4 * 1024 * 1024, 1024 * 1024)
"""The bytes that all sockets of an address may send at once, and in each second."""
_MAX_BACKLOG = 64 * 1024
"""Bytes of a connection that wait for their turn; while there are more, nothing is read from it."""
_REFUSAL_SECONDS = 2.0
"""How long a client may still send, unread. If the server closed at once, the reason would be lost."""
_TURN_SECONDS = 0.001
"""The time in which long pieces of work are done in one turn of the event loop; the rest waits for the next."""
_MAX_SHARED = 10_000  # allowances of addresses; the one that was used the longest time ago is forgotten first
_MAX_RESERVE = 128
"""File descriptors kept free of connections, for the database and files, or a quarter of all if that is less."""


class QueuedProtocol(asyncio.Protocol):
    """A connection whose bytes wait for their turn; `address` is its peer's network."""

    __slots__ = ("_backlog", "_guard", "_is_ended", "_is_paused", "_transport", "address")

    def __init__(self, guard: Guard, address: str = "") -> None:
        self.address = address
        self._is_paused = self._is_ended = False
        self._guard = guard
        self._transport: asyncio.Transport
        self._backlog = bytearray()

    def data_received(self, data: bytes) -> None:
        """Keep bytes; while many wait, read nothing more."""
        if self._is_ended:
            return
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

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._is_ended = True
        self._backlog.clear()
        self._guard.remove(self)

    def _end(self, last: bytes = b"") -> None:
        """Send the last word, and give the client some time to read it. Drop whatever arrives from now on."""
        self._is_ended = True
        self._backlog.clear()
        if not self._transport.is_closing():
            self._transport.write(last)
            self._transport.write_eof()
            self._transport.resume_reading()
            self._guard.expect(self, _REFUSAL_SECONDS)

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
        self._shared: LRUCache[str, Allowance] = LRUCache(_MAX_SHARED)
        self.sockets: set[QueuedProtocol] = set()  # the open WebSockets
        # Of the connections whose clients owe something; the oldest first.
        self._deadlines: dict[QueuedProtocol, asyncio.TimerHandle] = {}
        self._dropped: set[QueuedProtocol] = set()  # to make room; they still have their descriptors
        self._queue: OrderedDict[QueuedProtocol, None] = OrderedDict()
        self._turn: asyncio.Handle | None = None

    def admit(self, member: QueuedProtocol, descriptor: int, seconds: float) -> bool:
        """Give a new connection some seconds to send a request, and close another one if there are too many; return
        False if there is none to close. `descriptor` is the number of its file descriptor, which is the lowest that was
        free: a high one says that few are left.
        """
        same = [each for each in self._deadlines if each.address == member.address]
        surplus = max(0, len(same) + 1 - MAX_SILENT_PER_ADDRESS)
        count = max(surplus, len(self._deadlines) + 1 - MAX_SILENT)
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if sys.platform != "win32" else -1
        if limit > 0:
            count = max(count, descriptor + 1 - (limit - min(_MAX_RESERVE, limit // 4)) - len(self._dropped))
        oldest = list(dict.fromkeys([*same[:surplus], *self._deadlines]))[:count]
        for each in oldest:
            self.forget(each)
            self._dropped.add(each)
            each.abort()
        if len(oldest) == count:
            self.expect(member, seconds)
        return len(oldest) == count

    def expect(self, member: QueuedProtocol, seconds: float) -> None:
        """Have a connection time out unless its client does what it owes, and `forget` is called, in some seconds."""
        self.forget(member)
        self._deadlines[member] = asyncio.get_running_loop().call_later(seconds, member.time_out)

    def forget(self, member: QueuedProtocol) -> None:
        """Note that the client of a connection owes nothing any more."""
        if timer := self._deadlines.pop(member, None):
            timer.cancel()

    def spend(self, key: str, cost: float) -> bool:
        """Count bytes for an address, or whatever else sockets share; return whether they were allowed."""
        shared = self._shared.get(key) or self._shared.setdefault(key, Allowance(*PER_ADDRESS))
        return not shared.spend(cost)

    def remove(self, member: QueuedProtocol) -> None:
        """Note that a connection is closed."""
        self.forget(member)
        self.sockets.discard(member)
        self._dropped.discard(member)

    def enqueue(self, member: QueuedProtocol) -> None:
        """Let a member advance in its turn, unless it waits for that already."""
        self._queue.setdefault(member)
        if self._turn is None:
            self._turn = asyncio.get_running_loop().call_soon(self._work)

    def abort_all(self) -> None:
        """Close all WebSockets, and all connections whose clients owe something, because the server stops."""
        for member in [*self.sockets, *self._deadlines]:
            member.abort()

    def _work(self) -> None:
        """Let members advance, one after the other, and continue in the next turn of the event loop."""
        end = time.perf_counter() + _TURN_SECONDS
        try:
            while self._queue and time.perf_counter() < end:
                member, _ = self._queue.popitem(last=False)
                if member.advance():
                    self.enqueue(member)
        finally:
            self._turn = asyncio.get_running_loop().call_soon(self._work) if self._queue else None


def raise_descriptor_limit(wanted: int) -> None:
    """Raise the limit of file descriptors to the wanted number, as far as the system allows."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for limit in (wanted, hard, 10_240):  # macOS gives a process the last although it names no limit and refuses more
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, limit), hard))
            return
