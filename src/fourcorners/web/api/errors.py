"""The refusals of the API: a code, a sentence, and the HTTP status that fits."""

from collections.abc import Callable, Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from fourcorners.core.errors import GameError
from fourcorners.web.api.models import Problem
from fourcorners.web.auth.middleware import is_api_request
from fourcorners.web.protocol.codec import encode_json
from fourcorners.web.store import StoreError

NO_TABLE = "There is no such table here."
NO_DATABASE = "The database is not available. Try again later."
CODES = {
    400: "unreadable",
    401: "secret",
    403: "not-yours",
    404: "not-found",
    405: "method",
    408: "too-slow",
    409: "stale",
    413: "too-large",
    422: "refused",
    429: "too-much",
    500: "failed",
    503: "unavailable",
}
"""The code that belongs to a status if nothing more is known."""
_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not accept that HTTP method.",
    409: "This game was stored by another version of the rules and cannot be shown.",
    500: "Something went wrong on the server; nothing that was stored is lost.",
    503: NO_DATABASE,
}

Handler = Callable[[Request, Exception], Response]


class ApiError(HTTPException):
    """A request of a program is refused with a status, a code and a sentence."""

    def __init__(
        self, status: int, code: str, sentence: str, headers: Mapping[str, str] | None = None, retry_after: int = 0
    ) -> None:
        """Refuse with a status; `retry_after` asks the program to wait this many seconds, 0 says nothing."""
        wait = {"retry-after": str(retry_after)} if retry_after else {}
        super().__init__(status, sentence, {**(headers or {}), **wait})
        self.code = code


def choose_error_format(show_page: Handler) -> Handler:
    """Return an exception handler that answers requests for the API with a `Problem`, and others by `show_page`; and
    OPTIONS, which no route has, with the methods of the address or, for `*`, of the server.
    """

    def handle(request: Request, error: Exception) -> Response:
        if request.method == "OPTIONS" and isinstance(error, HTTPException) and error.status_code in {404, 405}:
            is_server = request.scope["path"] == "*"
            methods = ["GET", "HEAD", "POST"] if is_server else _list_methods(request, error.status_code)
            if methods:
                return Response(status_code=204, headers={"allow": ", ".join([*methods, "OPTIONS"])})
        if isinstance(error, HTTPException) and error.status_code == 405:
            error.headers = {"allow": ", ".join(_list_methods(request, 405))}
        return _build_problem(error) if is_api_request(request.scope) else show_page(request, error)

    return handle


def _list_methods(request: Request, status: int) -> list[str]:
    """List the methods of all routes for an address that was refused with a status, 404 or 405; Starlette names only
    those of the first route. Static files have no route.
    """
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    path = next((route.path for route in routes if route.matches(request.scope)[0] is not Match.NONE), None)
    if path is None and status == 405:
        return ["GET", "HEAD"]
    return sorted({method for route in routes if route.path == path for method in route.methods or ()})


def _build_problem(error: Exception) -> Response:
    """Return the answer to an error: to an HTTPException its own, else 409 (GameError), 503 (StoreError) or 500."""
    if isinstance(error, HTTPException):
        status, sentence, headers = error.status_code, error.detail, dict(error.headers or {})
        code = error.code if isinstance(error, ApiError) else CODES.get(status, "refused")
        if not isinstance(error, ApiError) and not sentence.endswith("."):
            # Starlette's own errors have only the phrase of the status.
            sentence = _SENTENCES.get(status, "This request cannot be answered.")
    else:
        status = 409 if isinstance(error, GameError) else 503 if isinstance(error, StoreError) else 500
        code = "other-rules" if isinstance(error, GameError) else CODES[status]
        sentence, headers = _SENTENCES[status], {"retry-after": "5"} if status == 503 else {}
    return Response(encode_json(Problem(code=code, sentence=sentence)), status, headers, "application/json")
