"""Our server and a minimal client for it, which only sends moves and records states."""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.load.clients import GAME, HOST, SIZE, PlayerClient, ScriptedMove, SocketClient
from tests.faults.server_process import ServerProcess

_ids = itertools.count()


class OurClient(SocketClient):
    """One browser at one table, where it takes a free seat."""

    def __init__(self, port: int, table: str, cookie: str) -> None:
        """Prepare to join a table, by its id, as the visitor with this cookie header; connect nothing yet."""
        super().__init__()
        self._table_version = 0
        self._started = False
        self._url = f"ws://{HOST}:{port}/play/{table}/live"
        self._cookie = cookie
        self._allowed: list[str] = []
        self._answers: dict[str, str] = {}

    async def join(self) -> None:
        """Connect, wait for the board, sit down if a seat is free, and wait until the game starts.

        Raise RuntimeError if the server refuses or closes the socket, TimeoutError, OSError.
        """
        await self.connect(self._url, {"cookie": self._cookie})
        await self.send('{"type":"hello","version":null}')
        while not self._allowed:
            await self.wait_for_update()
        if "sit" in self._allowed:
            await self._send_command({"type": "sit", "seat": None, "name": ""})
        while not self._started:
            await self.wait_for_update()

    async def handle_message(self, text: str) -> None:
        """Record states and the answers to commands by their ids, and answer heartbeats; ignore all others."""
        message = json.loads(text)
        match message["type"]:
            case "state" | "patch":
                self._allowed, self._table_version = message["may"], message["version"]
                self._started = message["started"]
                self.set_version(message["ply"], message["scores"])
            case "done" | "stale" | "refused":
                self._answers[message["id"]] = message["type"]
                self.notify()
            case "beat":
                await self.send(json.dumps({"type": "beat", "now": message["now"]}))

    async def play(self, move: ScriptedMove) -> None:
        """Send a move and wait until the server acknowledges it; raise RuntimeError if it does not."""
        await self._send_command({"type": "move", "move": move.text})

    async def _send_command(self, command: dict[str, Any]) -> None:
        """Send a command, JSON values without id and version, for the current version and wait for its answer.

        Raise RuntimeError unless the answer is "done", or TimeoutError.
        """
        name = f"l{next(_ids)}"
        await self.send(json.dumps({**command, "id": name, "version": self._table_version}))
        while name not in self._answers:
            await self.wait_for_update()
        answer = self._answers.pop(name)
        if answer != "done":
            raise RuntimeError(f"the answer to {command} is {answer}")


class OurServer(ServerProcess):
    """Our server, on which two visitors play all games against each other."""

    name = "fourcorners"

    def __init__(self, folder: Path, database: str | None = None, prefix: Sequence[str] = ()) -> None:
        """Prepare a server over a folder or a database; `prefix` goes before its command, e.g. to pin it to a core."""
        super().__init__(folder, database, prefix)
        self._cookies: list[str] = []

    async def create_match(self) -> tuple[PlayerClient, PlayerClient]:
        """Create a game; return the clients of the visitor who set it up (seat 0) and of the one who joins it (seat 1).

        Both visitors are the same for all games.
        """
        while len(self._cookies) < 2:
            self._cookies.append(await self.create_visitor())
        seats = {"seat_0": "person", "seat_1": "open"}
        table = await self.create_table(GAME, self._cookies[0], cols=str(SIZE), rows=str(SIZE), **seats)
        first, second = (OurClient(self.port, table, cookie) for cookie in self._cookies)
        return first, second
