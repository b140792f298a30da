"""Draw the icons and the preview pictures of the pages with Chromium: `.venv/bin/python scripts/build_images.py`.

FOURCORNERS_BROWSER names the browser; without it Playwright takes its own.
"""

import io
import os
from html import escape
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from fourcorners.core import catalogue
from fourcorners.web.pages import pictures

STATIC = Path(__file__).resolve().parent.parent / "src/fourcorners/web/static"
PREVIEW = (1200, 630)
ICONS = {"192": (192, 0.72), "512": (512, 0.72), "touch": (180, 0.62), "maskable": (512, 0.5)}
"""The sides of the icons in pixels, and which part of a side the mark takes; a mask may cut off a fifth."""
MARK = (
    '<svg class="mark" viewBox="1.5 1.5 21 21"><path d="M5 5H19V19H5Z" fill="none" stroke="#1d5f86"'
    ' stroke-width="1.8"/>'
    '<path d="M5 5h0M19 5h0M5 19h0" stroke="#23303a" stroke-width="5.8" stroke-linecap="round"/>'
    '<circle cx="19" cy="19" r="2.5" fill="#f8f4ea" stroke="#23303a" stroke-width="1.4"/></svg>'
)
STYLE = """
@font-face { font-family: PageSerif; src: url("fonts/serif.woff2"); font-weight: 400 700; }
@font-face { font-family: PageSans; src: url("fonts/sans.woff2"); font-weight: 400 700; }
* { box-sizing: border-box; margin: 0; }
body { overflow: hidden; color: #23303a; background: #f8f4ea; }
.preview { background: radial-gradient(circle, #d8cdb6 2px, transparent 2.6px) 15px 15px / 30px 30px; }
.icon { display: grid; place-items: center; width: 100vw; height: 100vh; background: #f8f4ea; }
.preview { display: flex; gap: 64px; align-items: center; height: 630px; padding: 0 72px; }
.words { flex: 1; }
.words .mark { width: 72px; }
h1 { margin: 36px 0 20px; font: 600 76px/1.05 PageSerif; letter-spacing: -.02em; text-wrap: balance; }
p { font: 400 31px/1.35 PageSans; color: #4c565e; text-wrap: pretty; }
.boards { display: grid; flex: none; width: 510px; gap: 22px; grid-template-columns: 1fr 1fr; }
.boards.one { display: block; }
.boards img { display: block; width: 100%; height: auto; max-height: 520px; }
.boards img { filter: drop-shadow(0 10px 22px rgb(40 30 10 / 28%)); }
.boards:not(.one) img { aspect-ratio: 1; max-height: 244px; }
"""


def draw_page(browser: Browser, size: tuple[int, int], body: str) -> Image.Image:
    """Return the picture of an HTML body, which may refer to files in the folder of static files."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    try:
        # A page from memory may not read files, so it comes from the folder that has the fonts.
        draft = STATIC / "draft.html"
        draft.write_text(f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{body}", encoding="utf-8")
        page.goto(draft.as_uri())
        page.evaluate("document.fonts.ready")
        return Image.open(io.BytesIO(page.screenshot()))
    finally:
        draft.unlink(missing_ok=True)
        page.close()


def draw_preview(browser: Browser, title: str, text: str, games: list[str]) -> Image.Image:
    """Return a preview picture: title and text beside the covers of some games, one or four."""
    # Each cover is a separate document, in which the same ids may stand for different things.
    images = "".join(f"<img src='data:image/svg+xml,{_quote_svg(game)}' alt=''>" for game in games)
    boards = f'<div class="boards{" one" if len(games) == 1 else ""}">{images}</div>'
    words = f'<div class="words">{MARK}<h1>{escape(title)}</h1><p>{escape(text)}</p></div>'
    return draw_page(browser, PREVIEW, f'<div class="preview">{words}{boards}</div>')


def _quote_svg(game: str) -> str:
    text = pictures.draw_cover(game, "light", "", "")
    return text.replace("%", "%25").replace("#", "%23").replace("'", "%27").replace("<", "%3C").replace(">", "%3E")


def save_image(image: Image.Image, path: Path) -> None:
    """Save a picture as a PNG of 256 colours."""
    path.parent.mkdir(exist_ok=True)
    image.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.FLOYDSTEINBERG).save(
        path, optimize=True
    )


def main() -> None:
    """Write all icons and previews into the folder of static files."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("FOURCORNERS_BROWSER"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, (side, share) in ICONS.items():
            mark = MARK.replace("<svg", f'<svg width="{side * share}"')
            save_image(
                draw_page(browser, (side, side), f'<div class="icon">{mark}</div>'), STATIC / f"icons/{name}.png"
            )
        specs = catalogue.specs()
        lead = "Play with friends, strangers or the computer. Free, without an account."
        front = draw_preview(browser, "Games about making squares", lead, list(specs)[:4])
        save_image(front, STATIC / "previews/fourcorners.png")
        for game_id in catalogue.games():
            game = catalogue.game(game_id)
            summary = (game.preset.summary if game.preset else "") or game.spec.summary
            save_image(draw_preview(browser, game.title, summary, [game_id]), STATIC / f"previews/{game_id}.png")


if __name__ == "__main__":
    main()
