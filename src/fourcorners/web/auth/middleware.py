"""Middleware for every request: identify the sender, reject other sites' pages, set security headers."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fourcorners.web.auth.identity import (
    BadSecretError,
    Sender,
    build_cookies,
    current_sender,
    get_client_address,
    has_new_secret,
    identify_sender,
    resolve_player,
)
from fourcorners.web.auth.limits import find_wide_network
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.domain.rows import NO_DATABASE
from fourcorners.web.store import Store, StoreError

_UNSAFE_METHODS = {"POST", "PUT", "PATCH", "DELETE"}
_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    # Browsers revalidate everything ("304 Not Modified" is cheap), so that a new version takes effect at once.
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    # What the pages never use, so that no script that gets into them can.
    "permissions-policy": (
        "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), "
        "microphone=(), midi=(), payment=(), usb=()"
    ),
}
_TLS_HEADERS = {"strict-transport-security": "max-age=31536000"}
"""Browsers that have been here over TLS use nothing else for a year; other hosts of the domain are not affected."""
API_PREFIX = "/api/"
EMBED_PREFIX = "/embed/"
"""Pages in frames of other sites, where a cookie would only follow their readers."""
_ANONYMOUS_PREFIXES = ("/static/", "/service-worker.js", "/favicon.ico", "/robots.txt", "/healthz", "/readyz")
"""Requests for these do not need a player, so none is looked up."""
_CLOSE_CODES = {401: 4401, 403: 4403, 503: 1013}
"""The code that closes a WebSocket, by the status that an HTTP request gets."""
_METRICS_PATH = "/metrics"
"""Its Authorization header holds the operator's token, not a player's secret."""


class AuthMiddleware:
    """ASGI middleware for the whole app.

    Sets `request.state.owner` (the player's id), `request.state.session` (the hash of the secret),
    `request.state.known` (False for a new visitor) and `current_sender`. Answers 401 to a malformed API key, 403 to a
    request that changes something from another site's page, and 503 if the database fails.
    """

    def __init__(self, app: ASGIApp, store: Store, time: ServerTime) -> None:
        self.app = app
        self._store, self._time = store, time

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the app with the sender in its state and the headers added, or reject it. Other events
        of ASGI and requests for metrics pass unchanged. Errors of the app pass through.
        """
        if scope["type"] not in {"http", "websocket"} or scope["path"] == _METRICS_PATH:
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            identity = identify_sender(scope)
        except BadSecretError:
            sentence = "The API key after Bearer must have 43 characters: letters, digits, - and _."
            await _reject_request(scope, receive, send, 401, "secret", sentence, {"www-authenticate": "Bearer"})
            return
        is_unsafe = scope["type"] == "websocket" or scope["method"] in _UNSAFE_METHODS
        # Browsers add the cookie to requests of any site's page. No other site's page can know an API key.
        if is_unsafe and (identity.has_cookie or not identity.is_program) and not is_same_origin(headers):
            await _reject_request(scope, receive, send, 403, "origin", "Requests from other sites are not allowed.", {})
            return
        state = scope.setdefault("state", {})
        state["session"] = state["owner"] = identity.hash
        state["known"] = identity.is_known
        if identity.is_known and not scope["path"].startswith(_ANONYMOUS_PREFIXES):
            try:
                state["owner"] = await resolve_player(self._store, identity.hash, self._time.now())
            except StoreError:
                await _reject_request(scope, receive, send, 503, "unavailable", NO_DATABASE, {"retry-after": "5"})
                return
        network = find_wide_network(get_client_address(HTTPConnection(scope)))
        current_sender.set(Sender(state["owner"], network))

        async def send_with_headers(message: Message) -> None:
            """Send a message; add the security headers and, if due, the cookie to the start of a response."""
            if message["type"] == "http.response.start":
                response = MutableHeaders(scope=message)
                for name, value in (_HEADERS | _TLS_HEADERS if scope["scheme"] == "https" else _HEADERS).items():
                    response.setdefault(name, value)
                # Every page renews the cookie. A form of a new visitor sets it even if the response is a redirect.
                is_page = response.get("content-type", "").startswith("text/html")
                is_new = not identity.is_known and is_unsafe
                is_embedded = scope["path"].startswith(EMBED_PREFIX)
                wants_cookie = not identity.is_program and not is_api_request(scope) and not is_embedded
                if wants_cookie and (is_page or is_new or has_new_secret(scope)):
                    for cookie in build_cookies(scope, identity):
                        response.append("set-cookie", cookie)
            await send(message)

        await self.app(scope, receive, send_with_headers)


def is_same_origin(headers: Headers) -> bool:
    """Return whether Origin names the Host of the request or is missing, as in requests that no browser sent."""
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != ""
    except ValueError:
        return False


def is_api_request(scope: Scope) -> bool:
    """Return whether a request is for the API, which answers errors as JSON and sets no cookies."""
    return bool(scope["path"].startswith(API_PREFIX))


async def _reject_request(
    scope: Scope, receive: Receive, send: Send, status: int, code: str, sentence: str, headers: dict[str, str]
) -> None:
    """Answer the API in JSON (`code`, `sentence`), others in text; close a WebSocket, by `_CLOSE_CODES`, with it."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _CLOSE_CODES[status], "reason": sentence})
    elif is_api_request(scope):
        await JSONResponse({"code": code, "sentence": sentence}, status, headers)(scope, receive, send)
    else:
        await PlainTextResponse(sentence, status, headers)(scope, receive, send)
