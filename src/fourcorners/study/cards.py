"""Cards: pictures with a title, a few words and a board, which other sites show beside a link."""

import textwrap
from collections.abc import Sequence

from fourcorners.core.annotations import Mark
from fourcorners.core.game import View
from fourcorners.core.scene import escape
from fourcorners.study import rendering
from fourcorners.study.stills import LIGHT, draw_still
from fourcorners.study.value_badges import Worths

WIDTH, HEIGHT = 1200, 630
_BOARD = (640, 55, 500, 520)  # x, y, width, height
_TITLE_WIDTH, _TEXT_WIDTH = 17, 36  # in characters
_MOST_LINES = 3
_MARK = (
    '<g transform="translate(52 56) scale(3.4)"><path d="M5 5H19V19H5Z" fill="none" stroke="#1d5f86"'
    ' stroke-width="1.8"/>'
    '<path d="M5 5h0M19 5h0M5 19h0" stroke="#23303a" stroke-width="5.8" stroke-linecap="round"/>'
    '<circle cx="19" cy="19" r="2.5" fill="#f8f4ea" stroke="#23303a" stroke-width="1.4"/></g>'
)
_GROUND = (
    '<defs><pattern id="card-dots" width="30" height="30" patternUnits="userSpaceOnUse">'
    '<circle cx="15" cy="15" r="2.2" fill="#d8cdb6"/></pattern></defs>'
    f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f8f4ea"/>'
    f'<rect width="{WIDTH}" height="{HEIGHT}" fill="url(#card-dots)"/>'
)


def draw_card(title: str, text: str, view: View, marks: Sequence[Mark] = (), worths: Worths | None = None) -> str:
    """Draw a card as SVG: a title, a sentence or two, and the board as a viewer knows it.

    The board has marks and the values of moves, but nothing that lies beside it.
    """
    titles = _wrap(title, _TITLE_WIDTH)
    lines = _wrap(text, _TEXT_WIDTH)
    y = 268
    words = []
    for line in titles:
        words.append(f'<text x="72" y="{y}" font-family="serif" font-weight="700" font-size="62">{escape(line)}</text>')
        y += 70
    y -= 8
    for line in lines:
        words.append(
            f'<text x="72" y="{y}" font-family="sans-serif" font-size="30" fill="#4c565e">{escape(line)}</text>'
        )
        y += 42
    board = draw_still(view, LIGHT, marks, worths, has_tray=False)
    x, top, width, height = _BOARD
    place = f'<svg x="{x}" y="{top}" width="{width}" height="{height}" viewBox='
    # The card's sizes replace the document's first ones.
    opening, _, rest = board.partition(">")
    box = opening.partition('viewBox="')[2].partition('"')[0]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        f' fill="#23303a">{_GROUND}{_MARK}{"".join(words)}{place}"{box}">{rest}</svg>'
    )


def fits_title(text: str) -> bool:
    """Return whether a whole title fits on a card."""
    return textwrap.wrap(text, _TITLE_WIDTH, break_long_words=False) == _wrap(text, _TITLE_WIDTH)


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, max_lines=_MOST_LINES, placeholder=" …")


def render_card(title: str, text: str, view: View) -> bytes:
    """Return a card as PNG; raise RenderingError."""
    return rendering.render_png(draw_card(title, text, view), WIDTH)
