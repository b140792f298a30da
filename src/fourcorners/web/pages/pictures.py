"""Pictures and style sheets of the games, and their rulebooks as HTML with drawn examples."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from fourcorners.core import catalogue
from fourcorners.core.game import Game
from fourcorners.core.match import Record
from fourcorners.core.scene import Style

_EXAMPLE = "record"
_PRINT = "print"
_LABELS = {"colour-blind": "For the colour-blind"}


def find_game(game_id: str) -> Game:
    """Return a game or preset with its usual options; raise OptionError if there is none."""
    return catalogue.game(game_id)


@functools.lru_cache(maxsize=64)
def draw_cover(game_id: str, theme: str, palette: str) -> str:
    """Draw a game's cover; raise OptionError for an unknown theme."""
    return _drawn(find_game(game_id).cover, theme, palette)


@functools.lru_cache(maxsize=256)
def draw_example(game_id: str, number: int, theme: str, palette: str) -> str:
    """Draw an example of a rulebook; raise OptionError or IndexError."""
    return _drawn(_examples(game_id)[number], theme, palette)


def _drawn(record: str, theme: str, palette: str) -> str:
    return Record.parse(record).match().position.svg(theme=theme, palette=palette)


def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


@functools.lru_cache(maxsize=64)
def _examples(game_id: str) -> tuple[str, ...]:
    tokens = _markdown().parse(find_game(game_id).rulebook)
    return tuple(token.content for token in tokens if token.type == "fence" and token.info.strip() == _EXAMPLE)


@functools.lru_cache(maxsize=64)
def render_rulebook(game_id: str) -> Markup:
    """Return a game's rulebook as HTML."""
    markdown = _markdown()

    def fence(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        if token.info.strip() != _EXAMPLE:
            return RendererHTML.fence(renderer, tokens, index, options, env)
        number = sum(1 for other in tokens[:index] if other.type == "fence" and other.info.strip() == _EXAMPLE)
        address = f"/games/{escape(game_id)}/examples/{number}.svg?theme="
        about = escape(_about(token.content), quote=True)
        images = "".join(
            f'<img class="on-{theme}" src="{address}{theme}" alt="{about}" loading="lazy">'
            for theme in ("light", "dark")
        )
        return f'<figure class="example">{images}</figure>\n'

    markdown.add_render_rule("fence", fence)
    # The page has the game's name as its heading already.
    text = find_game(game_id).rulebook.strip()
    if text.startswith("# "):
        text = text.partition("\n")[2]
    return Markup(markdown.render(text))  # noqa: S704  # raw HTML is disabled, so all text is escaped


def _about(record: str) -> str:
    moves = [row for row in record.split("\n\n", 1)[-1].strip().split("\n") if row]
    last = moves[-1].split(" ", 2)[-1] if moves else ""
    return f"The board after {len(moves)} moves, the last one {last}" if last else "The board at the start"


@functools.lru_cache(maxsize=64)
def build_style_sheet(game_id: str) -> str:
    """Write the style sheet of a game's boards, with all themes and palettes, and the colours of its seats."""
    style = find_game(game_id).spec.drawing.STYLE
    scope = ".fc-scene"
    rules = [f'[data-theme="{theme}"] {scope}{_values(values)}' for theme, values in _screen_themes(style)]
    rules += [f'[data-palette="{name}"] {scope}{_values(values)}' for name, values in style.palettes.items()]
    if _PRINT in style.themes:
        rules.append(f"@media print{{html[data-theme] {scope}{_values(style.themes[_PRINT])}}}")
    rules += [f'[data-theme="{theme}"]{_seats(style, values)}' for theme, values in _screen_themes(style)]
    rules += [f'[data-palette="{name}"]{_seats(style, values)}' for name, values in style.palettes.items()]
    return "\n".join([*rules, style.css])


def _screen_themes(style: Style) -> list[tuple[str, dict[str, str]]]:
    return [(name, dict(values)) for name, values in style.themes.items() if name != _PRINT]


def _seats(style: Style, values: Mapping[str, str]) -> str:
    return _values({f"seat-{name}": values[value] for name, value in style.seats.items() if value in values})


def _values(values: Any) -> str:
    return "{" + "".join(f"--{name}:{value};" for name, value in values.items()) + "}"


def build_style_url(game_id: str) -> str:
    """Return the style sheet's address, which changes with its content."""
    mark = hashlib.sha256(build_style_sheet(game_id).encode()).hexdigest()[:12]
    return f"/games/{game_id}/style.css?v={mark}"


def list_palettes(game_id: str | None = None) -> list[list[str]]:
    """List the palettes of a game, or of all."""
    specs = catalogue.specs().values() if game_id is None else [find_game(game_id).spec]
    names = dict.fromkeys(name for spec in specs for name in spec.drawing.STYLE.palettes)
    return [[name, _LABELS.get(name) or name.replace("-", " ").capitalize()] for name in names]
