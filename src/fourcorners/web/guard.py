"""What every request passes: who asks (a random cookie), from where (the Origin), and what the answer may load."""

from __future__ import annotations

import hashlib
import re
import secrets
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "player"
_COOKIE_TEXT = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_COOKIE_AGE = 400 * 24 * 3600
_UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    # Answered with "not modified" where nothing changed, so that a new version shows at once.
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


class Guard:
    """ASGI middleware for the whole app; endpoints find the asker's hash at `request.state.owner`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        asks_to_change = scope["type"] == "websocket" or scope["method"] in _UNSAFE
        if asks_to_change and not same_origin(headers):
            await _refuse(scope, receive, send)
            return
        known = _cookie(headers)
        player = known or secrets.token_urlsafe(32)
        scope.setdefault("state", {})["owner"] = hashlib.sha256(player.encode()).hexdigest()
        secure = "; Secure" if scope["scheme"] in {"https", "wss"} else ""
        cookie = f"{COOKIE}={player}; Path=/; Max-Age={_COOKIE_AGE}; HttpOnly; SameSite=Lax{secure}"

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    answer.setdefault(name, value)
                # A page renews the cookie; a new asker that sent a form gets one too.
                if answer.get("content-type", "").startswith("text/html") or (known is None and asks_to_change):
                    answer.append("set-cookie", cookie)
            await send(message)

        await self.app(scope, receive, send_guarded)


def same_origin(headers: Headers) -> bool:
    """Tell whether a page of this server sent a request; programs that are no browsers send no Origin."""
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != ""
    except ValueError:
        return False


def _cookie(headers: Headers) -> str | None:
    # Other programs at the same host may have set cookies of any form, which must not hide ours.
    value = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
    return value if _COOKIE_TEXT.fullmatch(value) else None


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4403, "reason": "another site's page may not play here"})
        return
    await PlainTextResponse("Another site's page may not play here.", 403)(scope, receive, send)
