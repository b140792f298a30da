"""Answers that are pictures or documents: drawn in turn, and never kept by a cache for others."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from fourcorners.study.rendering import RenderingError
from fourcorners.web.api.errors import ApiError
from fourcorners.web.realtime.room_registry import draw_in_turn

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    # What one player sees may be a secret from others.
    "cache-control": "private, no-cache",
}


async def draw_or_refuse(request: Request, work: Callable[..., bytes], *arguments: object) -> bytes:
    """Return what some work draws when it is its turn; raise ApiError 422 if it cannot, and as `draw_in_turn`."""
    try:
        return await draw_in_turn(request, work, *arguments)
    except RenderingError as error:
        raise ApiError(422, error.code, f"{error.message[:1].upper()}{error.message[1:]}.") from None


def build_file(content: bytes, name: str, media_type: str) -> Response:
    """Return an answer that a browser shows, or saves under a name."""
    headers = {**_HEADERS, "content-disposition": f'inline; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)
