"""Review the game in docs/pictures and draw the head of its review for docs/reviews.md, with Chromium:
`.venv/bin/python scripts/build_review_picture.py`.

FOURCORNERS_BROWSER names the browser; without it Playwright takes its own.
"""

import base64
import io
import os
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import fourcorners as fc
from fourcorners.study.html_report import build_html
from fourcorners.study.review import Review

PICTURES = Path(__file__).resolve().parent.parent / "docs/pictures"
FONTS = PICTURES.parent.parent / "src/fourcorners/web/static/fonts"
WIDTH = 900
SECONDS = 60
CROP = """() => {
    const shown = document.querySelector(document.querySelector('.players a[href^="#ply-"]').hash);
    for (const error of document.querySelectorAll('section[id^="ply-"]')) if (error !== shown) error.remove();
    return shown.getBoundingClientRect().bottom;
}"""
"""Leaves only the first player's turning point, because a review may be long; returns where the picture ends."""


def build_font_style() -> str:
    """Return the style of the typefaces that the pages use; a separate document takes what the system has."""
    faces = {
        name: base64.b64encode((FONTS / f"{name}.woff2").read_bytes()).decode("ascii") for name in ("serif", "sans")
    }
    rules = "".join(
        f'@font-face{{font-family:{name}-page;font-weight:400 700;src:url("data:font/woff2;base64,{data}")}}'
        for name, data in faces.items()
    )
    return f"{rules}:root{{--text:serif-page,serif;--sans:sans-page,sans-serif}}"


def draw_review(review: Review) -> Image.Image:
    """Return a picture of the page of a review with one of its errors; raise Playwright's Error without a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("FOURCORNERS_BROWSER"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": 800})
        page.set_content(build_html(review))
        page.add_style_tag(content=build_font_style())
        page.evaluate("document.fonts.ready.then(() => {})")
        bottom = page.evaluate(CROP)
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": bottom + 16}
        drawn = Image.open(io.BytesIO(page.screenshot(full_page=True, clip=clip)))  # type: ignore[arg-type]
        browser.close()
    return drawn


def save_picture(image: Image.Image) -> None:
    """Save a picture as a PNG of 256 colours."""
    few = image.convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(PICTURES / "review.png", optimize=True)


def main() -> None:
    """Write docs/pictures/review.png."""
    record = fc.Record.parse((PICTURES / "review.record").read_text(encoding="utf-8"))
    save_picture(draw_review(fc.review(record, seconds=SECONDS, seed=1)))


if __name__ == "__main__":
    main()
