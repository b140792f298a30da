"""The account's page, as a browser without scripts uses them."""

import json
import logging
import re
from html import unescape
from typing import Any

import argon2
import httpx
import pytest

from fourcorners.web.auth.identity import COOKIE
from fourcorners.web.realtime.pubsub import PART, READ_AGAIN
from fourcorners.web.store import Chair, ConflictError, Store
from tests.web.accounts import PASSWORD, Visit, get_player_id, read_form_errors, register, sign_in
from tests.web.client import Server
from tests.web.stored import build_chairs, build_event, build_summary, build_table, widen


@pytest.fixture
def store(cold_server: Server) -> Store:
    found: Store = cold_server.registry.store
    return found


def test_a_guest_gives_a_name(visit: Visit, store: Store) -> None:
    http = visit()
    assert "You are playing as a guest" in http.get("/account").text
    answer = http.post("/account/name", data={"guest-name": "  Ann\u202e <i>e</i> "}, follow_redirects=True)
    assert "Your name is kept." in answer.text
    assert "Hello, Ann &lt;i&gt;e&lt;/i&gt;" in answer.text
    assert store.read_profile(get_player_id(http)).name == "Ann <i>e</i>"
    assert read_form_errors(http.post("/account/name", data={"guest-name": " \x00 "})) == {
        "guest-name": "There is nothing in it."
    }


def test_a_guest_cannot_take_an_accounts_name(visit: Visit) -> None:
    register(visit())
    said = read_form_errors(visit().post("/account/name", data={"guest-name": "ANNA"}))
    assert said == {"guest-name": "This is an account’s name."}


def test_a_guest_makes_an_account_and_keeps_its_games(visit: Visit, store: Store) -> None:
    http = visit()
    player = get_player_id(http)
    store.add_table(build_table(chairs=build_chairs(player, None), owner=player)).result(10)
    answer = register(http)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account?done=registered")
    page = http.get("/account?done=registered").text
    assert "You have an account now" in page
    assert '<a class="me" href="/account"><span class="hidden">Account: </span>Anna</a>' in page
    assert "/play/t" in http.get("/players/anna").text
    assert store.player_of(get_player_id(http)) == player
    # What is registered is not registered again.
    assert register(http, "Berta").headers["location"] == "/account"
    assert store.find_account("Berta") is None


@pytest.mark.parametrize(
    ("name", "password", "again", "said"),
    [
        ("a b", PASSWORD, None, {"new-name": "A name has letters, digits and the signs _ - . only."}),
        ("Anna", "short", None, {"new-password": "A password must have 8 to 200 characters."}),
        ("Anna", "x" * 201, None, {"new-password": "A password must have 8 to 200 characters."}),
        ("Annabella", "ANNABELLA", None, {"new-password": "The password must not be the name."}),
        ("Anna", "aaaaaaaaaaaaa", None, {"new-password": "A password must have at least 4 different characters."}),
        ("Anna", PASSWORD, "other", {"new-password-again": "This is not the same password."}),
        (
            "",
            "",
            None,
            {"new-name": "A name has 3 to 30 characters.", "new-password": "A password must have 8 to 200 characters."},
        ),
    ],
)
def test_what_is_wrong_stands_at_its_field(
    visit: Visit, name: str, password: str, again: str | None, said: dict[str, str]
) -> None:
    answer = register(visit(), name, password, again)
    assert read_form_errors(answer) == said
    assert f'name="new-name" value="{name}"' in answer.text
    assert len(password) < 8 or password not in answer.text


