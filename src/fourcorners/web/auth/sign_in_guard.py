"""Slow down guessing at an account without locking its owner out.

After the device cookies of the OWASP page "Slow Down Online Guessing Attacks with Device Cookies": attempts in a
browser in which the owner has signed in before count separately from those of all others.
"""

import hashlib

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.web.auth.identity import generate_secret, read_device_secret, set_device_secret
from fourcorners.web.auth.limits import RateLimitError, enforce_rate_limit
from fourcorners.web.auth.security_log import SecurityEvent, log_security_event
from fourcorners.web.domain.names import fold_name
from fourcorners.web.store import Store


async def count_attempt(store: Store, request: Request, account: str, player: str | None) -> None:
    """Count an attempt to sign in to an account, a name in any spelling, whose player is None if it does not exist,
    before its password is checked; raise RateLimitError if there were too many, or StoreError.
    """
    device = identify_device(request, player or "")
    is_known = await run_in_threadpool(store.is_known_device, player or "", device)
    # Typed names may be passwords, and are not kept.
    subject = device if is_known else hashlib.sha256(f"account:{fold_name(account)}".encode()).hexdigest()
    try:
        await enforce_rate_limit(request, "device" if is_known else "account", subject)
    except RateLimitError:
        log_security_event(request, SecurityEvent.SIGN_IN_DELAYED, player)
        raise


async def remember_device(store: Store, request: Request, response: Response, player: str, now: float) -> None:
    """Remember the browser as a device on which this player has signed in at server time `now`; raise StoreError."""
    secret = read_device_secret(request) or generate_secret()
    await run_in_threadpool(store.remember_device, player, _hash_device(secret, player), now)
    set_device_secret(request, response, secret)


async def forget_other_devices(store: Store, request: Request, player: str) -> None:
    """Treat all browsers but this one as unknown to this player; raise StoreError."""
    await run_in_threadpool(store.forget_devices, player, identify_device(request, player))


def identify_device(request: Request, player: str) -> str:
    """Return the hash under which this browser is stored as a device of a player, if it is one."""
    return _hash_device(read_device_secret(request), player)


def _hash_device(secret: str, player: str) -> str:
    """Return the hash under which a device is stored; it differs by player, so that no one can see who shares one."""
    return hashlib.sha256(f"device:{secret}:{player}".encode()).hexdigest()
