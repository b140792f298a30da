"""What all connections of a server share: the queue, the allowances, the requests in progress, and the deadlines."""

from __future__ import annotations

import asyncio
import contextlib
import math
import sys
from collections import Counter, OrderedDict
from typing import Protocol

from fourcorners.web.auth.limits import normalise_address
from fourcorners.web.wire import allowance
from fourcorners.web.wire.allowance import SharedAllowances
from fourcorners.web.wire.fair_queue import FairQueue, Member, Rotation
from fourcorners.web.wire.hosts import HostPolicy

if sys.platform != "win32":
    import resource

HEAD_SECONDS = 10.0
"""How long the headers of a request may take, from the beginning of the connection or their first byte."""
BODY_IDLE_SECONDS = 15.0
"""How long the next bytes of a body may take. Endpoints of the API have stricter limits of their own."""
BODY_SECONDS = 120.0
"""How long a whole body may take."""
MAX_SILENT, MAX_SILENT_PER_ADDRESS = 1000, 100
"""Connections without a complete request; beyond them the oldest is closed. Browsers open one or two in advance."""
MAX_REQUESTS = 4
"""Requests that are being answered, or were begun less than `_REQUEST_SECONDS` ago; others wait."""
_REQUEST_SECONDS = 0.025
"""After this time a request makes room for others, because it probably waits for something: a move, a password hash."""
MAX_BACKLOG = 64 * 1024
"""Bytes of a connection that wait for their turn; while there are more, nothing is read from it."""
_SWEEP_SECONDS = 1.0
_ALWAYS_ALLOWED = 10_240
"""File descriptors that macOS gives a process even if it refuses more."""
_MIN_RESERVE, _MAX_RESERVE = 16, 128
"""File descriptors that are kept free of connections, for the database and files: a quarter of all, within these."""


class Droppable(Protocol):
    """A connection that can be closed to make room, or because it takes too long."""

    address: str

    def drop(self) -> None:
        """Close it without an answer."""

    def time_out(self) -> None:
        """Close it with an answer, if it has sent part of a request."""


class Deadlines:
    """Connections that must do something within the same time, in the order in which they began."""

    def __init__(self) -> None:
        self._ends: OrderedDict[Droppable, float] = OrderedDict()
        self._paused: dict[Droppable, float] = {}  # the seconds that are left to those whose time is paused
        self.per_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._ends)

    def __contains__(self, connection: Droppable) -> bool:
        """Return whether the time of a connection runs or is paused."""
        return connection in self._ends

    def begin(self, connection: Droppable, seconds: float) -> None:
        """Start or restart the time of a connection."""
        if self._ends.pop(connection, None) is None:
            self.per_address[connection.address] += 1
        self._paused.pop(connection, None)
        self._ends[connection] = asyncio.get_running_loop().time() + seconds

    def end(self, connection: Droppable) -> None:
        """Stop the time of a connection, if it runs or is paused."""
        self._paused.pop(connection, None)
        if self._ends.pop(connection, None) is not None:
            self.per_address[connection.address] -= 1
            if not self.per_address[connection.address]:
                del self.per_address[connection.address]

    def pause(self, connection: Droppable) -> None:
        """Pause the time of a connection, if it runs."""
        if connection in self._ends and connection not in self._paused:
            self._paused[connection] = self._ends[connection] - asyncio.get_running_loop().time()
            self._ends[connection] = math.inf

    def resume(self, connection: Droppable) -> None:
        """Let the time of a connection run on, if it is paused."""
        if (left := self._paused.pop(connection, None)) is not None:
            self._ends[connection] = asyncio.get_running_loop().time() + left

    def find_oldest(self, address: str | None = None) -> Droppable | None:
        """Return the connection that began first, of an address if one is given; None if there is none."""
        return next((each for each in self._ends if address is None or each.address == address), None)

    def pop_expired(self, now: float) -> list[Droppable]:
        """Stop and return all connections whose time is up."""
        # Those that were paused end later than others that began after them.
        expired = [connection for connection, end in self._ends.items() if end <= now]
        for connection in expired:
            self.end(connection)
        return expired


