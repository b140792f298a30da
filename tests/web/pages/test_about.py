"""The pages about the site and about privacy, and what browsers and crawlers ask for by themselves."""

import re
from collections.abc import Iterator
from urllib.robotparser import RobotFileParser

import httpx
import pytest

import fourcorners as fc
from fourcorners.web.auth import identity
from tests.web.client import Browser, Server


@pytest.fixture
def http(module_server: Server) -> Iterator[httpx.Client]:
    """A client without cookies, which does not follow redirects."""
    with httpx.Client(base_url=module_server.url, timeout=30) as client:
        yield client


def test_every_page_leads_to_the_pages_about_the_site_and_privacy(http: httpx.Client) -> None:
    for path in ("/", "/about", "/privacy", "/nothing"):
        page = http.get(path).text
        assert 'href="/about"' in page and 'href="/privacy"' in page
    about = http.get("/about").text
    assert all(f'<a href="/games/{game}">{fc.game(game).title}</a>: ' in about for game in fc.games())
    assert "some are trademarks" in about
    assert "MIT licence" in about


def test_privacy_names_the_cookies_and_days_that_hold(module_server: Server, http: httpx.Client) -> None:
    page = http.get("/privacy")
    assert set(re.findall(r"cookie <code>(\w+)</code>", page.text)) == {identity.COOKIE, identity.DEVICE_COOKIE}
    age = re.search(r"player=.*Max-Age=(\d+)", page.headers["set-cookie"])
    assert age is not None and f"for {int(age[1]) // 86_400} days after your last visit" in page.text
    with Browser(module_server) as browser:
        assert browser.http.get("/account/export").status_code == 200


def test_crawlers_leave_alone_what_belongs_to_people_and_find_the_rest(http: httpx.Client) -> None:
    answer = http.get("/robots.txt")
    assert answer.headers["content-type"].startswith("text/plain")
    assert "set-cookie" not in answer.headers
    rules = RobotFileParser()
    rules.parse(answer.text.splitlines())
    for path in ("/api", "/api/tables", "/play/abc", "/account", "/players/Ada", "/sets/abc", "/records"):
        assert not rules.can_fetch("Somebot", path), path
    for path in (
        "/",
        "/about",
        "/games/sqez",
        "/learn",
        "/puzzles",
        "/lobby",
        "/sets",
        "/analysis",
        "/static/page.css",
    ):
        assert rules.can_fetch("Somebot", path), path
    # Previews of links to a table.
    assert rules.can_fetch("Twitterbot", "/play/abc/preview.png")
    assert not rules.can_fetch("Twitterbot", "/api/tables")


@pytest.mark.parametrize(
    ("path", "target", "kind"),
    [
        ("/favicon.ico", "/static/icons/192.png", "image/png"),
        ("/apple-touch-icon.png", "/static/icons/touch.png", "image/png"),
        ("/apple-touch-icon-precomposed.png", "/static/icons/touch.png", "image/png"),
        ("/.well-known/change-password", "/account#password", "text/html; charset=utf-8"),
    ],
)
def test_addresses_that_browsers_know_by_themselves_are_answered(
    http: httpx.Client, path: str, target: str, kind: str
) -> None:
    answer = http.get(path)
    assert (answer.is_redirect, answer.headers["location"]) == (True, target)
    found = http.get(target)
    assert (found.status_code, found.headers["content-type"]) == (200, kind)
