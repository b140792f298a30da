"""The strength of the levels in a browser: where a level is chosen, on the page about them, and in the reports."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import assert_good_looks, leave_page

pytestmark = pytest.mark.browser


def test_the_menu_of_levels_shows_points_and_leads_to_what_they_mean_and_to_the_report(page: Page) -> None:
    blocked: list[str] = []
    page.on("console", lambda message: blocked.append(message.text) if message.type == "error" else None)
    page.goto("/games/sqez")
    expect(page.locator("[data-level]:visible option").first).to_have_text(re.compile(r"^1 · \d{4} · beginner$"))
    with leave_page(page):
        page.get_by_role("link", name="How strong are the levels?").click()
    section = page.get_by_role("region", name="Sqez")
    expect(section.get_by_role("row")).to_have_count(9)
    assert_good_looks(page)
    with leave_page(page):
        section.get_by_role("link", name=re.compile("^Report")).click()
    expect(page.get_by_role("heading", name="Report on Sqez")).to_be_visible()
    assert_good_looks(page)
    # The security policy blocks inline styles.
    assert not blocked
