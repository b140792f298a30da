"""Hash and verify passwords with argon2id, in a few threads of their own so that moves do not wait for them."""

import asyncio
import secrets
import threading
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from fourcorners.web.auth.common_passwords import is_common, strip_ends
from fourcorners.web.domain.names import fold_name

T = TypeVar("T")
MIN_LENGTH, _MAX_LENGTH = 8, 200
MIN_DIFFERENT = 4
_THREADS = 2
_MAX_WAITING = 16
# The OWASP minimum for argon2id: about 30 ms of one core and 19 MiB for each hash.
_TIME_COST, _MEMORY_KIB, _PARALLELISM = 2, 19 * 1024, 1


class BadPasswordError(ValueError):
    """A password that may not be chosen; the message is a sentence without the password."""


class PasswordsBusyError(Exception):
    """Too many passwords are waiting to be hashed, or the server is stopping; the message is a sentence."""


class PasswordCheck(NamedTuple):
    """Whether a password is correct, and its new hash if the stored one has outdated parameters."""

    matches: bool
    new_hash: str | None = None


class PasswordService:
    """The threads that hash passwords. Its coroutines may be called from one event loop."""

    def __init__(self) -> None:
        """Prepare a dummy hash, which takes about 30 ms; the threads start when they are needed."""
        self._hasher = PasswordHasher(time_cost=_TIME_COST, memory_cost=_MEMORY_KIB, parallelism=_PARALLELISM)
        self._pool = ThreadPoolExecutor(_THREADS, "passwords")
        self._slots = threading.BoundedSemaphore(_THREADS + _MAX_WAITING)
        # Compared with when there is no such account, so that the time taken does not reveal it.
        self._dummy_hash = self._hasher.hash(secrets.token_hex())

    async def hash(self, password: str) -> str:
        """Return the argon2id hash of a password, in its encoded form; raise PasswordsBusyError."""
        return await self._run_in_pool(partial(self._hasher.hash, _normalise_password(password)))

    async def verify(self, stored_hash: str | None, password: str) -> PasswordCheck:
        """Check a password; `stored_hash` is None for an unknown account, which fails after the same time. A stored
        text that is no hash fails as well. Raise PasswordsBusyError.
        """
        return await self._run_in_pool(partial(self._verify, stored_hash, _normalise_password(password)))

    def _verify(self, stored_hash: str | None, password: str) -> PasswordCheck:
        """Check a normalised password as `verify` does; runs in a thread of the pool."""
        try:
            self._hasher.verify(self._dummy_hash if stored_hash is None else stored_hash, password)
        except (VerificationError, InvalidHashError):
            return PasswordCheck(matches=False)
        if stored_hash is None:
            return PasswordCheck(matches=False)
        is_outdated = self._hasher.check_needs_rehash(stored_hash)
        return PasswordCheck(matches=True, new_hash=self._hasher.hash(password) if is_outdated else None)

    async def _run_in_pool(self, work: Callable[[], T]) -> T:
        """Run `work` in the pool and return its result or error; raise PasswordsBusyError if it is full or closed."""
        if not self._slots.acquire(blocking=False):
            raise PasswordsBusyError("Too many people are signing in. Try again in a few seconds.")
        try:
            future = self._pool.submit(work)
        except RuntimeError:
            self._slots.release()
            raise PasswordsBusyError("The server is stopping. Try again in a minute.") from None
        # The slot is released when the thread is done, even if the caller has stopped waiting.
        future.add_done_callback(lambda _: self._slots.release())
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Cancel what waits, and block until the threads have stopped."""
        self._pool.shutdown(cancel_futures=True)


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
