"""Several servers on one database: everything reaches all servers once, even if Redis is lost or a server is killed."""

import contextlib
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.web.protocol.close_codes import RESTART
from fourcorners.web.store import Store
from tests import servers
from tests.web.client import WAIT, Browser, Socket
from tests.web.processes import Process, add_running_table, create_browser

pytestmark = pytest.mark.compiled
StartProcess = Callable[..., Process]
LEASE = 3.0
"""Seconds after which another server takes over the computer's turn of one that was killed."""


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    """The database of the servers of one test, closed afterwards."""
    opened = Store(address)
    yield opened
    opened.close()


@pytest.fixture
def start_process(address: str, tmp_path: Path) -> Iterator[StartProcess]:
    """Return a function that starts another server process on the database, with options of the command line.

    All of them have the lease `LEASE`, and are killed after the test.
    """
    with ExitStack() as stack:
        variables = {"FOURCORNERS_DATABASE": address, "FOURCORNERS_LEASE": f"{LEASE}"}
        yield lambda *options: stack.enter_context(Process(tmp_path, *options, **variables))


def move_browser(browser: Browser, process: Process) -> Browser:
    """Make a browser open its next sockets at another server; return the browser, whose open sockets stay."""
    browser.server = create_browser(process).server
    return browser


def wait_for_plies(socket: Socket, plies: int) -> list[str]:
    """Receive until at least this number of plies has been played; return the moves of all plies, oldest first.

    Raise TimeoutError if a message does not come in time.
    """
    while len(socket.state["plies"]) < plies:
        socket.receive_next()
    return [move for _, move in socket.state["plies"]]


def read_stored_moves(store: Store, table: str) -> list[str]:
    """Return the texts of a table's events, oldest first; fail without such a table or if their versions have a gap."""
    loaded = store.load_table(table)
    assert loaded is not None
    assert [event.version for event in loaded.events] == list(range(1, len(loaded.events) + 1))
    return [event.text for event in loaded.events]


def test_each_move_is_played_once_on_two_servers_with_redis(start_process: StartProcess, store: Store) -> None:
    """Moves reach the other server; a move sent to both is played once; of two different ones for a turn, one is."""
    with ExitStack() as stack:
        address = stack.enter_context(servers.run_redis())
        one, two = start_process("--redis", address), start_process("--redis", address)
        anna, bert = stack.enter_context(create_browser(one)), stack.enter_context(create_browser(two))
        table = add_running_table(store, anna, bert)
        here, there = stack.enter_context(anna.open_table(table)), stack.enter_context(bert.open_table(table))
        moves = ["a1", "b2", "c3", "d4"]
        for count, move in enumerate(moves):
            socket, other = (here, there) if count % 2 == 0 else (there, here)
            socket.move(move)
            assert wait_for_plies(other, count + 1) == moves[: count + 1]
        # A page that reconnected to the other server sends the same move to both.
        again = stack.enter_context(move_browser(anna, two).open_table(table))
        for socket in (here, again):
            socket.send(type="move", id="once", version=4, move="a2")
        answers = [socket.receive_until("done", "stale", "refused") for socket in (here, again)]
        assert [(answer["type"], answer["version"]) for answer in answers] == [("done", 5)] * 2
        assert wait_for_plies(there, 5) == [*moves, "a2"]
        # Of two different moves for one turn, one is played on both servers.
        elsewhere = stack.enter_context(move_browser(bert, one).open_table(table))
        there.send(type="move", id="this", version=5, move="b1")
        elsewhere.send(type="move", id="that", version=5, move="c1")
        kinds = sorted(socket.receive_until("done", "stale", "refused")["type"] for socket in (there, elsewhere))
        assert kinds in (["done", "stale"], ["done", "refused"])
        assert wait_for_plies(here, 6) == wait_for_plies(again, 6) == read_stored_moves(store, table)


@pytest.mark.ci
def test_signing_in_and_deleting_an_account_on_one_server_takes_effect_on_all(
    start_process: StartProcess, store: Store
) -> None:
    """The player's sockets are closed to reconnect; the seat is kept on signing in, and its game over on deletion."""
    with ExitStack() as stack:
        address = stack.enter_context(servers.run_redis())
        one, two = start_process("--redis", address), start_process("--redis", address)
        anna, bert, phone = (
            stack.enter_context(create_browser(two)),
            stack.enter_context(create_browser(two)),
            create_browser(one),
        )
        # Bert creates his account on the phone, but plays as a guest before he signs in.
        form = {"new-name": "Bert", "new-password": "four corners", "new-password-again": "four corners"}
        stack.enter_context(phone).http.post("/account/register", data=form)
        table = add_running_table(store, anna, bert)
        here, there = stack.enter_context(anna.open_table(table)), stack.enter_context(bert.open_table(table))
        form = {"name": "Bert", "password": "four corners"}
        assert bert.http.post(f"{one.url}/account/sign-in", data=form).status_code == 303
        assert there.receive_close_code() == RESTART
        back = stack.enter_context(bert.open_table(table))
        assert back.state["seats"] == [1]
        here.move("a1")
        wait_for_plies(back, 1)
        back.move("b2")
        assert wait_for_plies(here, 2) == read_stored_moves(store, table)
        form = {"delete-name": "Bert", "delete-password": "four corners"}
        assert bert.http.post(f"{one.url}/account/delete", data=form).status_code == 303
        assert back.receive_close_code() == RESTART
        # The other player sees on the other server that the game is over and the name is gone.
        while not (here.state["over"] and here.state["names"][1] == "deleted player"):
            here.receive_next()


