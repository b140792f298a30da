"""The pages that are shown when something is refused or fails, in plain words."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.web.pages.render import render_page

_TITLES = {
    400: "That does not fit",
    403: "Not from here",
    404: "Nothing here",
    405: "Not that way",
    413: "Too large",
    429: "Too much at once",
    503: "Not just now",
}


def show_refusal(request: Request, error: Exception) -> Response:
    """Show why a request was refused, in plain words."""
    status = error.status_code if isinstance(error, HTTPException) else 400
    detail = error.detail if isinstance(error, HTTPException) else ""
    plain = {404: "There is no page at this address.", 405: "This address does not take that kind of request."}
    sentence = detail if detail.endswith(".") else plain.get(status, "This request cannot be answered.")
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    answer = render_page(
        request, "error.html", {"title": _TITLES.get(status, "Not possible"), "sentence": sentence}, status
    )
    answer.headers.update(headers)
    return answer


def show_database_failure(request: Request, error: Exception) -> Response:
    """Show that the database does not answer."""
    sentence = "What is stored cannot be reached just now; nothing is lost. Try again in a while."
    return render_page(request, "error.html", {"title": _TITLES[503], "sentence": sentence}, 503)


def show_incompatible_game(request: Request, error: Exception) -> Response:
    """Show that a stored game does not fit the rules any more."""
    sentence = f"This game was stored by other rules and cannot be shown: {error}."
    return render_page(request, "error.html", {"title": "Stored by other rules", "sentence": sentence}, 409)


def show_server_failure(request: Request, error: Exception) -> Response:
    """Show that the server is at fault."""
    sentence = "Something went wrong here, and it is not your fault. Your games are stored; go back and try again."
    return render_page(request, "error.html", {"title": "The server failed", "sentence": sentence}, 500)