def test_a_name_is_given_once(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    register(visit())
    http = visit()
    before = http.cookies[COOKIE]
    assert read_form_errors(register(http, "ANNA")) == {"new-name": "This name is taken."}

    def late(*_: object) -> None:
        raise ConflictError("somebody else was quicker")

    monkeypatch.setattr(Store, "register", late)
    assert read_form_errors(register(http, "Berta")) == {"new-name": "This name is taken."}
    assert http.cookies[COOKIE] == before


class Room:
    """What is told that its table has other players now."""

    shown = 0

    async def read_again(self) -> None:
        self.shown += 1

    async def close(self) -> None: ...


def test_signing_in_elsewhere_brings_games_along_and_rooms_know_it(
    cold_server: Server, visit: Visit, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    room: Any = Room()
    told: list[tuple[str, int]] = []
    monkeypatch.setattr(cold_server.registry.wake, "tell", lambda *of: told.append(of))
    cold_server.registry.rooms["t"] = room
    first, second = visit(), visit()
    register(first)
    guest = get_player_id(second)
    store.add_table(build_table(chairs=build_chairs(guest, None), owner=guest)).result(10)
    assert sign_in(second, widen("ANNA")).headers["location"] == "/account?done=signed-in"
    assert get_player_id(second) != guest
    table = store.load_table("t")
    account = store.find_account("Anna")
    assert table is not None and account is not None
    assert table.chairs[0].player == table.owner == account.id == store.player_of(get_player_id(second))
    assert room.shown == 1
    assert told == [("t", READ_AGAIN), (guest, PART)]
    assert sign_in(visit()).status_code == 303
    assert room.shown == 1


def test_a_wrong_name_and_a_wrong_password_are_told_alike(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    register(visit())
    worked: list[str] = []
    verify = argon2.PasswordHasher.verify

    def counted(self: argon2.PasswordHasher, hashed: str, password: str) -> bool:
        worked.append(hashed.rpartition("$")[0].rpartition("$")[0])
        return verify(self, hashed, password)

    monkeypatch.setattr(argon2.PasswordHasher, "verify", counted)
    http = visit()
    answers = [sign_in(http, "Anna", "wrong"), sign_in(http, "Nobody", "wrong"), sign_in(http, "", "")]
    told = [re.sub(r'value="[A-Za-z]*"', "", answer.text) for answer in answers]
    assert told[0] == told[1] == told[2]
    assert read_form_errors(answers[0]) == {"password": "This name and this password do not go together."}
    # As much work for each, by the same parameters.
    assert len(worked) == 3
    assert len(set(worked)) == 1
    assert "Hello" not in http.get("/account").text


def test_devices_are_listed_and_signed_out_one_by_one_or_all(visit: Visit) -> None:
    here, there, far = visit(), visit(), visit()
    register(here)
    sign_in(there)
    sign_in(far)
    page = here.get("/account").text
    assert (page.count("This device"), page.count("Another device")) == (1, 2)
    there_only = re.findall(r'name="device" value="([0-9a-f]{16})"', page)
    assert len(there_only) == 2
    here.post("/account/devices", data={"device": there_only[0]})
    assert here.get("/account").text.count("Another device") == 1
    here.post("/account/devices", data={"device": "others"})
    assert "Another device" not in here.get("/account").text
    assert ["You are playing as a guest" in one.get("/account").text for one in (here, there, far)] == [
        False,
        True,
        True,
    ]
    # Nobody signs out the devices of others.
    sign_in(there)
    identity = re.findall(r'name="device" value="([0-9a-f]{16})"', here.get("/account").text)
    visit().post("/account/devices", data={"device": identity[0]})
    assert "Another device" in here.get("/account").text


def test_a_secret_for_a_program_is_shown_once(cold_server: Server, visit: Visit) -> None:
    http = visit()
    assert http.post("/account/program").status_code == 403
    register(http)
    answer = http.post("/account/program")
    assert answer.headers["cache-control"] == "no-store"
    secret = re.findall(r"<code>([A-Za-z0-9_-]{43})</code>", answer.text)[0]
    assert secret not in http.get("/account").text
    program = {"authorization": f"Bearer {secret}"}
    assert "<h1>Anna</h1>" in httpx.get(f"{cold_server.url}/account", headers=program).text
    http.post("/account/devices", data={"device": "others"})
    assert "<h1>Anna</h1>" not in httpx.get(f"{cold_server.url}/account", headers=program).text


def test_a_new_password_ends_all_other_sessions(visit: Visit) -> None:
    here, there = visit(), visit()
    register(here)
    sign_in(there)
    form = {"old-password": "wrong", "changed-password": "a new password", "changed-password-again": "a new password"}
    assert read_form_errors(here.post("/account/password", data=form)) == {"old-password": "This is not your password."}
    answer = here.post("/account/password", data={**form, "old-password": PASSWORD}, follow_redirects=True)
    assert "The password is changed" in answer.text
    assert "You are playing as a guest" in there.get("/account").text
    assert sign_in(there).status_code == 422
    assert sign_in(there, password="a new password").status_code == 303
    for path in ("password", "delete"):
        assert visit().post(f"/account/{path}", data=form).status_code == 403


def test_an_export_is_a_file_with_games_and_without_secrets(visit: Visit, store: Store) -> None:
    http = visit()
    player = get_player_id(http)
    names = [Chair(0, "person", player, "Ada <b>", taken=True), Chair(1, "computer:3", None, "Level 3", taken=True)]
    for table in "ab":
        store.add_table(build_table(table, chairs=names, owner=player, options={"cols": 4, "rows": 4})).result(10)
    store.append_event("a", build_event(1)._replace(text="a1b1"), build_summary(1)).result(10)
    register(http)
    answer = http.get("/account/export")
    assert answer.headers["content-disposition"] == 'attachment; filename="fourcorners.json"'
    assert answer.headers["cache-control"] == "no-store"
    export: dict[str, Any] = json.loads(answer.text)
    assert (export["name"], export["account"], list(export["records"])) == ("Anna", "anna", ["a", "b"])
    assert "1 0 a1b1" in export["records"]["a"] or "cannot be replayed" in export["records"]["a"]
    credentials = store.read_credentials("Anna")
    assert credentials is not None
    secrets = (player, get_player_id(http), http.cookies[COOKIE], credentials.password, PASSWORD, "$argon2")
    assert not [secret for secret in secrets if secret in answer.text]
    json.loads(visit().get("/account/export").text)


def test_no_page_tells_what_is_kept_of_secrets(visit: Visit, store: Store) -> None:
    http, other = visit(), visit()
    guest = get_player_id(http)
    register(http)
    sign_in(other)
    credentials = store.read_credentials("Anna")
    assert credentials is not None
    secrets = [guest, credentials.password]
    for one in (http, other):
        secrets += [one.cookies[COOKIE], get_player_id(one)]
    for path in ("/account", "/players/Anna", "/ladder", "/ladder/sqez", "/"):
        for one in (http, other, visit()):
            assert not [secret for secret in secrets if secret in one.get(path).text]


@pytest.fixture
def all_logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What is logged at the lowest level; a server that begins later tells its statements from the first on."""
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.INFO, "sqlalchemy.engine")
    return caplog


def test_nothing_typed_as_a_password_is_logged(all_logged: pytest.LogCaptureFixture, visit: Visit) -> None:
    http = visit()
    secret = "never seen by anybody"
    register(http, password=secret)
    sign_in(http, password=f"{secret} wrong")
    http.post("/account/delete", data={"delete-name": "Anna", "delete-password": f"{secret}?"})
    # What the client of this test says is its own business.
    told = "\n".join(record.getMessage() for record in all_logged.records if not record.name.startswith("http"))
    assert "INSERT INTO players" in told
    assert not [word for word in (secret, http.cookies[COOKIE], get_player_id(http), "$argon2") if word in told]


def test_an_account_is_deleted_by_who_means_it(visit: Visit, store: Store) -> None:
    http, other = visit(), visit()
    register(http)
    sign_in(other)
    account = store.find_account("anna")
    assert account is not None
    store.add_table(build_table(chairs=build_chairs(account.id, "x" * 64), owner=account.id)).result(10)
    said = read_form_errors(http.post("/account/delete", data={"delete-name": "Ann", "delete-password": PASSWORD}))
    assert said == {"delete-name": "Type Anna to say that you mean it."}
    said = read_form_errors(http.post("/account/delete", data={"delete-name": "Anna", "delete-password": "wrong"}))
    assert said == {"delete-password": "This is not your password."}
    assert http.post("/account/delete", data={"delete-name": "anna", "delete-password": PASSWORD}).status_code == 303
    for one in (http, other):
        assert "You are playing as a guest" in one.get("/account").text
    assert visit().get("/players/anna").status_code == 404
    assert sign_in(http).status_code == 422
    table = store.load_table("t")
    assert table is not None
    assert (table.names[0], table.chairs[1].player) == ("deleted player", "x" * 64)
    assert table.chairs[0].player not in {account.id, None}


def test_who_goes_gives_up_what_runs_and_no_table_keeps_them_here(
    visit: Visit, store: Store, cold_server: Server
) -> None:
    http = visit()
    register(http)
    account = store.find_account("anna")
    assert account is not None
    seated = build_chairs(account.id, "x" * 64)
    # Written by other rules, over, and running.
    store.add_table(build_table("a", chairs=seated, owner=account.id, options={"cols": 99})).result(10)
    store.add_table(build_table("b", chairs=seated, owner=account.id, result="seat 0 wins 5-3: all is full")).result(10)
    store.add_table(build_table("c", chairs=seated, owner=account.id)).result(10)
    store.add_table(build_table("d", chairs=build_chairs("x" * 64, None), owner=account.id)).result(10)
    assert store.list_unfinished_table_ids(account.id) == ["a", "c"]
    assert http.post("/account/delete", data={"delete-name": "anna", "delete-password": PASSWORD}).status_code == 303
    assert store.find_account("anna") is None
    assert [build_event.text for build_event in store.read_events_since("c", 0)] == ["!resign"]
    assert set(cold_server.registry.rooms) == {"c"}


def test_nobody_sets_up_a_table_under_anothers_name(visit: Visit, store: Store) -> None:
    anna, guest = visit(), visit()
    register(anna)
    form = {"seat-1": "open", "name-0": widen("ANNA")}
    answer = guest.post("/games/square-off", data=form)
    assert answer.status_code == 422
    assert "Seat 1: somebody’s account has this name; choose another one." in unescape(answer.text)
    assert re.search(r'name="name-0"[^>]* aria-invalid="true"', answer.text)
    told = guest.post("/games/square-off/check", data=form).json()
    assert (told["ok"], told["option"]) == (False, "name-0")
    # What a guest was called before is no way round it.
    store.save_guest_name(get_player_id(guest), "Anna", 1.0)
    for http, typed, name in ((guest, "", "Guest"), (guest, "Bo", "Bo"), (anna, "Somebody", "Anna")):
        answer = http.post("/games/square-off", data={**form, "name-0": typed, "who-begins": "order"})
        table = store.load_table(answer.headers["location"].removeprefix("/play/"))
        assert table is not None
        assert table.names == [name, ""]


def test_a_sign_in_after_a_change_of_parameters_keeps_the_new_hash(visit: Visit, store: Store) -> None:
    register(visit())
    account = store.find_account("Anna")
    assert account is not None
    store.set_password(account.id, argon2.PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(PASSWORD))
    assert sign_in(visit()).status_code == 303
    credentials = store.read_credentials("Anna")
    assert credentials is not None
    assert "m=19456,t=2,p=1" in credentials.password
    assert sign_in(visit()).status_code == 303
