"""The addresses of scripts, style sheets and fonts: bundles with a digest in their names, which browsers keep."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

BUNDLES = "bundles"
"""The folder of the bundles in that of the static files."""
_MANIFEST = f"{BUNDLES}/manifest.json"
_SOURCES = ("*.js", "*.css", "*.svg", "fonts/*.woff2")


class Assets:
    """What `scripts/build_bundles.py` has made of the static files in a folder. If it was not run after the last change
    of a source, as while someone develops, pages load the sources themselves.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / _MANIFEST
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        is_current = manifest.get("sources") == digest_sources(folder)
        self._bundles: dict[str, str] = manifest["bundles"] if is_current else {}

    def find_address(self, name: str) -> str:
        """Return the address of a static file or its bundle, by the file's name, such as "page.css"."""
        return f"/static/{BUNDLES}/{self._bundles[name]}" if name in self._bundles else f"/static/{name}"


def digest_sources(folder: Path) -> str:
    """Return a digest of all that bundles are made of, in a folder of static files."""
    digest = hashlib.sha256()
    for path in _list_sources(folder):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _list_sources(folder: Path) -> Iterator[Path]:
    for pattern in _SOURCES:
        yield from sorted(folder.glob(pattern))


class VersionedFiles(StaticFiles):
    """The static files; browsers keep bundles for good, because another content has another name."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a file."""
        response = await super().get_response(path, scope)
        if Path(path).parts[0] == BUNDLES and response.status_code == 200:
            response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response
