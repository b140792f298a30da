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

from fourcorners.core import catalogue, compiled_api, record_format
from fourcorners.core.base_position import PlayedMove
from fourcorners.core.figures import Figure, describe_step, draw_step, parse_figure
from fourcorners.core.game import Game, Position
from fourcorners.core.scene import Scene, Style, check_colours, measure_svg, render_svg
from fourcorners.core.spec import Spec
from fourcorners.web.application.markdown import create_parser
from fourcorners.web.protocol.board_picture import draw_parts

_FIGURE = "figure"
_CURRENT = ' aria-current="step"'
_STEP_BUTTONS = (
    '<div class="step-buttons" role="group" aria-label="Steps of figure {number}">'
    '<button type="button" data-go="-1" aria-label="Previous step" aria-disabled="true">&#8249;</button>'
    "<span>Step 1 of {count}</span>"
    '<button type="button" data-go="1" aria-label="Next step">&#8250;</button></div>'
)
_PRINT = "print"
_LABELS = {"colour-blind": "Colour-blind friendly"}
_NARROW = 3.5
"""A tray at most this many times as wide as high may stand beside the board, as `reserve.js` has it."""


def get_defs(spec: Spec) -> Markup:
    """Return the SVG definitions that the boards of a game refer to."""
    return Markup(spec.drawing.STYLE.defs)  # noqa: S704  # written by the game, from no input


def draw_markup(scene: Scene | None, *, has_hand: bool = False) -> dict[str, str]:
    """Return the board and the tray of a scene for a template, both empty without a scene, and as `tray_place` the
    place that the page keeps for the tray until its scripts know better, perhaps for a hand that is not shown yet; see
    `reserve.js`.
    """
    board, tray = draw_parts(scene) if scene else ("", None)
    place = "wide" if has_hand else "none"
    if scene and scene.tray:
        place = "wide" if scene.tray.box[2] > _NARROW * scene.tray.box[3] else "narrow"
    return {"board": Markup(board), "tray": Markup(tray or ""), "tray_place": place}  # noqa: S704  # written by the game, from no input


def describe_board(game: Game, scene: Scene) -> dict[str, Any]:
    """Return what every page with a board needs: the game with its style sheet, and a scene of it."""
    return {
        "game": {"id": game.id, "title": game.title, "style": build_style_url(game.id)},
        "defs": get_defs(game.spec),
        **draw_markup(scene),
        "hidden": game.spec.hidden,
        "prompts": dict(game.spec.presentation.prompts),
        "looks": list_looks(game.id),
    }


@functools.lru_cache(maxsize=64)
def draw_cover(game_id: str, theme: str, palette: str, look: str) -> str:
    """Draw a game's cover as SVG, the board without its tray, so that all covers have about the same shape.

    Raise OptionError for an unknown game, theme, palette or look ("" for none).
    """
    position = find_cover_position(game_id)
    style = position.game.spec.drawing.STYLE
    check_colours(style, theme, palette, look)
    return render_svg(position.view().scene()._replace(tray=None), style, theme, palette, look)


@functools.lru_cache(maxsize=1024)
def draw_example(game_id: str, number: int, step: int, theme: str, palette: str, look: str) -> str:
    """Draw a step of a rulebook's figure as SVG, both counted from 0; raise IndexError, or as `draw_cover` does."""
    figure = _list_examples(game_id)[number]
    style = catalogue.game(game_id).spec.drawing.STYLE
    check_colours(style, theme, palette, look)
    return render_svg(draw_step(figure, step), style, theme, palette, look)


def find_cover_position(game_id: str) -> Position:
    """Return the position that a game's cover shows; raise OptionError for an unknown game."""
    return _replay(catalogue.game(game_id).cover)


@functools.lru_cache(maxsize=64)
def _replay(record: str) -> Position:
    """Return the last position of a game's own record, which has only legal moves; raise GameError.

    They are played unchecked: listing the legal moves before each takes half a second until the rules are compiled.
    """
    header, lines = record_format.parse(record)[:2]
    game = catalogue.game(header["game"], **record_format.parse_json(header.get("options", "{}"), dict))
    position = game.start(deck=header.get("deck", "").split() or None)
    played: tuple[PlayedMove, ...] = ()
    for seat, move in lines:
        action = game.spec.notation.parse(position.record, move)
        states = position.states.copy()
        compiled_api.play(states, 0, action)
        played = (*played, PlayedMove(seat, move, game.spec.mask_move(move)))
        position = Position(game, states, played)
    return position


def _is_example(token: Token) -> bool:
    """Return whether a Markdown token is an example: a code block marked as a figure."""
    return token.type == "fence" and token.info.strip() == _FIGURE


