"""What both servers are played on: dots and boxes of 5 x 5, the same games, and what a client of either can do."""

from __future__ import annotations

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
WITHIN = 60.0
_ACROSS = SIZE * (SIZE + 1)


class Turn(NamedTuple):
    """A move: whose, as our server writes it, and as the number of an edge."""

    seat: int
    text: str
    edge: int


def random_game(seed: int) -> tuple[list[Turn], list[int]]:
    """Play a game at random; return its moves and the scores at the end."""
    chance = random.Random(seed)
    position = fc.game(GAME, cols=SIZE, rows=SIZE).start()
    turns = []
    while not position.is_over:
        text = chance.choice(position.moves())
        turns.append(Turn(position.seat or 0, text, _edge(text)))
        position = position.play(text)
    return turns, list(position.scores)


def _edge(text: str) -> int:
    """Number an edge as the peer does: the horizontal ones row by row, then the vertical ones row by row."""
    (col, row), (other, _) = ((ord(dot[0]) - ord("a"), int(dot[1:]) - 1) for dot in (text[:2], text[2:]))
    return row * SIZE + col if other > col else _ACROSS + row * (SIZE + 1) + col


class Seat(Protocol):
    """One socket of one player."""

    version: int
    """How many moves it has seen."""
    scores: list[int]

    async def open(self) -> None:
        """Connect, and wait for the board."""

    async def play(self, turn: Turn) -> None:
        """Send a move, and wait until it is acknowledged."""

    async def seen(self, version: int) -> float:
        """Wait until so many moves are seen; return when the last was."""

    async def close(self) -> None:
        """Leave."""


class Line(abc.ABC):
    """A socket with a task that hears, and times at which versions were seen."""

    def __init__(self) -> None:
        self.version = 0
        self.scores: list[int] = []
        self._at = 0.0
        self._connection: ClientConnection | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._news: asyncio.Future[None] | None = None
        self._ended = ""

    async def connect(self, url: str, headers: dict[str, str] | None = None) -> None:
        """Open the socket, and hear from now on."""
        self._connection = await connect(
            url,
            additional_headers=headers,
            compression=None,
            ping_interval=None,
            open_timeout=WITHIN,
            close_timeout=1,
            max_size=None,
            max_queue=None,
        )
        self._hearing = asyncio.create_task(self._hear())

    async def _hear(self) -> None:
        assert self._connection is not None
        with contextlib.suppress(ConnectionClosed):
            async for text in self._connection:
                await self.take(str(text))
        self._ended = f"the server closed a socket: {self._connection.close_code} {self._connection.close_reason}"
        self.wake()

    @abc.abstractmethod
    async def take(self, text: str) -> None:
        """Take a message."""

    async def send(self, text: str) -> None:
        """Send a message."""
        assert self._connection is not None
        await self._connection.send(text)

    def note(self, version: int, scores: list[int]) -> None:
        """Note the version that is shown now."""
        self.version, self.scores, self._at = version, scores, time.perf_counter()
        self.wake()

    def wake(self) -> None:
        """Let who waits look again."""
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    async def news(self) -> None:
        """Wait for something new; one at a time waits, and no longer than is bearable."""
        if self._ended:
            raise RuntimeError(self._ended)
        self._news = asyncio.get_running_loop().create_future()
        await asyncio.wait_for(self._news, WITHIN)

    async def seen(self, version: int) -> float:
        """Wait until so many moves are seen; return when the last was."""
        while self.version < version:
            await self.news()
        return self._at

    async def close(self) -> None:
        """Leave."""
        if self._connection is not None:
            await self._connection.close()
        if self._hearing is not None:
            self._hearing.cancel()
            await asyncio.gather(self._hearing, return_exceptions=True)


class Served(Protocol):
    """A server that runs, and can set up games."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def pid(self) -> int:
        """The number of its process."""

    async def start(self) -> None:
        """Start it."""

    async def stop(self) -> Any:
        """Stop it."""

    async def table(self) -> tuple[Seat, Seat]:
        """Set up a game; return its two players, who are not there yet."""
