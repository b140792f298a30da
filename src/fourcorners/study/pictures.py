"""Pictures of a review: the board after a move, as its player saw it, with the places of the move marked."""

import base64

from markupsafe import Markup

from fourcorners.core.figures import Figure, Step, describe_step, draw_step
from fourcorners.core.game import Position, View
from fourcorners.core.narration import narrate
from fourcorners.core.scene import render_svg

_PICTURE = Markup('<picture><source media="(prefers-color-scheme: dark)" srcset="{}"><img src="{}" alt="{}"></picture>')


def draw_move(position: Position, move: str, theme: str, palette: str = "", look: str = "") -> str:
    """Draw the board after a legal move as SVG, as the seat to move sees it, with the move marked.

    Theme, palette, look and errors are the same as for `scene.render_svg`.
    """
    scene = draw_step(_make_figure(position, move), 0)._replace(tray=None)
    return render_svg(scene, position.game.spec.drawing.STYLE, theme, palette, look)


def embed_move(position: Position, move: str) -> Markup:
    """Return the picture of a move as an HTML element with embedded images, one for each theme."""
    dark, light = (_encode(draw_move(position, move, theme)) for theme in ("dark", "light"))
    return _PICTURE.format(dark, light, describe_move(position, move))


def _encode(svg: str) -> str:
    """Return a picture as a data URL."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode('ascii')}"


def describe_move(position: Position, move: str) -> str:
    """Describe the picture of a move in words."""
    return describe_step(_make_figure(position, move), 0)


def _make_figure(position: Position, move: str) -> Figure:
    tokens = tuple(token.removeprefix("#") for token in move.split(" "))
    after = position.play(move)
    seen = after.view(position.seat)
    # Without the history, only the move is marked.
    view = View(seen.game, seen.states, (), seen.viewer)
    words = f"{position.seat_names[position.seat or 0]} {narrate(position, after, position.seat).words}"
    return Figure("", (Step(view, "", tokens, (), last_move=words),))
