"""Recovery codes: created on the account page, each good for one new password."""

import re

import httpx
import pytest

from fourcorners.web.auth import limits
from fourcorners.web.auth.recovery_codes import CODES, generate_codes, hash_code
from fourcorners.web.store import Store
from tests.web.accounts import PASSWORD, Visit, get_player_id, read_form_errors, register, sign_in
from tests.web.client import StartServer
from tests.web.recovery import NEW, create_codes, recover
from tests.web.stored import build_chairs, build_table


def test_codes_are_random_and_found_as_people_type_them() -> None:
    codes = generate_codes()
    assert len(codes) == len(set(codes)) == CODES == 10
    assert all(re.fullmatch(r"([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}", code) for code in codes)
    assert hash_code("01ab-1111-0000-wxyz") == hash_code(" OLAB 1iIl oOo0 WXYZ ")
    assert hash_code("01ab-1111-0000-wxyz") != hash_code("01ab-1111-0000-wxyy")


def test_codes_are_shown_once_stored_as_hashes_and_counted(anna: httpx.Client, store: Store) -> None:
    assert "You have no recovery codes." in anna.get("/account").text
    codes = create_codes(anna)
    assert len(codes) == CODES
    page = anna.get("/account").text
    assert "You have 10 unused codes." in page
    assert not [code for code in codes if code in page or code in anna.get("/account/export").text]
    with store.read() as connection:
        rows = str(connection.exec_driver_sql("SELECT * FROM recovery_codes").all())
    assert not [code for code in codes if code in rows or code.replace("-", "") in rows]


def test_code_gives_a_new_password_and_signs_in_here_and_out_everywhere_else(visit: Visit, store: Store) -> None:
    """The games of the guest who uses it move to the account. All codes are then useless."""
    there, here = visit(), visit()
    register(there)
    codes = create_codes(there)
    guest = get_player_id(here)
    store.add_table(build_table(chairs=build_chairs(guest, None), owner=guest)).result(30)
    answer = recover(here, codes[3].upper().replace("-", " "))
    assert (answer.status_code, answer.headers["location"]) == (303, "/account?done=recovered")
    assert "You are signed in with your new password." in here.get("/account?done=recovered").text
    assert "You have no recovery codes." in here.get("/account").text
    assert "You are playing as a guest" in there.get("/account").text
    assert (sign_in(visit()).status_code, sign_in(visit(), password=NEW).status_code) == (422, 303)
    assert "/play/t" in here.get("/players/anna").text
    for code in codes:
        assert read_form_errors(recover(visit(), code)) == {"recovery-code": "Wrong name or recovery code."}


def test_wrong_codes_names_and_passwords_use_up_no_code(visit: Visit) -> None:
    http, other = visit(), visit()
    register(http)
    register(other, "Berta")
    [code, *_] = create_codes(http)
    wrong = {"recovery-code": "Wrong name or recovery code."}
    assert read_form_errors(recover(visit(), "0000-0000-0000-0000")) == wrong
    assert read_form_errors(recover(visit(), code, "Nobody")) == wrong
    assert read_form_errors(recover(visit(), code, "Berta")) == wrong
    short = recover(visit(), code, **{"recovered-password": "short"})
    assert list(read_form_errors(short)) == ["recovered-password"]
    typo = recover(visit(), code, **{"recovered-password-again": "another one"})
    assert list(read_form_errors(typo)) == ["recovered-password-again"]
    assert NEW not in typo.text
    assert sign_in(visit()).status_code == 303
    assert recover(visit(), code).status_code == 303


def test_recovery_during_which_the_password_is_changed_again_shows_the_form(
    visit: Visit, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, http = visit(), visit()
    register(owner)
    [code, *_] = create_codes(owner)
    use_code = store.use_recovery_code

    def use_and_change(player: str, hashed: str, password: str) -> bool:
        used = use_code(player, hashed, password)
        store.change_password(player, "another hash", before=password)
        return used

    monkeypatch.setattr(store, "use_recovery_code", use_and_change)
    assert read_form_errors(recover(http, code)) == {"recovery-code": "Wrong name or recovery code."}
    assert "You are playing as a guest" in http.get("/account").text


def test_new_codes_replace_the_old_ones_and_need_the_password(anna: httpx.Client, visit: Visit) -> None:
    [old, *_] = create_codes(anna)
    refused = anna.post("/account/recovery-codes", data={"codes-password": "wrong"})
    assert read_form_errors(refused) == {"codes-password": "Wrong password."}
    [new, *_] = create_codes(anna)
    assert recover(visit(), old).status_code == 422
    assert recover(visit(), new).status_code == 303


def test_guest_has_no_codes_to_create(visit: Visit) -> None:
    assert visit().post("/account/recovery-codes", data={"codes-password": PASSWORD}).status_code == 403


def test_code_signs_in_while_others_guess_at_the_account(visit: Visit) -> None:
    owner = visit()
    register(owner)
    [code, *_] = create_codes(owner)
    assert [sign_in(visit(), password="guess").status_code for _ in range(31)][-1] == 429
    assert recover(visit(), code).status_code == 303


def test_codes_cannot_be_guessed_all_day_from_one_address(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.RATE_LIMITS, "sign-in", limits.RATE_LIMITS["sign-in"]._replace(network="3/day"))
    with httpx.Client(base_url=start_cold().url, headers={"x-forwarded-for": "203.0.113.1"}) as http:
        assert [recover(http, "0000-0000-0000-0000").status_code for _ in range(4)] == [422, 422, 422, 429]
