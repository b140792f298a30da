"""Render a page: its template with the context that all pages share."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.pages import pictures
from fourcorners.web.store import Profile, Store, StoreError


def get_store(request: Request) -> Store:
    """Return the store of the application that serves a request."""
    store: Store = request.app.state.store
    return store


def render_page(request: Request, name: str, context: Mapping[str, Any], status: int = 200) -> Response:
    """Render the template `name` with `context`, `ready` (all is compiled), `palettes` and `me` (a profile or None)."""
    warmup: Warmup = request.app.state.warmup
    shared = {"ready": warmup.ready, "palettes": pictures.list_palettes(), "me": _read_visitor(request)}
    response: Response = request.app.state.templates.TemplateResponse(request, name, {**shared, **context}, status)
    return response


def _read_visitor(request: Request) -> Profile | None:
    """Return the visitor's profile; None if the database fails, so that error pages still work."""
    try:
        return get_store(request).read_profile(request.state.owner)
    except StoreError:
        return None
