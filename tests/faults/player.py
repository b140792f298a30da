"""A client that behaves like the page's scripts, plays random moves, and logs every move it sends."""

import asyncio
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from tests.faults.move_log import SIT, MoveLog, Plies, Read, SentMove
from tests.faults.proxy import HOST

Json = dict[str, Any]
MIN_BACKOFF, MAX_BACKOFF = 0.25, 5.0
PING_AFTER, DEAD_AFTER = 5.0, 10.0
"""Seconds of silence after which a client asks for news, and after which it considers its connection dead."""
_ids = itertools.count()


class Seating(NamedTuple):
    """The seats that a client plays at a table, with the cookie of its browser.

    Before the game has started, it must be exactly one seat; the client sits down there if it is free.
    """

    table: str
    cookie: str
    seats: frozenset[int]


@dataclass
class _CatchUp:
    """A future for the moment when a version is shown on the client's n-th connection or a later one."""

    version: int
    connection: int
    done: asyncio.Future[None]


class Player:
    """Plays random moves for some seats of a table, and reconnects as often as necessary."""

    def __init__(self, port: Callable[[], int], seating: Seating, seed: int, on_move: Callable[[], None]) -> None:
        """Prepare a client, which `play` starts.

        `port` returns the port to connect to, `seed` is that of the choice among the moves offered, and `on_move` is
        called once for each acknowledged move.
        """
        self.seating = seating
        self.log = MoveLog()
        self.state: Json = {}
        self.connected = False
        self.pending: Json | None = None
        """The command that has been sent but not answered."""
        self.counts: Counter[str] = Counter()
        self._port = port
        self._on_move = on_move
        self._random = random.Random(seed)
        # Delays have their own generator, so that the choice of moves does not depend on lost connections.
        self._jitter = random.Random(seed)
        self._stop = asyncio.Event()
        self._network_up = asyncio.Event()
        self._backoff = MIN_BACKOFF
        self._min_version = 0
        self._hello_at = 0.0
        self._catch_ups: list[_CatchUp] = []

    @property
    def version(self) -> int:
        """The version of the board last received; -1 if there is none."""
        return int(self.state.get("version", -1))

    @property
    def board(self) -> tuple[str, int, Plies]:
        """The board last received: table, version and plies."""
        return self.seating.table, self.version, self.state.get("plies", [])

    def stop(self) -> None:
        """Make `play` return as soon as every command is answered; no more commands are sent, but it reconnects."""
        self._stop.set()
        self._network_up.set()

    def notify_online(self) -> None:
        """Reconnect at once, as a page does when the browser reports that the network is up."""
        self._network_up.set()

    def wait_for_version(self, version: int, *, reconnected: bool = False) -> asyncio.Future[None]:
        """Return a future that is done once this version or a later one is shown and every command is answered.

        With `reconnected`, that must happen on a new connection. The future is cancelled when `play` ends before.
        """
        connection = self.counts["connections"] + (1 if reconnected else 0)
        wait = _CatchUp(version, connection, asyncio.get_running_loop().create_future())
        self._catch_ups.append(wait)
        self._resolve_catch_ups()
        return wait.done

    @property
    def is_finished(self) -> bool:
        """Whether the game is over or the client was stopped, and every command is answered and its version shown."""
        is_over = bool(self.state.get("over")) or self._stop.is_set()
        return is_over and self.pending is None and self.version >= self._min_version

    async def play(self) -> None:
        """Play until `is_finished`, reconnecting after every lost connection; errors of the network are not raised.

        At its end it cancels all futures of `wait_for_version`. Call it once.
        """
        url = f"/play/{self.seating.table}/live"
        try:
            while not self.is_finished:
                try:
                    async with connect(
                        f"ws://{HOST}:{self._port()}{url}",
                        additional_headers={"cookie": self.seating.cookie},
                        compression=None,
                        ping_interval=None,
                        open_timeout=DEAD_AFTER,
                        close_timeout=1,
                        max_size=None,
                    ) as connection:
                        await self._run_connection(connection)
                except (OSError, TimeoutError, WebSocketException):
                    self.counts["connections lost"] += 1
                self.connected = False
                if not self.is_finished:
                    await self._back_off()
        finally:
            for wait in self._catch_ups:
                wait.done.cancel()

    async def _back_off(self) -> None:
        """Wait before the next attempt to connect; return early if `notify_online` is called, or once `stop` has been.

        The time doubles at each call from `MIN_BACKOFF` to `MAX_BACKOFF` seconds, varied by up to a quarter; a received
        board resets it to `MIN_BACKOFF`.
        """
        if not self._stop.is_set():
            self._network_up.clear()
        try:
            async with asyncio.timeout(self._backoff * self._jitter.uniform(0.75, 1.25)):
                await self._network_up.wait()
            # A stopped client that still waits for an answer would otherwise connect in a busy loop.
            await asyncio.sleep(0.02)
        except TimeoutError:
            pass
        self._backoff = min(2 * self._backoff, MAX_BACKOFF)

    async def _run_connection(self, connection: ClientConnection) -> None:
        """Play on one connection until it is dead or `is_finished`; raise WebSocketException if it is closed."""
        self._hello_at = time.monotonic()
        await self._send_hello(connection, self.state.get("version"))
        while not self.is_finished:
            message = await self._receive(connection)
            if message is None:
                return
            await self._handle(connection, message)
            self._resolve_catch_ups()
            await self._play_next(connection)

    async def _receive(self, connection: ClientConnection) -> Json | None:
        """Return the next message; None, with the connection aborted, after `DEAD_AFTER` seconds of silence.

        After `PING_AFTER` seconds it asks for news. Raise ConnectionClosed if the connection is closed.
        """
        for timeout in (PING_AFTER, DEAD_AFTER - PING_AFTER):
            try:
                async with asyncio.timeout(timeout):
                    message: Json = json.loads(await connection.recv())
            except TimeoutError:
                if timeout == PING_AFTER:
                    await self._send_hello(connection, self.state.get("version"))
                continue
            return message
        self.counts["dead connections noticed"] += 1
        connection.transport.abort()
        return None

    async def _send_hello(self, connection: ClientConnection, version: int | None) -> None:
        """Ask for the board if it differs from `version`; None: for the whole board. Raise ConnectionClosed."""
        await self._send(connection, {"type": "hello", "version": version})

    async def _send(self, connection: ClientConnection, message: Json) -> None:
        await connection.send(json.dumps(message))

    async def _handle(self, connection: ClientConnection, message: Json) -> None:
        """Update the board from a message, answer a heartbeat, or log the answer to a command; ignore other types.

        A board that goes back or differs at the same version, and a patch for another version, are counted as faults;
        after such a patch, ask for the whole board instead. Raise ConnectionClosed if an answer cannot be sent.
        """
        match message["type"]:
            case "state":
                if message["version"] == self.version and message["plies"] != self.state["plies"]:
                    self.counts["boards that differed"] += 1
                if message["version"] < self.version:
                    self.counts["boards that went back"] += 1
                self.state = message
                await self._handle_board(connection)
            case "patch" if message["from"] != self.version:
                self.counts["patches that did not fit"] += 1
                await self._send_hello(connection, None)
            case "patch":
                plies = self.state["plies"][: message["plies_from"]] + message["plies"]
                self.state = {**self.state, **message, "plies": plies}
                await self._handle_board(connection)
            case "beat":
                await self._send(connection, {"type": "beat", "now": message["now"]})
            case "done" | "stale" | "refused":
                self._handle_answer(message)
            case "error":
                self.counts[f"bad: {message['sentence']}"] += 1

    def _handle_answer(self, message: Json) -> None:
        """Log the answer to a command, and call `on_move` for the first acknowledgement of a move (not of sitting).

        The next command waits until the acknowledged version is shown. An answer to no command is only counted.
        """
        if message["id"] not in self.log.sent:
            self.counts["answers to no one"] += 1
            return
        is_new = message["type"] == "done" and message["id"] not in self.log.done
        self.log.log_answer(message)
        if self.pending is not None and self.pending["id"] == message["id"]:
            self.pending = None
        if is_new:
            self._min_version = max(self._min_version, message["version"])
            if self.log.sent[message["id"]].text != SIT:
                self._on_move()

    async def _handle_board(self, connection: ClientConnection) -> None:
        """Reset the backoff; on a connection's first board send an unanswered command again if the version is the same.

        If the version has changed, forget the command. Connections and both cases are counted. Raise ConnectionClosed.
        """
        self._backoff = MIN_BACKOFF
        if self.connected:
            return
        self.connected = True
        self.counts["connections"] += 1
        self.log.reads.append(Read(self.seating.table, self.version, self._hello_at, "hello of a player"))
        if self.pending is None:
            return
        if self.pending["version"] == self.version:
            self.counts["sent again"] += 1
            await self._send(connection, self.pending)
        else:
            # The board has changed, with this move, whose answer was lost, or without it; the plies show which.
            self.counts["not sent again"] += 1
            self.pending = None

    async def _play_next(self, connection: ClientConnection) -> None:
        """Sit down, or play a random move if it is this client's turn; do nothing while a command is unanswered.

        Also do nothing once the client is stopped, or while an acknowledged version is not shown yet. Raise
        ConnectionClosed if the command cannot be sent.
        """
        state = self.state
        ready = self.connected and self.pending is None and self.version >= self._min_version
        if not ready or self._stop.is_set() or state["over"]:
            return
        if not state["started"]:
            (seat,) = self.seating.seats
            if not state["chairs"][seat]["taken"]:
                await self._send_command(connection, SIT, {"type": "sit", "seat": seat, "name": "Guest"})
        elif state["mine"] and state["moves"] and state["seat"] in self.seating.seats:
            text = self._random.choice(state["moves"])
            await self._send_command(connection, text, {"type": "move", "move": text})

    async def _send_command(self, connection: ClientConnection, text: str, command: Json) -> None:
        """Log a command, add its id and version, and send it; `text` is the text of the event that it will cause.

        It is `pending` from before it is sent, so that it is sent again if the connection is lost, which raises
        ConnectionClosed.
        """
        sent = SentMove(self.seating.table, f"m{next(_ids)}", self.version, text)
        self.log.log_move(sent)
        self.pending = {**command, "id": sent.id, "version": sent.version}
        await self._send(connection, self.pending)

    def _resolve_catch_ups(self) -> None:
        """Resolve and remove the futures of `wait_for_version` whose conditions hold now."""
        up_to_date = self.connected and self.pending is None and self.version >= self._min_version
        for wait in list(self._catch_ups):
            if up_to_date and self.version >= wait.version and self.counts["connections"] >= wait.connection:
                self._catch_ups.remove(wait)
                if not wait.done.done():
                    wait.done.set_result(None)
