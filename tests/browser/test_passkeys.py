"""Passkeys in a browser with a virtual authenticator."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewGuest, Server
from tests.browser.driver import assert_accessible
from tests.browser.test_accounts import PASSWORD, submit_registration

pytestmark = pytest.mark.browser


@pytest.fixture
def page(new_guest: NewGuest, server: Server) -> Page:
    """A page of a browser with a device that signs whatever it is asked to, at a name to which passkeys can belong."""
    opened = new_guest(server.url.replace("127.0.0.1", "localhost"))
    session = opened.context.new_cdp_session(opened)
    session.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    device = {**options, "isUserVerified": True, "automaticPresenceSimulation": True}
    session.send("WebAuthn.addVirtualAuthenticator", {"options": device})
    return opened


def create_passkey(page: Page) -> None:
    """Create a passkey on the account page of a visitor who is signed in."""
    form = page.get_by_role("form", name="Create a passkey")
    form.get_by_label("Your current password").fill(PASSWORD)
    form.get_by_role("button").click()
    expect(page.get_by_text("The passkey has been created.")).to_be_visible()


def sign_out(page: Page) -> None:
    """Sign out on the account page, and wait for the home page: another address would cancel the request."""
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.locator(".top .me")).to_have_text("Sign in")


def test_account_signs_in_with_a_passkey_until_it_is_deleted(page: Page) -> None:
    submit_registration(page, "Passkey-Owner")
    expect(page.get_by_role("heading", level=1)).to_have_text("Passkey-Owner")
    form = page.get_by_role("form", name="Create a passkey")
    form.get_by_label("Your current password").fill("wrong")
    form.get_by_role("button").click()
    expect(page.get_by_role("alert")).to_have_text("Wrong password.")
    create_passkey(page)
    expect(page.get_by_text("Passkey\nCreated on")).to_have_count(1)
    assert_accessible(page)
    sign_out(page)
    page.goto("/account")
    assert_accessible(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_text("You are signed in.")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Passkey-Owner")
    page.get_by_role("button", name="Delete the passkey").click()
    expect(page.get_by_text("The passkey has been deleted.")).to_be_visible()
    sign_out(page)
    page.goto("/account")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_have_text("This passkey does not belong to an account here.")


def test_browser_that_has_no_passkey_says_so_and_stays(page: Page) -> None:
    page.goto("/account")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_have_text("Your device has not signed in. You can try again.")


def test_address_without_a_name_offers_no_passkeys(new_guest: NewGuest) -> None:
    visitor = new_guest()
    visitor.goto("/account")
    expect(visitor.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    expect(visitor.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
