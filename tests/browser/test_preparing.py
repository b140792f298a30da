"""What a page shows while the server compiles: progress on buttons, and a sentence with a bar to those who wait."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

import fourcorners as fc
from tests.browser.conftest import NewGuest, open_page
from tests.browser.driver import wait_for_value
from tests.browser.multiplayer import MINE
from tests.web.processes import HeldProcess

pytestmark = pytest.mark.browser
PREPARING = "Preparing the engine, once, about half a minute."


@pytest.mark.parametrize("width", [360, pytest.param(1280, marks=pytest.mark.ci)])
def test_hint_button_shows_progress_and_gives_the_hint_once_that_is_compiled(
    new_guest: NewGuest, tmp_path: Path, width: int
) -> None:
    with HeldProcess(tmp_path, NUMBA_DISABLE_JIT="1") as process:
        page = new_guest(process.url, viewport={"width": width, "height": 800})
        form: dict[str, str | float | bool] = {
            "cols": "4",
            "rows": "4",
            "seat-1": "computer",
            "level-1": "1",
            "who-begins": "order",
        }
        address = page.request.post("/games/sqez", form=form, max_redirects=0).headers["location"]
        page.goto(address)
        button = page.locator("#hint")
        expect(button).to_have_class("plain preparing")
        expect(button).to_have_attribute("title", re.compile(r"Hint: being prepared, \d+% \(H\)"))
        expect(page.locator("[data-warming], .notice")).to_have_count(0)
        # What waits is known before the position, which shows the button.
        page.wait_for_selector(MINE)
        box = button.bounding_box()
        assert box is not None
        button.click()
        expect(button).to_have_attribute("aria-busy", "true")
        expect(page.locator("#hint-text")).to_have_text(PREPARING)
        expect(page.locator("#hint-text progress")).to_be_visible()
        expect(page.locator(MINE)).to_be_visible()
        process.release()
        expect(page.locator("#hint-text strong")).to_be_visible(timeout=30_000)
        expect(button).to_have_class("plain")
        expect(button).to_have_attribute("title", "Hint (H)")
        wait_for_value(button.bounding_box, box)


def test_whatever_waits_for_the_engine_says_that_it_is_prepared_and_goes_on_after_that(
    new_guest: NewGuest, tmp_path: Path
) -> None:
    with HeldProcess(tmp_path, NUMBA_DISABLE_JIT="1") as process:
        table = new_guest(process.url)
        analysis, review = open_page(table.context), open_page(table.context)
        form: dict[str, str | float | bool] = {"cols": "4", "rows": "4", "who-begins": "order", "seat-1": "computer"}
        table.goto(table.request.post("/games/sqez", form=form, max_redirects=0).headers["location"])
        table.wait_for_selector(MINE)
        table.locator("#evaluate").click()
        expect(table.locator("#evaluation-text")).to_have_text(PREPARING)
        analysis.goto("/analysis/sqez?cols=4&rows=4&board=own")
        expect(analysis.locator("#analysis")).to_have_attribute("data-ply", "0")
        analysis.locator("#engine-switch").click()
        expect(analysis.locator("#engine-note")).to_have_text(PREPARING)
        analysis.locator("#values").click()
        expect(analysis.locator("#verdict-sentence")).to_have_text(PREPARING)
        match = fc.Match(fc.game("sqez", cols=4, rows=4), ["Ada", "Bo"])
        match.play("a1 d4")
        review.goto("/")
        answer = table.request.post("/records", form={"record": str(match.record())}, max_redirects=0)
        review.goto(answer.headers["location"] + "/review")
        review.get_by_role("button", name="Review this game").click()
        expect(review.locator(".progress")).to_contain_text(PREPARING)
        process.release()
        expect(table.locator("#evaluation-text")).not_to_contain_text("Preparing", timeout=60_000)
        expect(analysis.locator("#engine-lines li").first).to_be_visible(timeout=60_000)
        expect(analysis.locator("#verdict-sentence")).not_to_contain_text("Preparing", timeout=60_000)
        expect(review.locator("#report")).to_have_attribute("data-state", "finished", timeout=60_000)
