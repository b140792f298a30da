"""Responses with pictures and documents, which are never cached for other users."""

from starlette.responses import Response

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    # What one player sees may be a secret from others.
    "cache-control": "private, no-cache",
}


def build_file(content: bytes, name: str, media_type: str) -> Response:
    """Return a response that a browser shows, or saves under `name`."""
    headers = {**_HEADERS, "content-disposition": f'inline; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)
