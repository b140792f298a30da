"""Fair shuffles in browsers: all who start a game or sit down take part, and the page checks the finished game."""

import re
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, expect

import fourcorners as fc
from fourcorners.core.shuffle import is_value
from tests.browser.conftest import NewGuest
from tests.browser.driver import (
    assert_accessible,
    download_record,
    fill_in_form,
    open_menu,
    press_start,
    wait_for_script,
)
from tests.browser.multiplayer import MINE, OTHER, take_seat

pytestmark = pytest.mark.browser
INCLUDED = "✓ The shuffle includes this browser’s value."


def open_panel(page: Page) -> None:
    """Open the part of the menu that is about the shuffle."""
    open_menu(page)
    if page.locator("#fair:not([open])").count():
        page.locator("#fair > summary").click()


def resign(page: Page) -> None:
    """Resign, and wait until the game is over."""
    page.get_by_role("button", name="Resign").first.click()
    page.locator("#resign-ask .danger").click()
    page.wait_for_selector('#play[data-state="over"]')


def read_checks(page: Page) -> list[str]:
    """Check the shuffle of a finished game, and return what the page has found."""
    open_panel(page)
    page.get_by_role("button", name="Check the shuffle").click()
    expect(page.locator("#fair-checks li").first).to_be_visible()
    return page.locator("#fair-checks li").all_inner_texts()


@pytest.mark.ci
def test_the_creator_of_a_table_and_the_player_who_sits_down_take_part_and_both_pages_confirm_it(
    new_guest: NewGuest,
) -> None:
    ada, ben = new_guest(), new_guest()
    ada.goto("/games/squendo?with=friend")
    ada.wait_for_selector('input[name="hash"]', state="attached")
    wait_for_script(ada, "document.querySelector('input[name=hash]').value.length === 64")
    ada.get_by_label("Seats as listed").check()
    ada.locator("form.setup button.primary").click()
    ada.wait_for_url("**/play/*")
    take_seat(ben, ada.url, "Ben")
    ada.wait_for_selector(MINE)
    ben.wait_for_selector(OTHER)
    commitments = set()
    for page in (ada, ben):
        open_panel(page)
        expect(page.locator("#fair-own")).to_have_text(INCLUDED)
        expect(page.get_by_role("button", name="Check the shuffle")).to_have_count(0)
        commitments.add(page.locator("#fair-commitment").inner_text())
    assert_accessible(ada)
    ada.keyboard.press("Escape")
    resign(ada)
    ben.wait_for_selector('#play[data-state="over"]')
    for page in (ada, ben):
        checks = read_checks(page)
        assert len(checks) == 5
        assert all(check.startswith("✓") for check in checks), checks
    match = fc.Record.parse(download_record(ben)).match()
    assert {match.commitment} == commitments
    assert match.values is not None and len(set(match.values)) == 2 and all(map(is_value, match.values))
    # Anyone who did not play can check the nonce and the order.
    eve = new_guest()
    eve.goto(ada.url)
    eve.wait_for_selector('#play[data-state="over"]')
    assert [check[0] for check in read_checks(eve)] == ["✓", "✓"]


@pytest.mark.ci
def test_a_game_against_the_computer_starts_with_the_value_of_this_browser(page: Page) -> None:
    fill_in_form(page, "squendo", "pc", players=2)
    wait_for_script(page, "document.querySelector('input[name=hash]').value.length === 64")
    press_start(page)
    open_panel(page)
    expect(page.locator("#fair-own")).to_have_text(INCLUDED)
    page.keyboard.press("Escape")
    resign(page)
    match = fc.Record.parse(download_record(page)).match()
    assert match.values is not None and is_value(match.values[0]) and match.values[1] is None
    finished = re.escape(page.url)
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(re.compile(f"^(?!{finished}).*/play/"))
    open_panel(page)
    expect(page.locator("#fair-own")).to_have_text(INCLUDED)


def test_a_form_that_is_sent_twice_gives_two_values(page: Page) -> None:
    fill_in_form(page, "squendo", "pc", players=2)
    # A page whose form is answered without content stays as it is.
    page.route("**/games/squendo", lambda route: route.fulfill(status=204))
    hashes = []
    for _ in range(2):
        wait_for_script(page, "document.querySelector('input[name=hash]').value.length === 64")
        with page.expect_response("**/games/squendo") as answer:
            page.get_by_role("button", name="Start game").click()
        hashes.append(parse_qs(answer.value.request.post_data)["hash"])
    assert hashes[0] != hashes[1]
    stored = page.evaluate("JSON.parse(localStorage.getItem('shuffle')).map(({ hash }) => [hash])")
    assert stored == hashes


def test_a_changed_record_is_found_out(page: Page) -> None:
    fill_in_form(page, "squendo", "pc", players=2)
    wait_for_script(page, "document.querySelector('input[name=hash]').value.length === 64")
    press_start(page)
    resign(page)

    def change(record: str) -> str:
        """Return a record in which the server has left out the value of the first seat."""
        return re.sub(r"(?m)^values: [0-9a-f]{64}", "values: -", record)

    page.route("**/record", lambda route: route.fulfill(body=change(route.fetch().text())))
    wrong = [check for check in read_checks(page) if check.startswith("✗")]
    assert wrong == [
        "✗ The shuffle does not include this browser’s value.",
        "✗ Seat 1 announced a value and did not give it.",
        "✗ The order of the tiles does not follow from the nonce and the values.",
    ]
