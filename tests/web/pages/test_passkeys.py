"""Passkeys: what the server accepts from a device, and what it refuses."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from fourcorners.web.auth.passkeys import check_creation, check_sign_in
from fourcorners.web.pages import passkeys
from fourcorners.web.store import Store
from fourcorners.web.store import passkeys as stored_passkeys
from tests.require import require
from tests.web.accounts import PASSWORD, Visit, register, sign_in
from tests.web.authenticator import Authenticator, encode
from tests.web.client import Server
from tests.web.recovery import create_codes, recover


@pytest.fixture
def device(cold_server: Server) -> Authenticator:
    """A device with a passkey for this test's server."""
    return Authenticator("127.0.0.1", cold_server.url)


def create_passkey(http: httpx.Client, device: Authenticator) -> httpx.Response:
    """Create a passkey for a visitor who is signed in, with a device."""
    options = http.post("/account/passkey-options", data={"passkey-password": PASSWORD})
    assert (options.status_code, options.headers["cache-control"]) == (200, "no-store")
    return http.post("/account/passkey", data={"credential": device.create(options.json())})


def fetch_options(http: httpx.Client) -> dict[str, Any]:
    """Return the options with which a browser asks for a passkey."""
    options: dict[str, Any] = http.post("/account/passkey-sign-in-options").json()
    return options


def use_passkey(http: httpx.Client, credential: str) -> httpx.Response:
    return http.post("/account/passkey-sign-in", data={"credential": credential})


def assert_refused(answer: httpx.Response, sentence: str) -> None:
    """Assert that an answer shows the account page with an error, to a guest."""
    assert answer.status_code == 422
    assert sentence in answer.text
    assert "You are playing as a guest" in answer.text


def test_passkey_signs_in_on_another_device_and_is_listed_and_deleted_by_its_owner_only(
    visit: Visit, device: Authenticator
) -> None:
    owner, other, elsewhere = visit(), visit(), visit()
    register(owner)
    register(other, "Berta")
    answer = create_passkey(owner, device)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account?done=passkey")
    answer = use_passkey(elsewhere, device.sign(fetch_options(elsewhere)))
    assert (answer.status_code, answer.headers["location"]) == (303, "/account?done=signed-in")
    assert "<h1>Anna</h1>" in elsewhere.get("/account").text
    id_ = encode(device.id)
    assert f'value="{id_}"' in owner.get("/account").text
    other.post("/account/passkey-delete", data={"passkey": id_})
    assert f'value="{id_}"' in owner.get("/account").text
    owner.post("/account/passkey-delete", data={"passkey": id_})
    guest = visit()
    assert_refused(
        use_passkey(guest, device.sign(fetch_options(guest))), "This passkey does not belong to an account here."
    )


def test_answer_counts_once_and_only_from_the_browser_that_was_asked(visit: Visit, device: Authenticator) -> None:
    owner, thief, guest = visit(), visit(), visit()
    register(owner)
    create_passkey(owner, device)
    answer = device.sign(fetch_options(guest))
    assert_refused(use_passkey(thief, answer), "That took too long. Try again.")
    assert use_passkey(guest, answer).status_code == 303
    guest.post("/account/sign-out")
    assert_refused(use_passkey(guest, answer), "That took too long. Try again.")


def test_challenge_to_sign_in_creates_no_passkey_which_would_need_the_password(
    anna: httpx.Client, device: Authenticator
) -> None:
    answer = anna.post("/account/passkey", data={"credential": device.create(fetch_options(anna))})
    assert answer.status_code == 422 and "That took too long. Try again." in answer.text
    assert encode(device.id) not in anna.get("/account").text


def test_challenge_to_create_a_passkey_does_not_sign_in(anna: httpx.Client, device: Authenticator) -> None:
    create_passkey(anna, device)
    options = anna.post("/account/passkey-options", data={"passkey-password": PASSWORD}).json()
    answer = use_passkey(anna, device.sign(options))
    assert answer.status_code == 422 and "That took too long. Try again." in answer.text


