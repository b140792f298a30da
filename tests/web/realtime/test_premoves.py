"""Premoves over the socket: who sees them, when they are played, and what happens to those that become illegal."""

import asyncio

import pytest

from tests.web.client import Browser, Socket, StartServer, seat_two
from tests.web.tables import ADA, START

pytestmark = pytest.mark.compiled


def store_premoves(socket: Socket, lines: list[list[str | None]], seat: int = 1) -> None:
    """Set a seat's premove lines, lists of moves, for the board that the socket shows; None is any moves of the others.

    Fail unless the next message about premoves repeats these lines: if they are refused, it is an error or has the old
    ones.
    """
    socket.send(type="premoves", seat=seat, version=socket.state["version"], ply=socket.state["ply"], lines=lines)
    assert socket.receive_until("premoves", "error").get("lines") == lines


def test_premove_is_stored_then_played_at_once_and_never_sent_to_the_opponent(browser: Browser, other: Browser) -> None:
    ada, bob = seat_two(browser, other)
    with ada, bob:
        store_premoves(bob, [[None, "b2"]])
        ada.move("a1")
        ada.receive_until_mine()
        assert ada.state["plies"] == [[0, "a1"], [1, "b2"]]
        assert bob.receive_until("premoves")["lines"] == [[None, "b2"]]
        assert bob.receive_until("premoves")["lines"] == []
        assert not [message for message in ada.heard if message["type"] == "premoves"]


def test_premove_that_became_illegal_is_dropped_with_a_reason_and_the_player_moves(
    browser: Browser, other: Browser
) -> None:
    ada, bob = seat_two(browser, other)
    with ada, bob:
        store_premoves(bob, [[None, "a1"]])
        ada.move("a1")
        sentence = bob.receive_until("error")["sentence"]
        assert "a1" in sentence
        assert "was not played: " in sentence
        bob.receive_until_mine()
        assert bob.state["plies"] == [[0, "a1"]]
        bob.move("b2")


def test_premoves_survive_a_restart_and_are_played_after_it(start_server: StartServer) -> None:
    server = start_server()
    with Browser(server) as first, Browser(server) as second:
        ada, bob = seat_two(first, second)
        with ada, bob:
            table = ada.table
            store_premoves(bob, [["a1", "b2"], [None, "c3"]])
        server.stop()
        again = start_server()
        for browser in (first, second):
            browser.server = again
        with first.open_table(table) as ada, second.open_table(table) as bob:
            assert bob.receive_until("premoves")["lines"] == [["a1", "b2"], [None, "c3"]]
            ada.move("a1")
            ada.receive_until_mine()
            assert ada.state["plies"] == [[0, "a1"], [1, "b2"]]


def test_preview_of_a_premove_line_gives_the_next_moves_or_the_reason_why_it_is_illegal(
    browser: Browser, other: Browser
) -> None:
    ada, bob = seat_two(browser, other)
    with ada, bob:
        bob.send(type="preview", seat=1, line=["a1", "a1"])
        assert "a1" in bob.receive_until("preview")["sentence"]
        bob.send(type="preview", seat=1, line=[None])
        assert "b2" in bob.receive_until("preview")["moves"]
        ada.send(type="preview", seat=1, line=[None])
        assert "not yours" in ada.receive_until("preview")["sentence"]


def test_premove_lines_that_are_too_short_or_too_many_are_rejected(browser: Browser, other: Browser) -> None:
    ada, bob = seat_two(browser, other)
    with ada, bob:
        # A line has at least two moves, and a seat at most 32 lines, with 64 moves together.
        bob.send(type="premoves", seat=1, version=0, ply=0, lines=[["a1"]])
        assert "cannot be read" in bob.receive_until("error")["sentence"]
        bob.send(type="premoves", seat=1, version=0, ply=0, lines=[[None, "a1"]] * 33)
        assert "cannot be read" in bob.receive_until("error")["sentence"]
        long = [[None, f"a{number}", *[None, "a1"] * 10] for number in range(1, 5)]
        bob.send(type="premoves", seat=1, version=bob.state["version"], ply=0, lines=long)
        assert "at most 64 moves" in bob.receive_until("error")["sentence"]


def test_another_servers_chat_is_sent_and_its_premoves_reach_only_their_player_and_are_played(
    browser: Browser, other: Browser
) -> None:
    ada, bob = seat_two(browser, other)
    with ada, bob:
        # Store them as another server would, which this server does not notice by itself.
        context = browser.server.context
        table = ada.table
        stored = {"at": 0, "version": bob.state["version"], "lines": [["a1", "b2"]], "movers": [[0, 1]]}
        context.store.save_premoves(table, 1, stored).result(30)
        context.store.add_chat_line(table, ADA, "Ada", "Hello!", START).result(30)
        room = browser.server.rooms.opened[table]
        loop = browser.server.loop
        asyncio.run_coroutine_threadsafe(room.catch_up_chat_and_premoves(), loop).result(30)
        assert bob.receive_until("premoves")["lines"] == [["a1", "b2"]]
        ada.move("a1")
        ada.receive_until_mine()
        assert ada.state["plies"] == [[0, "a1"], [1, "b2"]]
        assert [line["text"] for message in ada.heard if message["type"] == "chat" for line in message["lines"]] == [
            "Hello!"
        ]
        assert not [message for message in ada.heard if message["type"] == "premoves"]
