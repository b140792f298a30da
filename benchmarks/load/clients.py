"""What the clients of all servers share: the games that they play, and a WebSocket that follows a game.

The load generator has one core. Its WebSocket therefore costs little: it parses frames in the callback of the event
loop, has no task, and reads of a message only what it needs.
"""

import abc
import asyncio
import itertools
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, cast

import fourcorners as fc

HOST = "127.0.0.1"
GAME = "dots-and-boxes"
SIZE = 5
EDGES = 2 * SIZE * (SIZE + 1)
TIMEOUT = 60.0
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_FINAL, _MASKED = 0x80, 0x80
_MASK = bytes(4)
"""Masking with zeros leaves the payload as it is; the server unmasks it all the same."""
_sources = itertools.cycle(range(1, 9))
"""Clients take turns to connect from 127.0.0.1 to 127.0.0.8, each of which has 28,000 free ports."""
_HORIZONTAL_EDGES = SIZE * (SIZE + 1)


class ScriptedMove(NamedTuple):
    """A move of a prepared game: its seat, its text for our server, and its edge's number for the peer."""

    seat: int
    text: str
    edge: int


def generate_game(seed: int) -> tuple[list[ScriptedMove], list[int]]:
    """Play a game of dots and boxes at random, as the seed determines; return its moves and the scores by seat."""
    rng = random.Random(seed)
    position = fc.game(GAME, cols=SIZE, rows=SIZE).start()
    moves = []
    while not position.is_over:
        text = rng.choice(position.moves())
        moves.append(ScriptedMove(position.seat or 0, text, _number_edge(text)))
        position = position.play(text)
    return moves, list(position.scores)


def _number_edge(text: str) -> int:
    """Return the number, from 0, of an edge such as "a1b1" in the peer's order.

    These are the horizontal edges row by row from row 1, each row from column a, then the vertical edges likewise.
    """
    (col, row), (end_col, _) = ((ord(dot[0]) - ord("a"), int(dot[1:]) - 1) for dot in (text[:2], text[2:]))
    return row * SIZE + col if end_col > col else _HORIZONTAL_EDGES + row * (SIZE + 1) + col


class PlayerClient(Protocol):
    """One socket at one table: a player's, or a spectator's, who never sends a move."""

    path: str
    """The path of the socket."""
    greeting: bytes
    """The first message, without which the server does not keep the socket; empty if it wants none."""
    version: int
    """The number of moves that the client has seen."""
    scores: list[int]
    received_bytes: int
    sent_bytes: int
    received_frames: int

    async def join(self) -> None:
        """Connect and wait for the board; raise RuntimeError if the server refuses, OSError."""

    def send_move(self, move: ScriptedMove) -> None:
        """Send a move; `wait_for_answer` must have returned for the one before."""

    async def wait_for_answer(self) -> float:
        """Wait until the server acknowledges the move; return when it did, by `time.perf_counter`.

        Raise RuntimeError if it refuses it or closes the socket.
        """

    async def wait_for_version(self, version: int) -> float:
        """Wait until this number of moves or more is seen; return when the latest was, by `time.perf_counter`.

        Raise RuntimeError if the socket closes.
        """

    def close(self) -> None:
        """Disconnect at once."""


