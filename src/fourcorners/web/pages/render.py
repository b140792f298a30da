"""Showing a page: the template with what all pages share, such as who looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.pages import pictures
from fourcorners.web.store import Profile, Store, StoreError


def render_page(request: Request, name: str, context: Mapping[str, Any], status: int = 200) -> Response:
    """Answer with a page."""
    warmth: Warmup = request.app.state.warmth
    shared = {"ready": warmth.ready, "palettes": pictures.list_palettes(), "me": _looking(request)}
    answer: Response = request.app.state.templates.TemplateResponse(request, name, {**shared, **context}, status)
    return answer


def _looking(request: Request) -> Profile | None:
    store: Store = request.app.state.store
    try:
        return store.profile(request.state.owner)
    except StoreError:
        # Then the page says so, and can do that without a name.
        return None
