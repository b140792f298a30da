"""What a row of the lobby shows of an open game: the host's rating, and the seats."""

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import cast

import httpx
import jinja2
import pytest

from fourcorners.web.auth import limits
from fourcorners.web.domain.ratings import Standing, rating_points
from fourcorners.web.pages.lobby import Lobby
from fourcorners.web.realtime.rooms import Rooms
from tests.require import require
from tests.web.accounts import Visit
from tests.web.client import WAIT, Server
from tests.web.pages.test_lobby import FakeRooms, build_listed_row, build_lists
from tests.web.tables import ADA, BOB


def test_open_game_shows_the_hosts_rating_for_this_game_and_number_of_seats() -> None:
    lists = build_lists(build_listed_row(), build_listed_row(kinds=("person", "open", "open"), players=3))
    assert {row.free: row.host_rating for row in lists.open} == {1: rating_points(Standing(30.0, 4.0)), 2: 0}


@pytest.mark.parametrize("name", ["sqez", "square-off", "squarin-off", "squendo"])
def test_open_game_shows_the_colours_of_its_seats_and_which_are_taken(name: str) -> None:
    [row] = build_lists(build_listed_row(name)).open
    assert [place.taken for place in row.places] == [True, False]
    assert all(re.fullmatch("#[0-9a-f]{3,8}", colour) for place in row.places for colour in place[:2])
    assert len({place.light for place in row.places}) == 2


def test_seat_has_the_colour_that_its_player_has_chosen_after_the_game_was_offered() -> None:
    offered = build_listed_row("squendo", kinds=("person", "open", "open"), players=3)
    [before] = build_lists(offered).open
    [after] = build_lists(replace(offered, version=1)).open
    # The default colours are red, blue and green: who chooses green leaves blue to the open seat.
    assert [place.light for place in after.places] == [before.places[seat].light for seat in (0, 2, 1)]
    assert after.options == "3 players, red – green – blue"


Offer = Callable[[httpx.Client], str]


@pytest.fixture
def offer(cold_server: Server) -> Offer:
    """Return a function that lets a client offer a public game of Square Off and returns the table's id."""

    def offer_game(http: httpx.Client) -> str:
        form = {"seat-0": "person", "seat-1": "open", "name-0": "Ada", "visibility": "public"}
        answer = http.post("/games/square-off", data=form)
        cold_server.forget_lists()
        return answer.headers["location"].removeprefix("/play/")

    return offer_game


def read_row(http: httpx.Client, table: str) -> str:
    """Return the HTML of a table's row in the lobby as a client sees it."""
    text = http.get("/lobby/lists").text
    return text[text.index(f'data-table="{table}"') :].partition("</li>")[0]


def test_own_open_game_can_be_opened_and_cancelled_and_is_joined_by_others_only(offer: Offer, visit: Visit) -> None:
    ada, ben = visit(), visit()
    table = offer(ada)
    own, foreign = read_row(ada, table), read_row(ben, table)
    assert "Your game – waiting for an opponent" in own
    assert f'href="/play/{table}"' in own
    assert f'action="/lobby/cancel/{table}"' in own
    assert "Join" not in own
    assert f'href="/play/{table}#sit"' in foreign
    assert "Join" in foreign
    assert "Cancel" not in foreign


def test_cancelled_game_is_closed_and_leaves_the_lobby_at_once(cold_server: Server, offer: Offer, visit: Visit) -> None:
    ada = visit()
    table = offer(ada)
    assert table in ada.get("/lobby").text
    answer = ada.post(f"/lobby/cancel/{table}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/lobby")
    assert table not in ada.get("/lobby").text
    assert require(cold_server.context.store.load_table(table)).result == "abandoned"
    # Pressed twice, it does no harm.
    assert ada.post(f"/lobby/cancel/{table}").headers["location"] == "/lobby"


def test_other_requests_are_answered_while_a_cancelled_game_waits_for_the_lists(
    cold_server: Server, offer: Offer, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = visit(), visit()
    table = offer(ada)
    began, go_on = threading.Event(), threading.Event()

    def wait_for_lists() -> None:
        began.set()
        go_on.wait(WAIT)

    monkeypatch.setattr(cold_server._app.state.lobby, "forget", wait_for_lists)
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(ada.post, f"/lobby/cancel/{table}")
        assert began.wait(WAIT)
        try:
            assert ben.get("/healthz").status_code == 200
            assert not answer.done()
        finally:
            go_on.set()
        assert answer.result(WAIT).headers["location"] == "/lobby"


def test_cancelling_is_limited_and_refused_to_pages_of_other_sites(
    offer: Offer, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = visit()
    table = offer(ada)
    assert ada.post(f"/lobby/cancel/{table}", headers={"origin": "https://elsewhere.example"}).status_code == 403

    async def refuse(_: object, name: str, *__: object) -> None:
        # The pages that show the game have another limit.
        if name == "api":
            raise limits.RateLimitError("Too many requests.", 60)

    monkeypatch.setattr(limits.RateLimiter, "count", refuse)
    assert ada.post(f"/lobby/cancel/{table}").status_code == 429
    assert f'action="/lobby/cancel/{table}"' in read_row(ada, table)


def test_no_other_player_can_cancel_a_game(cold_server: Server, offer: Offer, visit: Visit) -> None:
    table = offer(visit())
    assert visit().post(f"/lobby/cancel/{table}").status_code == 404
    assert visit().post("/lobby/cancel/unknown").status_code == 404
    assert not require(cold_server.context.store.load_table(table)).result


def test_game_that_has_begun_meanwhile_is_opened_instead_of_cancelled(cold_server: Server, visit: Visit) -> None:
    ada, ben = visit(), visit()
    table = ada.post("/lobby/pair/sqez").headers["location"].removeprefix("/play/")
    assert ben.post("/lobby/pair/sqez").headers["location"] == f"/play/{table}"
    assert ada.post(f"/lobby/cancel/{table}").headers["location"] == f"/play/{table}"
    cold_server.forget_lists()
    row = read_row(ben, table)
    assert "Continue" in row
    assert "Your game" in row
    assert "Watch" in read_row(visit(), table)


def test_lists_are_rendered_once_for_all_visitors_without_a_table() -> None:
    rooms = cast("Rooms", FakeRooms(build_listed_row()))
    lobby = Lobby(jinja2.Template("{{ waiting | length }} for {{ me }}"), lambda: 10.0)
    lists = lobby.get_lists(rooms)
    assert lobby.get_lists(rooms, BOB) is lists
    own = lobby.get_lists(rooms, ADA)
    assert own.html == f"1 for {ADA}"
    assert own.tag != lists.tag
