"""Accounts, players and ladders in a browser: accessibility, and use without scripts."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_good_looks, leave_page

pytestmark = pytest.mark.browser
PASSWORD = "four corners"


def submit_registration(page: Page, name: str, password: str = PASSWORD) -> None:
    """Open the account page, fill in the form for a new account and submit it; do not wait for the answer."""
    page.goto("/account")
    form = page.get_by_role("form", name="Create an account")
    form.get_by_label("Name").fill(name)
    form.get_by_label("Password", exact=True).fill(password)
    form.get_by_label("Repeat password").fill(password)
    form.get_by_role("button").click()


@pytest.mark.ci
def test_account_and_ladder_pages_are_accessible_and_not_wider_than_the_window(page: Page) -> None:
    for address in ("/account", "/ladder", "/ladder/sqez", "/about", "/privacy", "/sets"):
        page.goto(address)
        assert_good_looks(page)
    submit_registration(page, "no name", "short")
    expect(page.locator("#f-new-name")).to_be_focused()
    assert_good_looks(page)
    name = "W" * 30  # the widest that is allowed
    submit_registration(page, name)
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    with leave_page(page):
        page.get_by_role("button", name="Create an API key").click()
    page.locator(".farewell summary").click()
    assert_good_looks(page)
    with leave_page(page):
        page.get_by_label("Password of this account").fill(PASSWORD)
        page.get_by_role("button", name="Create recovery codes").click()
    expect(page.locator(".codes li")).to_have_count(10)
    assert_good_looks(page)
    with leave_page(page):
        page.get_by_role("link", name="Your games and ratings").click()
    assert_good_looks(page)


def test_an_account_can_be_created_used_and_deleted_without_scripts(new_guest: NewGuest) -> None:
    """Used means: signed in to on a second device, which signs out the first one, downloads the data, and allows
    puzzles from the games.
    """
    here, there = new_guest(java_script_enabled=False), new_guest(java_script_enabled=False)
    submit_registration(here, "Christoforos")
    expect(here.locator(".top .me")).to_contain_text("Christoforos")
    there.goto("/account")
    form = there.get_by_role("form", name="Sign in")
    # The case of letters in the name does not matter.
    form.get_by_label("Name").fill("christoforos")
    form.get_by_label("Password").fill("not this one")
    form.get_by_role("button").click()
    expect(form.get_by_text("Wrong name or password")).to_be_visible()
    form.get_by_label("Password").fill(PASSWORD)
    form.get_by_role("button").click()
    expect(there.get_by_text("You are signed in.")).to_be_visible()
    there.get_by_role("listitem").filter(has_text="Another device").get_by_role("button").click()
    expect(there.get_by_text("The device has been signed out.")).to_be_visible()
    here.goto("/account")
    expect(here.get_by_role("heading", level=1)).to_have_text("You are playing as a guest")
    with there.expect_download() as download:
        there.get_by_role("link", name="Download your data").click()
    assert '"Christoforos"' in download.value.path().read_text(encoding="utf-8")
    box = there.get_by_role("checkbox", name="Puzzles may be made from my games")
    expect(box).not_to_be_checked()
    expect(box).to_have_accessible_description(re.compile("without names"))
    box.press("Space")
    there.get_by_role("form", name="Puzzles").get_by_role("button", name="Save").press("Enter")
    expect(there.get_by_role("status")).to_have_text("Puzzles may now be made from your games.")
    expect(box).to_be_checked()
    there.locator(".farewell summary").click()
    there.get_by_label("Type Christoforos to confirm").fill("Christoforos")
    there.get_by_label("Your password", exact=True).fill(PASSWORD)
    there.get_by_role("button", name="Delete account permanently").click()
    expect(there.get_by_role("status")).to_have_text("Your account has been deleted.")
    expect(there.get_by_role("heading", level=1)).to_have_text("You are playing as a guest")


def test_recovery_codes_are_copied_and_printed(page: Page) -> None:
    submit_registration(page, "Codes")
    expect(page.get_by_role("heading", level=1)).to_have_text("Codes")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    with leave_page(page):
        page.get_by_label("Password of this account").fill(PASSWORD)
        page.get_by_role("button", name="Create recovery codes").click()
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("#codes-said")).to_have_text("Copied.")
    codes = page.locator(".codes code").all_inner_texts()
    assert page.evaluate("navigator.clipboard.readText()") == "".join(f"{code}\n" for code in codes)
    page.evaluate("window.print = () => { document.title = 'printed'; }")
    page.get_by_role("button", name="Print").click()
    expect(page).to_have_title("printed")
    page.emulate_media(media="print")
    expect(page.locator(".codes")).to_be_visible()
    expect(page.get_by_role("button", name="Print")).to_be_hidden()


def test_signing_out_is_confirmed(page: Page) -> None:
    submit_registration(page, "Leaver")
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("status").first).to_have_text("You are signed out.")
