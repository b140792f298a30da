"""Draw the pictures of the README with Chromium, while `scripts/play` runs:
`.venv/bin/python scripts/build_screenshots.py http://127.0.0.1:8000`.

FOURCORNERS_BROWSER names the browser; without it Playwright takes its own.
"""

import io
import os
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

import fourcorners as fc

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs/pictures"
SIZE: ViewportSize = {"width": 1180, "height": 760}
SECONDS = 120
"""The longest wait for a hint or for values."""


def click_move(page: Page, scene: str, move: str) -> None:
    """Click on the tokens of a move in a scene."""
    for token in move.split():
        page.locator(f'{scene} [data-token="{token}"]').first.click(force=True)


def draw_game(page: Page, record: fc.Record, plies: int) -> Image.Image:
    """Return a picture of a game after this many moves, with a hint."""
    seats = {f"seat-{seat}": "person" for seat in range(record.game.seats)}
    names = {f"name-{seat}": name for seat, name in enumerate(record.seats)}
    options = {name: str(value) for name, value in record.game.given_options().items()}
    form = {"who-begins": "order", **seats, **names, **options}
    answer = page.request.post(f"/games/{record.game.id}", form=dict(form), max_redirects=0)
    page.goto(answer.headers["location"])
    for count, line in enumerate(record.lines[:plies], 1):
        click_move(page, "#board", line.text)
        expect(page.locator("#moves li")).to_have_count(count)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#hint-text strong")).to_be_visible(timeout=1000 * SECONDS)
    return take_picture(page)


def draw_analysis(page: Page, record: fc.Record, plies: int) -> Image.Image:
    """Return a picture of the analysis board after this many moves of a game, with the values of all moves."""
    options = "&".join(f"{name}={value}" for name, value in record.game.given_options().items())
    page.goto(f"/analysis/{record.game.id}?board=own&{options}")
    for count, line in enumerate(record.lines[:plies], 1):
        click_move(page, "#scene", line.text)
        expect(page.locator("#analysis")).to_have_attribute("data-ply", str(count))
    page.get_by_role("button", name="Values").click()
    moves = len(record.match().positions[plies].moves())
    expect(page.locator(".worths text")).to_have_count(moves, timeout=1000 * SECONDS)
    return take_picture(page)


def take_picture(page: Page) -> Image.Image:
    """Return a picture of the window, in which nothing is pointed at or moves."""
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    page.evaluate("document.fonts.ready.then(() => {})")
    return Image.open(io.BytesIO(page.screenshot(animations="disabled")))


def save_picture(image: Image.Image, name: str) -> None:
    """Save a picture as a PNG of 256 colours."""
    few = image.convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(PICTURES / f"{name}.png", optimize=True)


def main() -> None:
    """Write docs/pictures/game.png and docs/pictures/analysis.png."""
    cover = fc.Record.parse(fc.game("square-off").spec.cover)
    played = fc.Record.parse((PICTURES / "review.record").read_text(encoding="utf-8"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("FOURCORNERS_BROWSER"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(base_url=sys.argv[1], viewport=SIZE)
        save_picture(draw_game(page, cover, 20), "game")
        save_picture(draw_analysis(page, played, 26), "analysis")
        browser.close()


if __name__ == "__main__":
    main()
