"""A client of our server, as small as the peer's: it sends moves and notes what it sees."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.load.lines import GAME, HOST, SIZE, Line, Seat, Turn
from tests.faults.server_process import ServerProcess

Json = dict[str, Any]
_ids = itertools.count()


class OurSeat(Line):
    """One browser at one table, where it takes a seat that is free."""

    def __init__(self, port: int, table: str, cookie: str) -> None:
        super().__init__()
        self._board = 0
        self._started = False
        self._url = f"ws://{HOST}:{port}/play/{table}/live"
        self._cookie = cookie
        self._may: list[str] = []
        self._answers: dict[str, str] = {}

    async def open(self) -> None:
        """Connect, wait for the board, and sit down."""
        await self.connect(self._url, {"cookie": self._cookie})
        await self.send('{"type":"hello","version":null}')
        while not self._may:
            await self.news()
        if "sit" in self._may:
            await self._do({"type": "sit", "seat": None, "name": ""})
        while not self._started:
            await self.news()

    async def take(self, text: str) -> None:
        """Take a message."""
        message = json.loads(text)
        match message["type"]:
            case "state" | "patch":
                self._may, self._board, self._started = message["may"], message["version"], message["started"]
                self.note(message["ply"], message["scores"])
            case "done" | "stale" | "refused":
                self._answers[message["id"]] = message["type"]
                self.wake()
            case "beat":
                await self.send(json.dumps({"type": "beat", "now": message["now"]}))

    async def play(self, turn: Turn) -> None:
        """Send a move, and wait until it is acknowledged."""
        await self._do({"type": "move", "move": turn.text})

    async def _do(self, command: Json) -> None:
        name = f"l{next(_ids)}"
        await self.send(json.dumps({**command, "id": name, "version": self._board}))
        while name not in self._answers:
            await self.news()
        answer = self._answers.pop(name)
        if answer != "done":
            raise RuntimeError(f"{command} was answered with {answer}")


class Ours(ServerProcess):
    """Our server."""

    name = "fourcorners"

    def __init__(self, folder: Path, database: str | None = None, before: Sequence[str] = ()) -> None:
        super().__init__(folder, database, before)
        self._cookies: list[str] = []

    async def table(self) -> tuple[Seat, Seat]:
        """Set up a game; return its two players, who are not there yet: one set it up, the other comes by its link."""
        while len(self._cookies) < 2:
            self._cookies.append(await self.create_visitor())
        seats = {"seat_0": "person", "seat_1": "open"}
        table = await self.create_table(GAME, self._cookies[0], cols=str(SIZE), rows=str(SIZE), **seats)
        first, second = (OurSeat(self.port, table, cookie) for cookie in self._cookies)
        return first, second
