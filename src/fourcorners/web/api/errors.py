"""What programs are told when something was not done: a code, a sentence, and a status that fits."""

from __future__ import annotations

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fourcorners.core.errors import GameError
from fourcorners.web.auth.middleware import is_api_request
from fourcorners.web.store import StoreError

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
"""The code that is told with a status where nothing says more."""
_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not take that kind of request.",
    409: "This game was stored by other rules and cannot be shown.",
    500: "The server failed at this; what was stored before is still there.",
    503: "What is stored cannot be reached just now; nothing is lost. Try again in a while.",
}
_RETRY = {"retry-after": "5"}

Handler = Callable[[Request, Exception], Response]


class ApiError(HTTPException):
    """A request of a program is refused."""

    def __init__(self, status: int, code: str, sentence: str, retry_after: int = 0) -> None:
        super().__init__(status, sentence, {"retry-after": str(retry_after)} if retry_after else None)
        self.code = code


def in_kind(page: Handler) -> Handler:
    """Answer programs with a problem, and everybody else with this page."""

    def handler(request: Request, error: Exception) -> Response:
        return _problem(error) if is_api_request(request.scope) else page(request, error)

    return handler


def _problem(error: Exception) -> Response:
    if isinstance(error, HTTPException):
        status, sentence, headers = error.status_code, error.detail, dict(error.headers or {})
        code = error.code if isinstance(error, ApiError) else CODES.get(status, "refused")
        if not isinstance(error, ApiError) and not sentence.endswith("."):
            sentence = _SENTENCES.get(status, "This request cannot be answered.")
    else:
        status = 409 if isinstance(error, GameError) else 503 if isinstance(error, StoreError) else 500
        code = "other-rules" if isinstance(error, GameError) else CODES[status]
        sentence, headers = _SENTENCES[status], _RETRY if status == 503 else {}
    return JSONResponse({"code": code, "sentence": sentence}, status, headers)
