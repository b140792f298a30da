"""Two servers over PostgreSQL and Redis behind Caddy with the shipped Caddyfile, and the loss of each server."""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

import fourcorners as fc
from fourcorners.web.store import Store
from tests import servers
from tests.faults.games import Games
from tests.faults.move_log import check_consistency
from tests.faults.server_process import Entrance
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server
from tests.web.example_bot import load_example_bot
from tests.web.processes import ROOT, Process
from tests.web.program import Program

pytestmark = pytest.mark.ci
GAME_TIMEOUT = 240.0
"""The seconds after which a test gives up waiting for the end of games."""
MOVES_BEFORE_KILL = 60
PLIES_AFTER_KILL = 4


class Site:
    """Two servers of one database, and Caddy in front of them, which listens on `port`."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        """Start all programs, which run until the stack is closed; the servers keep their output in a folder."""
        self._folder, self._stack = folder, stack
        self.database = stack.enter_context(servers.create_database(stack.enter_context(servers.run_postgres())))
        self._redis = stack.enter_context(servers.run_redis())
        self.ports = [servers.find_free_port() for _ in range(2)]
        self.port = servers.find_free_port()
        self.processes = [self._create_process(port) for port in self.ports]
        for process in self.processes:
            stack.enter_context(process)
        addresses = [f"127.0.0.1:{port}" for port in self.ports]
        stack.enter_context(servers.run_caddy(ROOT / "Caddyfile", self.port, addresses))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def server(self) -> Server:
        """The site as what `Browser` and `Program` take, which use only its `url` and `port`."""
        return cast("Server", self)

    def _create_process(self, port: int) -> Process:
        variables = {"FOURCORNERS_DATABASE": self.database, "FOURCORNERS_REDIS": self._redis}
        return Process(self._folder, "--port", f"{port}", **variables)

    def restart(self, index: int) -> None:
        """Start a server again that was killed, and wait until it is ready."""
        self.processes[index] = self._stack.enter_context(self._create_process(self.ports[index]))

    def read_metric(self, pattern: str) -> list[int]:
        """Return a metric of each server, given by a regular expression."""
        found = []
        for process in self.processes:
            text = httpx.get(f"{process.url}/metrics", timeout=WAIT).text
            value = re.search(rf"^{pattern} ([0-9.]+)$", text, re.MULTILINE)
            assert value is not None, text
            found.append(int(float(value[1])))
        return found


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with ExitStack() as stack:
        yield Site(tmp_path, stack)


def test_table_has_all_sockets_and_requests_on_one_server_and_visitors_see_no_metrics(site: Site) -> None:
    """Another table may be on the other server."""
    assert httpx.get(f"{site.url}/metrics", timeout=WAIT).status_code == 404
    tables_on = [0, 0]
    with (
        Browser(site.server) as anna,
        Browser(site.server) as bert,
        Browser(site.server) as visitor,
        Program(site.server) as program,
    ):
        while min(tables_on) < 2:
            table = anna.begin_table("square-off", size="4", swap="false", seat_0="person", seat_1="open")
            answered = site.read_metric('fourcorners_answers_total{answer="done"}')
            with anna.open_table(table), bert.open_table(table), visitor.open_table(table) as socket:
                sockets = site.read_metric("fourcorners_sockets")
                assert sorted(sockets) == [0, 3]
                command = {"id": "sit", "version": socket.state["version"], "seat": 1}
                assert program.request("POST", f"/api/tables/{table}/sit", json=command).is_success
            done = site.read_metric('fourcorners_answers_total{answer="done"}')
            server = sockets.index(3)
            assert [after - before for before, after in zip(answered, done, strict=True)] == [1 - server, server]
            tables_on[server] += 1
            wait_until(lambda: site.read_metric("fourcorners_sockets") == [0, 0])


class ProxiedGames(Games):
    """Games through the proxy of a site, during which each of its servers is killed once.

    `versions` has the versions that the clients knew when a server was killed, by kill and table.
    """

    def __init__(self, site: Site, wait_for_programs: Callable[[int], None]) -> None:
        """Prepare to play; `wait_for_programs` is called before each kill with its number, and may block."""
        super().__init__(moves=0, seconds=GAME_TIMEOUT, tables=6, seed=1)
        self._site = site
        self._wait_for_programs = wait_for_programs
        self.is_injecting = True
        self.versions: list[dict[str, int]] = []

    def choose_server(self) -> Entrance:
        return Entrance(self._site.port)

    def choose_port(self) -> int:
        return self._site.port

    async def inject_faults(self) -> None:
        """Kill one server after the other in the middle of games, which all go on before this returns."""
        for number, process in enumerate(self._site.processes):
            if number:
                await asyncio.to_thread(self._site.restart, number - 1)
            await self.wait_for_moves(self.move_count + MOVES_BEFORE_KILL)
            await asyncio.to_thread(self._wait_for_programs, number)
            playing = [player for player in self.players if player.version >= 0 and not player.is_finished]
            versions: dict[str, int] = {}
            for player in playing:
                versions[player.seating.table] = max(player.version, versions.get(player.seating.table, 0))
            await asyncio.to_thread(process.kill)
            # The wait of a player whose game ends is cancelled.
            waits = [
                player.wait_for_version(versions[player.seating.table] + PLIES_AFTER_KILL)
                for player in playing
                if player in self.players
            ]
            await asyncio.gather(*waits, return_exceptions=True)
            self.versions.append(versions)
        self.is_injecting = False
        self.finish()


class PausingBots:
    """Two example bots that play one game through the API; at two plies of it they wait for the next kill.

    `acknowledged` has the version and the text of each acknowledged move.
    """

    def __init__(self, url: str, plies: tuple[int, int]) -> None:
        """Register the bots at a site, and let them meet at a `table`."""
        example = load_example_bot()
        self.acknowledged: dict[int, str] = {}
        self._plies = plies
        self._reached, self._released = ([threading.Event() for _ in plies] for _ in range(2))
        self._bots = [example.Bot(url, f"Bot {number}", level=1) for number in range(2)]
        for bot in self._bots:
            bot.request = partial(self._request, bot.request)
            # A real computer takes half a minute for a move where nothing is compiled.
            bot.computer = SimpleNamespace(choose=lambda view: SimpleNamespace(move=view.moves()[0]))
        game = fc.game("dots-and-boxes", cols=3, rows=3)
        self.table, other = (str(bot.find_table(game)) for bot in self._bots)
        assert self.table == other

    def _request(
        self, send: Callable[..., dict[str, Any]], method: str, path: str, **parameters: Any
    ) -> dict[str, Any]:
        """Replace a bot's method `request`, which is `send`: pause before moves, and note those acknowledged."""
        is_move = path.endswith("/move")
        if is_move:
            self._pause(parameters["version"])
        reply = send(method, path, **parameters)
        if is_move and "code" not in reply:
            self.acknowledged[reply["version"]] = parameters["move"]
        return reply

    def _pause(self, version: int) -> None:
        """Wait, at one of the plies, until a server is being killed."""
        for ply, reached, released in zip(self._plies, self._reached, self._released, strict=True):
            if version >= ply:
                reached.set()
                assert released.wait(GAME_TIMEOUT)

    def wait_for_ply(self, number: int) -> None:
        """Wait until the bots pause for a kill, and let them go on."""
        assert self._reached[number].wait(GAME_TIMEOUT)
        self._released[number].set()

    def play(self) -> list[str]:
        """Play the game to its end, and return its result as each bot reads it."""
        with ThreadPoolExecutor(2) as pool:
            games = [pool.submit(bot.play, self.table) for bot in self._bots]
            wait(games, GAME_TIMEOUT, FIRST_EXCEPTION)
            # If one has failed, the other must end, so that the test does not wait.
            for bot in self._bots:
                bot.url = ""
            for reached in self._reached:
                reached.set()
            return [str(game.result(WAIT)) for game in games]


