"""Identify the sender of a request: by a secret in a cookie or, for programs, in the Authorization header."""

import hashlib
import re
import secrets
from contextvars import ContextVar
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request, cookie_parser
from starlette.responses import Response
from starlette.types import Scope

from fourcorners.web.store import Store
from fourcorners.web.store.players import SESSION_LIFETIME

COOKIE = "player"
DEVICE_COOKIE = "device"
"""Its secret shows that someone has signed in with this browser before."""
_HOST_PREFIX = "__Host-"
"""Browsers accept a cookie with this prefix only over TLS, from this very host; neighbours cannot set or replace it."""
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE | re.ASCII)
_TOUCH_INTERVAL = 3600.0
_NEW_SECRET = "new_secret"


class Sender(NamedTuple):
    """Who has sent the request or opened the socket in progress: a player, and the widest network around the address,
    "" for this machine.
    """

    player: str
    network: str


current_sender: ContextVar[Sender | None] = ContextVar("current_sender", default=None)
"""None for the server's own work. Opening a table, several calls away, is charged to it."""


NO_COOKIE = (
    "Your browser blocks cookies, and without one the server cannot keep a seat or a name for you: allow cookies for "
    "this site, then try again."
)


class BadSecretError(Exception):
    """The Authorization header holds, after Bearer, something that cannot be a secret."""


class Identity(NamedTuple):
    """The secret of a request, and where it comes from.

    `is_known` is False for a new visitor, whose secret was generated just now. `is_program` says that the secret came
    in the Authorization header, `has_cookie` that there was a valid cookie, used or not, and `has_old_cookie` that a
    cookie without the prefix, as earlier versions set it, came over TLS.
    """

    secret: str
    is_known: bool
    is_program: bool
    has_cookie: bool
    has_old_cookie: bool = False

    @property
    def hash(self) -> str:
        """The hash of the secret, which is all that the server stores."""
        return hash_secret(self.secret)


def identify_sender(scope: Scope) -> Identity:
    """Return the identity in a request's headers: the Bearer secret, else the valid cookie, else a new secret. Other
    authorization schemes and malformed cookies are ignored. Raise BadSecretError for a malformed Bearer secret.

    Over TLS a cookie without prefix counts only if there is none with it, so that no one is signed out by an update.
    """
    headers = Headers(scope=scope)
    cookie, has_old_cookie = _read_cookie(headers, COOKIE), False
    if _is_secure(scope):
        prefixed = _read_cookie(headers, _HOST_PREFIX + COOKIE)
        cookie, has_old_cookie = prefixed or cookie, bool(cookie)
    has_cookie = bool(cookie)
    bearer = _BEARER.fullmatch(headers.get("authorization", ""))
    if bearer is not None:
        if not _SECRET.fullmatch(bearer[1]):
            raise BadSecretError
        return Identity(bearer[1], is_known=True, is_program=True, has_cookie=has_cookie)
    secret = cookie or generate_secret()
    return Identity(secret, is_known=has_cookie, is_program=False, has_cookie=has_cookie, has_old_cookie=has_old_cookie)


def blocks_cookies(connection: HTTPConnection) -> bool:
    """Return whether a POST request or a socket comes from a browser without a valid cookie, although every page sets
    one. Browsers name their origin; other programs do not.
    """
    return not connection.state.known and "origin" in connection.headers


def get_known_player(request: Request) -> str | None:
    """Return the player who sends a request; None for one without a valid cookie or API key."""
    return request.state.owner if request.state.known else None


def _read_cookie(headers: Headers, name: str) -> str:
    """Return the secret in a cookie, "" if there is none or it is malformed."""
    # `cookie_parser` tolerates malformed cookies, which other programs on the same host may have set.
    text = cookie_parser(headers.get("cookie", "")).get(name, "")
    return text if _SECRET.fullmatch(text) else ""


def _is_secure(scope: Scope) -> bool:
    """Return whether the browser uses TLS, by the scheme that a trusted proxy names."""
    return scope["scheme"] in {"https", "wss"}


async def resolve_player(store: Store, secret_hash: str, now: float) -> str:
    """Return the player of this secret, for a guest its hash, and note its use at most hourly, at server time `now`.
    Raise StoreError.
    """
    session = await run_in_threadpool(store.read_session, secret_hash)
    if session is None:
        return secret_hash
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


def build_cookies(scope: Scope, identity: Identity) -> list[str]:
    """Return the Set-Cookie headers for a response: the issued secret, or else the request's, and over TLS the removal
    of a cookie without prefix.
    """
    cookies = [_build_cookie(scope, COOKIE, scope["state"].get(_NEW_SECRET, identity.secret))]
    if identity.has_old_cookie:
        cookies.append(f"{COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure")
    return cookies


def _build_cookie(scope: Scope, name: str, secret: str) -> str:
    """Return the Set-Cookie header for a secret; behind TLS it is Secure and has the prefix for this host alone."""
    prefix, secure = (_HOST_PREFIX, "; Secure") if _is_secure(scope) else ("", "")
    return f"{prefix}{name}={secret}; Path=/; Max-Age={SESSION_LIFETIME:.0f}; HttpOnly; SameSite=Lax{secure}"


def read_device_secret(connection: HTTPConnection) -> str:
    """Return the secret of the browser as a device on which someone has signed in; "" if it has none."""
    prefix = _HOST_PREFIX if _is_secure(connection.scope) else ""
    return _read_cookie(connection.headers, prefix + DEVICE_COOKIE)


def set_device_secret(request: Request, response: Response, secret: str) -> None:
    """Let a response set, or renew, the secret of the browser as a device."""
    response.headers.append("set-cookie", _build_cookie(request.scope, DEVICE_COOKIE, secret))


def has_new_secret(scope: Scope) -> bool:
    """Return whether `issue_secret` was called during this request."""
    return _NEW_SECRET in scope["state"]


def get_client_address(connection: HTTPConnection) -> str:
    """Return the client's IP address, or "" if unknown; uvicorn has applied the headers of trusted proxies."""
    return connection.client.host if connection.client is not None else ""
