"""Identify who sends a request: by a secret in a cookie or, for programs, in the Authorization header."""

import asyncio
import hashlib
import re
import secrets
import time
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request, cookie_parser
from starlette.types import Scope

from fourcorners.web.store import Store

COOKIE = "player"
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE | re.ASCII)
_COOKIE_AGE = 400 * 24 * 3600
_TOUCH_INTERVAL = 3600.0
_NEW_SECRET = "new_secret"


class BadSecretError(Exception):
    """The Authorization header holds, after Bearer, something that cannot be a secret."""


class Identity(NamedTuple):
    """The secret of a request, and where it comes from.

    `is_known` is False for a new visitor, whose secret was generated just now. `is_program` says that the secret came
    in the Authorization header, `has_cookie` that there was a valid cookie, used or not.
    """

    secret: str
    is_known: bool
    is_program: bool
    has_cookie: bool

    @property
    def hash(self) -> str:
        """The hash of the secret, which is all that the server stores."""
        return hash_secret(self.secret)


def identify_sender(headers: Headers) -> Identity:
    """Return the identity in a request's headers: the Bearer secret, else the valid cookie, else a new secret. Other
    authorization schemes and malformed cookies are ignored. Raise BadSecretError for a malformed Bearer secret.
    """
    # `cookie_parser` tolerates malformed cookies, which other programs on the same host may have set.
    cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
    has_cookie = _SECRET.fullmatch(cookie) is not None
    bearer = _BEARER.fullmatch(headers.get("authorization", ""))
    if bearer is not None:
        if not _SECRET.fullmatch(bearer[1]):
            raise BadSecretError
        return Identity(bearer[1], is_known=True, is_program=True, has_cookie=has_cookie)
    secret = cookie if has_cookie else generate_secret()
    return Identity(secret, is_known=has_cookie, is_program=False, has_cookie=has_cookie)


async def resolve_player(store: Store, secret_hash: str) -> str:
    """Return the player of this secret, for a guest its hash, and note its use at most hourly; raise StoreError."""
    session = await asyncio.to_thread(store.read_session, secret_hash)
    if session is None:
        return secret_hash
    now = time.time()
    if now - session.seen > _TOUCH_INTERVAL:
        store.touch_session(secret_hash, now)
    return session.player


def generate_secret() -> str:
    """Return a random secret of 256 bits as 43 URL-safe characters."""
    return secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """Return the SHA-256 of a secret in hexadecimal: the form in which the database holds it."""
    return hashlib.sha256(secret.encode()).hexdigest()


def issue_secret(request: Request, secret: str) -> None:
    """Make the middleware set this secret, not a hash, as the browser's new cookie with the response."""
    request.scope["state"][_NEW_SECRET] = secret


def build_cookie(scope: Scope, identity: Identity) -> str:
    """Return the Set-Cookie header for a response: the issued secret, or else the request's; Secure behind TLS."""
    secret = scope["state"].get(_NEW_SECRET, identity.secret)
    secure = "; Secure" if scope["scheme"] in {"https", "wss"} else ""
    return f"{COOKIE}={secret}; Path=/; Max-Age={_COOKIE_AGE}; HttpOnly; SameSite=Lax{secure}"


def has_new_secret(scope: Scope) -> bool:
    """Return whether `issue_secret` was called during this request."""
    return _NEW_SECRET in scope["state"]


def get_client_address(connection: HTTPConnection) -> str:
    """Return the client's IP address, or "" if unknown; uvicorn has applied the headers of trusted proxies."""
    return connection.client.host if connection.client is not None else ""
