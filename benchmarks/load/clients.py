"""What the clients of both servers share: the games that they play, and a WebSocket that follows a game."""

import abc
import asyncio
import contextlib
import random
import time
from typing import Any, NamedTuple, Protocol

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

import fourcorners as fc

HOST = "127.0.0.1"
GAME = "dots-and-boxes"
SIZE = 5
EDGES = 2 * SIZE * (SIZE + 1)
TIMEOUT = 60.0
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
    """One player's socket at one table."""

    version: int
    """The number of moves that the client has seen."""
    scores: list[int]

    async def join(self) -> None:
        """Connect and wait for the board; raise RuntimeError if the server refuses, TimeoutError, OSError."""

    async def play(self, move: ScriptedMove) -> None:
        """Send a move and wait until the server acknowledges it; raise RuntimeError if it does not."""

    async def wait_for_version(self, version: int) -> float:
        """Wait until this number of moves or more is seen; return when the latest was, by `time.perf_counter`.

        Raise RuntimeError if the socket closes, TimeoutError.
        """

    async def close(self) -> None:
        """Disconnect."""


class SocketClient(abc.ABC):
    """A WebSocket with a task that receives, and the time at which the latest version arrived."""

    def __init__(self) -> None:
        """Start unconnected, with version 0."""
        self.version = 0
        self.scores: list[int] = []
        self._version_time = 0.0
        self._connection: ClientConnection | None = None
        self._receiver: asyncio.Task[None] | None = None
        self._update: asyncio.Future[None] | None = None
        self._close_reason = ""

    async def connect(self, url: str, headers: dict[str, str] | None = None) -> None:
        """Open the socket and start receiving in a task; raise OSError, TimeoutError or WebSocketException."""
        self._connection = await connect(
            url,
            additional_headers=headers,
            compression=None,
            ping_interval=None,
            open_timeout=TIMEOUT,
            close_timeout=1,
            max_size=None,
            max_queue=None,
        )
        self._receiver = asyncio.create_task(self._receive())

    async def _receive(self) -> None:
        """Handle messages until the socket closes; then keep the reason, with which waiting coroutines fail."""
        assert self._connection is not None
        with contextlib.suppress(ConnectionClosed):
            async for text in self._connection:
                await self.handle_message(str(text))
        code, reason = self._connection.close_code, self._connection.close_reason
        self._close_reason = f"the server closed a socket: {code} {reason}"
        self.notify()  # the woken coroutine waits again, and then finds the reason

    @abc.abstractmethod
    async def handle_message(self, text: str) -> None:
        """Handle one message, in the task that receives; call `set_version` or `notify` if it changes anything."""

    async def send(self, text: str) -> None:
        """Send a message on the socket, which must have been opened; raise ConnectionClosed if it has been closed."""
        assert self._connection is not None
        await self._connection.send(text)

    def set_version(self, version: int, scores: list[int]) -> None:
        """Record a state after `version` moves, with scores by seat, and now as the time of its arrival; notify."""
        self.version, self.scores, self._version_time = version, scores, time.perf_counter()
        self.notify()

    def notify(self) -> None:
        """Wake the coroutine that waits in `wait_for_update`, if there is one."""
        if self._update is not None and not self._update.done():
            self._update.set_result(None)

    async def wait_for_update(self) -> None:
        """Wait until `notify` is called; only one coroutine may wait.

        Raise RuntimeError if the socket was closed before, or TimeoutError after TIMEOUT seconds.
        """
        if self._close_reason:
            raise RuntimeError(self._close_reason)
        self._update = asyncio.get_running_loop().create_future()
        await asyncio.wait_for(self._update, TIMEOUT)

    async def wait_for_version(self, version: int) -> float:
        """Wait as `PlayerClient.wait_for_version` says; only one coroutine may wait."""
        while self.version < version:
            await self.wait_for_update()
        return self._version_time

    async def close(self) -> None:
        """Disconnect and stop receiving; do nothing if the socket was never opened."""
        if self._connection is not None:
            await self._connection.close()
        if self._receiver is not None:
            self._receiver.cancel()
            await asyncio.gather(self._receiver, return_exceptions=True)


class GameServer(Protocol):
    """A server process that can be started, stopped and measured."""

    @property
    def name(self) -> str:
        """The name in the results."""

    @property
    def pid(self) -> int:
        """The id of the process."""

    async def start(self) -> None:
        """Start the process and wait until it answers; raise RuntimeError if it does not."""

    async def stop(self) -> Any:
        """Stop the process and wait until it has ended; the result has no meaning."""

    async def create_match(self) -> tuple[PlayerClient, PlayerClient]:
        """Create a game; return the clients of its two players, by seat, which have not connected yet."""
