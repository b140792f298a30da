"""Small boards that only show a position, and the style sheet of pages with boards of several games."""

import functools
import hashlib
import re
from html import escape

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.core import catalogue
from fourcorners.core.game import Game, View
from fourcorners.core.scene import Style
from fourcorners.core.spec import Spec
from fourcorners.web.pages.pictures import build_block

_KEYFRAMES = re.compile(r"@keyframes [\w-]+\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_COMMA = re.compile(r",(?![^(]*\))")
_CLASS, _CLASS_ATTRIBUTE = re.compile(r"\.([a-z][\w-]*)"), re.compile(r'class="([^"]*)"')
_PATH = "/boards.css"


def draw_miniature(game: Game, view: View) -> Markup:
    """Draw the board of a view, without what lies beside it, for a page that says in words what it shows."""
    board = view.scene().board
    box = " ".join(f"{number:g}" for number in board.box)
    # Ids, tokens and labels are left out: they would stand on the page several times, and nothing is played here.
    body = "".join(f'<g class="{element.classes}">{element.markup}</g>' for element in board.elements)
    # Written by the game, from no input.
    return Markup(  # noqa: S704
        f'<span class="fc-scene game-{escape(game.id)} small-board"><svg class="fc-board" viewBox="{box}"'
        f' width="{board.box[2]:g}" height="{board.box[3]:g}" aria-hidden="true" focusable="false">{body}</svg></span>'
    )


def describe_miniatures(games: set[str]) -> dict[str, object]:
    """Return what a template needs to show small boards of these games (ids): the address of the style sheet, and by
    game the SVG definitions, each once for all presets of a game.
    """
    owners = {catalogue.game(game_id).spec.id: game_id for game_id in sorted(games)}
    drawn = {game_id: catalogue.game(game_id).spec.drawing.STYLE.defs for game_id in owners.values()}
    defs = {game_id: Markup(each) for game_id, each in drawn.items()}  # noqa: S704  # written by the games
    return {"boards_style": f"{_PATH}?v={_find_version()}", "boards_defs": defs}


def serve_style(_: Request) -> Response:
    """Answer with the style sheet of the boards of all games, whose address changes with it."""
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(_build_style(), media_type="text/css", headers=headers)


@functools.cache
def _find_version() -> str:
    return hashlib.sha256(_build_style().encode()).hexdigest()[:12]


@functools.cache
def _build_style() -> str:
    """Return the CSS of the boards of all games. Games share names, so the rules of each hold for its own boards."""
    scopes = {name: [f".game-{game_id}" for game_id in (name, *spec.presets)] for name, spec in _list_specs()}
    sheets = [".small-board,.small-board svg{display:block;width:100%;height:100%}"]
    for name, spec in _list_specs():
        others = [scope for other, each in scopes.items() if other != name for scope in each]
        sheets.append(_scope_style(spec.drawing.STYLE, f":is({','.join(scopes[name])})", f":is({','.join(others)})"))
    return "\n".join(sheets)


def _list_specs() -> list[tuple[str, Spec]]:
    return list(catalogue.specs().items())


def _scope_style(style: Style, own: str, others: str) -> str:
    """Return the CSS of a style for what the selector `own` contains; `others` selects the boards of other games."""
    groups = [("theme", style.themes), ("look", {} if style.looks is None else style.looks.values)]
    rules = [
        f'[data-{attribute}="{name}"] {own}{build_block(values)}'
        for attribute, group in [*groups, ("palette", style.palettes)]
        for name, values in group.items()
    ]
    of_defs = {name for names in _CLASS_ATTRIBUTE.findall(style.defs) for name in names.split()}

    def scope_rule(rule: re.Match[str]) -> str:
        """Scope each selector of a rule."""
        return ",".join(scope_selector(each.strip()) for each in _COMMA.split(rule[1])) + f"{{{rule[2]}}}"

    def scope_selector(selector: str) -> str:
        # What a `use` copies has no ancestors for a selector, so for classes of the definitions others are excluded.
        is_copied = not of_defs.isdisjoint(_CLASS.findall(selector))
        return f"{selector}:not({others} *)" if is_copied and others != ":is()" else f"{own} {selector}"

    css = _RULE.sub(scope_rule, _KEYFRAMES.sub("", style.css))
    # Animations cannot be scoped; the games give theirs different names.
    return "\n".join([*rules, *_KEYFRAMES.findall(style.css), css])
