"""Names of guests and accounts, and registration, as a browser without scripts uses the account page."""

import re
from html import unescape
from typing import Any

import httpx
import pytest

from fourcorners.web.auth.identity import COOKIE
from fourcorners.web.store import ConflictError, Store
from tests.require import require
from tests.web.accounts import PASSWORD, Visit, get_player_id, read_form_errors, register
from tests.web.stored import build_chairs, build_table, find_player, to_full_width


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


def test_account_that_registers_again_is_sent_to_its_page_and_keeps_its_name(anna: httpx.Client, store: Store) -> None:
    assert register(anna, "Berta").headers["location"] == "/account"
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
    for http, typed, name in ((guest, "", "Guest"), (guest, "Bo", "Bo"), (anna, "Someone", "Anna")):
        form = {"seat-1": "open", "name-0": typed, "who-begins": "order"}
        answer = http.post("/games/square-off", data=form)
        assert require(store.load_table(answer.headers["location"].removeprefix("/play/"))).names == [name, ""]
