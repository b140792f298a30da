"""Responses with pictures and documents, which are drawn in a queue and never cached for other users."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from fourcorners.study.rendering import RenderingError
from fourcorners.web.api.errors import ApiError
from fourcorners.web.realtime.request_work import draw_in_turn

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    # What one player sees may be a secret from others.
    "cache-control": "private, no-cache",
}


async def draw_or_refuse(request: Request, work: Callable[..., bytes], *arguments: object) -> bytes:
    """Return what `work` draws when its turn comes; raise ApiError 422 if that fails, and as `draw_in_turn` does."""
    try:
        return await draw_in_turn(request, work, *arguments)
    except RenderingError as error:
        raise ApiError(422, error.code, f"{error.message[:1].upper()}{error.message[1:]}.") from None


def build_file(content: bytes, name: str, media_type: str) -> Response:
    """Return a response that a browser shows, or saves under `name`."""
    headers = {**_HEADERS, "content-disposition": f'inline; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)
