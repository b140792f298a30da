"""Several workers on one port: they play the same games, and killing one of the processes loses nothing."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from fourcorners.web.store import Store
from tests.waiting import wait_until
from tests.web.client import Browser, Socket
from tests.web.processes import Process, create_browser
from tests.web.workers.conftest import StartWorkers
from tests.web.workers.worker_processes import is_alive, list_processes, open_at_next_worker, wait_for_processes

MOVES = [f"{column}{row}" for row in range(1, 5) for column in "abcd"]
FORM = {"seat_0": "person", "seat_1": "open", "size": "4", "swap": "false"}


@pytest.fixture
def process(start_workers: StartWorkers) -> Process:
    """A server with two workers on SQLite."""
    return start_workers()


@pytest.fixture
def players(process: Process) -> Iterator[tuple[Browser, Browser]]:
    """Two players of that server."""
    with create_browser(process) as anna, create_browser(process) as bert:
        yield anna, bert


def seat(stack: ExitStack, players: tuple[Browser, Browser], *, apart: bool) -> tuple[Socket, Socket]:
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


def read_stored(folder: Path, table: str) -> list[str]:
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
        except (OSError, ConnectionClosed):
            return False
        return True

    wait_until(has_opened)
    return opened[0]


def test_both_workers_answer_on_one_port(process: Process) -> None:
    answered = {httpx.get(f"{process.url}/healthz").json()["worker"] for _ in range(4)}
    assert answered == {0, 1}
    assert sorted(list_processes(process)) == ["worker 0", "worker 1", "writer"]
    assert process.log.count("Fourcorners is running at") == 1


@pytest.mark.parametrize("apart", [False, True])
def test_players_at_one_or_at_two_workers_play_each_other(
    players: tuple[Browser, Browser], folder: Path, apart: bool
) -> None:
    with ExitStack() as stack:
        here, there = seat(stack, players, apart=apart)
        play(here, there, 0, 6)
        there.send(type="say", phrase=0)
        while not here.receive_until("chat")["lines"]:
            pass
        assert read_stored(folder, here.table) == MOVES[:6]


def test_a_move_sent_to_two_workers_is_played_once(players: tuple[Browser, Browser], folder: Path) -> None:
    with ExitStack() as stack:
        here, there = seat(stack, players, apart=True)
        again = stack.enter_context(open_at_next_worker(players[0], here.table))
        version = here.state["version"]
        for socket in (here, again):
            socket.send(type="move", id="once", version=version, move="a1")
        answers = [socket.receive_until("done", "stale", "refused") for socket in (here, again)]
        assert [(answer["type"], answer["version"]) for answer in answers] == [("done", version + 1)] * 2
        assert wait_for_plies(there, 1) == read_stored(folder, here.table) == ["a1"]


def test_killing_a_worker_loses_no_move_and_its_players_play_on(
    process: Process, players: tuple[Browser, Browser], folder: Path
) -> None:
    with ExitStack() as stack:
        games = [seat(stack, players, apart=False) for _ in range(6)]
        for here, there in games:
            play(here, there, 0, 3)
        killed = list_processes(process)["worker 0"]
        os.kill(killed, signal.SIGKILL)
        lost = 0
        for number, (here, there) in enumerate(games):
            try:
                # The worker of this game may have been the other one, which goes on.
                there.move(MOVES[3])
            except (ConnectionClosed, OSError):
                lost += 1
                games[number] = here, there = reconnect(here, players[0]), reconnect(there, players[1])
                stack.enter_context(here)
                stack.enter_context(there)
                # The move may have been stored although its answer was lost.
                if len(there.state["plies"]) == 3:
                    there.move(MOVES[3])
            play(here, there, 4, 6)
            assert read_stored(folder, here.table) == MOVES[:6]
        assert 0 < lost < len(games), "the tables should be shared out between the workers"
        wait_for_processes(process, 3, but=killed)
        assert "worker" in process.log and "it is started again" in process.log


def test_killing_the_writer_loses_no_acknowledged_move(
    process: Process, players: tuple[Browser, Browser], folder: Path
) -> None:
    with ExitStack() as stack:
        here, there = seat(stack, players, apart=True)
        play(here, there, 0, 4)
        killed = list_processes(process)["writer"]
        os.kill(killed, signal.SIGKILL)
        # The sockets stay open. A move that could not be stored is stale, and the page sends it again.
        for number in range(4, 8):
            mover = here if number % 2 == 0 else there
            wait_for_plies(mover, number)
            wait_until(lambda mover=mover, move=MOVES[number]: mover.send_command("move", move=move)["type"] == "done")  # type: ignore[misc]
        assert wait_for_plies(here, 8) == read_stored(folder, here.table) == MOVES[:8]
        wait_for_processes(process, 3, but=killed)


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_all_processes_in_order(
    process: Process, players: tuple[Browser, Browser], folder: Path, sent: signal.Signals
) -> None:
    with ExitStack() as stack:
        here, there = seat(stack, players, apart=True)
        play(here, there, 0, 2)
        pids = list(list_processes(process).values())
        assert process.stop(sent) == 0
        assert [here.receive_close_code(), there.receive_close_code()] == [1012, 1012]
    assert not any(is_alive(pid) for pid in pids)
    assert read_stored(folder, here.table) == MOVES[:2]
    assert "rror" not in process.log


def test_when_the_supervisor_is_killed_the_other_processes_end(process: Process) -> None:
    pids = list(list_processes(process).values())
    process.kill()
    wait_until(lambda: not any(is_alive(pid) for pid in pids))


def test_a_server_starts_again_over_the_same_folder_after_a_kill(start_workers: StartWorkers, folder: Path) -> None:
    first = start_workers()
    with ExitStack() as stack:
        players = tuple(stack.enter_context(create_browser(first)) for _ in range(2))
        here, there = seat(stack, (players[0], players[1]), apart=False)
        play(here, there, 0, 2)
        first.kill()
        second = start_workers()
        players[0].server = create_browser(second).server
        again = stack.enter_context(players[0].open_table(here.table))
        assert wait_for_plies(again, 2) == MOVES[:2]