class Guard:
    """Shared by all connections of one server, in the thread of its event loop."""

    def __init__(self, hosts: HostPolicy) -> None:
        """Begin without connections; `hosts` are answered, requests for others are refused."""
        self.hosts = hosts
        self.queue = FairQueue()
        self.players = SharedAllowances(allowance.PER_PLAYER)
        self.addresses = SharedAllowances(allowance.PER_ADDRESS)
        self.silent, self.idle_bodies, self.bodies = Deadlines(), Deadlines(), Deadlines()
        self.idle: OrderedDict[Droppable, None] = OrderedDict()
        """Connections between two requests, and WebSockets that have sent nothing; the oldest first."""
        self.refused: OrderedDict[Droppable, None] = OrderedDict()
        """Connections that only stay open until the client has read why they are closed; the oldest first."""
        self._dropped: set[Droppable] = set()  # what still has its descriptor
        self._waiting = Rotation()
        self._requests = 0
        self._sweeper: asyncio.TimerHandle | None = None

    def admit(self, connection: Droppable, descriptor: int) -> bool:
        """Start the time of a new connection, and drop another if there are too many; return False if none can be.

        `descriptor` is the number of its file descriptor. A high one says that few are left, and so how many
        connections there may be.
        """
        if self.silent.per_address[connection.address] >= MAX_SILENT_PER_ADDRESS:
            self._drop(self.silent.find_oldest(connection.address))
        elif len(self.silent) >= MAX_SILENT:
            self._drop(self.silent.find_oldest())
        limit = read_descriptor_limit()
        # The system gives the lowest free number, so all lower ones are in use.
        excess = descriptor + 1 - (limit - min(_MAX_RESERVE, max(_MIN_RESERVE, limit // 4))) if limit else 0
        while len(self._dropped) < excess:
            if not self._drop(self._find_least_useful()):
                return False
        self.begin(self.silent, connection, HEAD_SECONDS)
        return True

    def begin(self, deadlines: Deadlines, connection: Droppable, seconds: float) -> None:
        """Start or restart the time of a connection in one of the lists, which are looked through once a second."""
        deadlines.begin(connection, seconds)
        if self._sweeper is None:
            self._sweeper = asyncio.get_running_loop().call_later(_SWEEP_SECONDS, self._sweep)

    def pause_body(self, connection: Droppable) -> None:
        """Pause the times of a body while the server itself does not read it."""
        self.bodies.pause(connection)
        self.idle_bodies.pause(connection)

    def resume_body(self, connection: Droppable) -> None:
        """Let the times of a body run on, because the server reads it again."""
        self.bodies.resume(connection)
        self.idle_bodies.resume(connection)

    def replace(self, connection: Droppable, successor: Droppable) -> None:
        """Count the WebSocket that a connection has become instead of it; it has said nothing yet."""
        self.forget(connection)
        self.idle[successor] = None

    def remove(self, connection: Droppable) -> None:
        """Stop counting a connection that is closed, and all its times."""
        self._dropped.discard(connection)
        self.forget(connection)

    def forget(self, connection: Droppable) -> None:
        """Stop all times of a connection, and count it neither as idle nor as refused."""
        for deadlines in (self.silent, self.idle_bodies, self.bodies):
            deadlines.end(connection)
        self.idle.pop(connection, None)
        self.refused.pop(connection, None)

    def try_to_start_request(self, member: Member) -> bool:
        """Count a new request, let the turn of the queue end with it, and return True. If there are too many, note that
        the member waits for one to end, and is queued then, and return False.
        """
        if self._requests >= MAX_REQUESTS:
            member.is_queued = True
            self._waiting.add(member)
            return False
        self._requests += 1
        self.queue.end_turn()
        return True

    def end_request(self) -> None:
        """Count a request that is over, and let the next one begin."""
        self._requests -= 1
        self.wake_waiting()

    def wake_waiting(self) -> None:
        """Queue the next member that waits for a request to end, if there is one."""
        if self._waiting and self._requests < MAX_REQUESTS:
            member = self._waiting.pop()
            member.is_queued = False
            self.queue.add(member)

    def _find_least_useful(self) -> Droppable | None:
        """Return the connection that is dropped first to make room; None if all are in use."""
        return (
            next(iter(self.refused), None)
            or self.silent.find_oldest()
            or next(iter(self.idle), None)
            or self.bodies.find_oldest()
        )

    def _drop(self, connection: Droppable | None) -> bool:
        """Drop a connection; return whether there was one."""
        if connection is None:
            return False
        self.forget(connection)
        self._dropped.add(connection)
        connection.drop()
        return True

    def _sweep(self) -> None:
        """Close the connections whose time is up; come again in a second unless no time runs."""
        loop = asyncio.get_running_loop()
        self._sweeper = None
        for deadlines in (self.silent, self.idle_bodies, self.bodies):
            for connection in deadlines.pop_expired(loop.time()):
                connection.time_out()
        if self.silent or self.bodies:
            self._sweeper = loop.call_later(_SWEEP_SECONDS, self._sweep)


class RequestSlot:
    """The place of a request among `MAX_REQUESTS`, which it gives back once: at its end, or after a while."""

    def __init__(self, guard: Guard) -> None:
        """Hold a place that was counted by `Guard.try_to_start_request`."""
        self._guard = guard
        self._timer: asyncio.TimerHandle | None = asyncio.get_running_loop().call_later(_REQUEST_SECONDS, self.release)

    def release(self) -> None:
        """Give the place back, if that has not been done."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._guard.end_request()


def name_network(client: tuple[str, int] | None) -> str:
    """Return the network of a connection's peer, in which all addresses count as one; "" if it is not known."""
    return "" if client is None else normalise_address(client[0]) or client[0]


def read_descriptor_limit() -> int:
    """Return how many file descriptors this process may have, 0 if that is not limited or not known."""
    if sys.platform == "win32":
        return 0
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 0 if limit == resource.RLIM_INFINITY else limit


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
