"""Scripts, style sheets and fonts: pages load bundles, which browsers keep for good, and every source is used."""

import json
import re
from pathlib import Path

import pytest

import fourcorners.web
from fourcorners.web.pages.assets import BUNDLES, Assets, digest_sources
from tests.web.client import Browser

STATIC = Path(fourcorners.web.__file__).parent / "static"
TEMPLATES = STATIC.parent / "templates"
_IMPORT = re.compile(r"""^(?:import|export)\s(?:[^"';]*\sfrom\s)?["']\./([\w-]+\.js)["'];""", re.MULTILINE)


def list_modules(*names: str) -> set[str]:
    """List these modules and all that they import, directly or not."""
    reached = list(names)
    for name in reached:  # The list grows while it is read.
        reached += set(_IMPORT.findall((STATIC / name).read_text(encoding="utf-8"))) - set(reached)
    return set(reached)


def list_page_scripts() -> set[str]:
    """List the scripts that templates name."""
    texts = [path.read_text(encoding="utf-8") for path in TEMPLATES.glob("*.html")]
    return {name for text in texts for name in re.findall(r'"(\w+\.js)"', text)}


@pytest.mark.parametrize("path", ["/", "/lobby", "/games/sqez", "/analysis/sqez"])
def test_pages_load_bundles_that_browsers_keep_for_good(browser: Browser, path: str) -> None:
    text = browser.http.get(path).text
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+\.(?:js|css|woff2))"', text)
    assert len(addresses) >= 5
    for address in addresses:
        assert address.startswith(f"/static/{BUNDLES}/")
        answer = browser.http.get(address)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "immutable" not in browser.http.get("/static/icon.svg").headers.get("cache-control", "")
    missing = browser.http.get(f"/static/{BUNDLES}/page-00000000.css")
    assert (missing.status_code, missing.headers.get("cache-control")) != (200, "public, max-age=31536000, immutable")


def test_pages_load_the_sources_while_the_bundles_are_older(tmp_path: Path) -> None:
    (tmp_path / "page.css").write_text("body { margin: 0 }")
    assert Assets(tmp_path).find_address("page.css") == "/static/page.css"
    (tmp_path / BUNDLES).mkdir()
    manifest = {"sources": digest_sources(tmp_path), "bundles": {"page.css": "page-ABCDEFGH.css"}}
    (tmp_path / BUNDLES / "manifest.json").write_text(json.dumps(manifest))
    assert Assets(tmp_path).find_address("page.css") == f"/static/{BUNDLES}/page-ABCDEFGH.css"
    (tmp_path / "page.css").write_text("body { margin: 1px }")
    assert Assets(tmp_path).find_address("page.css") == "/static/page.css"


def test_every_module_is_used_by_some_page() -> None:
    scripts = list_page_scripts()
    # Found in the templates; otherwise this would check nothing.
    assert {"analysis.js", "embed.js", "form.js", "home.js", "lesson.js", "lobby.js", "page.js", "play.js"} <= scripts
    # The page without a connection has only what the service worker keeps. Pages of other sites load the board.
    used = list_modules(*scripts, "offline.js", "service_worker.js", "fourcorners-board.js")
    assert {path.name for path in STATIC.glob("*.js")} == used


def test_the_script_of_every_page_begins_with_that_of_all_pages() -> None:
    # Neither a frame on another site nor the colours, which come first, need the menu.
    for name in list_page_scripts() - {"embed.js", "theme.js", "page.js"}:
        assert _IMPORT.findall((STATIC / name).read_text(encoding="utf-8"))[0] == "page.js", name


def test_the_home_page_loads_none_of_the_panels_of_a_table() -> None:
    assert "preact.js" not in list_modules("home.js")
