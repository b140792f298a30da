"""Fair shuffles over the socket and the API: what is sent when, restarts, several servers, and late values."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.shuffle import commit_nonce, deal, hash_text
from fourcorners.web.application.table_setup import TableSetup, build_table
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.domain.commands import Sit
from fourcorners.web.domain.shuffle import REVEAL_SECONDS
from fourcorners.web.domain.table import Table
from fourcorners.web.realtime import heartbeat
from fourcorners.web.realtime.pairing import close_before_start
from tests.require import require
from tests.waiting import wait_until
from tests.web.client import Browser, Server, Socket, StartServer
from tests.web.program import Program, read_refusal
from tests.web.tables import apply

OpenProgram = Callable[[Server, str], Program]
ADA, BOB = "a1" * 32, "b2" * 32
GAME = fc.game("squendo")


@pytest.fixture
def open_program() -> Iterator[OpenProgram]:
    """Return a function that makes a program a guest of a server; all of them are closed after the test."""
    with ExitStack() as stack:
        yield lambda server, name: stack.enter_context(Program(server, name))


def sit_down(socket: Socket, value: str) -> None:
    """Sit down with the hash of a value, and receive what changed."""
    assert socket.send_command("sit", name="Bob", hash=hash_text(value))["type"] == "done"


def receive_shuffle(socket: Socket, *, waiting: bool) -> dict[str, Any]:
    """Receive until the shuffle waits for values, or no longer does, and return it."""
    while socket.state["shuffle"]["waiting"] != waiting:
        socket.receive_next()
    shuffle: dict[str, Any] = socket.state["shuffle"]
    return shuffle


def read_nonce(server: Server, table: str) -> str:
    """Return the nonce of a stored table."""
    return require(server.context.store.load_table(table)).nonce


def test_values_are_shown_once_all_are_known_and_the_nonce_once_the_game_is_over(cold_server: Server) -> None:
    with Browser(cold_server) as ada, Browser(cold_server) as bob, Browser(cold_server) as eve:
        table = ada.begin_table("squendo", players="2", seat_1="open", hash=hash_text(ADA))
        nonce = read_nonce(cold_server, table)
        with ada.open_table(table) as host, eve.open_table(table) as watcher, bob.open_table(table) as guest:
            assert host.state["commitment"] == commit_nonce(nonce)
            assert host.state["shuffle"] == {"hashes": [hash_text(ADA), None], "values": [None, None], "waiting": False}
            sit_down(guest, BOB)
            hashes = [hash_text(ADA), hash_text(BOB)]
            for socket in (host, guest, watcher):
                shuffle = receive_shuffle(socket, waiting=True)
                assert shuffle == {"hashes": hashes, "values": [None, None], "waiting": True}
                assert not socket.state["started"]
            assert "reveal" in host.state["may"] and "reveal" not in watcher.state["may"]
            assert host.send_command("reveal", value=ADA)["type"] == "done"
            assert guest.send_command("reveal", value=ADA)["code"] == "other-value"
            assert not any(ADA in json.dumps(message) for message in (*guest.heard, *watcher.heard))
            assert guest.send_command("reveal", value=BOB)["type"] == "done"
            for socket in (host, guest, watcher):
                shuffle = receive_shuffle(socket, waiting=False)
                assert shuffle == {"hashes": hashes, "values": [ADA, BOB], "waiting": False}
                assert socket.state["started"]
            for number in range(4):
                mover = (host, guest)[number % 2]
                while not mover.state["mine"]:
                    mover.receive_next()
                mover.move(mover.state["moves"][0])
            running = eve.http.get(f"/play/{table}/record").text
            heard = [message for socket in (host, guest, watcher) for message in socket.heard]
            assert nonce not in running + json.dumps(heard)
            while not host.state["mine"]:
                host.receive_next()
            assert host.send_command("resign", seat=0)["type"] == "done"
            while not watcher.state["over"]:
                watcher.receive_next()
            assert watcher.state["nonce"] == nonce
        match = fc.Record.parse(eve.http.get(f"/play/{table}/record").text).match()
        assert (match.nonce, match.values, match.commitment) == (nonce, (ADA, BOB), commit_nonce(nonce))
        assert match.deck == deal(GAME, nonce, (ADA, BOB))


def test_a_table_closes_before_it_is_full_but_not_while_it_is_shuffled() -> None:
    setup = TableSetup(GAME, ["person", "open"], {0: "Ada"}, shuffle=False, hash=hash_text(ADA))
    row = build_table(setup, "ada", 0.0)
    assert close_before_start(Table(row), 1.0) is not None
    table = Table(row)
    apply(table, "bob", Sit("sit", 0, 1, "Bob", "", hash_text(BOB)), 1.0)
    assert close_before_start(table, 2.0) is None
    assert not table.closed


def test_players_who_meet_by_looking_for_an_opponent_both_take_part(cold_server: Server) -> None:
    with Browser(cold_server) as ada, Browser(cold_server) as bob:
        first, second = (
            browser.http.post("/lobby/pair/squendo", data={"hash": hash_text(value)}).headers["location"]
            for browser, value in ((ada, ADA), (bob, BOB))
        )
        assert first == second
        table = first.removeprefix("/play/")
        with ada.open_table(table) as host, bob.open_table(table) as guest:
            # A random seat begins.
            assert sorted(host.state["shuffle"]["hashes"]) == sorted(map(hash_text, (ADA, BOB)))
            assert host.send_command("reveal", value=ADA)["type"] == "done"
            assert guest.send_command("reveal", value=BOB)["type"] == "done"
            assert sorted(receive_shuffle(host, waiting=False)["values"]) == [ADA, BOB]
            assert host.state["started"]


def test_the_computer_waits_for_the_value_of_the_one_browser(cold_server: Server) -> None:
    with Browser(cold_server) as ada:
        fields = {"players": "2", "seat_0": "computer", "level_0": "1", "seat_1": "person"}
        table = ada.begin_table("squendo", hash=hash_text(ADA), **fields)
        with ada.open_table(table) as socket:
            assert receive_shuffle(socket, waiting=True)["hashes"] == [None, hash_text(ADA)]
            assert socket.state["seat"] is None
            assert socket.send_command("reveal", value=ADA)["type"] == "done"
            assert receive_shuffle(socket, waiting=False)["values"] == [None, ADA]
            while not socket.state["mine"]:
                socket.receive_next()


def test_a_restart_between_two_values_changes_nothing(start_cold: StartServer, open_program: OpenProgram) -> None:
    first = start_cold()
    ada, bob = open_program(first, "Ada"), open_program(first, "Bob")
    table = ada.begin_table("squendo", hash=hash_text(ADA))
    commitment = ada.fetch_table(table)["commitment"]
    bob.execute(table, "sit", hash=hash_text(BOB))
    ada.execute(table, "reveal", value=ADA)
    assert ada.fetch_table(table)["shuffle"]["values"] == [None, None]
    first.stop()
    second = start_cold()
    for program in (ada, bob):
        program.http.base_url = second.url
    assert bob.fetch_table(table)["shuffle"]["waiting"]
    bob.execute(table, "reveal", value=BOB)
    shown = ada.fetch_table(table)
    assert (shown["started"], shown["shuffle"]["values"], shown["commitment"]) == (True, [ADA, BOB], commitment)
    ada.execute(table, "move", move=shown["moves"][0])
    bob.execute(table, "resign", seat=1)
    match = fc.Record.parse(ada.request("GET", f"/api/tables/{table}/record").text).match()
    assert (match.values, match.commitment) == ((ADA, BOB), commitment)


def test_a_value_is_taken_although_a_name_has_changed_meanwhile(cold_server: Server, open_program: OpenProgram) -> None:
    ada, bob = open_program(cold_server, "Ada"), open_program(cold_server, "Bob")
    table = ada.begin_table("squendo", hash=hash_text(ADA))
    version = bob.execute(table, "sit", hash=hash_text(BOB))
    ada.execute(table, "rename", version=version, seat=0, name="Ada L")
    bob.execute(table, "reveal", version=version, value=BOB)
    ada.execute(table, "reveal", version=version, value=ADA)
    assert ada.fetch_table(table)["shuffle"]["values"] == [ADA, BOB]


def test_values_given_through_two_servers_meet_in_one_deck(
    start_cold: StartServer, open_program: OpenProgram, address: str
) -> None:
    one, two = start_cold(database=address), start_cold(database=address)
    ada, bob = open_program(one, "Ada"), open_program(two, "Bob")
    table = ada.begin_table("squendo", hash=hash_text(ADA))
    version = bob.execute(table, "sit", hash=hash_text(BOB))
    version = bob.execute(table, "reveal", version=version, value=BOB)
    version = ada.execute(table, "reveal", version=version, value=ADA)
    wait_until(lambda: bob.fetch_table(table, since=version - 1, wait=10)["started"])
    both = [program.fetch_table(table) for program in (ada, bob)]
    assert [shown["shuffle"]["values"] for shown in both] == [[ADA, BOB]] * 2
    deck = deal(GAME, read_nonce(one, table), (ADA, BOB))
    hands = [fc.game("squendo").view(shown["view"]["text"], seat) for seat, shown in enumerate(both)]
    assert [view.text for view in hands] == [GAME.start(deck=deck).view(seat).text for seat in (0, 1)]


def test_a_program_that_gives_no_hash_plays_without_further_effort(
    cold_server: Server, open_program: OpenProgram
) -> None:
    ada, bob = open_program(cold_server, "Ada"), open_program(cold_server, "Bob")
    table = ada.begin_table("squendo")
    bob.execute(table, "sit")
    shown = ada.fetch_table(table)
    assert (shown["started"], shown["shuffle"]["hashes"]) == (True, [None, None])
    assert ada.fetch_table(ada.begin_table("sqez"))["shuffle"] is None
    assert read_refusal(ada.send_command(table, "reveal", value=ADA)) == (422, "no-value")
    assert read_refusal(ada.send_command(table, "reveal", value="x")) == (400, "unreadable")
    assert read_refusal(ada.send_command(table, "sit", hash="x")) == (400, "unreadable")


def test_a_game_starts_without_a_value_that_does_not_come(
    start_cold: StartServer, open_program: OpenProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The time that this test lets pass is no outage.
    monkeypatch.setattr(heartbeat, "GRACE", 1e9)
    passed = [0.0]
    server = start_cold(server_time=ServerTime(0.0, lambda: 0.0, lambda: passed[0]))
    ada, bob = open_program(server, "Ada"), open_program(server, "Bob")
    table = ada.begin_table("squendo", hash=hash_text(ADA))
    bob.execute(table, "sit", hash=hash_text(BOB))
    ada.execute(table, "reveal", value=ADA)
    assert not ada.fetch_table(table)["started"]
    passed[0] += REVEAL_SECONDS
    wait_until(lambda: ada.fetch_table(table)["started"])
    assert ada.fetch_table(table)["shuffle"]["values"] == [ADA, None]
    assert read_refusal(bob.send_command(table, "reveal", value=BOB)) == (422, "no-value")
