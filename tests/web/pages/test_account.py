"""The account page, as a browser without scripts uses it."""

import asyncio
import hashlib
import io
import json
import logging
import re
from html import unescape
from typing import Any

import argon2
import httpx
import pytest

import fourcorners as fc
from fourcorners.web.auth.identity import COOKIE
from fourcorners.web.auth.passwords import PasswordCheck
from fourcorners.web.domain.rows import Chair
from fourcorners.web.pages import account
from fourcorners.web.pages.account_page import check_password
from fourcorners.web.protocol.server_events import ChairsChanged, PlayerSignedOut, ServerEvent
from fourcorners.web.store import ConflictError, Store
from fourcorners.web.store.passkeys import StoredPasskey
from tests.web.accounts import PASSWORD, Visit, get_player_id, read_form_errors, register, sign_in
from tests.web.client import Server
from tests.web.recovery import create_codes, recover
from tests.web.stored import build_chairs, build_event, build_summary, build_table, find_player, to_full_width


@pytest.fixture
def store(cold_server: Server) -> Store:
    """The store of `cold_server`, in which a test can look and write while the server runs."""
    opened: Store = cold_server.registry.store
    return opened


def test_new_visitor_plays_as_a_guest(visit: Visit) -> None:
    assert "You are playing as a guest" in visit().get("/account").text


def test_guest_name_is_cleaned_saved_and_shown_escaped(visit: Visit, store: Store) -> None:
    http = visit()
    answer = http.post("/account/name", data={"guest-name": "  Ann\u202e <i>e</i> "}, follow_redirects=True)
    assert "Your name has been saved." in answer.text
    assert "Hello, Ann &lt;i&gt;e&lt;/i&gt;" in answer.text
    assert store.read_profile(get_player_id(http)).name == "Ann <i>e</i>"


def test_guest_name_that_is_blank_once_cleaned_is_refused(visit: Visit) -> None:
    errors = read_form_errors(visit().post("/account/name", data={"guest-name": " \x00 "}))
    assert errors == {"guest-name": "Enter a name."}


def test_guest_cannot_take_the_name_of_an_account(visit: Visit) -> None:
    register(visit())
    errors = read_form_errors(visit().post("/account/name", data={"guest-name": "ANNA"}))
    assert errors == {"guest-name": "This name is taken by another player’s account."}


# The first letter of the second name is Cyrillic.
@pytest.mark.parametrize(("taken", "name"), [("Anna", "\u0410nna"), ("Annal", "AnnaI"), ("Mia", "rnia")])
def test_guest_cannot_take_a_name_that_looks_like_that_of_an_account(visit: Visit, taken: str, name: str) -> None:
    register(visit(), taken)
    sentence = f"This name looks like {taken}, the name of another player’s account."
    assert read_form_errors(visit().post("/account/name", data={"guest-name": name})) == {"guest-name": sentence}


@pytest.mark.parametrize(("taken", "name"), [("Anna1", "Annal"), ("Bob0", "Bobo"), ("Mia", "rnia")])
def test_new_account_cannot_have_a_name_that_looks_like_that_of_another(visit: Visit, taken: str, name: str) -> None:
    register(visit(), taken)
    sentence = f"This name looks like {taken}, the name of another player’s account."
    assert read_form_errors(register(visit(), name)) == {"new-name": sentence}


def test_registered_guest_keeps_its_player_id_and_games(visit: Visit, store: Store) -> None:
    """The answer leads to the account page, which confirms the registration; every page then shows the name."""
    http = visit()
    player = get_player_id(http)
    store.add_table(build_table(chairs=build_chairs(player, None), owner=player)).result(30)
    answer = register(http)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account?done=registered")
    page = http.get("/account?done=registered").text
    assert "Your account has been created" in page
    assert re.search(r'<a class="me" href="/account"[^>]*>(<span[^>]*>)+Account: </span>Anna</span>', page)
    assert "/play/t" in http.get("/players/anna").text
    # The cookie holds the secret of the new session; that session is the player's.
    assert find_player(store, get_player_id(http)) == player


def test_account_that_registers_again_is_sent_to_its_page_and_keeps_its_name(visit: Visit, store: Store) -> None:
    http = visit()
    register(http)
    assert register(http, "Berta").headers["location"] == "/account"
    assert store.find_account("Berta") is None
    assert store.find_account("Anna") is not None