class SocketClient(asyncio.Protocol, abc.ABC):
    """A WebSocket without extensions to a server that sends no fragments, and when the latest version arrived."""

    def __init__(self) -> None:
        """Start unconnected, with version 0."""
        self.version = 0
        self.scores: list[int] = []
        self.received_bytes = self.sent_bytes = self.received_frames = 0
        self._version_time = 0.0
        self._transport: asyncio.WriteTransport | None = None
        self._is_open = False
        self._rest = b""
        self._waiter: asyncio.Future[None] | None = None
        self._close_reason = ""

    async def connect(self, port: int, path: str, headers: Sequence[str] = ()) -> None:
        """Open the socket at a path; headers are lines. Raise RuntimeError if the server refuses it, OSError."""
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: {HOST}:{port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
            "Sec-WebSocket-Version: 13",
            *headers,
        ]
        source = f"127.0.0.{next(_sources)}", 0
        await asyncio.get_running_loop().create_connection(lambda: self, HOST, port, local_addr=source)
        self._write("\r\n".join([*lines, "", ""]).encode())
        while not self._is_open:
            await self.wait_for_update()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; asyncio calls this."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake the waiting coroutine, which then fails; asyncio calls this."""
        self._close_reason = self._close_reason or f"the server closed a socket: {exc or 'without a reason'}"
        self.notify()

    def data_received(self, data: bytes) -> None:
        """Handle all complete frames and keep the rest; asyncio calls this."""
        self.received_bytes += len(data)
        data = self._rest + data if self._rest else data
        start = 0 if self._is_open else self._read_handshake(data)
        while self._is_open and len(data) - start >= 2:
            opcode, length, payload = data[start], data[start + 1], start + 2
            if length >= 126:
                payload += 2 if length == 126 else 8
                if len(data) < payload:
                    break
                length = int.from_bytes(data[start + 2 : payload])
            if len(data) < payload + length:
                break
            start = payload + length
            self._handle_frame(opcode, data[payload:start])
        self._rest = data[start:]

    def _read_handshake(self, data: bytes) -> int:
        """Return where the answer to the handshake ends, once it is complete, else 0; close the socket if it fails."""
        end = data.find(b"\r\n\r\n")
        if end < 0:
            return 0
        status = data.split(b"\r\n", 1)[0].decode("latin-1")
        if " 101 " in status:
            self._is_open = True
            self.notify()
        else:
            self._fail(f"the server refuses a socket: {status}")
        return end + 4

    def _handle_frame(self, first: int, payload: bytes) -> None:
        """Handle a frame with this first byte; a fragment or a close frame ends the connection."""
        self.received_frames += 1
        opcode = first & 0x0F
        if opcode == _TEXT and first & _FINAL:
            self.handle_message(payload)
        elif opcode == _PING:
            self._send_frame(_PONG, payload)
        elif opcode == _PONG:
            self.handle_pong(payload)
        elif opcode == _CLOSE:
            reason = payload[2:].decode(errors="replace")
            self._fail(f"the server closed a socket: {int.from_bytes(payload[:2])} {reason}")
        else:
            self._fail(f"the server sent a frame that begins with {first:#x}")

    def _fail(self, reason: str) -> None:
        self._close_reason = reason
        self.close()
        self.notify()

    @abc.abstractmethod
    def handle_message(self, text: bytes) -> None:
        """Handle one message; call `set_version` or `notify` if it changes anything."""

    def handle_pong(self, payload: bytes) -> None:
        """Handle the answer to a ping, which has the ping's payload."""

    def send(self, text: bytes) -> None:
        """Send a message; raise RuntimeError if the socket is closed."""
        self._send_frame(_TEXT, text)

    def ping(self, payload: bytes) -> None:
        """Send a ping of at most 125 bytes; raise RuntimeError if the socket is closed."""
        self._send_frame(_PING, payload)

    def _send_frame(self, opcode: int, payload: bytes) -> None:
        length = len(payload)
        size = bytes([_MASKED | length]) if length < 126 else bytes([_MASKED | 126]) + length.to_bytes(2)
        self._write(bytes([_FINAL | opcode]) + size + _MASK + payload)

    def _write(self, data: bytes) -> None:
        if self._transport is None or self._close_reason:
            raise RuntimeError(self._close_reason or "the socket is not open")
        self.sent_bytes += len(data)
        self._transport.write(data)

    def set_version(self, version: int, scores: list[int]) -> None:
        """Record a state after `version` moves, with scores by seat, and now as the time of its arrival; notify."""
        self.version, self.scores, self._version_time = version, scores, time.perf_counter()
        self.notify()

    def notify(self) -> None:
        """Wake the coroutine that waits in `wait_for_update`, if there is one."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def wait_for_update(self) -> None:
        """Wait until `notify` is called; only one coroutine may wait. Raise RuntimeError if the socket is closed."""
        if self._close_reason:
            raise RuntimeError(self._close_reason)
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    async def wait_for_version(self, version: int) -> float:
        """Wait as `PlayerClient.wait_for_version` says; only one coroutine may wait."""
        while self.version < version:
            await self.wait_for_update()
        return self._version_time

    def close(self) -> None:
        """Disconnect at once; do nothing if the socket was never opened."""
        if self._transport is not None:
            self._close_reason = self._close_reason or "the client closed the socket"
            self._transport.abort()


class Seats(NamedTuple):
    """The clients of a new game, none of which has connected yet: two players, by seat, and any spectators."""

    players: tuple[PlayerClient, PlayerClient]
    watchers: list[PlayerClient]


class GameServer(Protocol):
    """A server process that can be started, stopped and measured."""

    @property
    def name(self) -> str:
        """The name in the results."""

    @property
    def pid(self) -> int:
        """The id of the process; it may have children."""

    @property
    def port(self) -> int:
        """The port on which it listens."""

    async def start(self) -> None:
        """Start the process and wait until it answers; raise RuntimeError if it does not."""

    async def stop(self) -> Any:
        """Stop the process and wait until it has ended; the result has no meaning."""

    async def create_match(self, watchers: int = 0) -> Seats:
        """Create a game for two players and some spectators."""


CreateServer = Callable[[], GameServer]
"""Prepares a server that has not been started."""
