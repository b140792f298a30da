"""What is stored about an account: its export, its deletion, and secrets, which are never shown or logged."""

import asyncio
import io
import json
import logging
from typing import Any

import httpx
import pytest
from starlette.requests import Request

import fourcorners as fc
from fourcorners.web.auth.identity import COOKIE
from fourcorners.web.domain.rows import Chair
from fourcorners.web.engine.work_queue import BudgetError, BusyError
from fourcorners.web.pages import account
from fourcorners.web.pages.account_page import confirm_password
from fourcorners.web.store import Profile, Store
from tests.require import require
from tests.web.accounts import PASSWORD, Visit, get_player_id, read_form_errors, register, sign_in
from tests.web.client import Server
from tests.web.stored import build_chairs, build_event, build_summary, build_table


def test_export_of_a_guest_has_its_name_and_no_account(visit: Visit) -> None:
    http = visit()
    http.post("/account/name", data={"guest-name": "Ann"})
    export = json.loads(http.get("/account/export").text)
    assert (export["name"], export["account"]) == ("Ann", None)


def test_records_of_an_export_name_their_player_and_never_say_you(visit: Visit, store: Store) -> None:
    http = visit()
    player = get_player_id(http)
    seated = [Chair(0, "person", player, "You", taken=True), Chair(1, "computer:3", None, "Level 3", taken=True)]
    store.add_table(build_table(chairs=seated, owner=player, options={"cols": 4, "rows": 4})).result(30)
    register(http)
    [record] = json.loads(http.get("/account/export").text)["records"].values()
    assert fc.Record.parse(record).seats == ("Anna", "Level 3")


def test_export_contains_every_game_and_no_secrets(visit: Visit, store: Store) -> None:
    """It is a file to save, which is not cached; instead of the record of a game that does not replay it says why."""
    http = visit()
    player = get_player_id(http)
    names = [Chair(0, "person", player, "Ada <b>", taken=True), Chair(1, "computer:3", None, "Level 3", taken=True)]
    for table in "ab":
        store.add_table(build_table(table, chairs=names, owner=player, options={"cols": 4, "rows": 4})).result(30)
    # This is no move of Sqez, so that game "a" cannot be replayed.
    store.append_event("a", build_event(1)._replace(text="a1b1"), build_summary(1)).result(30)
    register(http)
    answer = http.get("/account/export")
    assert answer.headers["content-disposition"] == 'attachment; filename="fourcorners.json"'
    assert answer.headers["cache-control"] == "no-store"
    export: dict[str, Any] = json.loads(answer.text)
    assert (export["name"], export["account"], list(export["records"])) == ("Anna", "anna", ["a", "b"])
    assert export["records"]["a"].startswith("can no longer be replayed: ")
    assert fc.Record.parse(export["records"]["b"]).seats == ("Ada <b>", "Level 3")
    credentials = require(store.read_credentials("Anna"))
    secrets = (player, get_player_id(http), http.cookies[COOKIE], credentials.password, PASSWORD, "$argon2")
    assert not [secret for secret in secrets if secret in answer.text]


