"""Hands new connections to the workers: those of a table to the same one, because there it is played and drawn once."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import logging
import re
import socket
from collections import OrderedDict
from collections.abc import Iterable

_TABLE = re.compile(rb"[A-Z]+ /(?:play|lobby/cancel|api/tables)/([^/?\s]{1,64})[/?\s]")
_PEEKED = 512
"""Bytes of a request that are looked at; the path stands at its beginning."""
_PATIENCE = 1.0
"""Seconds after which a connection that has sent nothing goes to any worker, whose limits then apply."""
_SWEEP_SECONDS = 0.25
MAX_WAITING = 1000
"""Connections that wait here; beyond them the oldest goes to any worker, and nothing is accepted without workers."""
_ACCEPTED_AT_ONCE = 64
_RETRY_SECONDS = 0.1
_logger = logging.getLogger(__name__)


class Dispatcher:
    """Accepts connections at a listening socket, for one event loop; it never waits for a client or a worker."""

    def __init__(self, listener: socket.socket) -> None:
        """Accept nothing until `open`; the listener stays the caller's."""
        self._listener = listener
        self._workers: dict[int, socket.socket] = {}
        self._resting: set[int] = set()
        self._turns = itertools.count()
        self._silent: OrderedDict[socket.socket, float] = OrderedDict()  # until when each may say nothing
        self._waiting: OrderedDict[socket.socket, bytes] = OrderedDict()  # by table, while no worker takes them
        self._sweeper: asyncio.TimerHandle | None = None
        self._is_open = self._is_accepting = False
        self._is_failing = False  # the last attempt to accept a connection

    def open(self) -> None:
        """Accept connections from now on."""
        self._listener.setblocking(False)
        self._is_open = True
        self._resume()

    def close(self) -> None:
        """Accept nothing more, and close what waits."""
        self._pause()
        self._is_open = False
        if self._sweeper is not None:
            self._sweeper.cancel()
        for connection in self._silent:
            asyncio.get_running_loop().remove_reader(connection)
        for connection in (*self._silent, *self._waiting):
            connection.close()
        self._silent.clear()
        self._waiting.clear()

    def add_worker(self, number: int, control: socket.socket) -> None:
        """Hand connections to a worker through its control socket."""
        self._workers[number] = control
        self._place_waiting()

    def remove_worker(self, number: int) -> None:
        """Hand no more connections to a worker."""
        self._workers.pop(number, None)
        self._resting.discard(number)

    def rest_worker(self, number: int) -> None:
        """Hand no connections to a worker, if it is there, until `resume_worker`."""
        if number in self._workers:
            self._resting.add(number)

    def resume_worker(self, number: int) -> None:
        """Hand connections to a worker again."""
        self._resting.discard(number)
        self._place_waiting()

    def _resume(self) -> None:
        if self._is_open and not self._is_accepting:
            self._is_accepting = True
            asyncio.get_running_loop().add_reader(self._listener, self._accept)

    def _pause(self) -> None:
        if self._is_accepting:
            self._is_accepting = False
            asyncio.get_running_loop().remove_reader(self._listener)

    def _accept(self) -> None:
        """Accept some connections, and wait for the first bytes of each."""
        loop = asyncio.get_running_loop()
        for _ in range(_ACCEPTED_AT_ONCE):
            if len(self._waiting) >= MAX_WAITING:
                self._pause()
                return
            try:
                connection, _ = self._listener.accept()
            except BlockingIOError:
                return
            except ConnectionError:
                continue
            except OSError as error:
                if not self._is_failing:
                    _logger.warning("no connection can be accepted: %s", error.strerror)
                self._is_failing = True
                self._pause()
                loop.call_later(_RETRY_SECONDS, self._resume)
                return
            self._is_failing = False
            connection.setblocking(False)
            self._silent[connection] = loop.time() + _PATIENCE
            loop.add_reader(connection, self._read, connection)
            self._schedule_sweep()
            if len(self._silent) > MAX_WAITING:
                self._hand_over(next(iter(self._silent)), b"")

    def _read(self, connection: socket.socket) -> None:
        """Hand over a connection by what has arrived, which the worker reads again: at once, however little it is."""
        try:
            head = connection.recv(_PEEKED, socket.MSG_PEEK)
        except BlockingIOError:
            return
        except OSError:
            head = b""
        if head:
            match = _TABLE.match(head)
            self._hand_over(connection, match[1] if match else b"")
        else:
            self._forget(connection)
            connection.close()

    def _schedule_sweep(self) -> None:
        if self._sweeper is None and (self._silent or self._waiting):
            self._sweeper = asyncio.get_running_loop().call_later(_SWEEP_SECONDS, self._sweep)

    def _sweep(self) -> None:
        """Hand over what has been silent for too long, and what no worker has taken."""
        self._sweeper = None
        now = asyncio.get_running_loop().time()
        while self._silent and next(iter(self._silent.values())) <= now:
            self._hand_over(next(iter(self._silent)), b"")
        self._place_waiting()
        self._schedule_sweep()

    def _place_waiting(self) -> None:
        """Hand over what has found no worker."""
        for connection, table in list(self._waiting.items()):
            if not self._send(connection, table):
                return
            del self._waiting[connection]
        self._resume()

    def _hand_over(self, connection: socket.socket, table: bytes) -> None:
        """Give a connection to the worker of a table, or to any if it is empty, or keep it until one takes it."""
        self._forget(connection)
        if not self._send(connection, table):
            self._waiting[connection] = table
            self._schedule_sweep()

    def _send(self, connection: socket.socket, table: bytes) -> bool:
        """Give a connection to a worker, and close it here; return False if none takes it now."""
        for number in self._rank(table):
            with contextlib.suppress(OSError):
                socket.send_fds(self._workers[number], [b"c"], [connection.fileno()])
                connection.close()
                return True
        return False

    def _rank(self, table: bytes) -> list[int]:
        """List the workers in the order of preference for a table, or with an empty one in turn."""
        available = self._workers.keys() - self._resting
        if table:
            return rank_workers(available, table)
        numbers = sorted(available)
        turn = next(self._turns) % max(1, len(numbers))
        return numbers[turn:] + numbers[:turn]

    def _forget(self, connection: socket.socket) -> None:
        """Wait no longer for the first bytes of a connection."""
        if self._silent.pop(connection, None) is not None:
            asyncio.get_running_loop().remove_reader(connection)


def rank_workers(numbers: Iterable[int], table: bytes) -> list[int]:
    """List the numbers of workers in the order of preference for a table, by its id.

    With rendezvous hashing (Thaler and Ravishankar 1998) each table has an order of its own, and only the tables of a
    worker that comes or goes change theirs.
    """
    return sorted(numbers, key=lambda number: hashlib.blake2b(b"%d/%b" % (number, table), digest_size=8).digest())
