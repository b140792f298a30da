"""The list of sections beside a rulebook."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import assert_accessible

pytestmark = pytest.mark.browser


def test_list_of_sections_leads_to_each_and_marks_the_one_being_read(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/games/square-off")
    links = page.get_by_role("navigation", name="Rules").get_by_role("link")
    titles = page.locator(".rulebook h2").all_text_contents()
    expect(links).to_have_text(titles)
    # At the top of the page no section is being read.
    expect(page.locator("#contents [aria-current]")).to_have_count(0)
    links.nth(2).click()
    expect(page.locator(".rulebook h2").nth(2)).to_be_in_viewport()
    expect(page.locator("#contents [aria-current]")).to_have_text(titles[2])
    assert_accessible(page)


def test_narrow_page_has_no_list_of_sections(page: Page) -> None:
    page.set_viewport_size({"width": 768, "height": 800})
    page.goto("/games/square-off")
    expect(page.get_by_role("button", name="Start game")).to_be_visible()
    expect(page.locator("#contents")).to_be_hidden()
