"""Slow down guessing at an account without locking its owner out.

After the device cookies of the OWASP page "Slow Down Online Guessing Attacks with Device Cookies": a browser in which
the owner has signed in before waits for nobody's failures but its own.
"""

import hashlib
import math
import time
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.web.auth.identity import generate_secret, get_client_address, read_device_secret, set_device_secret
from fourcorners.web.auth.limits import RateLimitError, normalise_address
from fourcorners.web.auth.security_log import SecurityEvent, log_security_event
from fourcorners.web.store import Store
from fourcorners.web.store.sign_ins import Delays

_DEVICE = Delays(free=10, longest=900.0)
_NETWORK = Delays(free=5, longest=900.0)
_EVERYBODY = Delays(free=30, longest=300.0)
"""All unknown devices together: about 300 guesses a day, whatever the number of addresses."""
_ALL = ""


class Attempt(NamedTuple):
    """An attempt to sign in: the name as it was typed, and where it comes from; `is_known` if from a known device."""

    account: str
    source: str
    is_known: bool


async def begin_attempt(request: Request, account: str, player: str | None) -> Attempt:
    """Count an attempt to sign in to an account, whose player is None if it does not exist, before its password is
    checked; raise HTTPException 429 if the device, the network or all unknown devices must wait, or StoreError.
    """
    store: Store = request.app.state.store
    device = identify_device(request, player or "")
    is_known = await run_in_threadpool(store.is_known_device, player or "", device)
    network = normalise_address(get_client_address(request))
    source = device if is_known else hashlib.sha256(f"network:{network}".encode()).hexdigest()
    sources = {source: _DEVICE} if is_known else {source: _NETWORK, _ALL: _EVERYBODY}
    wait = await run_in_threadpool(store.begin_attempt, account, sources, time.time())
    if wait > 0:
        log_security_event(request, SecurityEvent.SIGN_IN_DELAYED, player)
        error = RateLimitError("Too many failed attempts to sign in to this account.", math.ceil(wait))
        raise HTTPException(429, error.sentence, {"retry-after": str(error.retry_after)})
    return Attempt(account, source, is_known)


async def forgive_attempt(request: Request, attempt: Attempt) -> None:
    """Forget the failures of whoever has made this attempt, because it succeeded; raise StoreError."""
    store: Store = request.app.state.store
    shared = None if attempt.is_known else _ALL
    await run_in_threadpool(store.forgive_attempt, attempt.account, attempt.source, shared)


async def remember_device(request: Request, response: Response, player: str) -> None:
    """Remember the browser as a device on which this player has signed in; raise StoreError."""
    store: Store = request.app.state.store
    secret = read_device_secret(request) or generate_secret()
    await run_in_threadpool(store.remember_device, player, _hash_device(secret, player), time.time())
    set_device_secret(request, response, secret)


async def forget_other_devices(request: Request, player: str) -> None:
    """Treat all browsers but this one as unknown to this player; raise StoreError."""
    store: Store = request.app.state.store
    await run_in_threadpool(store.forget_devices, player, identify_device(request, player))


def identify_device(request: Request, player: str) -> str:
    """Return the hash under which this browser is stored as a device of a player, if it is one."""
    return _hash_device(read_device_secret(request), player)


def _hash_device(secret: str, player: str) -> str:
    """Return the hash under which a device is stored; it differs by player, so that nobody can see who shares one."""
    return hashlib.sha256(f"device:{secret}:{player}".encode()).hexdigest()