@pytest.mark.parametrize(
    ("name", "password", "again", "errors"),
    [
        ("a b", PASSWORD, None, {"new-name": "A name can contain only letters, digits and the characters _ - ."}),
        ("Anna", "short", None, {"new-password": "A password must have 8 to 200 characters."}),
        ("Anna", "x" * 201, None, {"new-password": "A password must have 8 to 200 characters."}),
        ("Annabella", "ANNABELLA", None, {"new-password": "The password must differ from the name."}),
        ("Anna", "aaaaaaaaaaaaa", None, {"new-password": "A password must have at least 4 different characters."}),
        ("Anna", PASSWORD, "other", {"new-password-again": "The passwords do not match."}),
        (
            "",
            "",
            None,
            {
                "new-name": "A name must have 3 to 30 characters.",
                "new-password": "A password must have 8 to 200 characters.",
            },
        ),
    ],
)
def test_registration_errors_are_shown_at_their_fields_with_the_name_but_not_the_password(
    visit: Visit, name: str, password: str, again: str | None, errors: dict[str, str]
) -> None:
    answer = register(visit(), name, password, again)
    assert read_form_errors(answer) == errors
    assert f'name="new-name" value="{name}"' in answer.text
    # "" and "short" may be part of the page's other words.
    assert len(password) < 8 or password not in answer.text


def test_taken_name_cannot_be_registered_in_another_spelling(visit: Visit) -> None:
    register(visit())
    http = visit()
    before = http.cookies[COOKIE]
    assert read_form_errors(register(http, "ANNA")) == {"new-name": "This name is taken by another player’s account."}
    # The visitor is the same guest as before.
    assert http.cookies[COOKIE] == before


