"""Quick pairing: who looks for an opponent meets someone who waits, or waits."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import httpx
import pytest

from fourcorners.web.auth import limits
from fourcorners.web.realtime import pairing
from tests.require import require
from tests.web.accounts import Visit, register
from tests.web.client import WAIT, Browser, Server, StartServer

PLAYERS = 8


def look(http: httpx.Client, game: str = "sqez", **choice: str) -> str:
    """Press the button that finds an opponent in a game, and return the id of the table to which it leads; `choice` has
    `speed` and `rated`.
    """
    answer = http.post(f"/lobby/pair/{game}", data=choice)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/play/")


def count_taken(server: Server, table: str) -> int:
    """Return how many chairs of a table are taken."""
    row = require(server.context.store.load_table(table))
    return sum(chair.taken for chair in row.chairs)


def is_started(server: Server, table: str) -> bool:
    """Return whether the game at a table has begun."""
    row = server.context.store.load_table(table)
    return row is not None and row.started is not None


def test_second_player_who_looks_sits_down_with_the_first(cold_server: Server, visit: Visit) -> None:
    ada, ben = visit(), visit()
    table = look(ada)
    assert not is_started(cold_server, table)
    assert look(ben) == table
    assert is_started(cold_server, table)


def test_players_of_different_games_do_not_meet(cold_server: Server, visit: Visit) -> None:
    assert look(visit(), "sqez") != look(visit(), "square-off")


def test_player_who_looks_again_keeps_the_table(cold_server: Server, visit: Visit) -> None:
    ada = visit()
    assert look(ada) == look(ada)


def test_players_who_look_at_the_same_time_all_meet(cold_server: Server, visit: Visit) -> None:
    visitors = [visit() for _ in range(PLAYERS)]
    with ThreadPoolExecutor(PLAYERS) as threads:
        tables = list(threads.map(look, visitors))
    assert len(set(tables)) == PLAYERS // 2
    assert {count_taken(cold_server, table) for table in tables} == {2}


def test_only_players_with_the_same_speed_meet(cold_server: Server, visit: Visit) -> None:
    tables = {speed: look(visit(), speed=speed) for speed in ("fast", "normal", "slow")}
    assert len(set(tables.values())) == 3
    for speed, table in tables.items():
        row = require(cold_server.context.store.load_table(table))
        assert row.settings["clock"] == pairing.SPEEDS[speed].to_stored()
        assert look(visit(), speed=speed) == table


def test_unknown_speed_is_refused_in_a_sentence(visit: Visit) -> None:
    answer = visit().post("/lobby/pair/sqez", data={"speed": "warp"})
    assert answer.status_code == 400
    assert "is not a speed; it must be fast or normal or slow" in answer.text


def test_quick_game_has_a_clock_and_the_standard_board(cold_server: Server, visit: Visit) -> None:
    row = require(cold_server.context.store.load_table(look(visit())))
    assert row.settings["clock"] == {"kind": "game", "seconds": 300, "increment": 5}
    assert row.options == {"cols": 10, "rows": 10}


def test_rated_and_casual_players_do_not_meet_and_guests_are_told_that_theirs_are_casual(
    cold_server: Server, visit: Visit
) -> None:
    anna, bert, guest = visit(), visit(), visit()
    register(anna, "Anna")
    register(bert, "Bert")
    refused = guest.post("/lobby/pair/sqez", data={"rated": "true"})
    assert refused.status_code == 403
    assert "Guests play casual quick games" in refused.text
    casual, rated = look(guest), look(anna, rated="true")
    assert casual != rated
    assert look(bert, rated="true") == rated
    row = require(cold_server.context.store.load_table(rated))
    assert row.settings["rated"] is True
    assert {chair.name for chair in row.chairs} == {"Anna", "Bert"}
    assert not require(cold_server.context.store.load_table(casual)).settings["rated"]
    assert look(anna) == casual


def test_guest_is_asked_to_sign_in_for_a_rated_table_that_waits(cold_server: Server, visit: Visit) -> None:
    anna, guest = visit(), Browser(cold_server)
    register(anna, "Anna")
    table = look(anna, rated="true")
    with guest, guest.open_table(table) as socket:
        refused = socket.send_command("sit")
        assert refused["code"] == "account"
        assert refused["sentence"] == "Guests play casual quick games; sign in to play rated ones."
        assert count_taken(cold_server, table) == 1
        cold_server.forget_lists()
        asked, invited = guest.http.get("/").text, anna.get("/lobby").text
        assert f"/play/{table}" not in asked
        assert '<a href="/account"><strong>Sqez</strong>' in asked
        assert '<div id="lists" class="guest"' in guest.http.get("/lobby").text
        assert '<div id="lists" data-from' in invited
        for http, can_sit in ((guest.http, False), (anna, True)):
            (listed,) = http.get("/api/tables").json()["tables"]
            assert listed["id"] == table and bool(listed["free"]) is can_sit


def test_guest_joins_a_rated_game_that_a_player_has_set_up(cold_server: Server, visit: Visit) -> None:
    anna, guest = visit(), Browser(cold_server)
    register(anna, "Anna")
    form = {"seat-0": "person", "seat-1": "open", "clock": "300+5", "rated": "true"}
    table = anna.post("/games/sqez", data=form).headers["location"].removeprefix("/play/")
    with guest, guest.open_table(table) as socket:
        assert socket.send_command("sit")["type"] == "done"


def test_waiting_table_of_an_earlier_version_with_a_smaller_board_is_not_joined(
    cold_server: Server, visit: Visit
) -> None:
    table = look(visit(), "square-off")
    row = require(cold_server.context.store.load_table(table))
    wish = pairing.Wish("square-off")
    assert wish.fits(row)
    assert not wish.fits(replace(row, options={"size": 6}))


@pytest.fixture
def no_grace_period(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let players count as gone at once, unless they are connected; it has no value."""
    monkeypatch.setattr(pairing, "ARRIVAL", -1.0)


