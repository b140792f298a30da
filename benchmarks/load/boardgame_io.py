"""A client of boardgame.io's server: what its own client says, in Engine.IO 4 and socket.io packets."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx

from benchmarks.load.lines import GAME, HOST, WITHIN, Line, Seat, Turn
from tests.faults.server_process import find_free_port

FOLDER = Path(__file__).resolve().parents[1] / "peers" / "boardgame_io"
_OPEN, _PING, _PONG, _CONNECT, _EVENT = "0", "2", "3", f"40/{GAME},", f"42/{GAME},"


class TheirSeat(Line):
    """One player's client."""

    def __init__(self, port: int, match: str, seat: int, credentials: str) -> None:
        super().__init__()
        self._url = f"ws://{HOST}:{port}/socket.io/?EIO=4&transport=websocket"
        self._match, self._seat, self._credentials = match, str(seat), credentials
        self._state_id = -1

    async def open(self) -> None:
        """Connect, and wait for the board."""
        await self.connect(self._url)
        while self._state_id < 0:
            await self.news()

    async def _emit(self, *message: Any) -> None:
        await self.send(_EVENT + json.dumps(message))

    async def take(self, text: str) -> None:
        """Take a packet."""
        if text == _PING:
            await self.send(_PONG)
        elif text.startswith(_OPEN):
            await self.send(_CONNECT)
        elif text.startswith(_CONNECT):
            await self._emit("sync", self._match, self._seat, self._credentials, 2)
        elif text.startswith(_EVENT):
            kind, *rest = json.loads(text[len(_EVENT) :])
            if kind == "sync":
                self._show(rest[1]["state"])
            elif kind == "update":
                self._show(rest[1])

    def _show(self, state: dict[str, Any]) -> None:
        self._state_id = state["_stateID"]
        self.note(sum(state["G"]["drawn"]), state["G"]["scores"])

    async def play(self, turn: Turn) -> None:
        """Send a move; it is acknowledged by the state that it makes."""
        before = self._state_id
        payload = {
            "type": "draw",
            "args": [turn.edge],
            "playerID": self._seat,
            "credentials": self._credentials,
        }
        await self._emit("update", {"type": "MAKE_MOVE", "payload": payload}, before, self._match, self._seat)
        while self._state_id == before:
            await self.news()


class BoardgameIo:
    """Their server; without a folder it keeps its games in memory and stores nothing."""

    def __init__(self, folder: Path | None = None, before: Sequence[str] = ()) -> None:
        self.name = "boardgame.io in memory" if folder is None else "boardgame.io in files"
        self.port = find_free_port()
        self._folder = [] if folder is None else [str(folder)]
        self._before = before
        self._process: asyncio.subprocess.Process | None = None
        self._http = httpx.AsyncClient(base_url=f"http://{HOST}:{self.port}", timeout=WITHIN)

    @property
    def pid(self) -> int:
        """The process's number."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = await asyncio.create_subprocess_exec(
            *self._before,
            "node",
            "server.js",
            str(self.port),
            *self._folder,
            cwd=FOLDER,
            env={**os.environ, "NODE_ENV": "production"},
            stdout=asyncio.subprocess.DEVNULL,
        )
        end = time.monotonic() + WITHIN
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
        """Stop it."""
        await self._http.aclose()
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()

    async def table(self) -> tuple[Seat, Seat]:
        """Set up a game; return its two players, who are not there yet."""
        match = (await self._http.post(f"/games/{GAME}/create", json={"numPlayers": 2})).json()["matchID"]
        seats = []
        for seat in range(2):
            asked = {"playerID": str(seat), "playerName": f"player {seat}"}
            joined = (await self._http.post(f"/games/{GAME}/{match}/join", json=asked)).json()
            seats.append(TheirSeat(self.port, match, seat, joined["playerCredentials"]))
        return seats[0], seats[1]
