"""Passwords: hashed by argon2id in threads of their own, a few at once, so that nobody's moves wait for it."""

from __future__ import annotations

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

from fourcorners.web.domain.names import fold_name

T = TypeVar("T")
SHORTEST, LONGEST = 8, 200
_THREADS = 2
_WAITING = 16
_FEWEST_SIGNS = 4
# What is advised at least for a server with little memory: some 30 ms of a core and 19 MiB for each.
_TIME_COST, _MEMORY_KIB, _PARALLEL = 2, 19 * 1024, 1


class BadPasswordError(ValueError):
    """A password that cannot be chosen; the message is a sentence, without the password."""


class PasswordsBusyError(Exception):
    """More people sign in just now than can be served; the message is a sentence."""


class PasswordCheck(NamedTuple):
    """Whether a password is the right one, and its new hash if the way of hashing has changed since."""

    fits: bool
    rehashed: str | None = None


class PasswordService:
    """The threads that hash."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=_TIME_COST, memory_cost=_MEMORY_KIB, parallelism=_PARALLEL)
        self._pool = ThreadPoolExecutor(_THREADS, "passwords")
        self._places = threading.BoundedSemaphore(_THREADS + _WAITING)
        # What the password for an account that is not there is compared to.
        self._nobodys = self._hasher.hash(secrets.token_hex())

    async def hash(self, password: str) -> str:
        """Hash a password that is to be kept; raise BusyError."""
        return await self._run(partial(self._hasher.hash, _same(password)))

    async def verify(self, hashed: str | None, password: str) -> PasswordCheck:
        """Tell whether a password is the one of a hash; None, for an account that is not there, takes as long.

        Raise BusyError.
        """
        return await self._run(partial(self._verified, hashed, _same(password)))

    def _verified(self, hashed: str | None, password: str) -> PasswordCheck:
        try:
            self._hasher.verify(self._nobodys if hashed is None else hashed, password)
        except (VerificationError, InvalidHashError):
            return PasswordCheck(fits=False)
        if hashed is None:
            return PasswordCheck(fits=False)
        outdated = self._hasher.check_needs_rehash(hashed)
        return PasswordCheck(fits=True, rehashed=self._hasher.hash(password) if outdated else None)

    async def _run(self, work: Callable[[], T]) -> T:
        if not self._places.acquire(blocking=False):
            raise PasswordsBusyError("Too many people sign in just now; try again in a few seconds.")
        try:
            running = self._pool.submit(work)
        except RuntimeError:
            self._places.release()
            raise PasswordsBusyError("The server stops just now; try again in a while.") from None
        # Who goes away leaves the thread at work: the place is free when that is done.
        running.add_done_callback(lambda _: self._places.release())
        return await asyncio.wrap_future(running)

    def close(self) -> None:
        """Hash no more."""
        self._pool.shutdown(cancel_futures=True)


def validate_new_password(password: str, name: str) -> None:
    """Raise BadPasswordError if this may not be the password of an account of a name."""
    if not SHORTEST <= len(_same(password)) <= LONGEST:
        raise BadPasswordError(f"A password has {SHORTEST} to {LONGEST} characters.")
    if fold_name(_same(password)) == fold_name(name):
        raise BadPasswordError("The password must not be the name.")
    if len(set(password)) < _FEWEST_SIGNS:
        raise BadPasswordError(f"A password has at least {_FEWEST_SIGNS} different characters.")


def _same(password: str) -> str:
    # Keyboards write one sign in several ways; more than may be chosen need not be hashed.
    return unicodedata.normalize("NFC", password[: 4 * LONGEST])
