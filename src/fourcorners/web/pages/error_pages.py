"""Error pages: what went wrong, in plain words."""

from collections.abc import Awaitable, Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fourcorners.web.auth.identity import NO_COOKIE, blocks_cookies
from fourcorners.web.pages.render import render_page

_TITLES = {
    400: "Bad request",
    403: "Not allowed",
    404: "Page not found",
    405: "Not allowed",
    413: "Too large",
    422: "Not possible",
    429: "Too many requests",
    503: "Temporarily unavailable",
}
_SENTENCES = {404: "There is no page at this address.", 405: "This address does not accept this kind of request."}


class NoCookieError(HTTPException):
    """A browser that blocks cookies asks for a seat, a name or an account."""

    def __init__(self) -> None:
        super().__init__(403, NO_COOKIE)


def require_cookie(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Wrap an endpoint: for a browser that blocks cookies, raise NoCookieError or, if a script asks, answer 403 with a
    `sentence` in JSON.
    """

    async def answer(request: Request) -> Response:
        if not blocks_cookies(request):
            return await endpoint(request)
        if "text/html" in request.headers.get("accept", ""):
            raise NoCookieError
        return JSONResponse({"sentence": NO_COOKIE}, 403)

    return answer


def show_refusal(request: Request, error: Exception) -> Response:
    """Show an HTTPException, which `error` must be: its status, its headers and, if it is a sentence, its detail."""
    assert isinstance(error, HTTPException)
    status, detail = error.status_code, error.detail
    sentence = detail if detail.endswith(".") else _SENTENCES.get(status, "This request could not be processed.")
    title = "Cookies are blocked" if isinstance(error, NoCookieError) else _TITLES.get(status, "Bad request")
    response = _render_error(request, title, sentence, status)
    response.headers.update(error.headers or {})
    return response


def show_database_failure(request: Request, error: Exception) -> Response:
    """Show that the database does not answer, with status 503."""
    return _render_error(request, _TITLES[503], "The database is not available. Try again later.", 503)


def show_incompatible_game(request: Request, error: Exception) -> Response:
    """Show that a stored game cannot be replayed by the current rules, with status 409; `error` says why."""
    sentence = f"This game was stored by another version of the rules and cannot be shown: {error}."
    return _render_error(request, "Incompatible game", sentence, 409)


def answer_nobody(request: Request, error: Exception) -> Response:
    """Return an empty answer, with status 400, to a client that closed the connection before it had sent everything."""
    return Response(status_code=400)


def show_server_failure(request: Request, error: Exception) -> Response:
    """Show that the server failed because of an error in the program, with status 500."""
    sentence = "Something went wrong on the server. Your games are saved. Go back and try again."
    return _render_error(request, "Server error", sentence, 500)


def _render_error(request: Request, title: str, sentence: str, status: int) -> Response:
    # The same address gives the same answer, unless there were too many requests or the server failed.
    context = {"title": title, "sentence": sentence, "can_retry": status >= 429}
    return render_page(request, "error.html", context, status)
