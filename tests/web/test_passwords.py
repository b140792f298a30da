"""Passwords: which may be chosen, and how they are hashed and compared."""

import asyncio

import argon2
import pytest

from fourcorners.web.auth import passwords
from fourcorners.web.auth.passwords import BadPasswordError, PasswordsBusyError, PasswordService, validate_new_password


def test_passwords_are_hashed_anew_when_the_parameters_change() -> None:
    async def check() -> None:
        weak = argon2.PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash("\u00e9clair chaud")
        pool = PasswordService()
        try:
            verdict = await pool.verify(weak, "e\u0301clair chaud")
            assert verdict.fits and verdict.rehashed is not None
            assert verdict.rehashed.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
            assert await pool.verify(verdict.rehashed, "e\u0301clair chaud") == (True, None)
            assert await pool.verify(verdict.rehashed, "eclair chaud") == (False, None)
            assert await pool.verify("no hash", "eclair chaud") == (False, None)
        finally:
            pool.close()
        with pytest.raises(PasswordsBusyError, match="stops"):
            await pool.hash("too late for this")

    asyncio.run(check())


def test_hashing_keeps_only_so_many_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check() -> None:
        pool = PasswordService()
        many = [pool.hash("some password") for _ in range(60)]
        outcomes = await asyncio.gather(*many, return_exceptions=True)
        refused = [outcome for outcome in outcomes if isinstance(outcome, PasswordsBusyError)]
        assert len(outcomes) - len(refused) >= 18
        assert refused
        assert (await pool.hash("some password")).startswith("$argon2id$")
        pool.close()

    monkeypatch.setattr(passwords, "_TIME_COST", 1)
    asyncio.run(check())


@pytest.mark.parametrize(
    "password", ["correct horse", "пароль мой", "🙂🙃😉😊🙂🙃😉😊", " with spaces ", "x1y2z3w4", "\x00abcdefg"]
)
def test_any_characters_make_a_password(password: str) -> None:
    validate_new_password(password, "Anna")
    with pytest.raises(BadPasswordError):
        validate_new_password(password[:3], "Anna")
