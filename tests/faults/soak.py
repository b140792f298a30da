"""Many moves through a bad network to a server that is killed again and again; JSON says what became of them."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.ledger import Ledger, Verdict, verdict
from tests.faults.player import Place, Player
from tests.faults.proxy import Fault, Plan, Proxy, Way
from tests.faults.server import ServerProcess

GAME = {"game": "dots-and-boxes", "cols": "8", "rows": "8", "seat_0": "person"}
ODDS = {
    Fault.DELAY: 0.01,
    Fault.DOUBLE: 0.02,
    Fault.HALVE: 0.0015,
    Fault.CUT_BEFORE: 0.0015,
    Fault.CUT_AFTER: 0.0015,
}
BACK_WITHIN = 60.0
LATEST_KILL = 0.02
"""Seconds after a message was passed on at which the server is killed: before, while or after it stores the move."""
_GRACE = 30.0


@dataclass(frozen=True)
class Effort:
    """How long a soak is, and how rough."""

    moves: int = 100_000
    seconds: float = 7200.0
    tables: int = 12
    kills: int = 100
    restarts: int = 40
    outages: int = 400
    silences: int = 10
    seed: int = 1

    @classmethod
    def of(cls, moves: int, **more: Any) -> Effort:
        """Choose how rough it is by the number of moves."""
        often = {"kills": max(2, moves // 1000), "restarts": max(1, moves // 2500), "outages": max(4, moves // 250)}
        return cls(moves, **often, silences=moves // 10_000, **more)


@dataclass
class Soak:
    """One soak while it runs."""

    server: ServerProcess
    proxy: Proxy
    effort: Effort
    moved: int = 0
    players: list[Player] = field(default_factory=list)
    """Who plays now."""
    gone: list[tuple[Ledger, tuple[str, int, list[list[Any]]]]] = field(default_factory=list)
    tables: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    back: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    stops: list[float] = field(default_factory=list)
    late: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.effort.seed)
        self.enough = asyncio.Event()
        self._troubled = False
        self._tick = asyncio.Event()

    def count(self) -> None:
        """Count an acknowledged move."""
        self.moved += 1
        self._tick.set()
        if self.moved >= self.effort.moves and not self._troubled:
            self.end()

    def end(self) -> None:
        """Let everybody finish."""
        self.enough.set()
        self._tick.set()
        for player in self.players:
            player.stop()

    async def tables_one_after_another(self, number: int) -> None:
        """Play at one table after another until there was enough."""
        cookies: list[str] = []
        while not self.enough.is_set():
            try:
                while len(cookies) < 2:
                    cookies.append(await self.server.newcomer())
                by_link = number % 2 == 1
                second = "open" if by_link else "person"
                table = await self.server.begin(cookie=cookies[0], seat_1=second, **GAME)
            except (OSError, EOFError, RuntimeError):
                await asyncio.sleep(0.2)
                continue
            self.tables.add(table)
            # Two tabs of one browser; of every other such pair the second plays both seats, so that both move at once.
            seats = (frozenset({0}), frozenset({0, 1} if number % 4 == 0 else {1}))
            places = [Place(table, cookies[seat if by_link else 0], seats[seat]) for seat in range(2)]
            await self._table(places)
            self.counts["tables"] += 1

    async def _table(self, places: Sequence[Place]) -> None:
        players = [Player(lambda: self.proxy.port, place, self.random.getrandbits(32), self.count) for place in places]
        self.players += players
        try:
            await asyncio.gather(*(player.play() for player in players))
        finally:
            for player in players:
                self.players.remove(player)
                self.counts.update(player.counts)
                self.gone.append((player.ledger, player.board))

    async def trouble(self) -> None:
        """Bring all the trouble there is to be, one after the other, spread over the moves."""
        effort = self.effort
        kinds = ["kill"] * effort.kills + ["restart"] * effort.restarts
        kinds += ["outage"] * effort.outages + ["silence"] * effort.silences
        self.random.shuffle(kinds)
        self._troubled = True
        for index, kind in enumerate(kinds, 1):
            await self._reached(index * effort.moves // (len(kinds) + 1))
            if self.enough.is_set():
                return
            await getattr(self, f"_{kind}")()
        self._troubled = False

    async def _reached(self, moves: int) -> None:
        while self.moved < moves and not self.enough.is_set():
            self._tick.clear()
            await self._tick.wait()

    async def _kill(self) -> None:
        passed = asyncio.Event()
        self.proxy.on_message = lambda way, _: passed.set() if way is Way.UP else None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(passed.wait(), 5)
        self.proxy.on_message = None
        await asyncio.sleep(self.random.uniform(0, LATEST_KILL))
        await self.server.kill()
        self.counts["kills"] += 1
        await self.server.start()
        await self._all_back("server killed")

    async def _restart(self) -> None:
        self.stops.append(await self.server.stop())
        self.counts["restarts"] += 1
        await self.server.start()
        await self._all_back("server restarted")

    async def _outage(self) -> None:
        self.counts["outages"] += 1
        seconds = self.random.uniform(0.1, 2.0)
        kind = self.random.choice(["cut", "refuse", "blackhole", "one way", "other way"])
        if kind == "cut":
            self.proxy.cut()
        elif kind == "refuse":
            await self.proxy.refuse(seconds)
            for player in self.players:
                player.online()
        elif kind == "blackhole":
            await self.proxy.blackhole(seconds)
        else:
            await self.proxy.blackhole(seconds, (Way.UP if kind == "one way" else Way.DOWN,))
        await self._all_back("network")

    async def _silence(self) -> None:
        self.counts["silences"] += 1
        self.proxy.silence()
        await self._all_back("lines dead without a word", anew=True)

    async def _all_back(self, kind: str, *, anew: bool = False) -> None:
        """Measure how long it takes until all are on the right board again that are not now, or all on new lines."""
        began = time.monotonic()
        shown: Counter[str] = Counter()
        for player in self.players:
            shown[player.place.table] = max(shown[player.place.table], player.version)
        # Who has played to the end and only waits for the other to see it comes to no board any more.
        playing = [player for player in self.players if not player.finished]
        waits = [player.caught_up(shown[player.place.table], anew=anew) for player in playing]
        waits = [wait for wait in waits if not wait.done()]

        async def note(wait: asyncio.Future[None]) -> None:
            with contextlib.suppress(asyncio.CancelledError):
                await wait
                self.back[kind].append(time.monotonic() - began)

        tasks = [asyncio.create_task(note(wait)) for wait in waits]
        if not tasks:
            return
        _, left = await asyncio.wait(tasks, timeout=BACK_WITHIN)
        for task in left:
            task.cancel()
        if left:
            self.late.append(f"{len(left)} of {len(tasks)} not back {BACK_WITHIN:g} s after: {kind}")

    async def run(self) -> None:
        """Play until there was enough, or the time is over."""
        trouble = asyncio.create_task(self.trouble())
        tables = [asyncio.create_task(self.tables_one_after_another(number)) for number in range(self.effort.tables)]
        try:
            _, playing = await asyncio.wait(tables, timeout=self.effort.seconds, return_when=asyncio.FIRST_EXCEPTION)
            self.end()
            if playing:
                await asyncio.wait(playing, timeout=_GRACE)
        finally:
            for task in (trouble, *tables):
                task.cancel()
            results = await asyncio.gather(trouble, *tables, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result


def report(soak: Soak, found: Verdict, seconds: float) -> dict[str, Any]:
    """Say what became of the moves."""
    answers = sum((ledger.answers for ledger, _ in soak.gone), Counter())
    times = {
        kind: {
            "times": len(values),
            "median_s": round(statistics.median(values), 3),
            "p95_s": round(sorted(values)[int(0.95 * (len(values) - 1))], 3),
            "worst_s": round(max(values), 3),
        }
        for kind, values in sorted(soak.back.items())
        if values
    }
    return {
        "moves": found.moves,
        "stored_but_not_acknowledged": found.unsaid,
        "lost": len(found.lost),
        "doubled": len(found.doubled),
        "out_of_order": len(found.out_of_order),
        "nobody_sent": len(found.invented),
        "gaps": len(found.gaps),
        "illegal": len(found.illegal),
        "drifted": len(found.drifted) + soak.counts["boards that differed"] + soak.counts["boards that went back"],
        "answers": dict(sorted(answers.items())),
        "reconnects": soak.counts["connections"] - len(soak.gone),
        "kills": soak.counts["kills"],
        "restarts": soak.counts["restarts"],
        "outages": soak.counts["outages"],
        "back_on_the_right_board": times,
        "not_back": soak.late,
        "longest_stop_s": round(max(soak.stops, default=0.0), 3),
        "players": dict(sorted(soak.counts.items())),
        "network": dict(sorted(soak.proxy.counts.items())),
        "seconds": round(seconds, 1),
        "faults": {name: values[:5] for name, values in found.faults.items()},
    }


async def soak(effort: Effort, folder: Path, database: str | None = None) -> dict[str, Any]:
    """Run a soak; return what is to be printed."""
    server = ServerProcess(folder, database)
    await server.start()
    began = time.monotonic()
    try:
        async with Proxy(server.port, Plan(ODDS, effort.seed)) as proxy:
            running = Soak(server, proxy, effort)
            await running.run()
    finally:
        await server.kill()
    seconds = time.monotonic() - began
    ledgers, boards = [ledger for ledger, _ in running.gone], [board for _, board in running.gone]
    found = verdict(server.place, running.tables, ledgers, [board for board in boards if board[1] >= 0])
    return report(running, found, seconds)


def main(arguments: Sequence[str]) -> int:
    """Read the command line, run, and print; return 1 if anything was wrong."""
    usual = Effort()
    parser = argparse.ArgumentParser(prog="scripts/soak", description="Faults for a long time; JSON on stdout.")
    parser.add_argument("--moves", type=int, default=usual.moves, help="how many moves (%(default)s)")
    parser.add_argument("--seconds", type=float, default=usual.seconds, help="at most so long (%(default)s)")
    parser.add_argument("--tables", type=int, default=usual.tables, help="games at the same time (%(default)s)")
    parser.add_argument("--seed", type=int, default=usual.seed, help="what goes wrong, and when (%(default)s)")
    parser.add_argument("--database", metavar="ADDRESS", help="postgresql://...; otherwise SQLite in a folder")
    parser.add_argument("--data", type=Path, help="the folder to use; otherwise one that is removed at the end")
    given = parser.parse_args(arguments)
    effort = Effort.of(given.moves, seconds=given.seconds, tables=given.tables, seed=given.seed)
    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(soak(effort, given.data or Path(folder), given.database))
    sys.stdout.write(f"{json.dumps(result, indent=2)}\n")
    return 1 if result["faults"] or result["drifted"] or result["not_back"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
