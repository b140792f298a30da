"""Signing in and out, devices, API keys and passwords, as a browser without scripts uses the account page."""

import asyncio
import hashlib
import re
from typing import Any

import argon2
import httpx
import pytest

from fourcorners.web.auth.passwords import PasswordCheck
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.pages import account
from fourcorners.web.pages.account_page import check_password
from fourcorners.web.protocol.server_events import ChairsChanged, PlayerSignedOut, ServerEvent
from fourcorners.web.store import Store
from fourcorners.web.store.passkeys import StoredPasskey
from tests.require import require
from tests.web.accounts import PASSWORD, Visit, get_player_id, read_form_errors, register, sign_in
from tests.web.client import Server
from tests.web.recovery import create_codes, recover
from tests.web.stored import build_chairs, build_table, find_player, to_full_width


def test_sign_in_and_registration_answer_503_while_no_more_passwords_can_be_hashed(
    cold_server: Server, anna: httpx.Client, visit: Visit
) -> None:
    cold_server.context.hashing.close()
    for answer in (sign_in(visit()), register(visit(), "Berta")):
        assert answer.status_code == 503
        assert answer.headers["retry-after"]


def test_sessions_and_accounts_have_the_time_of_the_server(
    visit: Visit, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ServerTime, "now", lambda _: 3e9)
    http = visit()
    register(http)
    http.post("/account/program")
    sign_in(visit())
    account = require(store.find_account("Anna"))
    assert [session.seen for session in store.list_sessions(account.id)] == [3e9] * 3
    assert account.created == 3e9


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
    monkeypatch.setattr(cold_server.context, "publish", published.append)
    cold_server.rooms.opened["t"] = room
    first, second = visit(), visit()
    register(first)
    guest = get_player_id(second)
    store.add_table(build_table(chairs=build_chairs(guest, None), owner=guest)).result(30)
    assert sign_in(second, to_full_width("ANNA")).headers["location"] == "/account?done=signed-in"
    assert get_player_id(second) != guest
    table = require(store.load_table("t"))
    account = require(store.find_account("Anna"))
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
    account = require(store.find_account("Anna"))
    this = get_player_id(here)  # the hash of its secret, which is the id of its session
    session = next(s for s in store.list_sessions(account.id) if (s.secret == this) is is_this)
    closed: list[tuple[str, str]] = []
    monkeypatch.setattr(cold_server.rooms, "disconnect_player", lambda player, but: closed.append((player, but)))
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
    anna: httpx.Client, cold_server: Server
) -> None:
    answer = anna.post("/account/program")
    assert answer.headers["cache-control"] == "no-store"
    secret = re.findall(r"<code>([A-Za-z0-9_-]{43})</code>", answer.text)[0]
    assert secret not in anna.get("/account").text
    program = {"authorization": f"Bearer {secret}"}
    assert "<h1>Anna</h1>" in httpx.get(f"{cold_server.url}/account", headers=program).text
    anna.post("/account/devices", data={"device": "others"})
    assert "<h1>Anna</h1>" not in httpx.get(f"{cold_server.url}/account", headers=program).text


def test_api_key_is_not_created_by_a_session_that_ends_meanwhile(
    anna: httpx.Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = require(store.find_account("Anna"))

    def end_sessions() -> str:
        store.sign_out_others(player.id, "")
        return "s" * 43

    monkeypatch.setattr(account, "generate_secret", end_sessions)
    answer = anna.post("/account/program")
    assert answer.status_code == 403 and "Sign in first." in answer.text
    assert store.list_sessions(player.id) == []


def test_changing_the_password_needs_the_old_one(anna: httpx.Client, visit: Visit) -> None:
    form = {"old-password": "wrong", "changed-password": "a new password", "changed-password-again": "a new password"}
    assert read_form_errors(anna.post("/account/password", data=form)) == {"old-password": "Wrong password."}
    assert sign_in(visit()).status_code == 303


def test_changed_password_replaces_the_old_one_and_ends_all_other_ways_in(visit: Visit, store: Store) -> None:
    here, there = visit(), visit()
    register(here)
    sign_in(there)
    account = require(store.find_account("Anna"))
    credentials = require(store.read_credentials("Anna"))
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


def test_a_password_that_is_changed_meanwhile_does_not_sign_in(
    visit: Visit, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(visit())
    player = require(store.find_account("Anna"))

    async def change_and_check(*arguments: Any) -> PasswordCheck:
        checked = await check_password(*arguments)
        await asyncio.to_thread(store.change_password, player.id, "another hash")
        return checked

    monkeypatch.setattr(account, "check_password", change_and_check)
    assert read_form_errors(sign_in(visit())) == {"password": "Wrong name or password."}
    assert store.list_sessions(player.id) == []


@pytest.mark.usefixtures("standard_hashing")
@pytest.mark.parametrize(("password", "status"), [(PASSWORD, 303), ("another password", 422)])
def test_sign_in_whose_password_is_hashed_anew_by_another_one_meanwhile_succeeds_unless_it_was_changed(
    visit: Visit, store: Store, monkeypatch: pytest.MonkeyPatch, password: str, status: int
) -> None:
    register(visit())
    player = require(store.find_account("Anna"))
    outdated = argon2.PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(PASSWORD)
    store.change_password(player.id, outdated)
    current = argon2.PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1).hash(password)

    async def check_and_replace(*arguments: Any) -> PasswordCheck:
        checked = await check_password(*arguments)
        await asyncio.to_thread(store.replace_password_hash, player.id, current, outdated)
        return checked

    monkeypatch.setattr(account, "check_password", check_and_replace)
    assert sign_in(visit()).status_code == status
    assert store.read_password_hash(player.id) == current
    assert len(store.list_sessions(player.id)) == (status == 303)


@pytest.mark.usefixtures("standard_hashing")
def test_sign_in_replaces_a_password_hash_with_outdated_parameters(visit: Visit, store: Store) -> None:
    register(visit())
    account = require(store.find_account("Anna"))
    outdated = argon2.PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(PASSWORD)
    store.change_password(account.id, outdated)
    assert sign_in(visit()).status_code == 303
    # The current parameters of `passwords`: 19 MiB, two passes, one thread.
    assert "m=19456,t=2,p=1" in require(store.read_credentials("Anna")).password
    # The password matches the new hash.
    assert sign_in(visit()).status_code == 303
