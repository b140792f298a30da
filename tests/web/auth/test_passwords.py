"""Hash and verify passwords, and validate new ones."""

import argon2
import numpy as np
import pytest

from fourcorners.web.auth.common_passwords import FILE
from fourcorners.web.auth.passwords import BadPasswordError, PasswordService, validate_new_password
from tests.web.stored import to_full_width


@pytest.mark.usefixtures("standard_hashing")
def test_verification_returns_a_new_hash_if_the_stored_one_has_outdated_parameters() -> None:
    """A password may be typed in composed or decomposed characters; another password does not match, nor does any
    password match a stored text that is no hash.
    """
    # One letter é, or e with a combining accent: keyboards differ, but it is the same password.
    weak = argon2.PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash("\u00e9clair chaud")
    service = PasswordService()
    check = service.verify(weak, "e\u0301clair chaud")
    assert check.matches and check.new_hash is not None
    assert check.new_hash.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert service.verify(check.new_hash, "e\u0301clair chaud") == (True, None)
    assert service.verify(check.new_hash, "eclair chaud") == (False, None)
    assert service.verify("no hash", "eclair chaud") == (False, None)


@pytest.mark.parametrize(
    "password", ["correct horse", "пароль мой", "🙂🙃😉😊🙂🙃😉😊", " with spaces ", "x1y2z3w4", "\x00zbqdwfx"]
)
def test_new_password_may_have_any_characters_but_not_only_three(password: str) -> None:
    validate_new_password(password, "Anna")
    with pytest.raises(BadPasswordError):
        validate_new_password(password[:3], "Anna")


@pytest.mark.parametrize(
    "password",
    [
        "password",
        "Password",
        "PASSWORD1",
        "password2024!",
        "12345678",
        "qwertyuiop",
        "iloveyou",
        "1q2w3e4r",
        "dragon1987",
        "!!dragon!!",
        "love2024",
        "monkeymonkey",
        "  sunshine  ",
        to_full_width("football"),
    ],
)
def test_common_password_is_rejected_in_any_case_with_digits_at_its_ends_and_repeated(password: str) -> None:
    with pytest.raises(BadPasswordError, match="too common"):
        validate_new_password(password, "Anna")


@pytest.mark.parametrize(
    "password", ["love19871211", "password of mine", "fördragon", "horse battery", "a new password"]
)
def test_password_with_more_than_a_common_one_is_allowed(password: str) -> None:
    validate_new_password(password, "Anna")


@pytest.mark.parametrize("password", ["annabella1", "2024Annabella!", "ANNABELLA"])
def test_name_of_the_account_with_digits_at_its_ends_is_no_password(password: str) -> None:
    with pytest.raises(BadPasswordError, match="differ from the name"):
        validate_new_password(password, "Annabella")


def test_file_of_common_passwords_is_small_and_sorted() -> None:
    hashes = np.load(FILE)
    assert FILE.stat().st_size < 50_000
    assert len(hashes) > 10_000
    assert (np.diff(hashes.astype(np.int64)) > 0).all()
