"""A client of our server, as small as the peer's: it sends moves and notes what it sees."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.load.lines import GAME, HOST, SIZE, Line, Seat, Turn
from tests.faults.server import ServerProcess

_ids = itertools.count()


class OurSeat(Line):
    """One tab of a browser."""

    def __init__(self, port: int, table: str, cookie: str) -> None:
        super().__init__()
        self._url = f"ws://{HOST}:{port}/play/{table}/live"
        self._cookie = cookie
        self._ready = False
        self._answers: dict[str, str] = {}

    async def open(self) -> None:
        """Connect, and wait for the board."""
        await self.connect(self._url, {"cookie": self._cookie})
        await self.send('{"type":"hello","version":null}')
        while not self._ready:
            await self.news()

    async def take(self, text: str) -> None:
        """Take a message."""
        message = json.loads(text)
        match message["type"]:
            case "state" | "patch":
                self._ready = True
                self.note(message["ply"], message["scores"])
            case "done" | "stale" | "refused":
                self._answers[message["id"]] = message["type"]
                self.wake()
            case "beat":
                await self.send(json.dumps({"type": "beat", "now": message["now"]}))

    async def play(self, turn: Turn) -> None:
        """Send a move, and wait until it is acknowledged."""
        name = f"l{next(_ids)}"
        await self.send(json.dumps({"type": "move", "id": name, "version": self.version, "move": turn.text}))
        while name not in self._answers:
            await self.news()
        answer = self._answers.pop(name)
        if answer != "done":
            raise RuntimeError(f"{turn} was answered with {answer}")


class Ours(ServerProcess):
    """Our server."""

    name = "fourcorners"

    def __init__(self, folder: Path, database: str | None = None, before: Sequence[str] = ()) -> None:
        super().__init__(folder, database, before)
        self._cookie = ""

    async def table(self) -> tuple[Seat, Seat]:
        """Set up a game; return its two players, who are not there yet."""
        self._cookie = self._cookie or await self.newcomer()
        seats = {"seat_0": "person", "seat_1": "person"}
        table = await self.begin(GAME, self._cookie, cols=str(SIZE), rows=str(SIZE), **seats)
        return OurSeat(self.port, table, self._cookie), OurSeat(self.port, table, self._cookie)