@pytest.mark.ci
def test_game_and_chat_continue_when_redis_is_lost(start_process: StartProcess, store: Store) -> None:
    with ExitStack() as stack:
        redis = stack.enter_context(ExitStack())
        address = redis.enter_context(servers.run_redis())
        one, two = start_process("--redis", address), start_process("--redis", address)
        anna, bert = stack.enter_context(create_browser(one)), stack.enter_context(create_browser(two))
        table = add_running_table(store, anna, bert)
        here, there = stack.enter_context(anna.open_table(table)), stack.enter_context(bert.open_table(table))
        here.move("a1")
        wait_for_plies(there, 1)
        redis.close()
        there.move("b2")
        assert wait_for_plies(here, 2) == ["a1", "b2"]
        here.move("c3")
        assert wait_for_plies(there, 3) == read_stored_moves(store, table)
        here.send(type="say", phrase=0)
        # The first message may be the empty chat that a newcomer receives. The line arrives once.
        while not (lines := there.receive_until("chat")["lines"]):
            pass
        assert len(lines) == 1


@pytest.mark.ci
def test_player_can_continue_on_another_server_after_a_kill(start_process: StartProcess, store: Store) -> None:
    one, two = start_process(), start_process()
    with create_browser(one) as anna, create_browser(two) as bert:
        table = add_running_table(store, anna, bert)
        with anna.open_table(table) as here, bert.open_table(table) as there:
            here.move("a1")
            wait_for_plies(there, 1)
            there.move("b2")
            one.kill()
            with move_browser(anna, two).open_table(table) as back:
                assert wait_for_plies(back, 2) == ["a1", "b2"]
                back.move("c3")
                assert wait_for_plies(there, 3) == read_stored_moves(store, table)


def receive_on_all(sockets: list[Socket], enough: Callable[[], bool]) -> None:
    """Receive on all sockets in turn, because each must answer heartbeats, until `enough` returns True.

    What arrives is in `heard` and `state` of the sockets. Fail if that takes longer than twice `WAIT`.
    """
    end = time.monotonic() + 2 * WAIT
    while not enough():
        assert time.monotonic() < end
        for socket in sockets:
            with contextlib.suppress(TimeoutError):
                socket.receive_next(0.05)


def choose_legal_move(socket: Socket, options: dict[str, int]) -> str:
    """Return a legal move of the game of Sqez with these options for the position that this socket shows."""
    played = [move for _, move in socket.state["plies"]]
    return fc.game("sqez", **options).replay(played).moves()[0]


def has_seen_thinking(socket: Socket) -> bool:
    """Return whether `heard` of this socket has search progress, which only the computing server sends."""
    return any(message["type"] == "computer-progress" for message in socket.heard)


@pytest.mark.ci
def test_another_server_takes_over_the_turn_of_a_computer_when_the_computing_one_is_killed(
    start_process: StartProcess, store: Store
) -> None:
    processes = [start_process(), start_process()]
    # Longer than a lease, so that the computing server has to renew it.
    options = {"cols": 20, "rows": 20, "players": 3}
    with create_browser(processes[0]) as anna, create_browser(processes[1]) as bert:
        table = add_running_table(store, anna, bert, f"computer:{LEASE + 2:g}s", game="sqez", options=options)
        with anna.open_table(table) as here, bert.open_table(table) as there:
            sockets = [here, there]
            here.move("a1 c3")
            wait_for_plies(there, 1)
            there.move("e1 g3")
            receive_on_all(sockets, lambda: all(len(socket.state["plies"]) == 3 for socket in sockets))
            # One server computes at a time.
            assert sorted(map(has_seen_thinking, sockets)) == [False, True]
            for socket in sockets:
                socket.heard.clear()
            # The computer may have played any move, so the legal moves must be looked up.
            here.move(choose_legal_move(here, options))
            wait_for_plies(there, 4)
            there.move(choose_legal_move(there, options))
            receive_on_all(sockets, lambda: any(map(has_seen_thinking, sockets)))
            computing = [has_seen_thinking(socket) for socket in sockets].index(True)
            remaining = sockets[1 - computing]
            processes[computing].kill()
            receive_on_all([remaining], lambda: has_seen_thinking(remaining))
            # Three plies of the first round and two of the second: the computer's move is not stored yet.
            assert len(read_stored_moves(store, table)) == 5
