"""Render a page: its template with the context that all pages share."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fourcorners.core import catalogue
from fourcorners.web.application.context import get_context
from fourcorners.web.pages import pictures
from fourcorners.web.store import Profile, StoreError


def render_page(request: Request, name: str, context: Mapping[str, Any], status: int = 200) -> Response:
    """Render the template `name` with `context` and what all pages need.

    That is `palettes`, `site_games` (ids and titles), `previews` (names) and `me` (a profile or None).
    """
    shared = {
        "palettes": pictures.list_palettes(),
        "site_games": [(game, catalogue.game(game).title) for game in catalogue.games()],
        "previews": _list_previews(),
        "me": _read_visitor(request),
    }
    response: Response = request.app.state.templates.TemplateResponse(request, name, {**shared, **context}, status)
    return response


def build_svg(text: str, seconds: int = 300) -> Response:
    """Return the response for a picture with inline styles, the same for everyone, which browsers keep for a time."""
    headers = {
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
        "cache-control": f"public, max-age={seconds}",
    }
    return Response(text, media_type="image/svg+xml", headers=headers)


@functools.cache
def _list_previews() -> frozenset[str]:
    """Return the names of the preview pictures; a game in another package has none."""
    return frozenset(path.stem for path in (Path(__file__).parent.parent / "static" / "previews").glob("*.png"))


def _read_visitor(request: Request) -> Profile | None:
    """Return the visitor's profile; None if the database fails, so that error pages still work."""
    try:
        return get_context(request).store.read_profile(request.state.owner)
    except StoreError:
        return None
