"""Several workers on one port: they play the same games, and killing one of the processes loses nothing."""

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import cast

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.exceptions import ConnectionClosed, WebSocketException

from fourcorners.web.realtime.websocket_endpoint import TOO_MUCH
from fourcorners.web.store import Store
from fourcorners.web.workers.dispatcher import rank_workers
from tests.waiting import wait_until
from tests.web.client import Browser, Server, Socket
from tests.web.processes import EXIT_TIMEOUT, Process, create_browser
from tests.web.workers.conftest import StartWorkers
from tests.web.workers.worker_processes import is_alive, list_processes, open_at_next_worker, wait_for_processes

pytestmark = pytest.mark.ci

RATE_LIMIT = 30
"""How often a player may change a name in ten minutes."""
Players = tuple[Browser, Browser]
MOVES = [f"{column}{row}" for row in range(1, 5) for column in "abcd"]
FORM = {"seat_0": "person", "seat_1": "open", "size": "4", "swap": "false"}


@pytest.fixture(scope="module")
def shared_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A server with two workers on SQLite, for all tests that do not stop it."""
    with Process(tmp_path_factory.mktemp("workers"), "--workers", "2") as process:
        yield process


@pytest.fixture
def shared_players(shared_process: Process) -> Iterator[Players]:
    """Two players of the server for all tests."""
    with create_browser(shared_process) as anna, create_browser(shared_process) as bert:
        yield anna, bert


def seat(stack: ExitStack, players: Players, *, apart: bool) -> tuple[Socket, Socket]:
    """Set up a game between two players, and return their sockets: `apart` at different workers."""
    table = players[0].begin_table("square-off", **FORM)
    open_table = open_at_next_worker if apart else Browser.open_table
    here, there = (stack.enter_context(open_table(player, table)) for player in players)
    assert there.send_command("sit", seat=1, name="Bert")["type"] == "done"
    for socket in (here, there):
        while not socket.state["started"]:
            socket.receive_next()
    return here, there


def wait_for_plies(socket: Socket, count: int) -> list[str]:
    """Receive until so many plies are shown; return their moves, oldest first."""
    while len(socket.state["plies"]) < count:
        socket.receive_next()
    return [move for _, move in socket.state["plies"]]


def read_stored(folder: Path | str, table: str) -> list[str]:
    """Return the moves of a table as they are stored; fail if versions are missing."""
    store = Store(folder)
    try:
        loaded = store.load_table(table)
    finally:
        store.close()
    assert loaded is not None
    assert [event.version for event in loaded.events] == list(range(1, len(loaded.events) + 1))
    return [event.text for event in loaded.events if not event.text.startswith("@")]


def play(here: Socket, there: Socket, begin: int, end: int) -> None:
    """Play the moves from `begin` to `end` of a game, and see each at the other socket."""
    for number in range(begin, end):
        mover, other = (here, there) if number % 2 == 0 else (there, here)
        wait_for_plies(mover, number)
        mover.move(MOVES[number])
        assert wait_for_plies(other, number + 1) == MOVES[: number + 1]


def reconnect(socket: Socket, browser: Browser) -> Socket:
    """Open a table again as the page does, until it succeeds."""
    opened: list[Socket] = []

    def has_opened() -> bool:
        try:
            opened.append(browser.open_table(socket.table))
        except (OSError, WebSocketException):
            return False
        return True

    wait_until(has_opened)
    return opened[0]


def test_both_workers_answer_on_one_port(shared_process: Process) -> None:
    answered = {httpx.get(f"{shared_process.url}/healthz").json()["worker"] for _ in range(4)}
    assert answered == {0, 1}
    assert httpx.get(f"{shared_process.url}/readyz").status_code == 200
    assert sorted(list_processes(shared_process)) == ["worker 0", "worker 1", "writer"]
    assert shared_process.log.count("Fourcorners is running at") == 1


def test_metrics_have_those_of_all_workers(shared_process: Process) -> None:
    for _ in range(2):
        families = text_string_to_metric_families(httpx.get(f"{shared_process.url}/metrics").text)
        rooms = [family.samples for family in families if family.name == "fourcorners_rooms"]
        assert [[sample.labels for sample in samples] for samples in rooms] == [[{"worker": "0"}, {"worker": "1"}]]


def test_rate_limits_count_the_requests_of_all_workers(shared_players: Players) -> None:
    # Each on a connection of its own, so that the workers take turns.
    http, headers = shared_players[0].http, {"connection": "close"}
    answers = [
        http.post("/account/name", data={"guest-name": "Ann"}, headers=headers, follow_redirects=False).status_code
        for _ in range(RATE_LIMIT + 1)
    ]
    assert answers == RATE_LIMIT * [303] + [429]


@pytest.mark.parametrize("apart", [False, True])
def test_players_at_one_or_at_two_workers_play_each_other(
    shared_process: Process, shared_players: Players, apart: bool
) -> None:
    with ExitStack() as stack:
        here, there = seat(stack, shared_players, apart=apart)
        play(here, there, 0, 6)
        there.send(type="say", phrase=0)
        while not here.receive_until("chat")["lines"]:
            pass
        assert read_stored(shared_process.output.parent, here.table) == MOVES[:6]


def test_a_move_sent_to_two_workers_is_played_once(shared_process: Process, shared_players: Players) -> None:
    with ExitStack() as stack:
        here, there = seat(stack, shared_players, apart=True)
        again = stack.enter_context(open_at_next_worker(shared_players[0], here.table))
        version = here.state["version"]
        for socket in (here, again):
            socket.send(type="move", id="once", version=version, move="a1")
        answers = [socket.receive_until("done", "stale", "refused") for socket in (here, again)]
        assert [(answer["type"], answer["version"]) for answer in answers] == [("done", version + 1)] * 2
        assert wait_for_plies(there, 1) == read_stored(shared_process.output.parent, here.table) == ["a1"]


def test_killing_a_worker_loses_no_move_and_its_players_play_on(
    shared_process: Process, shared_players: Players
) -> None:
    with ExitStack() as stack:
        games: list[tuple[Socket, Socket]] = []
        # At least one table is at either worker.
        while len({rank_workers((0, 1), here.table.encode())[0] for here, _ in games}) < 2:
            games.append(seat(stack, shared_players, apart=False))
        for here, there in games:
            play(here, there, 0, 3)
        killed = list_processes(shared_process)["worker 0"]
        os.kill(killed, signal.SIGKILL)
        lost = 0
        for number, (here, there) in enumerate(games):
            try:
                # The worker of this game may have been the other one, which goes on.
                there.move(MOVES[3])
            except (ConnectionClosed, OSError):
                lost += 1
                games[number] = here, there = reconnect(here, shared_players[0]), reconnect(there, shared_players[1])
                stack.enter_context(here)
                stack.enter_context(there)
                # The move may have been stored although its answer was lost.
                if len(there.state["plies"]) == 3:
                    there.move(MOVES[3])
            play(here, there, 4, 6)
            assert read_stored(shared_process.output.parent, here.table) == MOVES[:6]
        assert 0 < lost < len(games)
        wait_for_processes(shared_process, 3, but=killed)
        assert "it is started again" in shared_process.log


def test_a_worker_that_hangs_gets_no_connections_and_is_replaced(shared_process: Process) -> None:
    hung = list_processes(shared_process)["worker 0"]
    os.kill(hung, signal.SIGSTOP)

    def is_avoided() -> bool:
        """Return whether none of several connections goes to that worker."""
        try:
            return all(httpx.get(f"{shared_process.url}/healthz", timeout=2.0).is_success for _ in range(4))
        except httpx.TimeoutException:
            return False

    wait_until(is_avoided)
    wait_for_processes(shared_process, 3, but=hung)
    assert "hangs; it is killed" in shared_process.log


def test_killing_the_writer_loses_no_acknowledged_move(shared_process: Process, shared_players: Players) -> None:
    with ExitStack() as stack:
        here, there = seat(stack, shared_players, apart=True)
        play(here, there, 0, 4)
        killed = list_processes(shared_process)["writer"]
        os.kill(killed, signal.SIGKILL)
        # The sockets stay open. A move that could not be stored is stale, and the page sends it again.
        for number in range(4, 8):
            mover = here if number % 2 == 0 else there
            wait_for_plies(mover, number)
            wait_until(lambda mover=mover, move=MOVES[number]: mover.send_command("move", move=move)["type"] == "done")  # type: ignore[misc]
        assert wait_for_plies(here, 8) == read_stored(shared_process.output.parent, here.table) == MOVES[:8]
        wait_for_processes(shared_process, 3, but=killed)


def test_a_writer_that_hangs_is_replaced_and_no_acknowledged_move_is_lost(
    shared_process: Process, shared_players: Players
) -> None:
    with ExitStack() as stack:
        here, there = seat(stack, shared_players, apart=True)
        play(here, there, 0, 4)
        hung = list_processes(shared_process)["writer"]
        os.kill(hung, signal.SIGSTOP)

        def is_played() -> bool:
            """Send the next move, or connect again when told to, as the page does; return whether it is played."""
            nonlocal here
            if len(here.state["plies"]) > 4:
                return True
            try:
                return bool(here.send_command("move", move=MOVES[4])["type"] == "done")
            except ConnectionClosed:
                here = stack.enter_context(reconnect(here, shared_players[0]))
                return False

        wait_until(is_played)
        wait_for_processes(shared_process, 3, but=hung)
        assert "the process that writes hangs; it is killed" in shared_process.log
        # Its socket has answered no beats meanwhile.
        there = stack.enter_context(reconnect(there, shared_players[1]))
        play(here, there, 5, 8)
        assert read_stored(shared_process.output.parent, here.table) == MOVES[:8]


@pytest.mark.parametrize("reaches_all", [False, True])
def test_a_signal_stops_all_processes_in_order(start_workers: StartWorkers, folder: Path, reaches_all: bool) -> None:
    """Ctrl-C reaches the supervisor only; systemd sends SIGTERM to all processes at once."""
    process = start_workers()
    with ExitStack() as stack:
        players = stack.enter_context(create_browser(process)), stack.enter_context(create_browser(process))
        here, there = seat(stack, players, apart=True)
        play(here, there, 0, 2)
        pids = list(list_processes(process).values())
        # The supervisor comes first: it would replace a worker that ends by itself.
        for pid in (process.child.pid, *pids) if reaches_all else ():
            os.kill(pid, signal.SIGTERM)
        if not reaches_all:
            process.child.send_signal(signal.SIGINT)
        assert process.child.wait(EXIT_TIMEOUT) == 0
        assert [here.receive_close_code(), there.receive_close_code()] == [1012, 1012]
    assert not any(is_alive(pid) for pid in pids)
    assert read_stored(folder, here.table) == MOVES[:2]
    assert "rror" not in process.log


@pytest.mark.parametrize("name", ["worker 0", "writer"])
def test_a_process_that_does_not_end_is_killed_and_the_exit_status_tells(
    start_workers: StartWorkers, name: str
) -> None:
    process = start_workers()
    pids = list_processes(process)
    os.kill(pids[name], signal.SIGSTOP)
    assert process.stop() == 1
    assert not any(is_alive(pid) for pid in pids.values())


def test_when_the_supervisor_is_killed_the_others_end_and_a_server_starts_again(
    start_workers: StartWorkers, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        # The paths of Unix sockets are short.
        temporary = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp")))
        monkeypatch.setenv("TMPDIR", str(temporary))
        process = start_workers()
        players = stack.enter_context(create_browser(process)), stack.enter_context(create_browser(process))
        here, there = seat(stack, players, apart=False)
        play(here, there, 0, 2)
        pids = list(list_processes(process).values())
        process.kill()
        second = start_workers()
        wait_until(lambda: not any(is_alive(pid) for pid in pids))
        assert len(list(temporary.iterdir())) == 1, "the folder of the first server is left"
        players[0].server = cast("Server", second)
        again = stack.enter_context(players[0].open_table(here.table))
        assert wait_for_plies(again, 2) == read_stored(folder, here.table) == MOVES[:2]


def test_a_start_removes_the_folder_of_a_server_whose_processes_were_all_killed(
    start_workers: StartWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as temporary:
        monkeypatch.setenv("TMPDIR", temporary)
        process = start_workers()
        pids = list_processes(process).values()
        # The supervisor comes first: it would replace the others.
        process.child.send_signal(signal.SIGSTOP)
        for pid in (process.child.pid, *pids):
            os.kill(pid, signal.SIGKILL)
        process.child.wait(EXIT_TIMEOUT)
        wait_until(lambda: not any(is_alive(pid) for pid in pids))
        (left,) = Path(temporary).iterdir()
        start_workers()
        assert [folder.name == left.name for folder in Path(temporary).iterdir()] == [False]


def test_the_limit_of_sockets_counts_those_of_all_workers(start_workers: StartWorkers) -> None:
    process = start_workers("--most-sockets", "3")
    with ExitStack() as stack:
        browser = stack.enter_context(create_browser(process))
        table = browser.begin_table("square-off", **FORM)
        for _ in range(3):
            stack.enter_context(open_at_next_worker(browser, table))

        def is_refused() -> bool:
            """Return whether one more is refused: the workers hear of each other's sockets a little later."""
            try:
                open_at_next_worker(browser, table).__exit__()
            except ConnectionClosed as error:
                assert error.rcvd is not None and error.rcvd.code == TOO_MUCH
                return True
            return False

        wait_until(is_refused)
        wait_until(is_refused)


