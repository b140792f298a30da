"""A player that does what the page's scripts do, and keeps account of every move it sends."""

import asyncio
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from tests.faults.ledger import SIT, Ledger, Plies, Sent
from tests.faults.proxy import HOST

Json = dict[str, Any]
FIRST_WAIT, LONGEST_WAIT = 0.25, 5.0
ASKS_AFTER, HEARS_WITHIN = 5.0, 10.0
"""Seconds of silence after which a player asks whether it has missed something, and after which its line is dead."""
_ids = itertools.count()


class Place(NamedTuple):
    """A place at a table: who asks, and for which seats that one plays, once sat down where the chair is free."""

    table: str
    cookie: str
    seats: frozenset[int]


@dataclass
class _Wait:
    version: int
    line: int
    done: asyncio.Future[None]


class Player:
    """Plays the seats of a chair with moves chosen at random, over as many connections as it takes."""

    def __init__(self, port: Callable[[], int], place: Place, seed: int, moved: Callable[[], None]) -> None:
        self.place = place
        self.ledger = Ledger()
        self.state: Json = {}
        self.connected = False
        self.pending: Json | None = None
        """The command that was sent and not answered."""
        self.counts: Counter[str] = Counter()
        self._port = port
        self._moved = moved
        self._random = random.Random(seed)
        self._stop = asyncio.Event()
        self._online = asyncio.Event()
        self._wait = FIRST_WAIT
        self._shown_from = 0
        self._asked = False
        self._waits: list[_Wait] = []

    @property
    def version(self) -> int:
        """The version of the board that is shown."""
        return int(self.state.get("version", -1))

    @property
    def board(self) -> tuple[str, int, Plies]:
        """What is shown."""
        return self.place.table, self.version, self.state.get("plies", [])

    def stop(self) -> None:
        """End as soon as nothing is unanswered."""
        self._stop.set()
        self._online.set()

    def online(self) -> None:
        """Hear that there is a network again, as a browser tells its pages."""
        self._online.set()

    def caught_up(self, version: int, *, anew: bool = False) -> asyncio.Future[None]:
        """Return what is done once a board, over a new line perhaps, shows this version with nothing unanswered."""
        line = self.counts["connections"] + (1 if anew else 0)
        wait = _Wait(version, line, asyncio.get_running_loop().create_future())
        self._waits.append(wait)
        self._settle()
        return wait.done

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do: the game is over, or the player was stopped."""
        over = bool(self.state.get("over")) or self._stop.is_set()
        return over and self.pending is None and self.version >= self._shown_from

    async def play(self) -> None:
        """Play until the game is over or the player is stopped."""
        url = f"/play/{self.place.table}/live"
        try:
            while not self.finished:
                try:
                    async with connect(
                        f"ws://{HOST}:{self._port()}{url}",
                        additional_headers={"cookie": self.place.cookie},
                        compression=None,
                        ping_interval=None,
                        open_timeout=HEARS_WITHIN,
                        close_timeout=1,
                        max_size=None,
                    ) as line:
                        await self._converse(line)
                except (OSError, TimeoutError, WebSocketException):
                    self.counts["lines lost"] += 1
                self.connected = False
                if not self.finished:
                    await self._back_off()
        finally:
            for wait in self._waits:
                wait.done.cancel()

    async def _back_off(self) -> None:
        if not self._stop.is_set():
            self._online.clear()
        try:
            async with asyncio.timeout(self._wait * self._random.uniform(0.75, 1.25)):
                await self._online.wait()
            await asyncio.sleep(0.02)
        except TimeoutError:
            pass
        self._wait = min(2 * self._wait, LONGEST_WAIT)

    async def _converse(self, line: ClientConnection) -> None:
        await self._hello(line, self.state.get("version"))
        while not self.finished:
            message = await self._next(line)
            if message is None:
                return
            await self._take(line, message)
            self._settle()
            await self._play_on(line)

    async def _next(self, line: ClientConnection) -> Json | None:
        """Hear a message; None if the line is dead."""
        for within in (ASKS_AFTER, HEARS_WITHIN - ASKS_AFTER):
            try:
                async with asyncio.timeout(within):
                    heard: Json = json.loads(await line.recv())
            except TimeoutError:
                if within == ASKS_AFTER:
                    await self._hello(line, self.state.get("version"))
                continue
            return heard
        self.counts["silences noticed"] += 1
        line.transport.abort()
        return None

    async def _hello(self, line: ClientConnection, version: int | None) -> None:
        await self._send(line, {"type": "hello", "version": version})

    async def _send(self, line: ClientConnection, message: Json) -> None:
        await line.send(json.dumps(message))

    async def _take(self, line: ClientConnection, message: Json) -> None:
        match message["type"]:
            case "state":
                if message["version"] == self.version and message["plies"] != self.state["plies"]:
                    self.counts["boards that differed"] += 1
                if message["version"] < self.version:
                    self.counts["boards that went back"] += 1
                self.state = message
                await self._found(line)
            case "patch" if message["from"] != self.version:
                self.counts["patches that did not fit"] += 1
                await self._hello(line, None)
            case "patch":
                plies = self.state["plies"][: message["plies_from"]] + message["plies"]
                self.state = {**self.state, **message, "plies": plies}
                await self._found(line)
            case "beat":
                await self._send(line, {"type": "beat", "now": message["now"]})
            case "done" | "stale" | "refused":
                self._answered(message)
            case "bad":
                self.counts[f"bad: {message['sentence']}"] += 1

    def _answered(self, message: Json) -> None:
        if message["id"] not in self.ledger.sent:
            self.counts["answers to nobody"] += 1
            return
        new = message["type"] == "done" and message["id"] not in self.ledger.done
        self.ledger.answer(message)
        if self.pending is not None and self.pending["id"] == message["id"]:
            self.pending = None
        if new:
            self._shown_from = max(self._shown_from, message["version"])
            if self.ledger.sent[message["id"]].text != SIT:
                self._moved()

    async def _found(self, line: ClientConnection) -> None:
        self._wait = FIRST_WAIT
        if self.connected:
            return
        self.connected = True
        self.counts["connections"] += 1
        if self.pending is None:
            return
        if self.pending["version"] == self.version:
            self.counts["sent again"] += 1
            await self._send(line, self.pending)
        else:
            # The board has moved on: with this move, whose answer was lost, or without it. Either can be seen on it.
            self.counts["not sent again"] += 1
            self.pending = None

    async def _play_on(self, line: ClientConnection) -> None:
        state = self.state
        ready = self.connected and self.pending is None and self.version >= self._shown_from
        if not ready or self._stop.is_set() or state["over"]:
            return
        if not state["started"]:
            (seat,) = self.place.seats
            if not state["chairs"][seat]["taken"]:
                await self._command(line, SIT, {"type": "sit", "seat": seat, "name": "Guest"})
        elif state["mine"] and state["moves"] and state["seat"] in self.place.seats:
            text = self._random.choice(state["moves"])
            await self._command(line, text, {"type": "move", "move": text})

    async def _command(self, line: ClientConnection, text: str, command: Json) -> None:
        sent = Sent(self.place.table, f"m{next(_ids)}", self.version, text)
        self.ledger.send(sent)
        self.pending = {**command, "id": sent.id, "version": sent.version}
        await self._send(line, self.pending)

    def _settle(self) -> None:
        fine = self.connected and self.pending is None and self.version >= self._shown_from
        for wait in list(self._waits):
            if fine and self.version >= wait.version and self.counts["connections"] >= wait.line:
                self._waits.remove(wait)
                if not wait.done.done():
                    wait.done.set_result(None)