@functools.lru_cache(maxsize=64)
def _list_examples(game_id: str) -> tuple[Figure, ...]:
    """List the examples in a game's rulebook, in order; raise OptionError for an unknown game, GameError."""
    game = catalogue.game(game_id)
    tokens = create_parser().parse(game.rulebook)
    return tuple(parse_figure(game, token.content) for token in tokens if _is_example(token))


@functools.lru_cache(maxsize=64)
def render_rulebook(game_id: str) -> Markup:
    """Return a game's rulebook as HTML without its title, with each example drawn; raise OptionError or GameError."""
    parser = create_parser()

    def render_fence(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        """Render the code block `tokens[index]`, an example as a figure."""
        if not _is_example(tokens[index]):
            return RendererHTML.fence(renderer, tokens, index, options, env)
        number = sum(1 for earlier in tokens[:index] if _is_example(earlier))
        return _render_example(parser, game_id, number, _list_examples(game_id)[number])

    parser.add_render_rule("fence", render_fence)
    # The page itself has the game's title as its heading.
    text = catalogue.game(game_id).rulebook.strip()
    if text.startswith("# "):
        text = text.partition("\n")[2]
    return Markup(parser.render(text))  # noqa: S704  # raw HTML is disabled, so all text is escaped


def _render_example(parser: MarkdownIt, game_id: str, number: int, figure: Figure) -> str:
    """Render an example as HTML: its pictures, of which one shows, the caption, and the sentences on the steps.

    Each step has a picture for each theme, of which the style sheet shows one. Without scripts the first picture and
    all sentences show; `rulebook.js` shows the buttons, and one step at a time.
    """
    count = len(figure.steps)
    # The look is chosen in the browser, whose script then changes the address.
    looks = " data-looks" if catalogue.game(game_id).spec.drawing.STYLE.looks else ""
    images = "".join(
        f'<img class="on-{theme}" data-step="{step}"{looks} alt="{escape(describe_step(figure, step))}" loading="lazy"'
        f' src="/games/{escape(game_id)}/examples/{number}.svg?step={step}&amp;theme={theme}"'
        f' width="{width:g}" height="{height:g}"{" hidden" if step else ""}>'
        for step in range(count)
        for width, height in [measure_svg(draw_step(figure, step))]
        for theme in ("light", "dark")
    )
    sentences = "".join(
        f'<li data-step="{step}"{"" if step else _CURRENT}>{parser.renderInline(text)}</li>'
        for step, (_, text, *_) in enumerate(figure.steps)
        if text
    )
    caption = f"<p>{parser.renderInline(figure.caption)}</p>" if figure.caption else ""
    caption += f'<ol class="steps" aria-live="polite">{sentences}</ol>' if sentences else ""
    buttons = _STEP_BUTTONS.format(number=number + 1, count=count) if count > 1 else ""
    body = f"{images}{buttons}" + (f"<figcaption>{caption}</figcaption>" if caption else "")
    return f'<figure class="example" data-steps="{count}">{body}</figure>\n'


@functools.lru_cache(maxsize=64)
def build_style_sheet(game_id: str) -> str:
    """Return the CSS of a game's boards: the values of themes, palettes and seats, and its rules; raise OptionError."""
    style = catalogue.game(game_id).spec.drawing.STYLE
    scope = ".fc-scene"
    themes = {name: values for name, values in style.themes.items() if name != _PRINT}
    rules = [f'[data-theme="{name}"] {scope}{build_block(values)}' for name, values in themes.items()]
    looks = {} if style.looks is None else style.looks.values
    rules += [f'[data-look="{name}"] {scope}{build_block(values)}' for name, values in looks.items()]
    rules += [f'[data-palette="{name}"] {scope}{build_block(values)}' for name, values in style.palettes.items()]
    if _PRINT in style.themes:
        rules.append(f"@media print{{html[data-theme] {scope}{build_block(style.themes[_PRINT])}}}")
    rules += [f'[data-theme="{name}"]{_build_seat_block(style, values)}' for name, values in themes.items()]
    rules += [f'[data-palette="{name}"]{_build_seat_block(style, values)}' for name, values in style.palettes.items()]
    rules += [f'[data-colour="{name}"]{{--swatch:var(--seat-{name})}}' for name in style.seats]
    return "\n".join([*rules, style.css])


def _build_seat_block(style: Style, values: Mapping[str, str]) -> str:
    """Build the CSS block of the seats' colours; a palette may leave some of them as the theme has them."""
    return build_block({f"seat-{name}": values[value] for name, value in style.seats.items() if value in values})


def build_block(values: Mapping[str, str]) -> str:
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


def list_looks(game_id: str) -> dict[str, Any]:
    """Return the template variable `looks`: `name`, and `choices` as [id, label]; empty if the game has none."""
    looks = catalogue.game(game_id).spec.drawing.STYLE.looks
    if looks is None:
        return {}
    others = [[name, name.replace("-", " ").capitalize()] for name in looks.values]
    return {"name": looks.name, "choices": [["", looks.usual], *others]}
