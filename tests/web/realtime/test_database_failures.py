"""A database that fails for a while, and another server that stores moves: no old boards, no waiting in vain."""

import asyncio
import contextlib
import io
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed

from fourcorners.web import app
from fourcorners.web.application import table_session
from fourcorners.web.domain.rows import ChatLine, Summary, TableEvent
from fourcorners.web.domain.table import OTHER_RULES
from fourcorners.web.protocol.close_codes import GONE, RESTART
from fourcorners.web.realtime import background_tasks, rooms
from fourcorners.web.realtime.background_tasks import BackgroundTasks
from fourcorners.web.store import Store, StoreError, schema
from fourcorners.web.store.write_result import WriteResult
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server, StartServer
from tests.web.program import Program


def fail(*_: object, **__: object) -> Any:
    """Fail as a method of the store does while the database does not answer."""
    raise StoreError("the database does not answer")


def begin_table(browser: Browser) -> str:
    """Set up a small game in which the browser plays both seats; return the table's id."""
    return browser.begin_table("square-off", size="4", swap="false", seat_0="person", seat_1="person")


def test_socket_of_a_table_that_cannot_be_read_is_closed_to_connect_again(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Browser(cold_server) as browser:
        table = begin_table(browser)
        with monkeypatch.context() as patch:
            patch.setattr(cold_server.context.store, "load_table", fail)
            with browser.connect(table) as socket:
                assert socket.receive_close_code() == RESTART
        with browser.open_table(table) as socket:
            # The table is open, but must be read again.
            cold_server.rooms.opened[table].session.drop()
            with monkeypatch.context() as patch:
                patch.setattr(cold_server.context.store, "load_table", fail)
                socket.send(type="hello", version=None, viewer=None)
                assert socket.receive_close_code() == RESTART


def store_nonsense(server: Server, table: str) -> None:
    """Store a move that the rules of this program do not know, as a server of another version may, and forget the table
    in memory.
    """
    event = TableEvent(1, 0, "z99", "elsewhere", 1.0)
    server.context.store.append_event(table, event, Summary(1.0, 1, 1, None, "", 0.0, computer=False)).result(WAIT)
    server.rooms.opened[table].session.drop()


def test_socket_of_a_table_that_no_longer_replays_is_closed_with_a_sentence(
    cold_server: Server, logged: io.StringIO
) -> None:
    with Browser(cold_server) as browser:
        table = begin_table(browser)
        with browser.open_table(table) as socket, browser.open_table(table) as other:
            store_nonsense(cold_server, table)
            socket.send(type="hello", version=None, viewer=None)
            with pytest.raises(ConnectionClosed, match=OTHER_RULES):
                socket.receive_until("never")
            assert "error" not in [message["type"] for message in socket.heard]
            assert other.receive_close_code() == GONE
        with browser.connect(table) as late:
            late.send(type="hello", version=None, viewer=None)
            assert late.receive_close_code() == GONE
        answer = browser.http.get(f"/api/tables/{table}")
        assert (answer.status_code, answer.json()["code"]) == (409, "other-rules")
        assert OTHER_RULES[1:] in answer.json()["sentence"]
    assert "Traceback" not in logged.getvalue() and '"exception"' not in logged.getvalue()


def test_a_table_that_no_longer_replays_does_not_keep_others_from_being_brought_up_to_date(
    quiet_server: Server, logged: io.StringIO
) -> None:
    with Browser(quiet_server) as browser:
        first, second = begin_table(browser), begin_table(browser)
        with browser.open_table(first) as broken, browser.open_table(second) as sound:
            store_nonsense(quiet_server, first)
            event, summary = TableEvent(1, 0, "a1", "elsewhere", 1.0), Summary(1.0, 1, 1, None, "", 0.0, computer=False)
            quiet_server.context.store.append_event(second, event, summary).result(WAIT)
            tasks = BackgroundTasks(quiet_server.rooms)
            asyncio.run_coroutine_threadsafe(tasks.update_watched_rooms(), quiet_server.loop).result(WAIT)
            assert broken.receive_close_code() == GONE
            while sound.state["version"] != 1:
                sound.receive_next()
    assert '"exception"' not in logged.getvalue()


@pytest.mark.parametrize(
    ("list_tables", "work"),
    [
        ("list_computer_turns", BackgroundTasks.wake_computers),
        ("list_idle_tables", BackgroundTasks.close_abandoned_tables),
    ],
)
def test_an_open_table_that_no_longer_replays_does_not_keep_the_server_from_acting_at_others(
    quiet_server: Server,
    monkeypatch: pytest.MonkeyPatch,
    list_tables: str,
    work: Callable[[BackgroundTasks], Coroutine[Any, Any, None]],
) -> None:
    context = quiet_server.context
    with Browser(quiet_server) as browser:
        first, second = begin_table(browser), begin_table(browser)
        with browser.open_table(first) as broken, browser.open_table(second) as sound:
            store_nonsense(quiet_server, first)
            event, summary = TableEvent(1, 0, "a1", "elsewhere", 1.0), Summary(1.0, 1, 1, None, "", 0.0, computer=False)
            context.store.append_event(second, event, summary).result(WAIT)
            monkeypatch.setattr(context.store, list_tables, lambda *_: [first, second])
            monkeypatch.setattr(type(context.warmup), "ready", True)
            asyncio.run_coroutine_threadsafe(work(BackgroundTasks(quiet_server.rooms)), quiet_server.loop).result(WAIT)
            assert broken.receive_close_code() == GONE
            while sound.state["version"] < 1:
                sound.receive_next()


def test_turns_at_a_table_that_no_longer_replays_end_with_the_same_sentence(quiet_server: Server) -> None:
    with Browser(quiet_server) as browser:
        table = begin_table(browser)
        with browser.open_table(table) as socket:
            store_nonsense(quiet_server, table)
            room = quiet_server.rooms.opened[table]
            quiet_server.loop.call_soon_threadsafe(room.session.drop)
            quiet_server.loop.call_soon_threadsafe(room.turns.wake, room)
            assert socket.receive_close_code() == GONE


@pytest.fixture
def quiet_server(start_cold: StartServer, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server that does not look by itself for what others have stored."""
    monkeypatch.setattr(background_tasks, "VERSIONS_EVERY", 1e6)
    return start_cold()


def find_nothing(_: str) -> None:
    """Find no table, as the method of the store does once it was deleted."""


@pytest.mark.parametrize(("load", "code"), [(fail, RESTART), (find_nothing, GONE)])
def test_socket_of_a_crowded_table_that_cannot_be_read_again_is_closed_with_the_reason(
    quiet_server: Server, monkeypatch: pytest.MonkeyPatch, logged: io.StringIO, load: Callable[..., None], code: int
) -> None:
    with Browser(quiet_server) as browser:
        table = begin_table(browser)
        with browser.open_table(table):
            # Whether someone else may connect then depends on who plays.
            monkeypatch.setattr(rooms, "MAX_SPECTATORS", 1)
            monkeypatch.setattr(quiet_server.context.store, "load_table", load)
            quiet_server.rooms.opened[table].session.drop()
            with browser.connect(table) as socket:
                assert socket.receive_close_code() == code
    assert '"level": "error"' not in logged.getvalue()


def test_hello_to_a_table_that_was_just_deleted_is_answered_that_it_is_gone(
    quiet_server: Server, monkeypatch: pytest.MonkeyPatch, logged: io.StringIO
) -> None:
    with Browser(quiet_server) as browser:
        table = begin_table(browser)
        with browser.connect(table) as socket:
            wait_until(lambda: table in quiet_server.rooms.opened)
            monkeypatch.setattr(quiet_server.context.store, "load_table", find_nothing)
            quiet_server.rooms.opened[table].session.drop()
            socket.send(type="hello", version=None, viewer=None)
            assert socket.receive_close_code() == GONE
            assert "error" not in {message["type"] for message in socket.heard}
    assert '"level": "error"' not in logged.getvalue()


def test_player_whose_move_is_stored_without_a_confirmation_learns_so_by_connecting_and_sending_it_again(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer "refused" would be wrong, and so would be none."""
    store = cold_server.context.store
    append = store.append_event

    def append_and_fail(*args: Any) -> WriteResult[None]:
        """Store an event, and fail as if the confirmation were lost."""
        append(*args).result()
        return WriteResult(StoreError("the connection is lost"))

    with Browser(cold_server) as browser:
        table = begin_table(browser)
        with browser.open_table(table) as socket, monkeypatch.context() as patch:
            patch.setattr(store, "append_event", append_and_fail)
            patch.setattr(store, "load_table", fail)
            socket.send(type="move", id="once", version=0, move="a1")
            assert socket.receive_close_code() == RESTART
            assert not {message["type"] for message in socket.heard} & {"error", "refused", "stale", "done"}
        with browser.open_table(table) as socket:
            assert socket.send_command("move", id="once", version=0, move="a1")["version"] == 1
            assert socket.state["plies"] == [[0, "a1"]]


def test_move_whose_commit_is_still_under_way_is_answered_when_it_is_known_to_be_stored(
    address: str, start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is when the connection is lost while PostgreSQL waits for its replica: the move appears later."""
    server = start_cold(database=address)
    store, other = server.context.store, Store(address)
    stored, go_on = threading.Event(), threading.Event()

    def hold(_: sa.Connection) -> None:
        """Keep a transaction open that has stored an event."""
        stored.set()
        assert go_on.wait(WAIT)

    def append_late(table: str, event: TableEvent, summary: Summary, *_: object) -> WriteResult[None]:
        """Store an event through a connection that does not confirm it, and fail as if that one were lost."""
        other.append_event(table, event, summary, extra_work=hold)
        assert stored.wait(WAIT)
        return WriteResult(StoreError("the connection is lost"))

    settle, answers = store.settle, list[WriteResult[bool]]()

    def note(table: str) -> WriteResult[bool]:
        """Ask as usual, and note the answer."""
        answers.append(settle(table))
        return answers[-1]

    with Browser(server) as browser, browser.open_table(begin_table(browser)) as socket:
        with monkeypatch.context() as patch:
            patch.setattr(store, "append_event", append_late)
            patch.setattr(store, "settle", note)
            socket.send(type="move", id="once", version=0, move="a1")
            try:
                # It asks again.
                wait_until(lambda: len(answers) > 1)
            finally:
                go_on.set()
            answer = socket.receive_until("done", "stale", "refused", "error")
        assert (answer["type"], answer.get("version")) == ("done", 1)
        assert (answers[0].result(), answers[-1].result()) == (False, True)
        other.close()


def test_socket_is_closed_to_connect_again_if_it_takes_too_long_to_know_what_is_stored(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_session, "_SETTLE_SECONDS", 0.1)
    store = cold_server.context.store
    with Browser(cold_server) as browser:
        table = begin_table(browser)
        with browser.open_table(table) as socket, monkeypatch.context() as patch:
            patch.setattr(store, "append_event", lambda *_: WriteResult(StoreError("the connection is lost")))
            patch.setattr(store, "settle", lambda _: WriteResult())
            socket.send(type="move", id="once", version=0, move="a1")
            assert socket.receive_close_code() == RESTART
        with browser.open_table(table) as socket:
            assert socket.send_command("move", id="once", version=0, move="a1")["type"] == "done"


def test_move_that_the_writer_refuses_is_answered_at_once_as_not_stored(
    cold_server: Server, monkeypatch: pytest.MonkeyPatch, logged: io.StringIO
) -> None:
    """All players of a busy server would have to connect again otherwise. The log says why."""
    with Browser(cold_server) as browser, browser.open_table(begin_table(browser)) as socket:
        with monkeypatch.context() as patch:
            patch.setattr("fourcorners.web.store.writer._MAX_QUEUED", 0)
            answer = socket.send_command("move", version=0, move="a1")
            assert (answer["type"], "could not be stored" in answer["sentence"]) == ("stale", True)
        assert socket.send_command("move", version=0, move="a1")["type"] == "done"
    assert "storing an event failed: too many writes are waiting" in logged.getvalue()


@pytest.fixture
def two_servers(address: str, start_cold: StartServer, monkeypatch: pytest.MonkeyPatch) -> tuple[Server, Server]:
    """Two servers on one database without Redis, which do not look by themselves for what the other one has stored."""
    monkeypatch.setattr(background_tasks, "VERSIONS_EVERY", 1e6)
    return start_cold(database=address), start_cold(database=address)


def test_program_that_asks_again_sees_what_was_stored_through_another_server(
    two_servers: tuple[Server, Server],
) -> None:
    first, second = two_servers
    with Program(first) as ada, Program(second, name=None) as same:
        same.http.headers["authorization"] = f"Bearer {ada.secret}"
        table = ada.begin_table("square-off", "me", "me", options={"size": 4, "swap": False})
        for version in range(3):
            # A seated program keeps its place at the table between two requests.
            assert same.fetch_table(table)["version"] == version
            ada.execute(table, "move", version=version, move=ada.fetch_table(table)["moves"][0])


def lose_last_event(server: Server, table: str) -> None:
    """Take the last event out of the database, as a failover to a replica does that it had not reached."""
    stored = server.context.store.load_table(table)
    assert stored is not None

    def work(connection: sa.Connection) -> None:
        events, tables = schema.events, schema.tables
        connection.execute(events.delete().where(events.c.table_id == table, events.c.version == stored.version))
        values = {"version": stored.version - 1, "turn": (stored.turn or 0) ^ 1}
        connection.execute(tables.update().where(tables.c.id == table).values(values))

    server.context.store.write_now("", work)


@pytest.mark.parametrize("later", [[], ["c3", "b2"]], ids=["nothing happened since", "the game goes on elsewhere"])
def test_watchers_see_what_is_stored_after_a_failover_that_has_lost_a_move(
    two_servers: tuple[Server, Server], later: list[str]
) -> None:
    first, second = two_servers
    with Browser(first) as browser:
        table = begin_table(browser)
        with browser.open_table(table) as socket:
            socket.move("a1")
            socket.move("b2")
            lose_last_event(second, table)
            for version, move in enumerate(later, 2):
                event = TableEvent(version, (version + 1) % 2, move, f"elsewhere-{version}", 1.0)
                summary = Summary(1.0, version, version % 2, None, "", 0.0, computer=False)
                second.context.store.append_event(table, event, summary).result(WAIT)
            tasks = BackgroundTasks(first.rooms)
            asyncio.run_coroutine_threadsafe(tasks.update_watched_rooms(), first.loop).result(WAIT)
            while socket.state["version"] != 1 + len(later):
                socket.receive_next()
            plies = [[ply % 2, move] for ply, move in enumerate(["a1", *later])]
            assert socket.state["plies"] == plies
            socket.move("d4")
            assert socket.state["plies"] == [*plies, [len(plies) % 2, "d4"]]


def test_a_slow_database_delays_no_work_on_boards(cold_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, count = threading.Semaphore(0), threading.Event(), app._BOARD_THREADS

    def read_slowly(*_: object) -> list[ChatLine]:
        begun.release()
        assert go_on.wait(WAIT)
        return []

    monkeypatch.setattr(cold_server.context.store, "list_chat_lines", read_slowly)
    with Browser(cold_server) as browser, contextlib.ExitStack() as sockets:
        sockets.callback(go_on.set)
        table = begin_table(browser)
        waiting = [sockets.enter_context(browser.open_table(table)) for _ in range(count)]
        for socket in waiting:
            socket.send(type="report", number=None, text="")
        assert all(begun.acquire(timeout=WAIT) for _ in range(count))
        quick = sockets.enter_context(browser.open_table(table))
        quick.send(type="why", text="z99")
        assert quick.receive_until("why")["sentence"]
        go_on.set()
        for socket in waiting:
            assert socket.receive_until("report")["taken"]
