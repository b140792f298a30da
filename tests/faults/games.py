"""Test clients that play game after game while faults are injected, and the time that they take to recover."""

from __future__ import annotations

import abc
import asyncio
import contextlib
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from tests.faults.move_log import ConsistencyReport, MoveLog
from tests.faults.player import Player, Seating
from tests.faults.server_process import Entrance

GAME = {"game": "dots-and-boxes", "cols": "8", "rows": "8", "seat_0": "person"}
RECOVERY_TIMEOUT = 60.0
FINISH_TIMEOUT = 30.0


class Games(abc.ABC):
    """Games between test clients: `run` plays them and injects faults; its results are in the fields afterwards.

    `finished_players` holds (log, last board) of every client, `tables` the ids of all tables, `recovery_times` are in
    seconds by kind of fault, and `unrecovered` holds a sentence for each failure.
    """

    def __init__(self, moves: int, seconds: float, tables: int, seed: int) -> None:
        """Prepare to play `tables` games at a time until `moves` are acknowledged and all faults are injected.

        The time limit is `seconds`, and `seed` is that of the random choices.
        """
        self.moves = moves
        self.random = random.Random(seed)
        self._seconds = seconds
        self._table_count = tables
        self.move_count = 0
        self.players: list[Player] = []
        """The clients that are playing now."""
        self.finished_players: list[tuple[MoveLog, tuple[str, int, list[list[Any]]]]] = []
        self.tables: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.recovery_times: dict[str, list[float]] = defaultdict(list)
        self.unrecovered: list[str] = []
        self.is_done = asyncio.Event()
        self.is_injecting = False
        self._progressed = asyncio.Event()

    @abc.abstractmethod
    def choose_server(self) -> Entrance:
        """Choose the server or proxy for a new visitor or table."""

    @abc.abstractmethod
    def choose_port(self) -> int:
        """Choose the port to which a client connects next."""

    @abc.abstractmethod
    async def inject_faults(self) -> None:
        """Inject all faults, or stop when the test is done; `is_injecting` keeps the games going meanwhile."""

    def count_move(self) -> None:
        """Count an acknowledged move, and wake `inject_faults`; finish if there are enough and no faults are left."""
        self.move_count += 1
        self._progressed.set()
        if self.move_count >= self.moves and not self.is_injecting:
            self.finish()

    def finish(self) -> None:
        """End the test: no new games and faults, and all clients stop once their commands are answered."""
        self.is_done.set()
        self._progressed.set()
        for player in self.players:
            player.stop()

    async def play_tables(self, number: int) -> None:
        """Play at one table after another until the test is done; try again while the server is down.

        The remainder of `number` by 4 selects the clients: 0 and 2 are two tabs of one browser, of which the second one
        plays both seats or its own; 1 and 3 are two browsers, of which the second one takes an open seat by link.
        """
        cookies: list[str] = []
        while not self.is_done.is_set():
            try:
                while len(cookies) < 2:
                    cookies.append(await self.choose_server().create_visitor())
                by_link = number % 2 == 1
                second = "open" if by_link else "person"
                table = await self.choose_server().create_table(cookie=cookies[0], seat_1=second, **GAME)
            except (OSError, EOFError, RuntimeError):
                await asyncio.sleep(0.2)
                continue
            self.tables.add(table)
            # Even numbers are two tabs of one browser; in every other pair the second tab plays both seats.
            seats = (frozenset({0}), frozenset({0, 1} if number % 4 == 0 else {1}))
            seatings = [Seating(table, cookies[seat if by_link else 0], seats[seat]) for seat in range(2)]
            await self._play_table(seatings)
            self.counts["tables"] += 1

    async def _play_table(self, seatings: Sequence[Seating]) -> None:
        """Play one game with a client for each seating, and keep their logs and boards, even if it is cancelled."""
        players = [
            Player(self.choose_port, seating, self.random.getrandbits(32), self.count_move) for seating in seatings
        ]
        self.players += players
        try:
            await asyncio.gather(*(player.play() for player in players))
        finally:
            for player in players:
                self.players.remove(player)
                self.counts.update(player.counts)
                self.finished_players.append((player.log, player.board))

    async def wait_for_moves(self, moves: int) -> None:
        """Wait until this number of moves has been acknowledged, or the test is done."""
        while self.move_count < moves and not self.is_done.is_set():
            self._progressed.clear()
            await self._progressed.wait()

    async def measure_recovery(self, kind: str, *, reconnected: bool = False) -> None:
        """Measure how long each client takes to show the latest board again, and add it to `recovery_times[kind]`.

        With `reconnected`, all clients must do so on new connections. Those that take longer than `RECOVERY_TIMEOUT`
        seconds are noted in `unrecovered`. Clients that are up to date already are not counted.
        """
        start = time.monotonic()
        # The latest version that any client has, by table.
        latest: Counter[str] = Counter()
        for player in self.players:
            latest[player.seating.table] = max(latest[player.seating.table], player.version)
        # A client that has finished and only waits for the other one receives no more boards.
        playing = [player for player in self.players if not player.is_finished]
        waits = [player.wait_for_version(latest[player.seating.table], reconnected=reconnected) for player in playing]
        waits = [wait for wait in waits if not wait.done()]

        async def record_time(wait: asyncio.Future[None]) -> None:
            """Add the seconds until this future is done; add nothing if it is cancelled, as when a game ends."""
            with contextlib.suppress(asyncio.CancelledError):
                await wait
                self.recovery_times[kind].append(time.monotonic() - start)

        tasks = [asyncio.create_task(record_time(wait)) for wait in waits]
        if not tasks:
            return
        _, left = await asyncio.wait(tasks, timeout=RECOVERY_TIMEOUT)
        for task in left:
            task.cancel()
        if left:
            late = f"{len(left)} of {len(tasks)} clients"
            self.unrecovered.append(f"{late} had not recovered {RECOVERY_TIMEOUT:g} s after: {kind}")

    def _note_end_of_faults(self, faults: asyncio.Task[None]) -> None:
        """End the test if no more faults can be injected because of an error."""
        if not faults.cancelled() and faults.exception() is not None:
            self.finish()

    async def run(self) -> None:
        """Play until the test is done, its time is over or a client fails; then raise the first error of a task.

        Clients have `FINISH_TIMEOUT` seconds to receive their last answers. An error of `inject_faults` ends the test.
        """
        faults = asyncio.create_task(self.inject_faults())
        faults.add_done_callback(self._note_end_of_faults)
        tables = [asyncio.create_task(self.play_tables(number)) for number in range(self._table_count)]
        done = asyncio.create_task(self.is_done.wait())
        try:
            # A table ends before the test does only if a client fails.
            await asyncio.wait([done, *tables], timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
            self.finish()
            await asyncio.wait(tables, timeout=FINISH_TIMEOUT, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in (done, faults, *tables):
                task.cancel()
            results = await asyncio.gather(done, faults, *tables, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result


def summarise_check(check: ConsistencyReport) -> dict[str, int]:
    """Return the numbers of moves and of each kind of fault that the checker has found."""
    counts = {"moves": check.moves, "stored_but_not_acknowledged": check.unacknowledged}
    return {**counts, **{name: len(value) for name, value in vars(check).items() if isinstance(value, list)}}


def summarise_times(times: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    """Return by kind how often something took how long: `times`, and in seconds the median, the 95th percentile and the
    worst.
    """
    return {
        kind: {
            "times": len(values),
            "median_s": round(statistics.median(values), 3),
            "p95_s": round(sorted(values)[int(0.95 * (len(values) - 1))], 3),
            "worst_s": round(max(values), 3),
        }
        for kind, values in sorted(times.items())
        if values
    }