def test_challenge_expires(visit: Visit, device: Authenticator, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, guest = visit(), visit()
    register(owner)
    create_passkey(owner, device)
    monkeypatch.setattr(stored_passkeys, "_CHALLENGE_LIFETIME", -1.0)
    assert_refused(use_passkey(guest, device.sign(fetch_options(guest))), "That took too long. Try again.")


def test_answers_of_other_sites_other_keys_and_devices_that_check_no_user_are_refused(
    visit: Visit, cold_server: Server, device: Authenticator
) -> None:
    owner, guest = visit(), visit()
    register(owner)
    create_passkey(owner, device)
    refused = "This passkey cannot sign in here."
    for host, origin, is_verified in (
        ("127.0.0.1", "https://elsewhere.example", True),
        ("elsewhere.example", cold_server.url, True),
        ("127.0.0.1", cold_server.url, False),
        # Everything is right but the key.
        ("127.0.0.1", cold_server.url, True),
    ):
        forged = Authenticator(host, origin, is_verified=is_verified)
        if not is_verified or host != "127.0.0.1" or origin != cold_server.url:
            forged._key = device._key
        forged.id, forged.uses = device.id, device.uses
        assert_refused(use_passkey(guest, forged.sign(fetch_options(guest))), refused)
    # A copy of the device would have used the key before.
    device.sign({"challenge": "x"})
    assert use_passkey(guest, device.sign(fetch_options(guest))).status_code == 303
    device.uses -= 2
    other = visit()
    assert_refused(use_passkey(other, device.sign(fetch_options(other))), refused)


DEEP = "[" * 2000
MALFORMED = [
    *("", "{}", "[]", "x", DEEP),
    '{"id": "a", "response": {"clientDataJSON": "!"}}',
    json.dumps({"id": "a", "response": {"clientDataJSON": encode(DEEP.encode())}}),
]


@pytest.mark.parametrize("credential", MALFORMED, ids=["none", "empty", "list", "text", "deep", "data", "deep data"])
def test_malformed_answers_are_refused(visit: Visit, credential: str) -> None:
    http = visit()
    assert_refused(use_passkey(http, credential), "The answer of your device cannot be read.")
    register(http)
    answer = http.post("/account/passkey", data={"credential": credential})
    assert answer.status_code == 422 and "The answer of your device cannot be read." in answer.text


def test_answers_that_are_damaged_anywhere_are_refused(visit: Visit, device: Authenticator) -> None:
    """The challenge is right, so that the damage reaches the parsers of the package."""
    owner = visit()
    register(owner)
    options = owner.post("/account/passkey-options", data={"passkey-password": PASSWORD}).json()
    whole = json.loads(device.create(options))
    statement = whole["response"]["attestationObject"]
    for damaged in ("", "!", "A" * 40, statement[:-40], statement[40:], encode(b"\x81" * 3000)):
        again = owner.post("/account/passkey-options", data={"passkey-password": PASSWORD}).json()
        credential = json.loads(device.create(again))
        credential["response"]["attestationObject"] = damaged
        answer = owner.post("/account/passkey", data={"credential": json.dumps(credential)})
        assert answer.status_code == 422 and "Your device could not create a passkey" in answer.text


def test_options_for_a_new_passkey_need_the_password_and_say_nothing_about_the_player(
    visit: Visit, device: Authenticator, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = visit()
    assert http.post("/account/passkey-options", data={"passkey-password": PASSWORD}).status_code == 403
    register(http)
    refused = http.post("/account/passkey-options", data={"passkey-password": "wrong"})
    assert (refused.status_code, refused.json()) == (422, {"sentence": "Wrong password."})
    account = require(store.find_account("Anna"))
    create_passkey(http, device)
    options = http.post("/account/passkey-options", data={"passkey-password": PASSWORD}).json()
    assert [known["id"] for known in options["excludeCredentials"]] == [encode(device.id)]
    assert account.id not in str(options) and encode(bytes.fromhex(account.id)) not in str(options)
    monkeypatch.setattr(passkeys, "MAX_PASSKEYS", 1)
    refused = http.post("/account/passkey-options", data={"passkey-password": PASSWORD})
    assert (refused.status_code, "1 passkeys" in refused.json()["sentence"]) == (422, True)


def test_recovery_deletes_passkeys_which_an_intruder_may_have_made(visit: Visit, device: Authenticator) -> None:
    owner, guest = visit(), visit()
    register(owner)
    create_passkey(owner, device)
    [code, *_] = create_codes(owner)
    assert recover(visit(), code).status_code == 303
    assert_refused(
        use_passkey(guest, device.sign(fetch_options(guest))), "This passkey does not belong to an account here."
    )


def test_passkey_whose_options_were_asked_for_with_an_older_password_is_refused(
    visit: Visit, device: Authenticator
) -> None:
    owner = visit()
    register(owner)
    options = owner.post("/account/passkey-options", data={"passkey-password": PASSWORD}).json()
    form = {"old-password": PASSWORD, "changed-password": "a new password", "changed-password-again": "a new password"}
    assert owner.post("/account/password", data=form).status_code == 303
    answer = owner.post("/account/passkey", data={"credential": device.create(options)})
    assert answer.status_code == 422 and "That took too long. Try again." in answer.text
    assert encode(device.id) not in owner.get("/account").text


def change_password_before(check: Callable[..., Any], store: Store) -> Callable[..., Any]:
    """Return a check of a device's answer that comes just after the password of the account has been changed."""

    def change_and_check(*arguments: Any) -> Any:
        account = require(store.find_account("Anna"))
        store.change_password(account.id, "another hash", store.list_sessions(account.id)[0].secret)
        return check(*arguments)

    return change_and_check


def test_no_passkey_is_added_if_the_password_is_changed_meanwhile(
    visit: Visit, device: Authenticator, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = visit()
    register(owner)
    monkeypatch.setattr(passkeys, "check_creation", change_password_before(check_creation, store))
    answer = create_passkey(owner, device)
    assert answer.status_code == 422 and "This passkey cannot be added to this account." in answer.text
    assert encode(device.id) not in owner.get("/account").text


def test_passkey_does_not_sign_in_if_the_password_is_changed_meanwhile(
    visit: Visit, device: Authenticator, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, guest = visit(), visit()
    register(owner)
    create_passkey(owner, device)
    monkeypatch.setattr(passkeys, "check_sign_in", change_password_before(check_sign_in, store))
    assert_refused(
        use_passkey(guest, device.sign(fetch_options(guest))), "This passkey does not belong to an account here."
    )


def test_passkey_of_another_account_cannot_be_added_again(visit: Visit, device: Authenticator) -> None:
    one, two = visit(), visit()
    register(one)
    register(two, "Berta")
    assert create_passkey(one, device).status_code == 303
    answer = create_passkey(two, device)
    assert answer.status_code == 422 and "This passkey cannot be added to this account." in answer.text
    assert sign_in(visit()).status_code == 303
