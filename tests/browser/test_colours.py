"""Choosing colours in Squendo: in the form, with the keyboard too, and when taking an open seat; sizes of labels."""

from functools import partial

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_accessible, start_game, wait_for_value
from tests.browser.multiplayer import MINE, create_table

pytestmark = pytest.mark.browser
_SMALLEST = """svg => {
  const label = document.querySelector('.defs .fc-label').cloneNode(true);
  svg.append(label);
  const size = parseFloat(getComputedStyle(label).fontSize) * svg.getScreenCTM().a;
  label.remove();
  return size;
}"""


def test_axe_compares_the_colours_of_text_on_dotted_paper(page: Page) -> None:
    page.goto("/")
    page.evaluate("document.querySelector('main h1, main h2').style.color = '#eee'")
    with pytest.raises(AssertionError, match="color-contrast"):
        assert_accessible(page)


def read_choice(page: Page) -> list[str | None]:
    """Return the names of the chosen colours, those of hidden seats left out."""
    chosen = page.locator(".seat-row .swatches input:checked")
    return [radio.get_attribute("aria-label") for radio in chosen.all() if radio.is_visible()]


def test_seats_choose_different_colours_by_mouse_and_keyboard(page: Page) -> None:
    page.goto("/games/squendo")
    wait_for_value(lambda: read_choice(page), ["Red", "Blue", "Green"])
    page.locator('[data-place="0"] label').nth(3).click()
    wait_for_value(lambda: read_choice(page), ["Yellow", "Blue", "Green"])
    page.locator('[data-place="1"] input').nth(1).focus()
    page.keyboard.press("ArrowRight")
    # Green was the neutral colour, which is now blue.
    wait_for_value(lambda: read_choice(page), ["Yellow", "Green", "Blue"])
    page.locator('input[name="players"][value="4"]').check()
    expect(page.locator('[data-seat="3"]')).to_be_visible()
    wait_for_value(lambda: read_choice(page), ["Yellow", "Green", "Blue", "Red"])
    assert_accessible(page)


@pytest.mark.ci
def test_who_takes_an_open_seat_chooses_among_the_free_colours(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    path = create_table(ada, "squendo", "po", **{"name-0": "Ada", "colours": "YRB"})
    ben.goto(path)
    menu = ben.get_by_label("Your colour at seat 2")
    expect(menu.locator("option")).to_have_text(["Red", "Blue", "Green"])
    menu.select_option(label="Green")
    menu.focus()
    # Someone else comes to watch: the seats are listed anew, and what was chosen stays.
    new_guest().goto(path)
    expect(ada.locator("#watching")).to_have_text("2 watching")
    expect(menu).to_have_value("G")
    expect(menu).to_be_focused()
    ben.get_by_role("button", name="Sit here").click()
    ada.wait_for_selector(MINE)
    for page in (ada, ben):
        expect(page.locator("#seats")).to_contain_text("Yellow")
        expect(page.locator("#seats")).to_contain_text("Green")
        expect(page.locator("#facts")).to_contain_text("blue")
    expect(ben.locator("#tray [data-token]")).not_to_have_count(0)
    letters = ben.locator("#tray [data-token]").evaluate_all("tiles => tiles.map((tile) => tile.dataset.token[0])")
    assert set(letters) <= set("YGB")


@pytest.mark.ci
def test_chosen_colour_stays_chosen_when_another_player_takes_the_one_before_it(new_guest: NewGuest) -> None:
    ada, ben, cid = new_guest(), new_guest(), new_guest()
    path = create_table(ada, "squendo", "poo", players="3")
    ben.goto(path)
    menu = ben.get_by_label("Your colour at seat 2")
    expect(menu.locator("option")).to_have_text(["Blue", "Green", "Yellow"])
    menu.select_option(label="Yellow")
    cid.goto(path)
    cid.get_by_role("button", name="Sit here: green").click()
    expect(menu.locator("option")).to_have_text(["Blue", "Yellow"])
    expect(menu).to_have_value("Y")


def has_readable_labels(picture: Locator) -> bool:
    """Return whether a label in a picture has 11 pixels or more, but for rounding."""
    size: float = picture.evaluate(_SMALLEST)
    return size >= 10.9


@pytest.mark.ci
def test_labels_on_a_phone_have_11_pixels_or_more(phone: Page) -> None:
    start_game(phone, "squendo", "pp")
    for part in ("#board > svg", "#tray > svg"):
        if part.startswith("#tray"):
            phone.locator("#curtain button").click()
        picture = phone.locator(part)
        wait_for_value(partial(has_readable_labels, picture), expected=True)
