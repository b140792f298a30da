"""Faults: a store that fails, two servers on one database, a socket that stays silent."""

from collections.abc import Callable
from typing import Any

import pytest

from fourcorners.web.domain.rows import TableEvent
from fourcorners.web.store import StoreError
from fourcorners.web.store.write_result import WriteResult
from tests.web.client import Browser, Server

pytestmark = pytest.mark.compiled


def create_table(browser: Browser) -> str:
    """Set up a game in which the browser plays both seats; return the table's id."""
    return browser.begin_table("square-off", size="4", seat_0="person", seat_1="person")


def test_move_that_could_not_be_stored_is_undone_and_can_be_played_again(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = create_table(browser)
    with browser.open_table(table) as socket:
        socket.move("a1")

        def fail_to_append(*_: object) -> WriteResult[None]:
            """Fail as if the disk were full."""
            return WriteResult(StoreError("the disk is full"))

        with monkeypatch.context() as patch:
            patch.setattr(browser.server.context.store, "append_event", fail_to_append)
            answer = socket.send_command("move", move="b2")
            assert answer["type"] == "stale"
            assert "could not be stored" in answer["sentence"]
            assert socket.receive_until("patch", "state")["version"] == 1
            assert socket.state["plies"] == [[0, "a1"]]
        socket.move("b2")
    with browser.open_table(table) as socket:
        assert socket.state["plies"] == [[0, "a1"], [1, "b2"]]


def test_move_is_stale_if_another_server_on_the_same_database_has_stored_one(
    start_server: Callable[[], Server],
) -> None:
    first, second = start_server(), start_server()
    with Browser(first) as one, Browser(second) as two:
        table = create_table(one)
        # The same visitor at both servers, who plays both seats.
        two.http.cookies = one.http.cookies
        with one.open_table(table) as here, two.open_table(table) as there:
            here.move("a1")
            assert there.send_command("move", move="b2")["type"] == "stale"
            while there.state["version"] == 0:
                there.receive_next()
            assert there.state["plies"] == [[0, "a1"]]
            there.move("b2")
            assert here.send_command("move", move="c3")["type"] == "stale"
            while here.state["version"] == 1:
                here.receive_next()
            assert here.state["plies"] == [[0, "a1"], [1, "b2"]]


def test_computer_with_an_illegal_move_is_reported_and_the_player_can_undo_and_play_again(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = browser.begin_table("square-off", size="4", seat_0="person", seat_1="computer")
    with browser.open_table(table) as socket:
        with monkeypatch.context() as patch:
            # A corner that the board does not have.
            patch.setattr("fourcorners.web.engine.move_service.choose_move", lambda *_: "z9")
            socket.move("a1")
            assert "computer failed" in socket.receive_until("error")["sentence"]
        assert socket.send_command("undo")["type"] == "done"
        while socket.state["version"] < 2:
            socket.receive_next()
        socket.move("b2")
        socket.receive_until_mine()
        assert len(socket.state["plies"]) == 2


def test_room_with_a_socket_that_has_not_said_hello_is_not_replaced(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Opening a room drops all idle ones then.
    monkeypatch.setattr("fourcorners.web.realtime.rooms._IDLE_ROOMS", 0)
    table = create_table(browser)
    with browser.connect(table) as silent:
        # A message that is not a hello is rejected; the answer shows that the room is open.
        silent.send(type="undo", id="x", version=0)
        silent.receive_until("error")
        browser.open_table(create_table(browser)).connection.close()
        browser.open_table(create_table(browser)).connection.close()
        with browser.open_table(table) as socket:
            # Both sockets are in the same room: one receives the other's move.
            silent.send(type="hello", version=None, viewer=None)
            silent.receive_until("state")
            socket.move("a1")
            assert silent.receive_until("patch")["version"] == 1


def test_computer_that_cannot_store_its_move_reports_it_and_waits_for_the_next_hello(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = browser.begin_table("square-off", size="4", seat_0="person", seat_1="computer")
    tried = []
    store = browser.server.context.store
    append = store.append_event

    def append_events_of_the_person(table_id: str, event: TableEvent, *rest: Any) -> WriteResult[None]:
        """Store events of seat 0 as usual; note those of the computer and fail as if the disk were full."""
        if event.seat == 0:
            return append(table_id, event, *rest)
        tried.append(event)
        return WriteResult(StoreError("the disk is full"))

    with browser.open_table(table) as socket:
        with monkeypatch.context() as patch:
            patch.setattr(store, "append_event", append_events_of_the_person)
            socket.move("a1")
            assert "could not be stored" in socket.receive_until("error")["sentence"]
            # This round trip leaves time for a second attempt.
            socket.send(type="look", ply=0)
            socket.receive_until("look")
            assert len(tried) == 1
        # A hello counts as the next visit.
        socket.send(type="hello", version=None, viewer=None)
        socket.receive_until("state")
        while len(socket.state["plies"]) < 2:
            socket.receive_next()


def test_socket_uses_no_compression(browser: Browser) -> None:
    with browser.open_table(create_table(browser)) as socket:
        assert socket.connection.protocol.extensions == []
