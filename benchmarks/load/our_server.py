"""Our server and a minimal client for it, which only sends moves and records states."""

import itertools
from time import perf_counter
from typing import Any

import msgspec

from benchmarks.load.clients import GAME, SIZE, ScriptedMove, Seats, SocketClient
from tests.faults.server_process import Entrance, ServerProcess

_ids = itertools.count()
_BEAT = b'{"type":"beat"'


class _Message(msgspec.Struct):
    """The fields that a player needs of all messages of the server, None where a message lacks them."""

    type: str
    id: str = ""
    version: int = 0
    may: list[str] | None = None
    started: bool | None = None
    ply: int | None = None
    scores: list[int] | None = None


class _Command(msgspec.Struct, omit_defaults=True):
    """A command to sit down, or a move."""

    type: str
    id: str
    version: int
    seat: int | msgspec.UnsetType | None = msgspec.UNSET
    name: str | msgspec.UnsetType = msgspec.UNSET
    move: str | msgspec.UnsetType = msgspec.UNSET


_decode = msgspec.json.Decoder(_Message).decode
_encode = msgspec.json.Encoder().encode


class OurClient(SocketClient):
    """One browser at one table: a player, who takes a free seat, or a spectator."""

    greeting = b'{"type":"hello","version":null}'

    def __init__(self, port: int, table: str, cookie: str) -> None:
        """Prepare to join a table, by its id, as the visitor with this cookie header; connect nothing yet."""
        super().__init__()
        self.path = f"/play/{table}/live"
        self._port = port
        self._cookie = cookie
        self._state: dict[str, Any] = {}
        self._id = self._answer = ""
        self._answer_time = 0.0

    async def join(self) -> None:
        """Connect, wait for the board, sit down if a seat is free, and wait until the game starts.

        Raise RuntimeError if the server refuses or closes the socket, OSError.
        """
        await self.connect(self._port, self.path, [f"Cookie: {self._cookie}"])
        self.send(self.greeting)
        while not self._state:
            await self.wait_for_update()
        if "sit" in self._state["may"]:
            self._send_command("sit", seat=None, name="")
            await self.wait_for_answer()
        while not self._state["started"]:
            await self.wait_for_update()

    def handle_message(self, text: bytes) -> None:
        """Record states and the answer to the command, and answer heartbeats; ignore all others."""
        if text.startswith(_BEAT):
            self.send(text)
            return
        message = _decode(text)
        match message.type:
            case "state" | "patch":
                self._state.update(
                    (name, value) for name, value in msgspec.structs.asdict(message).items() if value is not None
                )
                self.set_version(self._state["ply"], self._state["scores"])
            case "done" | "stale" | "refused" if message.id == self._id:
                self._answer, self._answer_time = message.type, perf_counter()
                self.notify()

    def send_move(self, move: ScriptedMove) -> None:
        """Send a move."""
        self._send_command("move", move=move.text)

    def _send_command(self, kind: str, **fields: int | str | None) -> None:
        """Send a command for the current version."""
        self._id, self._answer = f"l{next(_ids)}", ""
        # The type of each field depends on its name, which `**fields` cannot express.
        self.send(_encode(_Command(kind, self._id, self._state["version"], **fields)))  # type: ignore[arg-type]

    async def wait_for_answer(self) -> float:
        """Wait as `PlayerClient.wait_for_answer` says."""
        while not self._answer:
            await self.wait_for_update()
        if self._answer != "done":
            raise RuntimeError(f"the answer to a command is {self._answer}")
        return self._answer_time


class OurEntrance(Entrance):
    """Where two visitors play all games against each other and a third one watches."""

    _cookies: list[str] | None = None

    async def create_match(self, watchers: int = 0) -> Seats:
        """Create a game; the visitor who sets it up has seat 0, and the one who joins it seat 1.

        The visitors are the same for all games.
        """
        if self._cookies is None:
            self._cookies = [await self.create_visitor() for _ in range(3)]
        host, guest, spectator = self._cookies
        seats = {"seat_0": "person", "seat_1": "open"}
        table = await self.create_table(GAME, host, cols=str(SIZE), rows=str(SIZE), **seats)
        players = OurClient(self.port, table, host), OurClient(self.port, table, guest)
        return Seats(players, [OurClient(self.port, table, spectator) for _ in range(watchers)])


class OurServer(OurEntrance, ServerProcess):
    """Our server."""

    name = "fourcorners"
