"""The service worker, and the page that it shows without a connection."""

import functools
import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from fourcorners.web.pages.render import render_page

_STATIC = Path(__file__).resolve().parents[1] / "static"
_VERSION = 'const VERSION = "";'
_PARTS = ("page.css", "theme.js", "offline.js")
"""What the page needs. The worker has their addresses."""


def show_offline(request: Request) -> Response:
    """Show the page that browsers keep for when there is no connection."""
    return render_page(request, "offline.html", {})


def serve_worker(request: Request) -> Response:
    """Serve the service worker, from the top of the site, because it is for all pages."""
    page = request.app.state.templates.get_template("offline.html").render()
    return Response(_build_worker(page), media_type="text/javascript")


@functools.cache
def _build_worker(page: str) -> str:
    """Return the script of the worker with a digest of all that it keeps, given the page, and of itself."""
    script = (_STATIC / "service_worker.js").read_text(encoding="utf-8")
    digest = hashlib.sha256(f"{script}{page}".encode())
    for name in _PARTS:
        digest.update((_STATIC / name).read_bytes())
    return script.replace(_VERSION, f'const VERSION = "{digest.hexdigest()[:16]}";')
