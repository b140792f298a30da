"""In a browser that blocks cookies every way to a seat or a name says so, before anything is made."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.conftest import NewGuest
from tests.browser.multiplayer import create_table
from tests.browser.test_drafts import FORBID_STORAGE

pytestmark = pytest.mark.browser
BLOCKED = re.compile("Your browser blocks cookies")


def answer_without_cookies(route: Route) -> None:
    """Answer a request as the server does, but set no cookie."""
    request = route.request
    headers = {
        name: value for name, value in request.headers.items() if not name.startswith(("host", "content-length"))
    }
    answer = httpx.request(request.method, request.url, headers=headers, content=request.post_data_buffer)
    dropped = {"set-cookie", "content-encoding", "content-length", "transfer-encoding"}
    kept = {name: value for name, value in answer.headers.items() if name not in dropped}
    route.fulfill(status=answer.status_code, headers=kept, body=answer.content)


@pytest.fixture
def stranger(context: BrowserContext, page: Page) -> Iterator[Page]:
    """A page in which storage is forbidden, of a browser that keeps no cookies.

    Not every browser of the tests has a setting for that.
    """
    context.route("**", answer_without_cookies)
    page.add_init_script(FORBID_STORAGE)
    page.goto("/")
    assert not context.cookies()
    yield page
    # Requests may still be on their way.
    context.unroute_all(behavior="ignoreErrors")


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
