"""In a browser that blocks cookies every way to a seat or a name says so, before anything is made."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import NewGuest, Server, list_launch_options, open_page
from tests.browser.multiplayer import create_table
from tests.browser.test_drafts import FORBID_STORAGE

pytestmark = pytest.mark.browser
BLOCKED = re.compile("Your browser blocks cookies")


@pytest.fixture
def stranger(chromium: Browser, server: Server, tmp_path: Path) -> Iterator[Page]:
    """A page of a Chromium that is set to block all cookies, in which storage is forbidden as well."""
    settings = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default/Preferences").write_text(json.dumps(settings))
    context = chromium.browser_type.launch_persistent_context(tmp_path, base_url=server.url, **list_launch_options())
    page = open_page(context)
    page.add_init_script(FORBID_STORAGE)
    page.goto("/")
    assert not context.cookies()
    yield page
    context.close()


@pytest.mark.parametrize(
    ("path", "button"),
    [
        ("/", "Play"),
        ("/lobby", "Sqez"),
        ("/games/square-off?with=friend", "Create game and share link"),
    ],
)
def test_form_says_that_cookies_are_blocked(stranger: Page, path: str, button: str) -> None:
    stranger.goto(path)
    stranger.locator("#main form").get_by_role("button", name=re.compile(f"^{button}")).first.click()
    expect(stranger.locator("h1")).to_have_text("Cookies are blocked")
    expect(stranger.locator(".lead")).to_have_text(BLOCKED)


def test_home_board_says_that_cookies_are_blocked(stranger: Page) -> None:
    stranger.goto("/")
    stranger.locator("#board [data-token]").first.click()
    expect(stranger.locator("#status")).to_have_text(BLOCKED)


def test_open_seat_says_that_cookies_are_blocked(stranger: Page, new_guest: NewGuest) -> None:
    stranger.goto(create_table(new_guest(), "square-off", "po", **{"name-0": "Ada"}))
    stranger.get_by_label("Your name").fill("Ben")
    stranger.get_by_role("button", name="Sit here").click()
    expect(stranger.locator("#note")).to_contain_text(BLOCKED)
    expect(stranger.get_by_role("button", name="Sit here")).to_be_visible()


def test_lessons_puzzles_and_analysis_need_no_cookies(stranger: Page) -> None:
    stranger.goto("/learn")
    stranger.locator("#main a[href^='/learn/']").first.click()
    for path in (None, "/puzzles/sqez/daily"):
        if path:
            stranger.goto(path)
        stranger.wait_for_selector('#exercise[data-state="open"]')
    stranger.goto("/analysis/sqez")
    expect(stranger.locator("#analysis")).to_have_attribute("data-ply", "0")
