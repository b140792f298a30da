"""Who asks: a secret in a cookie, or in a header for programs, and the player that it stands for."""

from __future__ import annotations

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
_SECRET_TEXT = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE | re.ASCII)
_COOKIE_AGE = 400 * 24 * 3600
_NOTED_EVERY = 3600.0
_NEW = "new_secret"


class BadSecretError(Exception):
    """A program's header has no secret that could be one."""


class Identity(NamedTuple):
    """A request's secret, new if it is not `known`; whether a program named it, and whether a cookie came."""

    secret: str
    known: bool
    program: bool
    cookie: bool

    @property
    def hash(self) -> str:
        """What of the secret is kept."""
        return hash_secret(self.secret)


def identify(headers: Headers) -> Identity:
    """Find out who asks; raise BadSecretError."""
    # Other programs at the same host may have set cookies of any form, which must not hide ours.
    cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
    has_cookie = _SECRET_TEXT.fullmatch(cookie) is not None
    authorization = headers.get("authorization")
    if authorization is not None:
        found = _BEARER.fullmatch(authorization)
        if found is not None:
            if not _SECRET_TEXT.fullmatch(found[1]):
                raise BadSecretError
            return Identity(found[1], known=True, program=True, cookie=has_cookie)
    return Identity(cookie if has_cookie else generate_secret(), known=has_cookie, program=False, cookie=has_cookie)


async def resolve_player(store: Store, secret_hash: str) -> str:
    """Return the player that a secret's hash stands for; raise StoreError."""
    session = await asyncio.to_thread(store.session, secret_hash)
    if session is None:
        return secret_hash
    now = time.time()
    if now - session.seen > _NOTED_EVERY:
        store.seen(secret_hash, now)
    return session.player


def generate_secret() -> str:
    """Return a secret that nobody can guess."""
    return secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def issue_secret(request: Request, secret: str) -> None:
    """Let the answer give this browser another secret."""
    request.scope["state"][_NEW] = secret


def build_cookie(scope: Scope, asked: Identity) -> str:
    """Write the cookie for an answer."""
    secret = scope["state"].get(_NEW, asked.secret)
    secure = "; Secure" if scope["scheme"] in {"https", "wss"} else ""
    return f"{COOKIE}={secret}; Path=/; Max-Age={_COOKIE_AGE}; HttpOnly; SameSite=Lax{secure}"


def has_new_secret(scope: Scope) -> bool:
    """Tell whether the answer gives the browser a new secret."""
    return _NEW in scope["state"]


def get_client_address(connection: HTTPConnection) -> str:
    """Return the address that a request came from; a proxy's word for it counts where the server trusts that proxy."""
    return connection.client.host if connection.client is not None else ""
