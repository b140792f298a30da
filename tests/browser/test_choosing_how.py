"""Choosing what becomes of a stack of three in Squendo: pictures, what is discarded, prompts, and the list of moves."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import start_game
from tests.waiting import wait_until

pytestmark = pytest.mark.browser
_DOUBLE = "#board .sq-place:is(.can, .can-turned)[aria-label*='double stack']"
_STACKABLE = "#board .sq-place:is(.can, .can-turned)"
_ANY = "#board :is(.can, .can-turned)"


def begin_triple(page: Page) -> Locator:
    """Play until a stack of three can be made, begin one, and return the buttons of its choices."""
    choices, curtain, tiles = (page.locator(name) for name in ("#choices .choice", "#curtain button", "#tray .can"))
    for _ in range(30):
        expect(curtain.or_(tiles).filter(visible=True).first).to_be_visible()
        if curtain.is_visible():
            curtain.click()
            expect(tiles.first).to_be_visible()
        played = locate_next_move(page)
        for wanted in (_DOUBLE, _STACKABLE, _ANY):
            if choose_tile_for(page, wanted):
                break
        expect(choices.or_(played).filter(visible=True).first).to_be_visible()
        if choices.first.is_visible() and "stack" in page.locator("#status").inner_text():
            return choices
        if choices.first.is_visible():
            choices.first.click()
        expect(played).to_be_attached()
    pytest.fail("no stack of three came up")


def locate_next_move(page: Page) -> Locator:
    """Return where the list of moves will show the next move."""
    moves = page.locator("#moves li")
    return moves.nth(moves.count())


def choose_tile_for(page: Page, wanted: str) -> bool:
    """Pick up the first tile that can go to a wanted place, put it there, and return whether there is one."""
    for token in [tile.get_attribute("data-token") for tile in page.locator("#tray .can").all()]:
        page.locator(f'#tray [data-token="{token}"]').click()
        if page.locator(wanted).count():
            page.locator(wanted).first.click()
            return True
        page.keyboard.press("Escape")
    return False


def carry_to_centre(page: Page, tile: str) -> None:
    """Lay a tile of the own hand at 0,0, as it lies."""
    page.locator(f'#tray [data-token="{tile}"]').click()
    page.locator('#board [data-token="0,0"]').click()


def take_over(page: Page) -> list[str]:
    """Lift the curtain, if there is one, and return the names of the tiles in the hand of the seat to move."""
    curtain, tiles = page.locator("#curtain button"), page.locator("#tray .can")
    expect(curtain.or_(tiles).filter(visible=True).first).to_be_visible()
    if curtain.is_visible():
        curtain.click()
    expect(tiles.first).to_be_visible()
    return [tile.get_attribute("data-token") or "" for tile in tiles.all()]


def begin_four_rotations(page: Page) -> str:
    """Start games until a stack of three comes up at 0,0 of which a tile can stay in four ways, all others discarded.

    Return this tile, which waits to be chosen. Red, who begins, can take none back: the others are not red. No tile
    lies beside them, so an uneven one can stay turned in any way.
    """
    for _ in range(40):
        start_game(page, "squendo", "pp")
        hand = take_over(page)
        firsts = [tile for tile in hand if tile[0] != "R" and sum(other[-1] == tile[-1] for other in hand) > 1]
        if not firsts:
            continue
        first, played = firsts[0], locate_next_move(page)
        carry_to_centre(page, first)
        expect(played).to_be_attached()
        seconds = [tile for tile in take_over(page) if tile[0] != "R" and tile[-1] == first[-1]]
        if not seconds:
            continue
        second, played = seconds[0], locate_next_move(page)
        carry_to_centre(page, second)
        expect(played).to_be_attached()
        for third in [tile for tile in take_over(page) if tile[-1] == first[-1]]:
            for left in (first, second, third) if third[0] != "R" else (third,):
                if left[1:-1] in {"1", "2a", "3"}:
                    carry_to_centre(page, third)
                    return left
    pytest.fail("no such stack came up")


def assert_choices_fit(page: Page) -> None:
    """Fail unless all choices stand in one row, and in the place that is kept for them, so that nothing moves."""
    # All at once, since the window may scroll meanwhile.
    tops = page.locator("#choices button").evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert len(set(tops)) == 1
    # The place of the bar and of one line is the least height; it grows only if that is not enough.
    least = page.locator("#act").evaluate("act => parseFloat(getComputedStyle(act).minHeight)")
    place = page.locator("#act").bounding_box()
    assert place is not None
    assert place["height"] == pytest.approx(least, abs=1)


@pytest.mark.ci
def test_choices_show_tiles_and_what_is_discarded_before_it_is_played(page: Page) -> None:
    start_game(page, "squendo", "pp")
    choices = begin_triple(page)
    expect(page.locator("#status")).to_have_text("Three tiles in one stack: choose the one that stays.")
    for button in choices.all():
        face = button.locator(".miniature use").first
        # A tile of its colour, not the black square of a shape without style.
        fill = face.evaluate("use => getComputedStyle(use).getPropertyValue('--sq-red')")
        assert re.fullmatch(r"\s*#[0-9a-f]{6}", fill)
    played, steps = locate_next_move(page), page.locator("#choices .primary, #choices .choice")
    told, said, status = "", "", page.locator("#status")

    def has_moved_on() -> bool:
        """Return whether the move is played, or the next choice is shown."""
        return bool(played.count()) or steps.all_inner_texts()[:1] not in ([], [told])

    while not played.count():
        told, said = steps.first.inner_text(), status.inner_text()
        steps.first.click()
        wait_until(has_moved_on)
    discarded = re.search(r"discards (\w+) with .+ and (\w+) with", f"{said} {told}")
    assert discarded is not None
    last = page.locator("#moves li").last
    expect(last).to_contain_text("discarded two tiles")
    expect(last.locator(".miniature")).to_have_count(1)


@pytest.mark.ci
@pytest.mark.parametrize("width", [1280, 360])
def test_tiles_and_rotations_to_choose_keep_to_their_place_and_what_all_discard_is_said_once(
    page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    left = page.locator(f'#choices [data-choice="token leave:{begin_four_rotations(page)}"]')
    expect(left).to_be_visible()
    assert_choices_fit(page)
    left.click()
    expect(page.locator("#status")).to_have_text(
        re.compile(r"^Choose how it will lie\. The move discards .+ and .+\.$")
    )
    buttons = page.locator("#choices .choice")
    expect(buttons).to_have_count(4)
    assert "discards" not in "".join(buttons.all_inner_texts())
    assert_choices_fit(page)