def test_games_of_people_and_programs_go_on_and_lose_no_acknowledged_move_when_each_server_is_killed(
    site: Site,
) -> None:
    bots = PausingBots(site.url, (4, 8))
    games = ProxiedGames(site, bots.wait_for_ply)
    with ThreadPoolExecutor(1) as pool:
        played = pool.submit(bots.play)
        asyncio.run(games.run())
        results = played.result(GAME_TIMEOUT)
    store = Store(site.database)
    stored: dict[str, dict[int, str]] = {}
    over = set()
    for table in {bots.table, *games.tables}:
        loaded = store.load_table(table)
        assert loaded is not None
        stored[table] = {event.version: event.text for event in loaded.events}
        if loaded.result:
            over.add(table)
    store.close()
    logs, boards = zip(*games.finished_players, strict=True)
    report = check_consistency(site.database, games.tables, logs, boards)
    assert report.faults == {}
    assert report.moves >= 2 * MOVES_BEFORE_KILL
    assert games.counts["connections lost"]
    # The clients were in the middle of games at each kill, and all of these went on.
    assert len(games.versions) == 2
    for versions in games.versions:
        went_on = {table for table in versions if max(stored[table]) >= versions[table] + PLIES_AFTER_KILL}
        assert went_on
        assert versions.keys() <= went_on | over
    assert results[0] == results[1] != "running"
    assert bots.acknowledged.items() <= stored[bots.table].items()
