"""Pictures, style sheets and rulebooks of the games; all results are cached because they never change."""

import functools
import hashlib
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from fourcorners.core import catalogue, record_format
from fourcorners.core.match import Record
from fourcorners.core.scene import Style

_EXAMPLE = "record"
_PRINT = "print"
_LABELS = {"colour-blind": "Colour-blind friendly"}


@functools.lru_cache(maxsize=64)
def draw_cover(game_id: str, theme: str, palette: str) -> str:
    """Draw a game's cover as SVG; raise OptionError for an unknown game, theme or palette ("" for none)."""
    return _draw_record(catalogue.game(game_id).cover, theme, palette)


@functools.lru_cache(maxsize=256)
def draw_example(game_id: str, number: int, theme: str, palette: str) -> str:
    """Draw the example with this number, 0 or more, of a rulebook as SVG; raise IndexError, or as `draw_cover` does."""
    return _draw_record(_list_examples(game_id)[number], theme, palette)


def _draw_record(record: str, theme: str, palette: str) -> str:
    """Draw the last position of a record as SVG, as a spectator sees it; raise RecordError or OptionError."""
    return Record.parse(record).match().position.svg(theme=theme, palette=palette)


def _create_parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _is_example(token: Token) -> bool:
    """Return whether a Markdown token is an example: a code block marked as a record."""
    return token.type == "fence" and token.info.strip() == _EXAMPLE


@functools.lru_cache(maxsize=64)
def _list_examples(game_id: str) -> tuple[str, ...]:
    """List the texts of the records in a game's rulebook, in order; raise OptionError for an unknown game."""
    tokens = _create_parser().parse(catalogue.game(game_id).rulebook)
    return tuple(token.content for token in tokens if _is_example(token))


@functools.lru_cache(maxsize=64)
def render_rulebook(game_id: str) -> Markup:
    """Return a game's rulebook as HTML without its title, with each example drawn; raise OptionError or RecordError."""
    parser = _create_parser()

    def render_fence(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        """Render the code block `tokens[index]`; an example as two pictures, of which the style sheet shows one."""
        token = tokens[index]
        if not _is_example(token):
            return RendererHTML.fence(renderer, tokens, index, options, env)
        number = sum(1 for earlier in tokens[:index] if _is_example(earlier))
        address = f"/games/{escape(game_id)}/examples/{number}.svg?theme="
        description = escape(_describe_record(token.content), quote=True)
        images = "".join(
            f'<img class="on-{theme}" src="{address}{theme}" alt="{description}" loading="lazy">'
            for theme in ("light", "dark")
        )
        return f'<figure class="example">{images}</figure>\n'

    parser.add_render_rule("fence", render_fence)
    # The page itself has the game's title as its heading.
    text = catalogue.game(game_id).rulebook.strip()
    if text.startswith("# "):
        text = text.partition("\n")[2]
    return Markup(parser.render(text))  # noqa: S704  # raw HTML is disabled, so all text is escaped


def _describe_record(record: str) -> str:
    """Return a picture's alt text: the number of moves and the last, or that it is the start; raise RecordError."""
    moves = record_format.parse(record).lines
    if not moves:
        return "The board at the start"
    return f"The board after {len(moves)} move{'' if len(moves) == 1 else 's'}; the last one is {moves[-1].text}"


@functools.lru_cache(maxsize=64)
def build_style_sheet(game_id: str) -> str:
    """Return the CSS of a game's boards: the values of themes, palettes and seats, and its rules; raise OptionError."""
    style = catalogue.game(game_id).spec.drawing.STYLE
    scope = ".fc-scene"
    themes = {name: values for name, values in style.themes.items() if name != _PRINT}
    rules = [f'[data-theme="{name}"] {scope}{_build_block(values)}' for name, values in themes.items()]
    rules += [f'[data-palette="{name}"] {scope}{_build_block(values)}' for name, values in style.palettes.items()]
    if _PRINT in style.themes:
        rules.append(f"@media print{{html[data-theme] {scope}{_build_block(style.themes[_PRINT])}}}")
    rules += [f'[data-theme="{name}"]{_build_seat_block(style, values)}' for name, values in themes.items()]
    rules += [f'[data-palette="{name}"]{_build_seat_block(style, values)}' for name, values in style.palettes.items()]
    return "\n".join([*rules, style.css])


def _build_seat_block(style: Style, values: Mapping[str, str]) -> str:
    """Build the CSS block of the seats' colours; a palette may leave some of them as the theme has them."""
    return _build_block({f"seat-{name}": values[value] for name, value in style.seats.items() if value in values})


def _build_block(values: Mapping[str, str]) -> str:
    """Build a CSS block of custom properties."""
    return "{" + "".join(f"--{name}:{value};" for name, value in values.items()) + "}"


def build_style_url(game_id: str) -> str:
    """Return a style sheet's URL with a hash of its content, so that browsers load a changed one; or OptionError."""
    digest = hashlib.sha256(build_style_sheet(game_id).encode()).hexdigest()[:12]
    return f"/games/{game_id}/style.css?v={digest}"


def list_palettes() -> list[list[str]]:
    """List the palettes of all games as [id, label], each id once."""
    names = dict.fromkeys(name for spec in catalogue.specs().values() for name in spec.drawing.STYLE.palettes)
    return [[name, _LABELS.get(name) or name.replace("-", " ").capitalize()] for name in names]
