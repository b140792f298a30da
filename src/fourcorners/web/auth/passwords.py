"""Hash and verify passwords with argon2id."""

import secrets
import unicodedata
from typing import NamedTuple

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from fourcorners.web.auth.common_passwords import is_common, strip_ends
from fourcorners.web.domain.names import fold_name

MIN_LENGTH, _MAX_LENGTH = 8, 200
MIN_DIFFERENT = 4
# The OWASP minimum for argon2id: about 30 ms of one core and 19 MiB for each hash.
_TIME_COST, _MEMORY_KIB, _PARALLELISM = 2, 19 * 1024, 1


class BadPasswordError(ValueError):
    """A password that may not be chosen; the message is a sentence without the password."""


class PasswordCheck(NamedTuple):
    """Whether a password is correct, and its new hash if the stored one has outdated parameters."""

    matches: bool
    new_hash: str | None = None


class PasswordService:
    """Hashes and verifies passwords, about 30 ms for each."""

    def __init__(self) -> None:
        """Prepare a dummy hash."""
        self._hasher = PasswordHasher(time_cost=_TIME_COST, memory_cost=_MEMORY_KIB, parallelism=_PARALLELISM)
        # Compared with when there is no such account, so that the time taken does not reveal it.
        self._dummy_hash = self._hasher.hash(secrets.token_hex())

    def hash(self, password: str) -> str:
        """Return the argon2id hash of a password, in its encoded form."""
        return self._hasher.hash(_normalise_password(password))

    def verify(self, stored_hash: str | None, password: str) -> PasswordCheck:
        """Check a password; `stored_hash` is None for an unknown account, which fails after the same time. A stored
        text that is not a hash fails as well.
        """
        password = _normalise_password(password)
        try:
            self._hasher.verify(self._dummy_hash if stored_hash is None else stored_hash, password)
        except (VerificationError, InvalidHashError):
            return PasswordCheck(matches=False)
        if stored_hash is None:
            return PasswordCheck(matches=False)
        is_outdated = self._hasher.check_needs_rehash(stored_hash)
        return PasswordCheck(matches=True, new_hash=self._hasher.hash(password) if is_outdated else None)


def validate_new_password(password: str, name: str) -> None:
    """Raise BadPasswordError if a password is too short, too long, too uniform, common, or the account's name, perhaps
    with digits or signs at its ends.
    """
    if not MIN_LENGTH <= len(_normalise_password(password)) <= _MAX_LENGTH:
        raise BadPasswordError(f"A password must have {MIN_LENGTH} to {_MAX_LENGTH} characters.")
    folded = fold_name(_normalise_password(password))
    if fold_name(name) in {folded, strip_ends(folded)}:
        raise BadPasswordError("The password must differ from the name.")
    if len(set(password)) < MIN_DIFFERENT:
        raise BadPasswordError(f"A password must have at least {MIN_DIFFERENT} different characters.")
    if is_common(password):
        raise BadPasswordError(
            "This password is too common. Choose another one, such as three or four unrelated words."
        )


def _normalise_password(password: str) -> str:
    """Return a password in Unicode's composed form (NFC), because keyboards differ.
    A huge one is cut first, so that it costs little, to a length that is refused or never matches.
    """
    return unicodedata.normalize("NFC", password[: 4 * _MAX_LENGTH])
