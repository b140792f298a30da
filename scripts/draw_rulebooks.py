"""The rulebooks as pages of the documentation site: their text as it is, and each figure to step through.

`build_docs.py` calls it.
"""

import re
from html import escape
from pathlib import Path

from markupsafe import Markup

import fourcorners as fc
from fourcorners.core.figures import FIGURE_BLOCK, Figure, parse_figure
from fourcorners.core.jit import interpret_briefly
from fourcorners.study.drawn_record import DrawnRecord, draw_figure, write_drawn_record
from fourcorners.web.application.markdown import create_parser

PACKAGE = Path(fc.__file__).parent / "builtin"
_GAME_LINK = re.compile(r"(?<=\]\()/games/([\w-]+)(?=\))")


def find_rulebooks() -> dict[Path, fc.Game]:
    """Return the games by the path of their rulebook."""
    texts = {path.read_text(encoding="utf-8").strip(): path.resolve() for path in PACKAGE.glob("*/*.md")}
    return {texts[game.rulebook.strip()]: game for game in map(fc.game, fc.games())}


def draw_rulebook(game: fc.Game, page: Path) -> None:
    """Write a rulebook as a page, and beside it the drawn record and the first picture of each figure."""
    count = 0

    def draw(block: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return draw_block(parse_figure(game, block[1]), page.with_name(f"{game.id}-{count}"))

    with interpret_briefly():
        text = _GAME_LINK.sub(r"\1.md", FIGURE_BLOCK.sub(draw, game.rulebook))
    page.write_text(text, encoding="utf-8")


def draw_block(figure: Figure, path: Path) -> str:
    """Write the files of a figure, whose path lacks the ending; return its HTML, which has all sentences for readers
    without scripts, and for the search.
    """
    parser = create_parser()
    caption, *sentences = (parser.renderInline(text) for text in (figure.caption, *(s.text for s in figure.steps)))
    plain = [Markup(text).striptags() for text in sentences]  # noqa: S704  # raw HTML is disabled
    record = draw_figure(figure, plain, Markup(caption).striptags())  # noqa: S704  # the same
    path.with_suffix(".json").write_text(write_drawn_record(record), encoding="utf-8")
    path.with_suffix(".svg").write_text(draw_first(record), encoding="utf-8")
    steps = "".join(f"<li>{sentence}</li>" for sentence in sentences if sentence)
    return (
        # Only the address of the image is made to fit the folder of the page.
        f'<figure class="board"><fourcorners-board record="../{path.name}.json">'
        f'<img src="{path.name}.svg" alt="{escape(record["steps"][0]["description"])}"'
        f' width="{record["width"]:g}" height="{record["height"]:g}">'
        f"<p>{caption}</p><ol>{steps}</ol></fourcorners-board></figure>"
    )


def draw_first(record: DrawnRecord) -> str:
    """Return the first picture of a record as an SVG document that follows the theme of the system."""
    light, dark = record["colours"]["light"], record["colours"]["dark"]
    body = "".join(record["parts"][number] for number in record["steps"][0]["parts"])
    width, height = record["width"], record["height"]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}"'
        f' height="{height:g}"><style>svg{{{light}}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}</style>'
        f"{record['head']}{body}</svg>"
    )
