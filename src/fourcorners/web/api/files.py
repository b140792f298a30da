"""Responses with pictures and documents, which are never cached for other users."""

from collections.abc import Collection

from starlette.responses import Response

from fourcorners.core.errors import quote
from fourcorners.web.application.refusals import Refusal

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    # What one player sees may be a secret from others.
    "cache-control": "private, no-cache",
}


def check_kind(kind: str, kinds: Collection[str]) -> None:
    """Raise Refusal unless a picture of this kind can be drawn."""
    if kind not in kinds:
        raise Refusal(404, f"There is no picture of the kind {quote(kind)}; see /api.")


def build_file(content: bytes, name: str, media_type: str) -> Response:
    """Return a response that a browser shows, or saves under `name`."""
    headers = {**_HEADERS, "content-disposition": f'inline; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)