def test_workers_on_postgresql_write_by_themselves_and_survive_a_kill(
    start_workers: StartWorkers, address: str
) -> None:
    process = start_workers("--database", address)
    with ExitStack() as stack:
        players = stack.enter_context(create_browser(process)), stack.enter_context(create_browser(process))
        here, there = seat(stack, players, apart=True)
        play(here, there, 0, 4)
        killed = list_processes(process)["worker 0"]
        assert sorted(list_processes(process)) == ["worker 0", "worker 1"]
        os.kill(killed, signal.SIGKILL)
        here, there = (
            stack.enter_context(reconnect(socket, player))
            for socket, player in zip((here, there), players, strict=True)
        )
        play(here, there, 4, 6)
        assert read_stored(address, here.table) == MOVES[:6]
        wait_for_processes(process, 2, but=killed)


def test_a_database_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "fourcorners.db").write_text("no database")
    process = Process(tmp_path, "--workers", "2")
    assert process.child.wait(EXIT_TIMEOUT) == 1
    assert process.log.count("\n") == 1 and "is damaged" in process.log, process.log


def test_a_folder_whose_path_is_too_long_for_sockets_is_one_sentence_with_a_remedy(tmp_path: Path) -> None:
    temporary = tmp_path / (100 * "x")
    temporary.mkdir()
    process = Process(tmp_path, "--workers", "2", TMPDIR=str(temporary))
    assert process.child.wait(EXIT_TIMEOUT) == 1
    assert process.log.count("\n") == 1 and str(temporary) in process.log and "TMPDIR" in process.log, process.log
