"""What every request passes: who asks, from where (the Origin), and what the answer may load."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fourcorners.web.auth import identity
from fourcorners.web.store import Store, StoreError

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
API_PREFIX = "/api/"
_ANYBODYS = ("/static/", "/healthz")
"""Who asks for these is not looked up."""
_OPERATORS = "/metrics"
"""What stands after Bearer there is the operator's token."""


class AuthMiddleware:
    """ASGI middleware for the whole app.

    Endpoints find the player at `request.state.owner`, and the hash of what it was known by at `request.state.session`;
    `request.state.known` says whether the asker named itself, or is somebody new.
    """

    def __init__(self, app: ASGIApp, store: Store) -> None:
        self.app = app
        self._store = store

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in {"http", "websocket"} or scope["path"] == _OPERATORS:
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            asked = identity.identify(headers)
        except identity.BadSecretError:
            sentence = "After Bearer comes the secret that the server gave: 43 letters, digits, - and _."
            answer = _words(scope, "secret", sentence, 401, {"www-authenticate": "Bearer"})
            await _refuse(scope, receive, send, answer, 4401)
            return
        asks_to_change = scope["type"] == "websocket" or scope["method"] in _UNSAFE
        # No other site's page can know a program's secret; a browser adds the cookie to whatever a page sends.
        if asks_to_change and (asked.cookie or not asked.program) and not is_same_origin(headers):
            sentence = "Another site's page may not play here."
            await _refuse(scope, receive, send, _words(scope, "origin", sentence, 403), 4403)
            return
        state = scope.setdefault("state", {})
        state["session"] = state["owner"] = asked.hash
        state["known"] = asked.known
        if asked.known and not scope["path"].startswith(_ANYBODYS):
            try:
                state["owner"] = await identity.resolve_player(self._store, asked.hash)
            except StoreError:
                sentence = "Who you are cannot be looked up just now; try again in a while."
                answer = _words(scope, "unavailable", sentence, 503, {"retry-after": "5"})
                await _refuse(scope, receive, send, answer, 1013)
                return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    answer.setdefault(name, value)
                # A page renews the cookie; a new asker that sent a form gets one too.
                page = answer.get("content-type", "").startswith("text/html")
                fresh = not asked.known and asks_to_change
                if (
                    not asked.program
                    and not is_api_request(scope)
                    and (page or fresh or identity.has_new_secret(scope))
                ):
                    answer.append("set-cookie", identity.build_cookie(scope, asked))
            await send(message)

        await self.app(scope, receive, send_guarded)


def is_same_origin(headers: Headers) -> bool:
    """Tell whether a page of this server sent a request; programs that are no browsers send no Origin."""
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != ""
    except ValueError:
        return False


def is_api_request(scope: Scope) -> bool:
    """Tell whether a request is answered for programs, as data."""
    return bool(scope["path"].startswith(API_PREFIX))


def _words(scope: Scope, code: str, sentence: str, status: int, headers: dict[str, str] | None = None) -> Response:
    if is_api_request(scope):
        return JSONResponse({"code": code, "sentence": sentence}, status, headers)
    return PlainTextResponse(sentence, status, headers)


async def _refuse(scope: Scope, receive: Receive, send: Send, answer: Response, code: int) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": code, "reason": bytes(answer.body).decode()})
        return
    await answer(scope, receive, send)