def test_table_whose_owner_has_gone_is_closed_and_not_offered(
    cold_server: Server, visit: Visit, no_grace_period: None
) -> None:
    gone = look(visit())
    cold_server.forget_lists()
    assert gone not in visit().get("/lobby").text
    assert look(visit()) != gone
    assert require(cold_server.context.store.load_table(gone)).result == "abandoned"


def test_unknown_game_is_not_found(visit: Visit) -> None:
    assert visit().post("/lobby/pair/chess").status_code == 404


def test_search_of_another_site_is_refused(visit: Visit) -> None:
    assert visit().post("/lobby/pair/sqez", headers={"origin": "https://other.example"}).status_code == 403


def test_lobby_has_a_button_for_every_game(visit: Visit) -> None:
    text = visit().get("/lobby").text
    for game in ("squarin-off", "dots-and-boxes", "square-off", "squendo", "sqez"):
        assert f'action="/lobby/pair/{game}"' in text


def test_waiting_player_who_is_connected_stays(
    cold_server: Server, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = visit()
    monkeypatch.setattr(pairing, "ARRIVAL", -1.0)
    table = look(ada)
    browser = Browser(cold_server)
    browser.http.cookies.update(ada.cookies)
    with browser.open_table(table):
        assert f'href="/play/{table}"' in ada.get("/").text
        assert look(visit()) == table


def test_rematch_of_a_quick_game_is_for_the_same_opponent_only(
    cold_server: Server, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = visit(), visit()
    table = look(ada)
    assert look(ben) == table
    browser = Browser(cold_server)
    browser.http.cookies.update(ada.cookies)
    with browser.open_table(table) as socket:
        socket.send_command("resign", seat=socket.state["seats"][0])
        assert socket.send_command("rematch")["type"] == "done"
        other = Browser(cold_server)
        other.http.cookies.update(ben.cookies)
        with other.open_table(table) as second:
            assert second.send_command("rematch")["type"] == "done"
        socket.send(type="hello", version=None, viewer=None)
        socket.receive_until("state")
        rematch = socket.state["rematch"]
    monkeypatch.setattr(pairing, "ARRIVAL", -1.0)
    assert f"/play/{rematch}" in ada.get("/").text
    # Who looks for someone else does not come back to it, and no one who looks closes it.
    assert look(ada) != rematch
    look(visit())
    assert not require(cold_server.context.store.load_table(rematch)).result


def test_new_tables_of_players_who_look_count_as_new_games(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = limits.RATE_LIMITS["tables"]._replace(player="1/day")
    monkeypatch.setitem(limits.RATE_LIMITS, "tables", strict)
    with Browser(start_cold()) as ada:
        table = look(ada.http, "sqez")
        # Who waits asks again, which creates nothing.
        assert look(ada.http, "sqez") == table
        answer = ada.http.post("/lobby/pair/square-off")
        assert answer.status_code == 429
        assert strict.sentence in answer.text


def test_table_that_is_deleted_meanwhile_is_skipped(
    cold_server: Server, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, ada = cold_server.context.store, visit()
    table = look(ada)
    browser = Browser(cold_server)
    browser.http.cookies.update(ada.cookies)
    with browser.open_table(table):
        rows = store.list_lobby_tables(10, started=False)
        store.delete_table(table).result()
        cold_server.rooms.opened[table].session.drop()
        monkeypatch.setattr(store, "list_lobby_tables", lambda *_, **__: rows)
        assert look(visit()) != table


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.ci)])
def two_servers(request: pytest.FixtureRequest) -> tuple[Server, ...]:
    """Two servers over one database, which have no other channel; the test runs with SQLite and with PostgreSQL."""
    # The database is made first, so that it is removed after the servers have stopped.
    address = request.getfixturevalue("address") if request.param == "postgresql" else ""
    start_cold: StartServer = request.getfixturevalue("start_cold")
    return tuple(start_cold(database=address) for _ in range(2))


def test_player_who_waits_through_one_server_is_found_through_another(two_servers: tuple[Server, ...]) -> None:
    with Browser(two_servers[0]) as ada, Browser(two_servers[1]) as ben:
        table = look(ada.http)
        two_servers[1].forget_lists()
        assert table in ben.http.get("/lobby").text
        with ada.open_table(table) as socket:
            assert look(ben.http) == table
            while not socket.state["started"]:
                socket.receive_next()


def test_player_who_stays_connected_to_one_server_stays_listed_on_another(
    two_servers: tuple[Server, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "ARRIVAL", -1.0)
    first, second = two_servers
    with Browser(first) as ada, Browser(second) as ben:
        table = look(ada.http)
        second.forget_lists()
        assert table not in ben.http.get("/lobby").text
        with ada.open_table(table):
            monkeypatch.setattr(pairing, "ARRIVAL", 15.0)
            extend_waiting(first)
            second.forget_lists()
            row = ben.http.get("/lobby").text.partition(f'data-table="{table}"')[2].partition("</li>")[0]
            assert "(here now)" in row
            assert look(ben.http) == table


def test_player_of_a_server_that_dies_is_soon_forgotten_by_the_others(
    two_servers: tuple[Server, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = two_servers
    with Browser(first) as ada, Browser(second) as ben:
        table = look(ada.http)
        with ada.open_table(table):
            extend_waiting(first)
        first.stop()
        now = second.context.time.now()
        monkeypatch.setattr(second.context.time, "now", lambda: now + pairing.ARRIVAL + 1)
        second.forget_lists()
        assert table not in ben.http.get("/lobby").text
        assert look(ben.http) != table
        assert require(second.context.store.load_table(table)).result == "abandoned"


def test_players_who_look_through_two_servers_at_the_same_time_meet(
    two_servers: tuple[Server, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each server stores a table before it can see the other's: the younger table gives way."""
    both_have_looked = threading.Barrier(2, timeout=WAIT)
    open_table = pairing.Pairing._open_table

    async def open_after_the_other_has_looked(self: pairing.Pairing, seeker: pairing.Seeker, wish: pairing.Wish) -> str:
        await asyncio.to_thread(both_have_looked.wait)
        opened = await open_table(self, seeker, wish)
        await asyncio.to_thread(both_have_looked.wait)
        return opened

    monkeypatch.setattr(pairing.Pairing, "_open_table", open_after_the_other_has_looked)
    with Browser(two_servers[0]) as ada, Browser(two_servers[1]) as ben, ThreadPoolExecutor(2) as threads:
        tables = set(threads.map(look, [ada.http, ben.http]))
    # One player was led to the other's table at once; the older table's owner waits there for the page to show it.
    [table] = tables
    assert count_taken(two_servers[0], table) == 2


def extend_waiting(server: Server) -> None:
    """Let a server tell the others now who waits through it, as it does every few seconds."""
    asyncio.run_coroutine_threadsafe(pairing.extend_waiting(server.rooms), server.loop).result(WAIT)
