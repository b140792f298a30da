"""Error pages: what went wrong, in plain words."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fourcorners.web.application.refusals import Refusal
from fourcorners.web.auth.identity import NO_COOKIE, blocks_cookies
from fourcorners.web.pages.render import render_page

_TITLES = {
    "cookies": "Cookies are blocked",
    "other-rules": "Incompatible game",
    403: "Not allowed",
    404: "Page not found",
    405: "Not allowed",
    413: "Too large",
    422: "Not possible",
    429: "Too many requests",
    500: "Server error",
    503: "Temporarily unavailable",
}
"""The titles by the code of a refusal or by its status."""


def require_cookie(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Wrap an endpoint: for a browser that blocks cookies, raise Refusal 403 or, if a script asks, answer 403 with code
    and sentence in JSON, as the API does.
    """

    async def answer(request: Request) -> Response:
        if not blocks_cookies(request):
            return await endpoint(request)
        if "text/html" in request.headers.get("accept", ""):
            raise Refusal(403, NO_COOKIE, "cookies")
        return JSONResponse({"code": "cookies", "sentence": NO_COOKIE}, 403)

    return answer


def show_refusal(request: Request, refusal: Refusal) -> Response:
    """Show a refusal: its status, its headers and its sentence."""
    status = refusal.status_code
    title = _TITLES.get(refusal.code) or _TITLES.get(status, "Bad request")
    # The same address gives the same answer, unless there were too many requests or the server failed.
    context = {"title": title, "sentence": refusal.detail, "can_retry": status >= 429}
    response = render_page(request, "error.html", context, status)
    response.headers.update(refusal.headers or {})
    return response
