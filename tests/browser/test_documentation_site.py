"""The documentation site as a reader sees it: built without warnings, searchable, and no page wider than a phone."""

import functools
import re
import subprocess
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import ROOT

# Building it installs packages that nothing else needs.
pytestmark = [pytest.mark.browser, pytest.mark.ci]
PAGES = ("", "reference/options/", "reference/library/", "reference/commands/", "reference/api/", "tutorials/bot/")


@pytest.fixture
def site() -> Iterator[str]:
    """Build the site and serve it; yield its address."""
    built = subprocess.run(["scripts/docs"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    handler = functools.partial(SimpleHTTPRequestHandler, directory=ROOT / "site")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_site_has_a_search_fits_a_phone_and_loads_nothing_from_elsewhere(site: str, chromium: Browser) -> None:
    """One test, because several workers cannot build the site at the same time."""
    with chromium.new_context(viewport={"width": 360, "height": 740}) as context:
        phone, loaded = context.new_page(), list[str]()
        phone.on("request", lambda request: loaded.append(request.url))
        for path in PAGES:
            phone.goto(site + path, wait_until="networkidle")
            assert phone.evaluate("document.documentElement.scrollWidth") <= 360, path
        phone.goto(site)
        phone.locator("label[for=__search]").click()
        phone.keyboard.type("enclose")
        phone.locator("dialog a").filter(has_text="Options of the games").click()
        expect(phone).to_have_url(re.compile(rf"{site}reference/options/.*#sqez"))
        assert [url for url in loaded if not url.startswith((site, "data:", "blob:"))] == []
