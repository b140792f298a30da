"""What a page shows while the server compiles: progress on the buttons that wait, and no notice anywhere."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.driver import wait_for_value
from tests.browser.multiplayer import MINE
from tests.web.processes import HeldProcess

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [360, pytest.param(1280, marks=pytest.mark.ci)])
def test_hint_button_shows_progress_and_gives_the_hint_once_that_is_compiled(
    chromium: Browser, tmp_path: Path, width: int
) -> None:
    with HeldProcess(tmp_path, NUMBA_DISABLE_JIT="1") as process:
        context = chromium.new_context(base_url=process.url, viewport={"width": width, "height": 800})
        page = context.new_page()
        form: dict[str, str | float | bool] = {
            "cols": "4",
            "rows": "4",
            "seat-1": "computer",
            "level-1": "1",
            "who-begins": "order",
        }
        address = context.request.post("/games/sqez", form=form, max_redirects=0).headers["location"]
        page.goto(address)
        button = page.locator("#hint")
        expect(button).to_have_class("plain preparing")
        expect(button).to_have_attribute("title", "Hint: being prepared, 0% (H)")
        expect(page.locator("[data-warming], .notice")).to_have_count(0)
        # What waits is known before the position, which shows the button.
        page.wait_for_selector(MINE)
        box = button.bounding_box()
        assert box is not None
        button.click()
        expect(button).to_have_attribute("aria-busy", "true")
        expect(page.locator(MINE)).to_be_visible()
        process.release()
        expect(page.locator("#hint-text strong")).to_be_visible(timeout=30_000)
        expect(button).to_have_class("plain")
        expect(button).to_have_attribute("title", "Hint (H)")
        wait_for_value(button.bounding_box, box)
        context.close()