def test_records_of_an_export_wait_for_their_turn_and_have_a_budget(
    visit: Visit, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = visit()
    link = http.post("/games/sqez", data={"seat_0": "person", "seat_1": "person"}).headers["location"]
    table = link.removeprefix("/play/")
    replays = iter([BusyError("Busy."), BudgetError("This takes too long.")])

    async def refuse(*_: object) -> None:
        raise next(replays)

    monkeypatch.setattr(account, "replay_in_turn", refuse)
    monkeypatch.setattr(account, "_RETRY_SECONDS", 0.0)
    assert http.get("/account/export").json()["records"] == {table: "This takes too long."}


def test_account_page_turns_the_consent_to_puzzles_on_and_off(visit: Visit, store: Store) -> None:
    """It is off at first. A form whose box is not ticked has no field."""
    http = visit()
    player = get_player_id(http)
    register(http)
    box = '<input type="checkbox" name="puzzles" value="true" autocomplete="off" aria-describedby="h-puzzles"'
    assert f"{box}>" in http.get("/account").text
    for form, consents, sentence, ticked in (
        ({"puzzles": "true"}, True, "Puzzles may now be made from your games.", f"{box} checked>"),
        ({}, False, "No more puzzles will be made from your games.", f"{box}>"),
        ({"puzzles": "perhaps"}, False, "No more puzzles will be made from your games.", f"{box}>"),
    ):
        answer = http.post("/account/puzzles", data=form, follow_redirects=True)
        assert sentence in answer.text and ticked in answer.text
        assert store.read_profile(player).puzzle_consent is consents
        assert json.loads(http.get("/account/export").text)["puzzle_consent"] is consents


def test_guests_are_not_asked_for_a_consent_to_puzzles(visit: Visit, store: Store) -> None:
    http = visit()
    assert "made from my games" not in http.get("/account").text
    http.post("/account/name", data={"guest-name": "Ann"})
    assert http.post("/account/puzzles", data={"puzzles": "true"}).status_code == 403
    assert store.read_profile(get_player_id(http)).puzzle_consent is False


def test_pages_do_not_contain_secrets_or_their_hashes(visit: Visit, store: Store) -> None:
    http, other = visit(), visit()
    # The player id, which is the hash of the secret that the guest had before it registered.
    guest = get_player_id(http)
    register(http)
    sign_in(other)
    secrets = [guest, require(store.read_credentials("Anna")).password]
    for client in (http, other):
        secrets += [client.cookies[COOKIE], get_player_id(client)]
    for path in ("/account", "/players/Anna", "/ladder", "/ladder/sqez", "/"):
        for client in (http, other, visit()):
            assert not [secret for secret in secrets if secret in client.get(path).text]


@pytest.fixture
def all_logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Capture logs at the lowest level, including the SQL statements of servers that start later; return `caplog`."""
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.INFO, "sqlalchemy.engine")
    return caplog


def test_passwords_secrets_and_their_hashes_are_never_logged(
    all_logged: pytest.LogCaptureFixture, visit: Visit
) -> None:
    http = visit()
    secret = "never seen by anyone"
    register(http, password=secret)
    # Wrong passwords contain the right one here, so that one search finds them all.
    sign_in(http, password=f"{secret} wrong")
    http.post("/account/delete", data={"delete-name": "Anna", "delete-password": f"{secret}?"})
    # Leave out what the HTTP client of this test logs.
    log = "\n".join(record.getMessage() for record in all_logged.records if not record.name.startswith("http"))
    # The log does contain SQL statements, whose parameters could be secrets.
    assert "INSERT INTO players" in log
    assert not [word for word in (secret, http.cookies[COOKIE], get_player_id(http), "$argon2") if word in log]


def test_account_is_deleted_only_with_its_name_and_its_password(anna: httpx.Client, store: Store) -> None:
    errors = read_form_errors(anna.post("/account/delete", data={"delete-name": "Ann", "delete-password": PASSWORD}))
    assert errors == {"delete-name": "Type Anna to confirm."}
    errors = read_form_errors(anna.post("/account/delete", data={"delete-name": "Anna", "delete-password": "wrong"}))
    assert errors == {"delete-password": "Wrong password."}
    assert store.find_account("anna") is not None


def test_account_whose_password_changes_during_its_deletion_stays(
    anna: httpx.Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def confirm_and_change(request: Request, profile: Profile, password: str) -> str | None:
        confirmed = await confirm_password(request, profile, password)
        session = request.state.session
        await asyncio.to_thread(store.change_password, profile.id, "another hash", session, before=confirmed)
        return confirmed

    monkeypatch.setattr(account, "confirm_password", confirm_and_change)
    answer = anna.post("/account/delete", data={"delete-name": "Anna", "delete-password": PASSWORD})
    assert read_form_errors(answer) == {"delete-password": "Wrong password."}
    assert store.find_account("anna") is not None


def test_deletion_that_is_sent_twice_succeeds_twice(
    anna: httpx.Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def confirm_and_delete(request: Request, profile: Profile, password: str) -> str | None:
        confirmed = await confirm_password(request, profile, password)
        await asyncio.to_thread(store.delete_player, profile.id, confirmed)
        return confirmed

    monkeypatch.setattr(account, "confirm_password", confirm_and_delete)
    answer = anna.post("/account/delete", data={"delete-name": "Anna", "delete-password": PASSWORD})
    assert answer.status_code == 303
    page = anna.get(answer.headers["location"]).text
    assert "Your account has been deleted." in page
    assert "You are playing as a guest" in page


def test_deleted_account_is_gone_on_all_devices_and_leaves_an_anonymous_player_at_its_tables(
    visit: Visit, store: Store
) -> None:
    http, other = visit(), visit()
    register(http)
    sign_in(other)
    account = require(store.find_account("anna"))
    store.add_table(build_table(chairs=build_chairs(account.id, "x" * 64), owner=account.id)).result(30)
    # The name that confirms may be typed in any spelling.
    assert http.post("/account/delete", data={"delete-name": "anna", "delete-password": PASSWORD}).status_code == 303
    for client in (http, other):
        assert "You are playing as a guest" in client.get("/account").text
    assert visit().get("/players/anna").status_code == 404
    assert sign_in(http).status_code == 422
    table = require(store.load_table("t"))
    assert (table.names[0], table.chairs[1].player) == ("deleted player", "x" * 64)
    # The chair belongs to a random player id, so that no one can sit down there.
    assert table.chairs[0].player not in {account.id, None}


def test_deleting_an_account_resigns_its_unfinished_games_even_if_one_of_them_cannot_be_replayed(
    anna: httpx.Client, store: Store, cold_server: Server
) -> None:
    account = require(store.find_account("anna"))
    seated = build_chairs(account.id, "x" * 64)
    # "a" cannot be replayed, "b" is over, "c" runs, and at "d", which the account has set up, it has no chair.
    store.add_table(build_table("a", chairs=seated, owner=account.id, options={"cols": 99})).result(30)
    store.add_table(build_table("b", chairs=seated, owner=account.id, result="seat 0 wins 5-3: all is full")).result(30)
    store.add_table(build_table("c", chairs=seated, owner=account.id)).result(30)
    store.add_table(build_table("d", chairs=build_chairs("x" * 64, None), owner=account.id)).result(30)
    assert store.list_unfinished_table_ids(account.id) == ["a", "c"]
    assert anna.post("/account/delete", data={"delete-name": "anna", "delete-password": PASSWORD}).status_code == 303
    assert store.find_account("anna") is None
    assert [event.text for event in store.read_events_since("c", 0)] == ["!resign"]
    # Only the table that runs was opened.
    assert set(cold_server.rooms.opened) == {"c"}


def test_games_with_computers_and_their_rooms_are_deleted_with_the_account(
    anna: httpx.Client, store: Store, cold_server: Server, logged: io.StringIO
) -> None:
    account = require(store.find_account("anna"))
    store.add_table(build_table(chairs=build_chairs(account.id, None), owner=account.id)).result(30)
    assert anna.get("/play/t").status_code == 200
    assert anna.post("/account/delete", data={"delete-name": "anna", "delete-password": PASSWORD}).status_code == 303
    assert store.load_table("t") is None
    assert not cold_server.rooms.opened
    assert '"level": "error"' not in logged.getvalue()
