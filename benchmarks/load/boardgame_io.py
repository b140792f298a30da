"""boardgame.io's server and a client for it, which speaks Engine.IO 4 and socket.io packets as its own client does."""

import asyncio
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx

from benchmarks.load.clients import GAME, HOST, TIMEOUT, PlayerClient, ScriptedMove, SocketClient
from tests.faults.server_process import find_free_port

FOLDER = Path(__file__).resolve().parents[1] / "peers" / "boardgame_io"
_OPEN, _PING, _PONG, _CONNECT, _EVENT = "0", "2", "3", f"40/{GAME},", f"42/{GAME},"


class BoardgameIoClient(SocketClient):
    """One player of a match."""

    def __init__(self, port: int, match: str, seat: int, credentials: str) -> None:
        """Prepare to join a match, by its id, with the credentials of a seat, 0 or 1; connect nothing yet."""
        super().__init__()
        self._url = f"ws://{HOST}:{port}/socket.io/?EIO=4&transport=websocket"
        self._match, self._seat, self._credentials = match, str(seat), credentials
        self._state_id = -1

    async def join(self) -> None:
        """Connect and wait for the board; raise RuntimeError if the server closes, TimeoutError, OSError."""
        await self.connect(self._url)
        while self._state_id < 0:
            await self.wait_for_update()

    async def _emit(self, *message: Any) -> None:
        await self.send(_EVENT + json.dumps(message))

    async def handle_message(self, text: str) -> None:
        """Answer the packets of the handshake and pings, and record states; ignore all others."""
        if text == _PING:
            await self.send(_PONG)
        elif text.startswith(_OPEN):
            await self.send(_CONNECT)
        elif text.startswith(_CONNECT):
            await self._emit("sync", self._match, self._seat, self._credentials, 2)
        elif text.startswith(_EVENT):
            kind, *rest = json.loads(text[len(_EVENT) :])
            if kind == "sync":
                self._record_state(rest[1]["state"])
            elif kind == "update":
                self._record_state(rest[1])

    def _record_state(self, state: dict[str, Any]) -> None:
        self._state_id = state["_stateID"]
        self.set_version(sum(state["G"]["drawn"]), state["G"]["scores"])

    async def play(self, move: ScriptedMove) -> None:
        """Send a move and wait for the next state, which acknowledges it; raise RuntimeError, TimeoutError."""
        state_id = self._state_id
        payload = {
            "type": "draw",
            "args": [move.edge],
            "playerID": self._seat,
            "credentials": self._credentials,
        }
        await self._emit("update", {"type": "MAKE_MOVE", "payload": payload}, state_id, self._match, self._seat)
        while self._state_id == state_id:
            await self.wait_for_update()


class BoardgameIo:
    """boardgame.io's server, which stores games in files or only keeps them in memory."""

    def __init__(self, folder: Path | None = None, prefix: Sequence[str] = ()) -> None:
        """Prepare a server, on a free port, that stores games in a folder, or only in memory for None.

        `prefix` are words before its command, such as those of `taskset`.
        """
        self.name = "boardgame.io in memory" if folder is None else "boardgame.io in files"
        self.port = find_free_port()
        self._arguments = [] if folder is None else [str(folder)]
        self._prefix = prefix
        self._process: asyncio.subprocess.Process | None = None
        self._http = httpx.AsyncClient(base_url=f"http://{HOST}:{self.port}", timeout=TIMEOUT)

    @property
    def pid(self) -> int:
        """The id of the process, which must have been started."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start the process and wait until it answers; raise RuntimeError if it exits or takes too long, OSError."""
        self._process = await asyncio.create_subprocess_exec(
            *self._prefix,
            "node",
            "server.js",
            str(self.port),
            *self._arguments,
            cwd=FOLDER,
            env={**os.environ, "NODE_ENV": "production"},
            stdout=asyncio.subprocess.DEVNULL,
        )
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                await self._http.get("/games")
            except httpx.TransportError:
                if time.monotonic() > end or self._process.returncode is not None:
                    raise RuntimeError("boardgame.io's server did not start: is it installed?") from None
                await asyncio.sleep(0.05)
            else:
                return

    async def stop(self) -> None:
        """Close the connections and stop the process, if it runs; block until it has ended."""
        await self._http.aclose()
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()

    async def create_match(self) -> tuple[PlayerClient, PlayerClient]:
        """Create a game; return the clients of its players, by seat, not connected yet. Raise httpx.HTTPError."""
        match = (await self._http.post(f"/games/{GAME}/create", json={"numPlayers": 2})).json()["matchID"]
        clients = []
        for seat in range(2):
            player = {"playerID": str(seat), "playerName": f"player {seat}"}
            joined = (await self._http.post(f"/games/{GAME}/{match}/join", json=player)).json()
            clients.append(BoardgameIoClient(self.port, match, seat, joined["playerCredentials"]))
        return clients[0], clients[1]