def test_name_that_another_request_registers_meanwhile_is_reported_as_taken(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ConflictError("another write came first")

    http = visit()
    before = http.cookies[COOKIE]
    monkeypatch.setattr(Store, "register_account", fail)
    assert read_form_errors(register(http, "Berta")) == {"new-name": "This name is taken by another player’s account."}
    assert http.cookies[COOKIE] == before


def test_slower_of_two_equal_registrations_leads_to_the_account_and_sets_no_cookie(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = visit()
    register_account = Store.register_account

    def register_twice(*arguments: Any) -> None:
        """Let an equal request be faster: register for it, then for this one, which raises ConflictError."""
        register_account(*arguments)
        register_account(*arguments)

    monkeypatch.setattr(Store, "register_account", register_twice)
    answer = register(http)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    # The answer to the faster request has set the cookie of the account already.
    assert "set-cookie" not in answer.headers


class FakeRoom:
    """The part of a room that a sign-in uses; `reads` counts how often it was asked to read its table again."""

    reads = 0

    async def reload(self) -> None:
        self.reads += 1

    async def close(self) -> None: ...


def test_sign_in_transfers_the_games_of_the_guest_and_notifies_their_rooms_and_other_servers(
    cold_server: Server, visit: Visit, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name may be typed in any spelling. The sign-in of a guest without games notifies no room."""
    room: Any = FakeRoom()
    published: list[ServerEvent] = []
    monkeypatch.setattr(cold_server.registry.events, "publish", published.append)
    cold_server.registry.rooms["t"] = room
    first, second = visit(), visit()
    register(first)
    guest = get_player_id(second)
    store.add_table(build_table(chairs=build_chairs(guest, None), owner=guest)).result(30)
    assert sign_in(second, to_full_width("ANNA")).headers["location"] == "/account?done=signed-in"
    assert get_player_id(second) != guest
    table = store.load_table("t")
    account = store.find_account("Anna")
    assert table is not None and account is not None
    assert table.chairs[0].player == table.owner == account.id == find_player(store, get_player_id(second))
    assert room.reads == 1
    # Other servers read the table again, and close the sockets that the guest still has there.
    assert published == [ChairsChanged("t"), PlayerSignedOut(guest)]
    assert sign_in(visit()).status_code == 303
    assert room.reads == 1


def test_wrong_name_and_wrong_password_give_the_same_page_at_the_same_cost(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(visit())
    parameters: list[str] = []
    verify = argon2.PasswordHasher.verify

    def verify_and_note(self: argon2.PasswordHasher, hashed: str, password: str) -> bool:
        """Verify as usual; append the hash without its salt and digest, that is its parameters, to `parameters`."""
        parameters.append(hashed.rpartition("$")[0].rpartition("$")[0])
        return verify(self, hashed, password)

    monkeypatch.setattr(argon2.PasswordHasher, "verify", verify_and_note)
    http = visit()
    answers = [sign_in(http, "Anna", "wrong"), sign_in(http, "Nobody", "wrong"), sign_in(http, "", "")]
    # The pages differ only in the name that was typed.
    pages = [re.sub(r'value="[A-Za-z]*"', "", answer.text) for answer in answers]
    assert pages[0] == pages[1] == pages[2]
    assert read_form_errors(answers[0]) == {"password": "Wrong name or password."}
    # Each attempt costs one verification with the same parameters.
    assert len(parameters) == 3
    assert len(set(parameters)) == 1
    assert "Hello" not in http.get("/account").text


def test_devices_are_listed_and_signed_out_one_by_one_or_all_others_at_once(visit: Visit) -> None:
    here, there, far = visit(), visit(), visit()
    register(here)
    sign_in(there)
    sign_in(far)
    page = here.get("/account").text
    assert (page.count("This device"), page.count("Another device")) == (1, 2)
    device_ids = re.findall(r'name="device" value="([0-9a-f]{16})"', page)
    assert len(device_ids) == 2
    answer = here.post("/account/devices", data={"device": device_ids[0]}, follow_redirects=True)
    assert "The device has been signed out." in answer.text
    assert answer.text.count("Another device") == 1
    answer = here.post("/account/devices", data={"device": "others"}, follow_redirects=True)
    assert "All other devices have been signed out." in answer.text
    assert "Another device" not in answer.text
    assert ["You are playing as a guest" in client.get("/account").text for client in (here, there, far)] == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("is_this", [True, False])
def test_signing_out_a_device_by_id_closes_the_sockets_of_this_one_only_if_it_is_this_one(
    cold_server: Server, visit: Visit, store: Store, monkeypatch: pytest.MonkeyPatch, is_this: bool
) -> None:
    here = visit()
    register(here)
    sign_in(visit())
    account = store.find_account("Anna")
    assert account is not None
    this = get_player_id(here)  # the hash of its secret, which is the id of its session
    session = next(s for s in store.list_sessions(account.id) if (s.secret == this) is is_this)
    closed: list[tuple[str, str]] = []
    monkeypatch.setattr(cold_server.registry, "disconnect_player", lambda player, but: closed.append((player, but)))
    here.post("/account/devices", data={"device": hashlib.sha256(session.secret.encode()).hexdigest()[:16]})
    assert closed == [(account.id, "" if is_this else this)]
    assert ("You are playing as a guest" in here.get("/account").text) is is_this


def test_guest_cannot_sign_out_a_device_of_an_account(visit: Visit) -> None:
    here = visit()
    register(here)
    sign_in(visit())
    [device_id] = re.findall(r'name="device" value="([0-9a-f]{16})"', here.get("/account").text)
    visit().post("/account/devices", data={"device": device_id})
    assert "Another device" in here.get("/account").text


def test_guest_cannot_create_an_api_key(visit: Visit) -> None:
    assert visit().post("/account/program").status_code == 403


def test_api_key_is_shown_once_and_works_until_all_other_devices_are_signed_out(
    cold_server: Server, visit: Visit
) -> None:
    http = visit()
    register(http)
    answer = http.post("/account/program")
    assert answer.headers["cache-control"] == "no-store"
    secret = re.findall(r"<code>([A-Za-z0-9_-]{43})</code>", answer.text)[0]
    assert secret not in http.get("/account").text
    program = {"authorization": f"Bearer {secret}"}
    assert "<h1>Anna</h1>" in httpx.get(f"{cold_server.url}/account", headers=program).text
    http.post("/account/devices", data={"device": "others"})
    assert "<h1>Anna</h1>" not in httpx.get(f"{cold_server.url}/account", headers=program).text


def test_changing_the_password_needs_the_old_one(visit: Visit) -> None:
    http = visit()
    register(http)
    form = {"old-password": "wrong", "changed-password": "a new password", "changed-password-again": "a new password"}
    assert read_form_errors(http.post("/account/password", data=form)) == {"old-password": "Wrong password."}
    assert sign_in(visit()).status_code == 303


def test_changed_password_replaces_the_old_one_and_ends_all_other_ways_in(visit: Visit, store: Store) -> None:
    here, there = visit(), visit()
    register(here)
    sign_in(there)
    account = store.find_account("Anna")
    assert account is not None
    credentials = store.read_credentials("Anna")
    assert credentials is not None
    store.add_passkey(StoredPasskey("id", account.id, "key", 0, 1.0, 1.0), credentials.password)
    [code, *_] = create_codes(here)
    form = {"old-password": PASSWORD, "changed-password": "a new password", "changed-password-again": "a new password"}
    answer = here.post("/account/password", data=form, follow_redirects=True)
    assert "Your password has been changed" in answer.text
    assert "You have no recovery codes." in answer.text
    assert recover(visit(), code).status_code == 422
    assert store.list_passkeys(account.id) == []
    assert "You are playing as a guest" not in here.get("/account").text
    assert "You are playing as a guest" in there.get("/account").text
    assert sign_in(there).status_code == 422
    assert sign_in(there, password="a new password").status_code == 303


@pytest.mark.parametrize("path", ["password", "delete"])
def test_guest_has_no_password_to_change_and_no_account_to_delete(visit: Visit, path: str) -> None:
    assert visit().post(f"/account/{path}", data={"old-password": PASSWORD}).status_code == 403


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
    credentials = store.read_credentials("Anna")
    assert credentials is not None
    secrets = (player, get_player_id(http), http.cookies[COOKIE], credentials.password, PASSWORD, "$argon2")
    assert not [secret for secret in secrets if secret in answer.text]


def test_pages_do_not_contain_secrets_or_their_hashes(visit: Visit, store: Store) -> None:
    http, other = visit(), visit()
    # The player id, which is the hash of the secret that the guest had before it registered.
    guest = get_player_id(http)
    register(http)
    sign_in(other)
    credentials = store.read_credentials("Anna")
    assert credentials is not None
    secrets = [guest, credentials.password]
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
    secret = "never seen by anybody"
    register(http, password=secret)
    # Wrong passwords contain the right one here, so that one search finds them all.
    sign_in(http, password=f"{secret} wrong")
    http.post("/account/delete", data={"delete-name": "Anna", "delete-password": f"{secret}?"})
    # Leave out what the HTTP client of this test logs.
    log = "\n".join(record.getMessage() for record in all_logged.records if not record.name.startswith("http"))
    # The log does contain SQL statements, whose parameters could be secrets.
    assert "INSERT INTO players" in log
    assert not [word for word in (secret, http.cookies[COOKIE], get_player_id(http), "$argon2") if word in log]


def test_account_is_deleted_only_with_its_name_and_its_password(visit: Visit, store: Store) -> None:
    http = visit()
    register(http)
    errors = read_form_errors(http.post("/account/delete", data={"delete-name": "Ann", "delete-password": PASSWORD}))
    assert errors == {"delete-name": "Type Anna to confirm."}
    errors = read_form_errors(http.post("/account/delete", data={"delete-name": "Anna", "delete-password": "wrong"}))
    assert errors == {"delete-password": "Wrong password."}
    assert store.find_account("anna") is not None


def test_deleted_account_is_gone_on_all_devices_and_leaves_an_anonymous_player_at_its_tables(
    visit: Visit, store: Store
) -> None:
    http, other = visit(), visit()
    register(http)
    sign_in(other)
    account = store.find_account("anna")
    assert account is not None
    store.add_table(build_table(chairs=build_chairs(account.id, "x" * 64), owner=account.id)).result(30)
    # The name that confirms may be typed in any spelling.
    assert http.post("/account/delete", data={"delete-name": "anna", "delete-password": PASSWORD}).status_code == 303
    for client in (http, other):
        assert "You are playing as a guest" in client.get("/account").text
    assert visit().get("/players/anna").status_code == 404
    assert sign_in(http).status_code == 422
    table = store.load_table("t")
    assert table is not None
    assert (table.names[0], table.chairs[1].player) == ("deleted player", "x" * 64)
    # The chair belongs to a random player id, so that nobody can sit down there.
    assert table.chairs[0].player not in {account.id, None}


def test_deleting_an_account_resigns_its_unfinished_games_even_if_one_of_them_cannot_be_replayed(
    visit: Visit, store: Store, cold_server: Server
) -> None:
    http = visit()
    register(http)
    account = store.find_account("anna")
    assert account is not None
    seated = build_chairs(account.id, "x" * 64)
    # "a" cannot be replayed, "b" is over, "c" runs, and at "d", which the account has set up, it has no chair.
    store.add_table(build_table("a", chairs=seated, owner=account.id, options={"cols": 99})).result(30)
    store.add_table(build_table("b", chairs=seated, owner=account.id, result="seat 0 wins 5-3: all is full")).result(30)
    store.add_table(build_table("c", chairs=seated, owner=account.id)).result(30)
    store.add_table(build_table("d", chairs=build_chairs("x" * 64, None), owner=account.id)).result(30)
    assert store.list_unfinished_table_ids(account.id) == ["a", "c"]
    assert http.post("/account/delete", data={"delete-name": "anna", "delete-password": PASSWORD}).status_code == 303
    assert store.find_account("anna") is None
    assert [event.text for event in store.read_events_since("c", 0)] == ["!resign"]
    # Only the table that runs was opened.
    assert set(cold_server.registry.rooms) == {"c"}


def test_games_with_computers_and_their_rooms_are_deleted_with_the_account(
    visit: Visit, store: Store, cold_server: Server, logged: io.StringIO
) -> None:
    http = visit()
    register(http)
    account = store.find_account("anna")
    assert account is not None
    store.add_table(build_table(chairs=build_chairs(account.id, None), owner=account.id)).result(30)
    assert http.get("/play/t").status_code == 200
    assert http.post("/account/delete", data={"delete-name": "anna", "delete-password": PASSWORD}).status_code == 303
    assert store.load_table("t") is None
    assert not cold_server.registry.rooms
    assert '"level": "error"' not in logged.getvalue()


def test_guest_who_types_the_name_of_an_account_for_a_shared_table_is_refused(visit: Visit) -> None:
    """In any spelling; the check of the form, which scripts use, reports the same field."""
    register(visit())
    guest = visit()
    form = {"seat-1": "open", "name-0": to_full_width("ANNA")}
    answer = guest.post("/games/square-off", data=form)
    assert answer.status_code == 422
    assert "Seat 1: this is the name of another player’s account; choose another one." in unescape(answer.text)
    assert re.search(r'name="name-0"[^>]* aria-invalid="true"', answer.text)
    check = guest.post("/games/square-off/check", data=form).json()
    assert (check["ok"], check["option"]) == (False, "name-0")


def test_account_keeps_its_name_at_a_shared_table_and_a_guest_cannot_use_it(visit: Visit, store: Store) -> None:
    anna, guest = visit(), visit()
    register(anna)
    # A name that the guest saved before the account existed.
    store.save_guest_name(get_player_id(guest), "Anna", 1.0)
    for http, typed, name in ((guest, "", "Guest"), (guest, "Bo", "Bo"), (anna, "Somebody", "Anna")):
        form = {"seat-1": "open", "name-0": typed, "who-begins": "order"}
        answer = http.post("/games/square-off", data=form)
        table = store.load_table(answer.headers["location"].removeprefix("/play/"))
        assert table is not None
        assert table.names == [name, ""]


def test_nobody_is_signed_in_with_a_password_that_is_changed_meanwhile(
    visit: Visit, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(visit())
    player = store.find_account("Anna")
    assert player is not None

    async def change_and_check(*arguments: Any) -> PasswordCheck:
        checked = await check_password(*arguments)
        await asyncio.to_thread(store.change_password, player.id, "another hash")
        return checked

    monkeypatch.setattr(account, "check_password", change_and_check)
    assert read_form_errors(sign_in(visit())) == {"password": "Wrong name or password."}
    assert store.list_sessions(player.id) == []


@pytest.mark.usefixtures("standard_hashing")
def test_sign_in_replaces_a_password_hash_with_outdated_parameters(visit: Visit, store: Store) -> None:
    register(visit())
    account = store.find_account("Anna")
    assert account is not None
    outdated = argon2.PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(PASSWORD)
    store.change_password(account.id, outdated)
    assert sign_in(visit()).status_code == 303
    credentials = store.read_credentials("Anna")
    assert credentials is not None
    # The current parameters of `passwords`: 19 MiB, two passes, one thread.
    assert "m=19456,t=2,p=1" in credentials.password
    # The password matches the new hash.
    assert sign_in(visit()).status_code == 303
