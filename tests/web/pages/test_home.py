"""The home page and what it leads to, on a server that has compiled nothing."""

import re
from html import unescape

import pytest
from markupsafe import escape

import fourcorners as fc
from fourcorners.core.option_fields import format_value
from fourcorners.web.pages.home import find_game
from tests.require import require
from tests.web.accounts import Visit, register
from tests.web.client import Server


def test_lobby_shows_the_name_of_a_signed_in_player(visit: Visit) -> None:
    http = visit()
    assert "Sign in" in http.get("/lobby").text
    register(http, "Anna")
    page = http.get("/lobby").text
    assert "Anna" in page
    assert "Sign in" not in page


def test_address_of_a_form_leads_to_its_page(visit: Visit) -> None:
    http, names = visit(), ("name", "register", "sign-in", "sign-out", "devices", "program", "password", "delete")
    forms = {f"/account/{name}": "/account" for name in names} | {"/records": "/", "/lobby/pair/sqez": "/lobby"}
    for address, page in forms.items():
        answer = http.get(address)
        assert (answer.status_code, answer.headers["location"]) == (303, page)


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\x00\x00", b"fourcorners record 1\n\xff\xfe", b"GIF89a\x01\x02"]
)
def test_upload_that_is_not_text_is_refused_without_quoting_it(visit: Visit, content: bytes) -> None:
    answer = visit().post("/records", files={"record": ("x.record", content, "application/octet-stream")})
    assert answer.status_code == 422
    assert "This record cannot be opened: the file is not a text file." in answer.text
    assert not any(word in answer.text for word in ("PNG", "GIF89a", "\ufffd"))


def test_game_of_a_stored_table_has_its_options_and_is_not_known_once_they_are_not_allowed(
    cold_server: Server, visit: Visit
) -> None:
    form = {
        "players": "4",
        "teams": "true",
        "cols": "2",
        "rows": "2",
        **{f"seat-{seat}": "person" for seat in range(4)},
    }
    location = visit().post("/games/squarin-off", data=form).headers["location"]
    row = require(cold_server.context.store.load_table(location.removeprefix("/play/")))
    assert require(find_game(row)).options.parties == ((0, 2), (1, 3))
    row.options["cols"] = 99
    assert find_game(row) is None


def test_join_in_the_lobby_takes_a_seat(cold_server: Server, visit: Visit) -> None:
    form = {"seat-0": "person", "seat-1": "open", "visibility": "public"}
    table = visit().post("/games/sqez", data=form).headers["location"]
    cold_server.forget_lists()
    assert f'href="{table}#sit"' in visit().get("/lobby").text


def test_home_page_offers_open_games_of_others_but_not_the_own_one(cold_server: Server, visit: Visit) -> None:
    host = visit()
    form = {"seat-0": "person", "seat-1": "open", "visibility": "public"}
    table = host.post("/games/sqez", data=form).headers["location"]
    cold_server.forget_lists()
    assert f'href="{table}#sit"' in visit().get("/").text
    assert f'href="{table}#sit"' not in host.get("/").text


@pytest.mark.parametrize("path", ["/nothing-here", "/games/sqez/nothing", "/players/Nobody"])
def test_page_that_does_not_exist_offers_ways_out_but_not_to_try_again(visit: Visit, path: str) -> None:
    answer = visit().get(path)
    assert answer.status_code == 404
    assert "Back to the games" in answer.text
    assert "Try again" not in answer.text


def test_every_game_has_a_card_with_a_short_first_game_at_level_1(visit: Visit) -> None:
    text = visit().get("/").text
    for game in fc.games():
        card = text.partition(f'action="/games/{game}"')[2].partition("</li>")[0]
        for name, value in fc.game(game).starter.items():
            assert f'name="{name}" value="{escape(format_value(value))}"' in card
        assert 'name="level-1" value="1"' in card
        assert f'href="/games/{game}?with=friend"' in card


@pytest.mark.parametrize("game", fc.games())
def test_card_starts_a_short_game_against_level_1(cold_server: Server, visit: Visit, game: str) -> None:
    http = visit()
    card = http.get("/").text.partition(f'action="/games/{game}"')[2].partition("</form>")[0]
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', card))
    answer = http.post(f"/games/{game}", data={name: unescape(value) for name, value in fields.items()})
    row = require(cold_server.context.store.load_table(answer.headers["location"].removeprefix("/play/")))
    assert row.options == fc.game(game, **fc.game(game).starter).given_options()
    assert sorted(chair.kind for chair in row.chairs) == ["computer:1", "person"]


def test_running_games_come_first_and_an_own_turn_before_all(visit: Visit) -> None:
    http = visit()
    form = {"seat-0": "person", "seat-1": "open", "who-begins": "order"}
    own = http.post("/games/sqez", data={**form, "seat-1": "person", "name-1": "Ben"}).headers["location"]
    waiting = http.post("/games/sqez", data=form).headers["location"]
    text = http.get("/").text
    assert "Continue: your turn" in text
    assert text.index(own) < text.index(waiting) < text.index("Choose a game")


def test_page_without_own_games_invites_to_play_and_creates_no_table(cold_server: Server, visit: Visit) -> None:
    text = visit().get("/").text
    assert "Continue" not in text
    assert 'data-game="dots-and-boxes"' in text
    assert cold_server.context.store.list_tables(10) == []


def test_home_page_is_not_kept_for_the_browsers_back(visit: Visit) -> None:
    assert visit().get("/").headers["cache-control"] == "no-store"


def test_page_can_create_a_table_with_the_cookie_of_the_visit(visit: Visit) -> None:
    body = {
        "game": "dots-and-boxes",
        "options": {"cols": 3, "rows": 3},
        "seats": ["me", "computer:1"],
        "order": "given",
    }
    answer = visit().post("/api/tables", json=body)
    assert answer.status_code == 201
    assert answer.json()["id"]
