"""QR codes with the links of tables."""

import io

import segno
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.web.application.context import get_context

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "cache-control": "public, max-age=86400",
}


def show_qr_code(request: Request) -> Response:
    """Draw a table's URL, with the host by which the browser knows this server; raise HTTPException 404, StoreError."""
    table_id: str = request.path_params["table"]
    if get_context(request).store.load_table(table_id) is None:
        raise HTTPException(404, "There is no such table.")
    return Response(draw_qr_code(f"{request.base_url}play/{table_id}"), media_type="image/svg+xml", headers=_HEADERS)


def draw_qr_code(text: str) -> str:
    """Draw a text as a QR code in SVG with its quiet zone, dark on white in every theme so that cameras can read it."""
    target = io.BytesIO()
    code = segno.make_qr(text, error="m")
    code.save(target, kind="svg", dark="#1c252c", light="#ffffff", omitsize=True, xmldecl=False)
    return target.getvalue().decode()
