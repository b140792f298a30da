"""A table's link as a picture that a telephone's camera reads."""

from __future__ import annotations

import io

import segno
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.web.realtime.room_registry import RoomRegistry

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "cache-control": "public, max-age=86400",
}


def show_qr_code(request: Request) -> Response:
    """Draw the address of a table as the browser that asks knows this server."""
    registry: RoomRegistry = request.app.state.registry
    table: str = request.path_params["table"]
    if registry.store.load(table) is None:
        raise HTTPException(404, "There is no such table here.")
    return Response(draw_qr_code(f"{request.base_url}play/{table}"), media_type="image/svg+xml", headers=_HEADERS)


def draw_qr_code(text: str) -> str:
    """Draw a text as a QR code, with the quiet border that belongs to it, always dark on white."""
    target = io.BytesIO()
    code = segno.make_qr(text, error="m")
    code.save(target, kind="svg", dark="#1c252c", light="#ffffff", omitsize=True, xmldecl=False)
    return target.getvalue().decode()
