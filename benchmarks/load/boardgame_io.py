"""boardgame.io's server and a client for it, which speaks Engine.IO 4 and socket.io packets as its own client does."""

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec

from benchmarks.load.clients import GAME, HOST, TIMEOUT, ScriptedMove, Seats, SocketClient
from tests.servers import find_free_port

FOLDER = Path(__file__).resolve().parents[1] / "peers" / "boardgame_io"
_OPEN, _PING, _PONG = b"0", b"2", b"3"
_EVENT = f"42/{GAME},".encode()


class _Board(msgspec.Struct):
    drawn: list[bool]
    scores: list[int]


class _State(msgspec.Struct):
    """What a player needs of a state; the server calls the board G."""

    board: _Board = msgspec.field(name="G")
    number: int = msgspec.field(name="_stateID")


class _Sync(msgspec.Struct):
    state: _State


_decode_parts = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_state = msgspec.json.Decoder(_State).decode
_decode_sync = msgspec.json.Decoder(_Sync).decode


class BoardgameIoClient(SocketClient):
    """One player of a match, or a spectator."""

    path = "/socket.io/?EIO=4&transport=websocket"
    greeting = f"40/{GAME},".encode()  # socket.io closes sockets that join no namespace within 45 seconds

    def __init__(self, port: int, match: str, seat: int | None = None, credentials: str | None = None) -> None:
        """Prepare to join a match, by its id, with the credentials of a seat, 0 or 1, or as a spectator."""
        super().__init__()
        self._port = port
        self._match, self._credentials = match, credentials
        self._seat = None if seat is None else str(seat)
        self._state_id = self._sent_from = -1

    async def join(self) -> None:
        """Connect and wait for the board; raise RuntimeError if the server closes, OSError."""
        await self.connect(self._port, self.path)
        while self._state_id < 0:
            await self.wait_for_update()

    def _emit(self, *message: Any) -> None:
        self.send(_EVENT + msgspec.json.encode(message))

    def handle_message(self, text: bytes) -> None:
        """Answer the packets of the handshake and pings, and record states; ignore all others."""
        if text == _PING:
            self.send(_PONG)
        elif text.startswith(_OPEN):
            self.send(self.greeting)
        elif text.startswith(self.greeting):
            self._emit("sync", self._match, self._seat, self._credentials, 2)
        elif text.startswith(_EVENT):
            kind, *rest = _decode_parts(text[len(_EVENT) :])
            if bytes(kind) == b'"sync"':
                self._record_state(_decode_sync(rest[1]).state)
            elif bytes(kind) == b'"update"':
                self._record_state(_decode_state(rest[1]))

    def _record_state(self, state: _State) -> None:
        self._state_id = state.number
        self.set_version(sum(state.board.drawn), state.board.scores)

    def send_move(self, move: ScriptedMove) -> None:
        """Send a move."""
        self._sent_from = self._state_id
        payload = {"type": "draw", "args": [move.edge], "playerID": self._seat, "credentials": self._credentials}
        self._emit("update", {"type": "MAKE_MOVE", "payload": payload}, self._state_id, self._match, self._seat)

    async def wait_for_answer(self) -> float:
        """Wait for the next state, which acknowledges the move; see `PlayerClient.wait_for_answer`."""
        while self._state_id == self._sent_from:
            await self.wait_for_update()
        return await self.wait_for_version(0)


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

    async def create_match(self, watchers: int = 0) -> Seats:
        """Create a game for two players and some spectators; raise httpx.HTTPError."""
        match = (await self._http.post(f"/games/{GAME}/create", json={"numPlayers": 2})).json()["matchID"]
        clients = []
        for seat in range(2):
            player = {"playerID": str(seat), "playerName": f"player {seat}"}
            joined = (await self._http.post(f"/games/{GAME}/{match}/join", json=player)).json()
            clients.append(BoardgameIoClient(self.port, match, seat, joined["playerCredentials"]))
        return Seats((clients[0], clients[1]), [BoardgameIoClient(self.port, match) for _ in range(watchers)])
