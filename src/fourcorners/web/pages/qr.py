"""QR codes with the links of tables and of sets of puzzles."""

import io

import segno
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.web.application.context import get_context
from fourcorners.web.application.puzzle_sets import load_set
from fourcorners.web.pages.addresses import get_linked_ply, load_table
from fourcorners.web.pages.render import build_svg


def show_qr_code(request: Request) -> Response:
    """Draw a table's URL, perhaps that of an earlier position, with the host by which the browser knows this server."""
    ply = get_linked_ply(request)
    query = "" if ply is None else f"?ply={ply}"
    return build_svg(draw_qr_code(f"{request.base_url}play/{load_table(request).id}{query}"), 86_400)


def show_set_qr_code(request: Request) -> Response:
    """Draw the pupils' link of a set; raise Refusal 404 without such a set, or StoreError."""
    stored = load_set(get_context(request), request.path_params["set"])
    return build_svg(draw_qr_code(f"{request.base_url}sets/{stored.id}"), 86_400)


def draw_qr_code(text: str) -> str:
    """Draw a text as a QR code in SVG with its quiet zone, dark on white in every theme so that cameras can read it."""
    target = io.BytesIO()
    code = segno.make_qr(text, error="m")
    code.save(target, kind="svg", dark="#1c252c", light="#ffffff", omitsize=True, xmldecl=False)
    return target.getvalue().decode()
