"""A client that asks all servers for tables that are being played, and logs which versions it is shown."""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from tests.faults.move_log import MoveLog, Read
from tests.faults.player import Seating
from tests.faults.proxy import HOST

_PAUSE = 0.05
_ANSWER_TIMEOUT = 20.0
_NO_TABLE = 4404


class Reader:
    """Reads tables, one after the other, as a page that is opened and as a program do; both as a player of the table.

    `counts` has the numbers of reads, and of those that failed, by way. A read that fails shows nothing, which is no
    fault of a server that has lost its database.
    """

    def __init__(self, list_seatings: Callable[[], Sequence[Seating]], ports: Sequence[int], seed: int) -> None:
        """Prepare to read the tables of the seatings that are listed at the time, at servers on these ports."""
        self.log = MoveLog()
        self.counts: Counter[str] = Counter()
        self._list_seatings = list_seatings
        self._ports = ports
        self._random = random.Random(seed)

    async def read_tables(self) -> None:
        """Read until cancelled."""
        async with httpx.AsyncClient(timeout=_ANSWER_TIMEOUT) as http:
            while True:
                await asyncio.sleep(_PAUSE)
                if not (seatings := self._list_seatings()):
                    continue
                seating, port = self._random.choice(seatings), self._random.choice(self._ports)
                via = self._random.choice(["hello", "program"])
                begin = time.monotonic()
                try:
                    async with asyncio.timeout(_ANSWER_TIMEOUT):
                        read = self._say_hello(seating, port) if via == "hello" else self._fetch(http, seating, port)
                        version = await read
                except (OSError, WebSocketException, httpx.HTTPError):
                    version = None
                self.counts[f"reads by {via}" if version is not None else f"failed reads by {via}"] += 1
                if version is not None:
                    self.log.reads.append(Read(seating.table, version, begin, f"{via} at {port}"))

    async def _say_hello(self, seating: Seating, port: int) -> int | None:
        """Return the version that a new page is shown, -1 if there is no such table; None if it is shown nothing."""
        address = f"ws://{HOST}:{port}/play/{seating.table}/live"
        async with connect(address, additional_headers={"cookie": seating.cookie}, close_timeout=1) as connection:
            try:
                await connection.send(json.dumps({"type": "hello", "version": None}))
                while True:
                    message = json.loads(await connection.recv())
                    if message["type"] == "state":
                        return int(message["version"])
            except ConnectionClosed as error:
                return -1 if error.rcvd is not None and error.rcvd.code == _NO_TABLE else None

    async def _fetch(self, http: httpx.AsyncClient, seating: Seating, port: int) -> int | None:
        """Return the version that a program is told, -1 if there is no such table; None if the server refuses."""
        address = f"http://{HOST}:{port}/api/tables/{seating.table}"
        answer = await http.get(address, headers={"cookie": seating.cookie})
        if answer.status_code == 404:
            return -1
        return int(answer.json()["version"]) if answer.is_success else None
